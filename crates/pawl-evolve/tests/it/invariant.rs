//! What holds whatever the settings are.

use std::sync::atomic::Ordering;

use futures::executor::block_on;
use pawl_evolve::{
    Acceptance, ComponentChoice, Control, Cost, EvolveError, Frontier, Growth, Limits, Merge, NoJournal,
    ParentSource, Pick, Report, Run, Sampler, Settings, Validation,
};
use proptest::prelude::*;

use crate::letters::{Judge, Speller, task, task_of_two};

fn picks() -> impl Strategy<Value = Pick> {
    prop_oneof![
        Just(Pick::Best),
        Just(Pick::Front(Frontier::Instance)),
        Just(Pick::Front(Frontier::Objective)),
        Just(Pick::Front(Frontier::Hybrid)),
        Just(Pick::Front(Frontier::Cartesian)),
        Just(Pick::EpsilonGreedy(0.3)),
        Just(Pick::TopFront(3)),
    ]
}

prop_compose! {
    fn settings()(
        (seed, look_ahead, minibatch) in (0_u64..1_000, 1_usize..6, 1_usize..5),
        sampler in prop_oneof![Just(Sampler::Epochs), Just(Sampler::Stored), Just(Sampler::Hard), Just(Sampler::Variance)],
        parents in prop::collection::vec((1_u32..4, picks()), 1..4),
        components in prop_oneof![Just(ComponentChoice::RoundRobin), Just(ComponentChoice::All)],
        acceptance in prop_oneof![Just(Acceptance::Better), Just(Acceptance::NotWorse), Just(Acceptance::BetterByDimensions)],
        growth in prop::option::of((1_usize..8, 1_usize..5, 1_usize..5)),
        merge in prop::option::of(Just(Merge { limit: 3, overlap: 3 })),
        retries in 0_usize..4,
        calls in 1_u64..250,
        patience in prop::option::of(1_u32..9),
    ) -> Settings {
        Settings {
            seed,
            look_ahead,
            minibatch,
            sampler,
            parents: parents.into_iter().map(|(weight, pick)| ParentSource { weight, pick }).collect(),
            patience,
            components,
            acceptance,
            validation: growth.map_or(Validation::Full, |(block, crowd, finalists)| {
                Validation::Growing(Growth { block, crowd, keep: 3, finalists })
            }),
            merge,
            retries,
            limits: Limits::metric_calls(calls),
            ..Settings::default()
        }
    }
}

fn run(settings: &Settings, judge: &Judge, workers: usize) -> Option<Report> {
    let run = Run {
        task: &if settings.seed.is_multiple_of(2) {
            task("-", "abcdefghijkl")
        } else {
            task_of_two("-", "abcdefghijkl")
        },
        settings,
        evaluate: judge,
        reflect: &Speller {
            at_most: judge.at_most,
            ..Speller::default()
        },
        journal: &NoJournal,
        control: Control::with_workers(workers),
    };
    match block_on(run.evolve()) {
        Ok(report) => Some(report),
        Err(EvolveError::BuysNothing { .. } | EvolveError::Preflight(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn workers_and_timing_change_nothing(
        settings in settings(),
        failing in 0_u64..30,
        disorder in 0_u64..9,
        workers in 2_usize..20,
    ) {
        let alone = run(&settings, &Judge { failing, ..Judge::default() }, 1);
        let together = run(&settings, &Judge { failing, disorder, ..Judge::default() }, workers);
        prop_assert_eq!(alone, together);
    }

    #[test]
    fn no_more_is_called_than_allowed(settings in settings(), failing in 0_u64..60, workers in 1_usize..9) {
        let judge = Judge { failing, ..Judge::default() };
        let report = run(&settings, &judge, workers);
        let calls = judge.calls.load(Ordering::Relaxed);
        prop_assert!(Some(calls) <= settings.limits.metric_calls);
        if let Some(report) = report {
            prop_assert!(report.spent.metric_calls <= calls, "{} counted, {calls} made", report.spent.metric_calls);
        }
    }

    #[test]
    fn no_more_is_paid_than_allowed(mut settings in settings(), tokens in 1_u64..3_000, usd_nanos in 1_u64..3_000) {
        settings.limits = Limits { tokens: Some(tokens), usd_nanos: Some(usd_nanos), ..Limits::default() };
        let judge = Judge { at_most: Some(Cost { tokens: 10, usd_nanos: 7 }), ..Judge::default() };
        if let Some(report) = run(&settings, &judge, 4) {
            prop_assert!(report.spent.cost.tokens <= tokens);
            prop_assert!(report.spent.cost.usd_nanos <= usd_nanos);
            let calls = report.spent.metric_calls + report.spent.reflections;
            prop_assert_eq!(report.spent.cost.tokens, 10 * calls);
        }
    }

    #[test]
    fn nobody_is_asked_more_often_than_allowed(mut settings in settings(), reflections in 1_u64..40) {
        settings.limits = Limits { reflections: Some(reflections), ..Limits::default() };
        if let Some(report) = run(&settings, &Judge::default(), 3) {
            prop_assert!(report.spent.reflections <= reflections);
        }
    }

    #[test]
    fn everyone_descends_from_those_before(settings in settings(), failing in 0_u64..20) {
        if let Some(report) = run(&settings, &Judge { failing, ..Judge::default() }, 4) {
            for (index, one) in report.candidates.iter().enumerate() {
                prop_assert!(one.parents.iter().all(|parent| *parent < index));
                prop_assert_eq!(one.parents.is_empty(), index == 0);
            }
            let digests: std::collections::HashSet<_> = report.candidates.iter().map(|one| &one.digest).collect();
            prop_assert_eq!(digests.len(), report.candidates.len(), "nobody is in the pool twice");
            prop_assert!(report.winner < report.candidates.len());
        }
    }
}
