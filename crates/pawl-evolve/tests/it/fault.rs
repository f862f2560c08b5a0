//! What goes wrong in other implementations.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::executor::block_on;
use pawl_evolve::{
    Candidate, Cost, Evaluate, EvolveError, Failure, FailureKind, Finish, Limits, Merge, NoJournal, Reflect,
    RefusalReason, Reply, ReplyEnd, Report, Rollout, Run, Settings, Split, Task, Validation,
};

use crate::letters::{Judge, Proposes, Speller, Tries, asking, reply, task, verdict};
use crate::watch::watched;
use crate::world::{self, Params, Reflector, World};

pub(crate) type Ended = Result<Report, EvolveError<std::convert::Infallible>>;

pub(crate) fn evolve(
    task: &Task,
    settings: &Settings,
    evaluate: &impl Evaluate,
    reflect: &impl Reflect,
) -> Ended {
    watched(task, settings, evaluate, reflect).ended
}

pub(crate) fn limited(calls: u64) -> Settings {
    Settings {
        limits: Limits::metric_calls(calls),
        ..Settings::default()
    }
}

pub(crate) fn full(calls: u64) -> Settings {
    Settings {
        validation: Validation::Full,
        ..limited(calls)
    }
}

fn fails(message: &str) -> Failure {
    Failure::new(FailureKind::Infra, message)
}

#[test]
fn a_score_that_is_no_number_is_no_score() {
    let judge = Tries(|text: &str, letter: &str, _: Split| {
        let mut rollout = verdict(text, letter);
        if letter == "c" && text == "-" {
            rollout.score = f64::NAN;
        }
        Ok(rollout)
    });
    let report = evolve(&task("-", "abcdef"), &full(200), &judge, &Speller::default()).unwrap();
    let seed = &report.candidates[0];
    assert_eq!((seed.scored, seed.mean), (5, Some(0.0)));
    assert_eq!(report.best().scored, 6, "somebody else has a score there");
}

#[test]
fn replies_that_cannot_be_read_are_no_proposals() {
    for (text, end) in [
        ("Let me think.", ReplyEnd::Complete),
        ("```\nabc", ReplyEnd::Complete),
        ("```\n```", ReplyEnd::Complete),
        ("```\nabc\n```", ReplyEnd::Cut),
    ] {
        let asked = AtomicU64::new(0);
        let mumbles = Proposes(|_: pawl_evolve::Reflection<'_>| {
            asked.fetch_add(1, Ordering::Relaxed);
            let text = text.to_owned();
            Ok(Reply {
                text,
                end,
                cost: Cost::default(),
            })
        });
        let judge = Judge::default();
        let report = evolve(&task("-", "abcdef"), &limited(300), &judge, &mumbles).unwrap();
        assert!(
            matches!(report.finish, Finish::Failures(_)),
            "{:?}",
            report.finish
        );
        assert_eq!(report.candidates.len(), 1);
        // Each of ten steps asks once more, and nothing is tried but the parent.
        assert_eq!((asked.into_inner(), report.counts.refused), (20, 10));
        assert!(judge.calls.into_inner() <= 12);
    }
}

#[test]
fn a_small_training_set_is_not_padded() {
    let seen = Mutex::new(HashMap::new());
    let judge = Tries(|text: &str, letter: &str, split: Split| {
        *seen
            .lock()
            .unwrap()
            .entry((text.to_owned(), letter.to_owned(), split))
            .or_insert(0) += 1;
        Ok(verdict(text, letter))
    });
    let task = Task::new(Candidate::single("-"), asking("ab"), asking("abcd")).unwrap();
    evolve(&task, &limited(60), &judge, &Speller::default()).unwrap();
    assert!(
        seen.into_inner().unwrap().values().all(|count| *count == 1),
        "nothing is tried twice"
    );
}

#[test]
fn a_merge_over_an_ancestor_without_a_score_is_a_merge() {
    let settings = Settings {
        merge: Some(Merge { limit: 5, overlap: 5 }),
        ..full(1_500)
    };
    let mut merged = 0;
    for seed in 0..6 {
        let world = World::new(Params::preset("binary").unwrap(), seed);
        let empty = ["planner", "writer"].map(|name| (name, format!("COMPONENT {name}")));
        let examples = world.task();
        let [train, validation] =
            [Split::Train, Split::Validation].map(|split| examples.examples(split).to_vec());
        let task = Task::new(Candidate::new(empty).unwrap(), train, validation).unwrap();
        let report = evolve(
            &task,
            &settings,
            &world::Tries::new(&world),
            &Reflector::new(&world, seed),
        )
        .unwrap();
        assert_eq!(report.candidates[0].mean, Some(0.0));
        merged += report
            .candidates
            .iter()
            .filter(|one| one.parents.len() == 2)
            .count();
    }
    assert!(merged > 0, "nothing was merged");
}

#[test]
fn equal_ids_in_different_splits_are_different_examples() {
    let judge = Tries(|text: &str, letter: &str, split: Split| {
        let mut rollout = verdict(text, letter);
        if split == Split::Validation {
            rollout.score = 0.5;
        }
        Ok(rollout)
    });
    let report = evolve(&task("-", "abcd"), &full(100), &judge, &Speller::default()).unwrap();
    assert!(report.candidates.len() > 1);
    assert!(report.candidates.iter().all(|one| one.mean == Some(0.5)));
}

#[test]
fn what_came_to_nothing_is_shown_to_who_proposes_next() {
    let shown = Mutex::new(Vec::new());
    let count = AtomicU64::new(0);
    let worse = Proposes(|reflection: pawl_evolve::Reflection<'_>| {
        shown.lock().unwrap().push(reflection.refusals.to_vec());
        Ok(reply(&format!("?{}", count.fetch_add(1, Ordering::Relaxed))))
    });
    let settings = Settings {
        patience: None,
        ..limited(60)
    };
    evolve(&task("-", "abcdef"), &settings, &Judge::default(), &worse).unwrap();
    let shown = shown.into_inner().unwrap();
    assert!(shown[0].is_empty());
    assert_eq!(shown[1][0].text, "?0");
    assert!(matches!(
        shown[1][0].reason,
        RefusalReason::NoGain {
            before: 0.0,
            after: 0.0
        }
    ));
    assert_eq!(
        shown[4]
            .iter()
            .map(|refusal| refusal.text.as_str())
            .collect::<Vec<_>>(),
        ["?1", "?2", "?3"]
    );
}

#[test]
fn a_run_in_which_nothing_works_ends_with_the_cause() {
    let silent = Proposes(|_: pawl_evolve::Reflection<'_>| Err(fails("no such model")));
    let report = evolve(&task("-", "abcdef"), &limited(500), &Judge::default(), &silent).unwrap();
    assert_eq!(report.finish, Finish::Failures("infra: no such model".to_owned()));
    assert_eq!(report.counts.failed, 10);
}

#[test]
fn a_dead_judge_is_noticed_at_the_first_call() {
    let calls = AtomicU64::new(0);
    let dead = Tries(|_: &str, _: &str, _: Split| {
        calls.fetch_add(1, Ordering::Relaxed);
        Err(Failure::new(FailureKind::Judge, "404"))
    });
    let ended = evolve(&task("-", "abcdef"), &limited(425), &dead, &Speller::default());
    assert!(matches!(ended, Err(EvolveError::Preflight(failure)) if failure.message == "404"));
    assert_eq!(calls.into_inner(), 1 + Settings::default().retries as u64);
}

#[test]
fn a_judge_that_dies_pauses_the_run() {
    let calls = AtomicU64::new(0);
    let dying = Tries(
        |text: &str, letter: &str, _: Split| match calls.fetch_add(1, Ordering::Relaxed) {
            0..30 => Ok(verdict(text, letter)),
            _ => Err(fails("429")),
        },
    );
    let report = evolve(
        &task("-", "abcdefghij"),
        &limited(500),
        &dying,
        &Speller::default(),
    )
    .unwrap();
    assert_eq!(report.finish, Finish::Paused(fails("429")));
    assert!(calls.into_inner() < 60);
}

#[test]
fn a_failure_is_no_zero() {
    // On one example every text but the seed fails: children are compared on the others.
    let broken = Tries(|text: &str, letter: &str, _: Split| match letter {
        "a" if text != "-" => Err(fails("out of memory")),
        _ => Ok(verdict(text, letter)),
    });
    let run = watched(&task("-", "abcd"), &full(300), &broken, &Speller::default());
    let report = run.ended.unwrap();
    assert!(report.candidates.len() > 2);
    assert_eq!((report.best().scored, report.best().mean), (3, Some(1.0)));
    assert!(report.candidates[1..].iter().all(|one| one.scored == 3));
}

#[test]
fn rollouts_are_rounded_to_what_a_column_gives_back() {
    let third = Tries(|_: &str, _: &str, _: Split| {
        Ok(Rollout {
            score: 1.0 / 3.0,
            ..Rollout::default()
        })
    });
    let report = evolve(&task("-", "a"), &full(20), &third, &Speller::default()).unwrap();
    assert_eq!(report.candidates[0].mean, Some(f64::from(1.0_f32 / 3.0)));
}

#[test]
fn a_run_can_be_driven_on_any_thread() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let (task, settings) = (task("-", "ab"), full(40));
    let (evaluate, reflect) = (Judge::default(), Speller::default());
    let run = Run {
        task: &task,
        settings: &settings,
        evaluate: &evaluate,
        reflect: &reflect,
        journal: &NoJournal,
        control: pawl_evolve::Control::with_workers(2),
    };
    assert!(block_on(is_send(run.evolve())).is_ok());
}
