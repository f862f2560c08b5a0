//! What goes wrong in other implementations.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::executor::block_on;
use pawl_evolve::{
    Candidate, Cost, Evaluate, EvolveError, Example, Failure, FailureKind, Finish, Growth, Limits, Merge,
    NoJournal, Outcome, Reflect, RefusalReason, Reply, ReplyEnd, Report, Rollout, Run, Settings, SkipReason,
    Split, Task, Validation,
};

use crate::letters::{Judge, Proposes, Speller, Tries, asking, reply, task, verdict};
use crate::watch::{Watched, watched};
use crate::world::{self, Params, Reflector, World};

type Ended = Result<Report, EvolveError<std::convert::Infallible>>;

fn evolve(task: &Task, settings: &Settings, evaluate: &impl Evaluate, reflect: &impl Reflect) -> Ended {
    watched(task, settings, evaluate, reflect).ended
}

fn limited(calls: u64) -> Settings {
    Settings {
        limits: Limits::metric_calls(calls),
        ..Settings::default()
    }
}

fn full(calls: u64) -> Settings {
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
