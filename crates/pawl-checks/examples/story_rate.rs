//! Times the eight story checks over recorded outputs, in process: `story_rate OUTPUTS.jsonl ROUNDS`.
//!
//! Prints the best round as JSON; `bench/run` sets it beside a plain Python loop.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use pawl_checks::{AssertSpec, Check, Grading, Subject};
use pawl_model::State;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: story_rate OUTPUTS.jsonl ROUNDS")?;
    let rounds: u32 = arguments
        .next()
        .ok_or("usage: story_rate OUTPUTS.jsonl ROUNDS")?
        .parse()?;
    let text = std::fs::read_to_string(file)?;
    let stories: Vec<Value> = text
        .lines()
        .map(|line| Ok(serde_json::from_str::<Value>(line)?["output"].take()))
        .collect::<Result<_, serde_json::Error>>()?;
    let spec = AssertSpec::read(&json!({ "type": "user-story" }))?;
    let grading = Grading::new(Check::compile(&spec)?, None)?;

    let mut best = Duration::MAX;
    let mut failed = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        failed = stories
            .iter()
            .filter(|story| grading.judge(black_box(&Subject::new(story))).state == State::Failed)
            .count();
        best = best.min(start.elapsed());
    }
    println!(
        "{}",
        json!({ "stories": stories.len(), "failed": failed, "seconds": best.as_secs_f64() })
    );
    Ok(())
}
