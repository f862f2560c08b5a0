//! A task that is understood at a glance: an example asks for a letter, and a text with that letter is right.

use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;

use futures::future::poll_fn;
use pawl_evolve::{
    Candidate, Cost, Evaluate, Example, Failure, FailureKind, Reflect, Reflection, Reply, Rollout, Split,
    Task, Trial,
};

/// Examples that ask for these letters.
pub(crate) fn asking(letters: &str) -> Vec<Example> {
    letters
        .chars()
        .map(|letter| Example::new(letter, letter))
        .collect()
}

/// The same letters for training and validation, and a text to begin with.
pub(crate) fn task(seed: &str, letters: &str) -> Task {
    Task::new(Candidate::single(seed), asking(letters), asking(letters)).unwrap()
}

/// The same with a second text that says nothing.
pub(crate) fn task_of_two(seed: &str, letters: &str) -> Task {
    let seed = Candidate::new([("prompt", seed), ("tool", "-")]).unwrap();
    Task::new(seed, asking(letters), asking(letters)).unwrap()
}

/// Judges texts by their letters, in a time and with failures that are a function of the call.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    /// Of a hundred calls, so many fail.
    pub(crate) failing: u64,
    /// Answers come in another order the higher this is.
    pub(crate) disorder: u64,
    pub(crate) at_most: Option<Cost>,
    pub(crate) calls: AtomicU64,
    /// Changes which calls fail.
    pub(crate) salt: u64,
}

fn hash(salt: u64, texts: &[&str]) -> u64 {
    let bytes = texts.iter().flat_map(|text| text.bytes());
    bytes.fold(salt ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// Is pending so many times before it is ready.
async fn after(mut turns: u64) {
    poll_fn(|context| {
        if turns == 0 {
            return Poll::Ready(());
        }
        turns -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

pub(crate) fn verdict(text: &str, letter: &str) -> Rollout {
    let right = text.contains(letter);
    Rollout {
        score: f64::from(u8::from(right)),
        dimensions: [("short".to_owned(), 1.0 / (1.0 + text.len() as f64))].into(),
        feedback: if right {
            "right".to_owned()
        } else {
            format!("missing {letter}")
        },
        ..Rollout::default()
    }
}

impl Evaluate for Judge {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let text = trial.candidate.text("prompt").unwrap();
        let chance = hash(self.salt, &[text, &trial.example.id]) >> 7;
        after(if self.disorder == 0 {
            0
        } else {
            (chance ^ call) % self.disorder
        })
        .await;
        let cost = self.at_most.unwrap_or_default();
        if chance % 100 < self.failing {
            return Err(Failure {
                cost,
                ..Failure::new(FailureKind::Infra, "the line is dead")
            });
        }
        Ok(Rollout {
            cost,
            ..verdict(text, &trial.example.input)
        })
    }

    fn at_most(&self) -> Option<Cost> {
        self.at_most
    }
}

/// Adds the first letter that is missing, and now and then loses one.
#[derive(Debug, Default)]
pub(crate) struct Speller {
    pub(crate) at_most: Option<Cost>,
    pub(crate) calls: AtomicU64,
}

impl Reflect for Speller {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut text = reflection.current_text().to_owned();
        let missing = reflection
            .records
            .iter()
            .find_map(|record| record.rollout.feedback.strip_prefix("missing "));
        if hash(0, &[&text, missing.unwrap_or_default()]).is_multiple_of(3) {
            text.pop();
        }
        text.push_str(missing.unwrap_or("-"));
        Ok(Reply {
            cost: self.at_most.unwrap_or_default(),
            ..reply(&text)
        })
    }

    fn at_most(&self) -> Option<Cost> {
        self.at_most
    }
}

/// A text as it is answered.
pub(crate) fn reply(text: &str) -> Reply {
    Reply {
        text: format!("Better:\n```\n{text}\n```"),
        ..Reply::default()
    }
}

/// A function in place of somebody who tries candidates: (text, example, split).
pub(crate) struct Tries<F>(pub(crate) F);

impl<F> Evaluate for Tries<F>
where
    F: Fn(&str, &str, Split) -> Result<Rollout, Failure> + Sync,
{
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let text = trial.candidate.text("prompt").unwrap();
        (self.0)(text, &trial.example.id, trial.split)
    }
}

/// A function in place of somebody who proposes texts.
pub(crate) struct Proposes<F>(pub(crate) F);

impl<F> Reflect for Proposes<F>
where
    F: Fn(Reflection<'_>) -> Result<Reply, Failure> + Sync,
{
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        (self.0)(reflection)
    }
}
