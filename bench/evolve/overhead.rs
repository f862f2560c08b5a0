//! What the search itself takes: scores from a table, texts that are always new and always better.

use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::executor::block_on;
use pawl_evolve::{
    Candidate, Control, Evaluate, Event, Example, Failure, Limits, MemoryJournal, NoJournal, Reflect,
    Reflection, Reply, Rollout, Run, Settings, Split, Task, Trial, Validation,
};
use serde_json::{Value, json};

/// Scores of five levels, by candidate and example: each row is an earlier one with a twentieth of its cells drawn anew,
/// mostly upwards. That is what a pool looks like: many ties, few specialists.
struct Table {
    rows: Vec<Vec<f64>>,
    /// Whether a child is better than its parent on what both are screened on.
    rising: bool,
}

impl Table {
    fn new(rows: usize, columns: usize, rising: bool) -> Self {
        let mut chance = Chance(1);
        let mut table: Vec<Vec<f64>> = vec![(0..columns).map(|_| chance.level()).collect()];
        while table.len() < rows {
            let mut row = table[chance.below(table.len())].clone();
            for _ in 0..(columns / 20).max(1) {
                let column = chance.below(columns);
                let drawn = chance.level();
                row[column] = if chance.below(10) < 7 {
                    row[column].max(drawn)
                } else {
                    drawn
                };
            }
            table.push(row);
        }
        Self { rows: table, rising }
    }
}

/// SplitMix64.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn level(&mut self) -> f64 {
        self.below(5) as f64 / 4.0
    }
}

impl Evaluate for Table {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let text = trial.candidate.text("prompt").unwrap_or_default();
        let number: usize = text.lines().next().unwrap_or_default().parse().unwrap_or(0);
        let score = match trial.split {
            Split::Train if self.rising => number as f64 * 1e-6,
            Split::Train => 0.5 / (1.0 + number as f64),
            Split::Validation => self.rows[number % self.rows.len()][trial.example.id.parse().unwrap_or(0)],
        };
        Ok(Rollout {
            score,
            ..Rollout::default()
        })
    }
}

/// Numbers its texts.
struct Counter(AtomicU64);

impl Reflect for Counter {
    async fn reflect(&self, _: Reflection<'_>) -> Result<Reply, Failure> {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(Reply {
            text: format!("```\n{number}\n{}\n```", "rule text ".repeat(60)),
            ..Reply::default()
        })
    }
}

fn task(validation: usize) -> Result<Task, Box<dyn Error>> {
    let examples = |count: usize| (0..count).map(|nth| Example::new(nth.to_string(), "")).collect();
    let seed = Candidate::single(format!("0\n{}", "rule text ".repeat(60)));
    Ok(Task::new(seed, examples(50), examples(validation))?)
}

/// CPU time of this process, in seconds.
fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/self/schedstat")?;
    let nanos: u64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanos as f64 / 1e9)
}

/// A pool that grows by one candidate a step, each validated on all examples.
pub(crate) fn pool(candidates: usize, examples: usize, base: Settings) -> Result<Value, Box<dyn Error>> {
    let table = Table::new(candidates + 2, examples, true);
    let settings = Settings {
        validation: Validation::Full,
        perfect_score: None,
        limits: Limits {
            candidates: Some(candidates),
            metric_calls: Some(u64::MAX),
            ..Limits::default()
        },
        ..base
    };
    let bytes = Mutex::new(0);
    let observer = |event: &Event<'_>| {
        if let (Event::Committed { view, .. }, Ok(mut bytes)) = (event, bytes.lock()) {
            *bytes = if view.candidates() == candidates {
                view.score_bytes()
            } else {
                0
            };
        }
    };
    let task = task(examples)?;
    let run = Run {
        task: &task,
        settings: &settings,
        evaluate: &table,
        reflect: &Counter(AtomicU64::new(0)),
        journal: &NoJournal,
        control: Control {
            observer: &observer,
            ..Control::with_workers(1)
        },
    };
    let before = cpu_seconds()?;
    let report = block_on(run.evolve())?;
    let seconds = cpu_seconds()? - before;
    let bytes = *bytes.lock().map_err(|_| "an observer panicked")?;
    Ok(json!({
        "candidates": report.candidates.len(),
        "examples": examples,
        "calls": report.spent.metric_calls,
        "cpu_seconds": seconds,
        "bytes_per_score": bytes as f64 / (report.candidates.len() * examples) as f64,
    }))
}

/// Steps that come to nothing, journalled: the CPU time of each tenth of them, in microseconds a step.
pub(crate) fn steps(count: u64) -> Result<Value, Box<dyn Error>> {
    let table = Table::new(1, 50, false);
    let settings = Settings {
        validation: Validation::Full,
        limits: Limits {
            reflections: Some(count + 1),
            idle_steps: u32::MAX,
            failed_steps: u32::MAX,
            ..Limits::default()
        },
        ..Settings::default()
    };
    let marks = Mutex::new(Vec::new());
    let observer = |event: &Event<'_>| {
        if let (Event::Committed { commit, .. }, Ok(mut marks)) = (event, marks.lock())
            && commit.step % (count / 10) == 0
        {
            marks.push(cpu_seconds().unwrap_or_default());
        }
    };
    let task = task(50)?;
    let run = Run {
        task: &task,
        settings: &settings,
        evaluate: &table,
        reflect: &Counter(AtomicU64::new(0)),
        journal: &MemoryJournal::default(),
        control: Control {
            observer: &observer,
            ..Control::with_workers(1)
        },
    };
    let report = block_on(run.evolve())?;
    let marks = marks.into_inner().map_err(|_| "an observer panicked")?;
    let tenths: Vec<f64> = marks
        .windows(2)
        .map(|pair| (pair[1] - pair[0]) * 1e6 / (count / 10) as f64)
        .collect();
    Ok(json!({ "steps": report.counts.steps, "microseconds": tenths }))
}
