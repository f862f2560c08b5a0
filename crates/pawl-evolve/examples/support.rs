//! Improves the instructions of a support agent, offline: both models are pretended by a few lines of Rust.
//!
//!     cargo run -p pawl-evolve --example support
//!
//! For a task of your own replace three things: the examples, `Agent::evaluate` (ask your system, judge its answer, say in
//! words what was wrong) and `Editor::reflect` (send `reflection.prompt(…)` to a language model, return what it answers).

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;

use futures::executor::block_on;
use pawl_evolve::{
    Candidate, Control, Evaluate, Event, Example, Failure, Limits, MemoryJournal, Outcome, Reflect,
    Reflection, Reply, Rollout, Run, Settings, Task, Trial,
};

/// What customers ask about, and what a good answer must mention.
const TOPICS: [(&str, &[&str]); 4] = [
    ("refund", &["the order number", "five working days"]),
    ("delivery", &["the tracking link", "the order number"]),
    ("password", &["the reset page"]),
    ("invoice", &["the billing address", "the order number"]),
];

/// A pretended agent: its answer mentions what its instructions tell it to.
struct Agent;

impl Evaluate for Agent {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let instructions = trial.candidate.text("prompt").unwrap_or_default();
        let wanted = TOPICS
            .iter()
            .find(|(topic, _)| trial.example.input.contains(topic))
            .map_or(&[][..], |(_, all)| all);
        let missing: Vec<&str> = wanted
            .iter()
            .copied()
            .filter(|phrase| !instructions.contains(phrase))
            .collect();
        // Long instructions are followed less well.
        let patience = 1.0 - 0.02 * instructions.lines().count().saturating_sub(4) as f64;
        let feedback = match missing.first() {
            Some(phrase) => format!("The answer does not mention: {phrase}."),
            None => "Everything was mentioned.".to_owned(),
        };
        Ok(Rollout {
            score: patience * (wanted.len() - missing.len()) as f64 / wanted.len() as f64,
            dimensions: [("brevity".to_owned(), patience)].into(),
            feedback,
            ..Rollout::default()
        })
    }
}

/// A pretended model: it adds the first thing that feedback misses.
struct Editor;

impl Reflect for Editor {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        // What a real model would be sent.
        let prompt = reflection.prompt(8_000);
        let missing = prompt
            .lines()
            .find_map(|line| line.strip_prefix("The answer does not mention: "));
        let line = missing.map_or("- Be kind.".to_owned(), |phrase| {
            format!("- Always mention {phrase}")
        });
        Ok(Reply {
            text: format!("Like this:\n```\n{}\n{line}\n```", reflection.current_text()),
            ..Reply::default()
        })
    }
}

fn questions(count: usize, from: usize) -> Vec<Example> {
    let question = |nth: usize| {
        let (topic, _) = TOPICS[nth % TOPICS.len()];
        let mut example = Example::new(
            format!("question-{nth}"),
            format!("I have a question about my {topic}."),
        );
        example.stratum = Some(topic.to_owned());
        example
    };
    (from..from + count).map(question).collect()
}

fn tell(event: &Event<'_>) {
    match event {
        Event::Began { forecast, .. } => println!("buys {:?} proposals or more", forecast.proposals_at_least),
        Event::Committed { commit, view } => {
            if let Outcome::Accepted { standing, .. } = &commit.outcome {
                let (mean, calls) = (standing.mean.unwrap_or_default(), view.spent().metric_calls);
                println!(
                    "step {:3}: candidate {} scores {mean:.3} after {calls} calls",
                    commit.step, standing.index
                );
            }
        }
        Event::Ended { finish } => println!("ended: {finish:?}"),
        Event::Planned { .. } | Event::Answered { .. } => {}
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let seed = Candidate::single("You answer the questions of customers.");
    let task = Task::new(seed, questions(12, 0), questions(20, 100))?;
    let settings = Settings {
        limits: Limits::metric_calls(400),
        ..Settings::default()
    };
    let run = Run {
        task: &task,
        settings: &settings,
        evaluate: &Agent,
        reflect: &Editor,
        journal: &MemoryJournal::default(),
        control: Control {
            observer: &tell,
            ..Control::with_workers(4)
        },
    };
    let report = block_on(run.evolve())?;
    let best = report.best();
    println!(
        "{:.3} instead of {:.3}, with these instructions:\n",
        best.mean.unwrap_or_default(),
        report.candidates[0].mean.unwrap_or_default()
    );
    println!("{}", best.candidate.text("prompt").unwrap_or_default());
    Ok(())
}
