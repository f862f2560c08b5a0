//! What is spent, and on what.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use pawl_evolve::{
    Candidate, EvolveError, Example, Finish, Growth, Limits, Outcome, Settings, SkipReason, Split, Task,
    Validation,
};

use crate::fault::{evolve, full, limited};
use crate::letters::{Judge, Proposes, Speller, Tries, asking, reply, task, verdict};
use crate::watch::{Watched, watched};
use crate::world::{self, Params, Reflector, World};

#[test]
fn a_budget_is_kept_or_refused() {
    let world = World::new(Params::preset("graded").unwrap(), 3);
    let run = |settings: &Settings| {
        let evaluate = world::Tries::new(&world);
        let ended = evolve(&world.task(), settings, &evaluate, &Reflector::new(&world, 3));
        (ended, evaluate.calls.into_inner())
    };
    for calls in [90, 120, 150] {
        let (ended, made) = run(&full(calls));
        assert!(made <= calls);
        assert!(matches!(ended, Err(EvolveError::BuysNothing { .. })) == (calls < 128));
    }
    let (ended, made) = run(&limited(10));
    let Err(EvolveError::BuysNothing { needed }) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!((needed.metric_calls, made), (15 + 8 + 15 + 5 * 45, 0));
}

#[test]
fn a_perfect_seed_is_left_alone() {
    let judge = Judge::default();
    let report = evolve(&task("abcdef", "abcdef"), &full(300), &judge, &Speller::default()).unwrap();
    assert_eq!((report.finish, report.candidates.len()), (Finish::Perfect, 1));
    assert_eq!(judge.calls.into_inner(), 6);
}

#[test]
fn the_same_text_is_tried_once() {
    let asked = AtomicU64::new(0);
    let stuck = Proposes(|_: pawl_evolve::Reflection<'_>| {
        asked.fetch_add(1, Ordering::Relaxed);
        Ok(reply("abc"))
    });
    let judge = Judge::default();
    let report = evolve(&task("-", "abcdefgh"), &full(1_500), &judge, &stuck).unwrap();
    assert_eq!((report.candidates.len(), report.finish), (2, Finish::Idle));
    assert!(judge.calls.into_inner() <= 4 * 8);
    assert!(asked.into_inner() <= 102);
}

#[test]
fn a_limit_that_cannot_be_measured_is_refused() {
    let settings = Settings {
        limits: Limits {
            usd_nanos: Some(1_000_000),
            ..Limits::default()
        },
        ..Settings::default()
    };
    let ended = evolve(
        &task("-", "abc"),
        &settings,
        &Judge::default(),
        &Speller::default(),
    );
    assert!(matches!(
        ended,
        Err(EvolveError::UnknownCost {
            call: "a metric call"
        })
    ));
    let ended = evolve(
        &task("-", "abc"),
        &Settings::default(),
        &Judge::default(),
        &Speller::default(),
    );
    assert!(
        matches!(ended, Err(EvolveError::Settings(_))),
        "something must limit it"
    );
}

#[test]
fn the_forecast_is_what_happens() {
    for preset in world::MEASURED {
        let world = World::new(Params::preset(preset).unwrap(), 1);
        let (evaluate, reflect) = (world::Tries::new(&world), Reflector::new(&world, 1));
        let Watched { ended, forecast, .. } = watched(&world.task(), &limited(1_000), &evaluate, &reflect);
        let report = ended.unwrap();
        let proposals = report.counts.accepted + report.counts.rejected;
        let (least, most) = (
            forecast.proposals_at_least.unwrap(),
            forecast.proposals_at_most.unwrap(),
        );
        // Growth takes some as well; it is not foreseen.
        assert!(
            (least / 2..=most).contains(&proposals),
            "{proposals} of {least} to {most} in {preset}"
        );
    }
}

#[test]
fn what_cannot_be_told_apart_is_tried_on_more() {
    let settings = Settings {
        validation: Validation::Growing(Growth {
            block: 4,
            crowd: 2,
            keep: 3,
            finalists: 2,
        }),
        ..limited(600)
    };
    let letters = "abcdefghijklmnop";
    let run = watched(
        &task("-", letters),
        &settings,
        &Judge::default(),
        &Speller::default(),
    );
    let grown: Vec<usize> = run
        .outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Grown { examples, .. } => Some(*examples),
            _ => None,
        })
        .collect();
    assert!(!grown.is_empty() && grown.is_sorted(), "{grown:?}");
    assert_eq!(
        run.ended.unwrap().best().scored,
        letters.len(),
        "the winner was decided on all examples"
    );
}

#[test]
fn a_subset_has_every_kind_in_its_share() {
    let mut examples: Vec<Example> = asking("abcdefghijklmnopqrst");
    for (place, example) in examples.iter_mut().enumerate() {
        example.stratum = Some(if place < 5 { "rare" } else { "common" }.to_owned());
    }
    let seen = Mutex::new(Vec::new());
    let judge = Tries(|text: &str, letter: &str, split: Split| {
        if split == Split::Validation && text == "-" {
            seen.lock().unwrap().push(letter.to_owned());
        }
        Ok(verdict(text, letter))
    });
    let task = Task::new(Candidate::single("-"), asking("abc"), examples).unwrap();
    let settings = Settings {
        validation: Validation::Growing(Growth {
            block: 8,
            crowd: 100,
            keep: 1,
            finalists: 1,
        }),
        ..limited(80)
    };
    evolve(&task, &settings, &judge, &Speller::default()).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(
        seen[..8].iter().filter(|letter| letter.as_str() < "f").count(),
        2,
        "{seen:?}"
    );
}

#[test]
fn nothing_is_learned_where_everything_is_right() {
    let task = Task::new(Candidate::single("ab"), asking("ab"), asking("abcd")).unwrap();
    let run = watched(&task, &full(100), &Judge::default(), &Speller::default());
    let skipped = |outcome: &&Outcome| {
        matches!(
            outcome,
            Outcome::Skipped {
                reason: SkipReason::Perfect,
                ..
            }
        )
    };
    assert_eq!(run.outcomes.iter().filter(skipped).count(), 100);
    assert_eq!(run.ended.unwrap().finish, Finish::Idle);
}
