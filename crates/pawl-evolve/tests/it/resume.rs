//! A run that is killed and resumed finds what it would have found.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::executor::block_on;
use pawl_evolve::journal::{Answer, Call, CallState, JournalContents, Opened, Proposal};
use pawl_evolve::{
    Commit, Control, Cost, EvolveError, Failure, FailureKind, Finish, Journal, Limits, MemoryJournal,
    NoJournal, Report, Run, Settings, Split,
};

use crate::letters::{Judge, Speller, Tries as LetterTries, task, verdict};
use crate::world::{Params, Reflector, Tries, World};

/// The journal's process dies with an operation: before it is durable, or right after.
#[derive(Debug)]
struct Mortal {
    journal: MemoryJournal,
    left: AtomicU64,
    kills: Kills,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kills {
    BeforeWrites,
    AfterWrites,
    AfterCommits,
}

#[derive(Debug, thiserror::Error)]
#[error("killed")]
struct Killed;

impl Mortal {
    fn new(contents: JournalContents, left: u64, kills: Kills) -> Self {
        let journal = MemoryJournal::with(contents);
        let left = AtomicU64::new(left);
        Self { journal, left, kills }
    }

    fn is_dead(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Counts a write; whether it is the last one.
    fn dies(&self) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }

    async fn write<F: Future<Output = Result<(), std::convert::Infallible>>>(
        &self,
        is_commit: bool,
        write: F,
    ) -> Result<(), Killed> {
        if self.is_dead() {
            return Err(Killed);
        }
        let counts = is_commit || self.kills != Kills::AfterCommits;
        if counts && self.dies() {
            if self.kills != Kills::BeforeWrites {
                let Ok(()) = write.await;
            }
            return Err(Killed);
        }
        let Ok(()) = write.await;
        Ok(())
    }
}

impl Journal for Mortal {
    type Error = Killed;

    async fn open(&self) -> Result<Opened, Killed> {
        let Ok(opened) = self.journal.open().await;
        Ok(opened)
    }

    async fn recall(&self, call: &Call) -> Result<Option<Answer>, Killed> {
        let Ok(answer) = self.journal.recall(call).await;
        Ok(answer)
    }

    async fn propose(&self, proposal: &Proposal) -> Result<(), Killed> {
        self.write(false, self.journal.propose(proposal)).await
    }

    async fn begin(&self, call: &Call, at_most: Cost) -> Result<(), Killed> {
        self.write(false, self.journal.begin(call, at_most)).await
    }

    async fn finish(&self, call: &Call, answer: &Answer) -> Result<(), Killed> {
        self.write(false, self.journal.finish(call, answer)).await
    }

    async fn commit(&self, commit: &Commit) -> Result<(), Killed> {
        self.write(true, self.journal.commit(commit)).await
    }
}

/// Ends with the size of the pool: no ceiling is in play.
fn settings(look_ahead: usize, candidates: usize) -> Settings {
    Settings {
        look_ahead,
        limits: Limits {
            candidates: Some(candidates),
            time: Some(Duration::from_secs(1)),
            ..Limits::default()
        },
        ..Settings::default()
    }
}

fn small_world() -> World {
    let params = Params {
        sizes: [20, 20, 1],
        ..Params::preset("graded").unwrap()
    };
    World::new(params, 4)
}

/// The report, and how many metric calls were made.
fn run<J: Journal>(
    world: &World,
    settings: &Settings,
    journal: &J,
) -> (Result<Report, EvolveError<J::Error>>, u64) {
    let evaluate = Tries::new(world);
    let run = Run {
        task: &world.task(),
        settings,
        evaluate: &evaluate,
        reflect: &Reflector::new(world, 4),
        journal,
        control: Control::with_workers(3),
    };
    let report = block_on(run.evolve());
    (report, evaluate.calls.load(Ordering::Relaxed))
}

fn survives(kills: Kills, look_ahead: usize) {
    let world = small_world();
    let candidates = if kills == Kills::AfterCommits { 9 } else { 4 };
    let settings = settings(look_ahead, candidates);
    let whole = run(&world, &settings, &NoJournal).0.unwrap();
    assert!(whole.candidates.len() >= candidates);
    let mut deaths = 0;
    for left in 1.. {
        let mortal = Mortal::new(JournalContents::default(), left, kills);
        let (report, made) = run(&world, &settings, &mortal);
        match report {
            Err(EvolveError::Journal(Killed)) => deaths += 1,
            // It has outlived the run.
            report => {
                assert_eq!(report.unwrap(), whole);
                break;
            }
        }
        let contents = mortal.journal.contents();
        let in_flight = contents
            .calls
            .iter()
            .filter(|(_, state)| matches!(state, CallState::Begun(_)))
            .count() as u64;
        let heir = MemoryJournal::with(contents);
        let (resumed, made_again) = run(&world, &settings, &heir);
        let resumed = resumed.unwrap();
        assert_eq!(resumed.candidates, whole.candidates, "{kills:?} {left}");
        assert_eq!((resumed.winner, resumed.counts), (whole.winner, whole.counts));
        assert_eq!(resumed.spent, whole.spent);
        // Nothing that was stored is asked again, and what was in flight is counted.
        let lost = resumed.lost;
        assert_eq!(lost.metric_calls + lost.reflections, in_flight);
        assert!(made + made_again <= whole.spent.metric_calls + lost.metric_calls);
        let steps: Vec<u64> = heir.contents().commits.iter().map(|commit| commit.step).collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "each step is committed once");
    }
    assert!(deaths > 10, "{deaths}");
}

#[test]
fn killed_after_any_commit() {
    survives(Kills::AfterCommits, 1);
    survives(Kills::AfterCommits, 3);
}

#[test]
fn killed_before_any_write() {
    survives(Kills::BeforeWrites, 1);
}

#[test]
fn killed_after_any_write() {
    survives(Kills::AfterWrites, 1);
    survives(Kills::AfterWrites, 3);
}

#[test]
fn a_run_that_had_ended_goes_on_under_a_higher_limit() {
    let limited = |calls| Settings {
        limits: Limits::metric_calls(calls),
        ..Settings::default()
    };
    let world = small_world();
    let whole = run(&world, &limited(700), &NoJournal).0.unwrap();
    let journal = MemoryJournal::default();
    let (first, made) = run(&world, &limited(350), &journal);
    let first = first.unwrap();
    assert_eq!(made, first.spent.metric_calls);
    let (resumed, made_again) = run(&world, &limited(700), &journal);
    let resumed = resumed.unwrap();
    let texts = |report: &Report| -> Vec<_> {
        report
            .candidates
            .iter()
            .map(|one| one.candidate.clone())
            .collect()
    };
    assert_eq!(texts(&resumed), texts(&whole));
    assert_eq!(resumed.spent, whole.spent);
    // Finalists of the first end may not be those of the second: only they were paid for in vain.
    assert!(made + made_again >= whole.spent.metric_calls);
    assert!(made_again < whole.spent.metric_calls - made + 350);
    // It may have been written and read meanwhile.
    let written = serde_json::to_string(&journal.contents()).unwrap();
    let read = MemoryJournal::with(serde_json::from_str(&written).unwrap());
    let (again, nothing) = run(&world, &limited(700), &read);
    assert_eq!((again.unwrap(), nothing), (resumed, 0));
}

#[test]
fn a_failure_that_paused_a_run_is_asked_again() {
    let task = task("-", "abcdefgh");
    let settings = Settings {
        limits: Limits::metric_calls(300),
        ..Settings::default()
    };
    let journal = MemoryJournal::default();
    let evolve = |evaluate: &Judge| {
        let run = Run {
            task: &task,
            settings: &settings,
            evaluate,
            reflect: &Speller::default(),
            journal: &journal,
            control: Control::with_workers(2),
        };
        block_on(run.evolve()).unwrap()
    };
    // The seed's first call works, most of the others do not.
    let broken = (0..).map(|salt| Judge {
        failing: 80,
        salt,
        ..Judge::default()
    });
    let paused = broken.map(|judge| {
        let run = Run {
            task: &task,
            settings: &settings,
            evaluate: &judge,
            reflect: &Speller::default(),
            journal: &MemoryJournal::default(),
            control: Control::with_workers(2),
        };
        (block_on(run.evolve()), judge.salt)
    });
    let mut paused = paused.filter_map(|(report, salt)| Some((report.ok()?, salt)));
    let (report, salt) = paused.next().unwrap();
    assert!(matches!(report.finish, Finish::Paused(_)), "{:?}", report.finish);
    let stopped = evolve(&Judge {
        failing: 80,
        salt,
        ..Judge::default()
    });
    assert!(matches!(stopped.finish, Finish::Paused(_)));
    let mended = evolve(&Judge::default());
    assert!(mended.lost.metric_calls > 0, "what failed is counted");
    assert!(mended.spent.metric_calls + mended.lost.metric_calls <= 300);
    assert_eq!(mended.finish, Finish::MetricCalls);
}

#[test]
fn a_retry_that_is_stored_is_not_made_again() {
    let task = task("-", "abcdefgh");
    let settings = Settings {
        limits: Limits {
            candidates: Some(4),
            reflections: Some(1_000),
            ..Limits::default()
        },
        ..Settings::default()
    };
    for left in (1..60).step_by(3) {
        // Every example fails once for each text.
        let (failed, calls) = (Mutex::new(HashSet::new()), AtomicU64::new(0));
        let flaky = LetterTries(|text: &str, letter: &str, split: Split| {
            calls.fetch_add(1, Ordering::Relaxed);
            match failed
                .lock()
                .unwrap()
                .insert((text.to_owned(), letter.to_owned(), split))
                && letter == "c"
            {
                true => Err(Failure::new(FailureKind::Timeout, "too slow")),
                false => Ok(verdict(text, letter)),
            }
        });
        let mortal = Mortal::new(JournalContents::default(), left, Kills::AfterWrites);
        let first = Run {
            task: &task,
            settings: &settings,
            evaluate: &flaky,
            reflect: &Speller::default(),
            journal: &mortal,
            control: Control::with_workers(1),
        };
        assert!(matches!(
            block_on(first.evolve()),
            Err(EvolveError::Journal(Killed))
        ));
        let contents = mortal.journal.contents();
        let has_failed_last = |(call, state): &&(Call, CallState)| {
            let next = Call {
                attempt: call.attempt + 1,
                ..call.clone()
            };
            let retried = contents
                .calls
                .iter()
                .any(|(other, state)| *other == next && matches!(state, CallState::Finished(_)));
            match state {
                CallState::Begun(_) => true,
                CallState::Finished(Answer::Failure(_)) => {
                    call.step >= contents.commits.len() as u64 && !retried
                }
                CallState::Finished(_) => false,
            }
        };
        let again = contents.calls.iter().filter(has_failed_last).count() as u64;
        let heir = MemoryJournal::with(contents.clone());
        let second = Run {
            task: &task,
            settings: &settings,
            evaluate: &flaky,
            reflect: &Speller::default(),
            journal: &heir,
            control: Control::with_workers(1),
        };
        let report = block_on(second.evolve()).unwrap();
        assert_eq!(
            report.lost.metric_calls + report.lost.reflections,
            again,
            "killed after {left} writes"
        );
        assert!(calls.into_inner() <= report.spent.metric_calls + report.lost.metric_calls);
    }
}

#[test]
fn a_journal_of_another_run_is_refused() {
    let journal = MemoryJournal::default();
    let evolve = |seed_text: &str, seed: u64| {
        let settings = Settings {
            seed,
            limits: Limits::metric_calls(200),
            ..Settings::default()
        };
        let judge = Judge::default();
        let run = Run {
            task: &task(seed_text, "abcdefgh"),
            settings: &settings,
            evaluate: &judge,
            reflect: &Speller::default(),
            journal: &journal,
            control: Control::with_workers(2),
        };
        (block_on(run.evolve()), judge.calls.into_inner())
    };
    assert!(evolve("-", 0).0.is_ok());
    let (other_seed, calls) = evolve("+", 0);
    assert!(matches!(other_seed, Err(EvolveError::OtherRun { step: 0 })));
    assert_eq!(calls, 0);
    assert!(matches!(
        evolve("-", 1).0,
        Err(EvolveError::OtherRun { step: 1.. })
    ));
    assert!(evolve("-", 0).0.is_ok(), "the run itself goes on");
}
