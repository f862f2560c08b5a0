//! What is told while a run goes on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::executor::block_on;
use pawl_evolve::{
    AnswerSource, Cancel, Control, Evaluate, Event, EvolveError, Finish, Forecast, Limits, NoJournal,
    Outcome, Reflect, Report, Run, Settings, Task, Validation,
};

use crate::letters::{Judge, Speller, task};

/// A run, and what was told of it.
pub(crate) struct Watched {
    pub(crate) ended: Result<Report, EvolveError<std::convert::Infallible>>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) forecast: Forecast,
}

pub(crate) fn watched(
    task: &Task,
    settings: &Settings,
    evaluate: &impl Evaluate,
    reflect: &impl Reflect,
) -> Watched {
    let outcomes = Mutex::new(Vec::new());
    let run = Run {
        task,
        settings,
        evaluate,
        reflect,
        journal: &NoJournal,
        control: Control {
            observer: &|event| {
                if let Event::Committed { commit, .. } = event {
                    outcomes.lock().unwrap().push(commit.outcome.clone());
                }
            },
            ..Control::with_workers(3)
        },
    };
    let forecast = run.forecast();
    let ended = block_on(run.evolve());
    let outcomes = outcomes.into_inner().unwrap();
    Watched {
        ended,
        outcomes,
        forecast,
    }
}

fn settings(limits: Limits) -> Settings {
    Settings {
        look_ahead: 3,
        limits,
        ..Settings::default()
    }
}

fn evolve(settings: &Settings, judge: &Judge, control: Control<'_>) -> Report {
    let run = Run {
        task: &task("-", "abcdefghijklmnopqrstuvwxyz"),
        settings,
        evaluate: judge,
        reflect: &Speller::default(),
        journal: &NoJournal,
        control,
    };
    block_on(run.evolve()).unwrap()
}

#[test]
fn events_come_in_their_order() {
    let told = Mutex::new(Vec::new());
    let judge = Judge {
        disorder: 5,
        ..Judge::default()
    };
    let observer = |event: &Event<'_>| {
        let line = match event {
            Event::Began { committed, .. } => format!("began {committed}"),
            Event::Planned { step, .. } => format!("planned {step}"),
            Event::Answered { call, source, .. } => {
                assert_eq!(*source, AnswerSource::Call);
                format!("answered {}", call.step)
            }
            Event::Committed { commit, view } => {
                assert!(view.best().is_some() && !view.front().is_empty());
                assert!(view.spent().metric_calls > 0);
                format!("committed {}", commit.step)
            }
            Event::Ended { finish } => format!("ended {finish:?}"),
        };
        told.lock().unwrap().push(line);
    };
    let control = Control {
        observer: &observer,
        ..Control::with_workers(4)
    };
    let settings = Settings {
        validation: Validation::Full,
        ..settings(Limits::metric_calls(900))
    };
    let report = evolve(&settings, &judge, control);
    let told = told.into_inner().unwrap();
    assert_eq!(told.first().unwrap(), "began 0", "before the seed is validated");
    assert_eq!(told[1], "planned 0");
    assert_eq!(told.last().unwrap(), "ended MetricCalls");
    let steps = |verb: &str| -> Vec<u64> {
        told.iter()
            .filter_map(|line| line.strip_prefix(verb)?.trim().parse().ok())
            .collect()
    };
    for verb in ["planned", "committed"] {
        assert!(steps(verb).is_sorted_by(|a, b| a < b), "{verb}");
    }
    assert_eq!(steps("planned"), steps("committed"));
    assert_eq!(steps("committed").len() as u64, report.counts.steps);
    // Step i is planned right after step i - 3 is committed, whatever came in meanwhile.
    let place = |line: String| told.iter().position(|other| *other == line).unwrap();
    for step in 4..15 {
        assert!(place(format!("planned {step}")) > place(format!("committed {}", step - 3)));
        assert!(place(format!("planned {step}")) < place(format!("committed {}", step - 2)));
    }
}

#[test]
fn a_run_that_is_cancelled_ends_with_what_it_has() {
    let cancel = Cancel::new();
    let observer = |event: &Event<'_>| {
        if matches!(event, Event::Committed { commit, .. } if commit.step == 8) {
            cancel.cancel();
        }
    };
    let judge = Judge {
        disorder: 4,
        ..Judge::default()
    };
    let control = Control {
        observer: &observer,
        cancel: &cancel,
        ..Control::with_workers(4)
    };
    let report = evolve(&settings(Limits::metric_calls(2_000)), &judge, control);
    assert_eq!(report.finish, Finish::Cancelled);
    assert!((9..12).contains(&report.counts.steps), "{}", report.counts.steps);
    cancel.cancel();
    let nothing = evolve(
        &settings(Limits::metric_calls(2_000)),
        &Judge::default(),
        Control {
            cancel: &cancel,
            ..Control::with_workers(1)
        },
    );
    assert_eq!((nothing.candidates.len(), nothing.best().mean), (1, None));
}

#[test]
fn a_run_ends_in_time() {
    let now = AtomicU64::new(0);
    let clock = || Duration::from_secs(now.fetch_add(1, Ordering::Relaxed));
    let control = Control {
        clock: &clock,
        ..Control::with_workers(1)
    };
    let limits = Limits {
        time: Some(Duration::from_secs(200)),
        ..Limits::default()
    };
    let judge = Judge::default();
    let report = evolve(&settings(limits), &judge, control);
    assert_eq!(report.finish, Finish::Time);
    assert!(judge.calls.into_inner() < 200);
}

#[test]
fn a_run_ends_when_a_score_or_a_size_is_reached() {
    let report = evolve(
        &settings(Limits {
            score: Some(0.5),
            ..Limits::metric_calls(3_000)
        }),
        &Judge::default(),
        Control::with_workers(2),
    );
    assert_eq!(report.finish, Finish::Score);
    assert!(report.best().mean >= Some(0.5) && report.best().scored == 26);
    let report = evolve(
        &settings(Limits {
            candidates: Some(5),
            ..Limits::metric_calls(3_000)
        }),
        &Judge::default(),
        Control::with_workers(2),
    );
    assert_eq!(report.finish, Finish::Candidates);
}

#[test]
fn settings_are_read_and_written() {
    let settings = Settings {
        seed: 7,
        ..Settings::reference()
    };
    let json = serde_json::to_string(&settings).unwrap();
    assert_eq!(serde_json::from_str::<Settings>(&json).unwrap(), settings);
    let partial: Settings = serde_json::from_str(r#"{"look_ahead": 4}"#).unwrap();
    assert_eq!(
        partial,
        Settings {
            look_ahead: 4,
            ..Settings::default()
        }
    );
    assert!(serde_json::from_str::<Settings>(r#"{"lookahead": 4}"#).is_err());
}
