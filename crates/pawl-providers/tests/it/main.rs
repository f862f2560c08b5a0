//! Targets and models against real processes and real HTTP servers.

#![expect(
    clippy::unwrap_used,
    reason = "a fine assertion in the functions that tests share"
)]

mod command;
#[cfg(feature = "firestore")]
mod firestore;
mod http;
mod ingest;
mod models;
mod persistent;
mod processes;
mod promptfoo;
mod server;

use std::num::NonZeroUsize;
use std::time::Duration;

use pawl_model::{TargetFailure, TargetFailureKind, TargetRequest};
use pawl_providers::{CommandContract, ModelOptions, Target, TargetError, TargetSettings, TargetSpec};
use serde_json::{Value, json};

/// Time enough for anything that is to succeed, on any machine.
fn settings() -> TargetSettings {
    TargetSettings {
        timeout: Duration::from_secs(60),
        concurrency: NonZeroUsize::new(8).unwrap(),
        contract: CommandContract::PerCase,
        directory: None,
        models: models::models_by(&[]),
        model: ModelOptions::default(),
    }
}

fn target(spec: &str, settings: &TargetSettings) -> Target {
    Target::new(&spec.parse().unwrap(), settings).unwrap()
}

fn request(input: impl Into<Value>) -> TargetRequest {
    TargetRequest {
        id: "case-1".to_owned(),
        input: input.into(),
        vars: json!({"topic": "tea"}),
        trial: 1,
        prompt: None,
    }
}

/// Asserts on the kind of a failure and a part of its message.
#[track_caller]
fn assert_failure<T: std::fmt::Debug>(result: Result<T, TargetFailure>, kind: TargetFailureKind, part: &str) {
    let failure = result.unwrap_err();
    assert_eq!(failure.kind, kind, "{failure}");
    assert!(failure.message.contains(part), "{failure:?}");
}

#[tokio::test]
async fn echo_answers_with_the_input() {
    let target = target("echo", &settings());
    for input in [json!("a text"), json!({"title": "x"})] {
        let reply = target.call(&request(input.clone())).await.unwrap();
        assert_eq!(reply.output.output, input);
    }
    target.close().await;
}

#[test]
fn settings_that_do_not_fit_are_refused() {
    let persistent = TargetSettings {
        contract: CommandContract::Persistent,
        ..settings()
    };
    let echo: TargetSpec = "echo".parse().unwrap();
    assert!(matches!(
        Target::new(&echo, &persistent),
        Err(TargetError::NotACommand(_))
    ));
    for seconds in [0, 24 * 60 * 60 + 1] {
        let timeout = Duration::from_secs(seconds);
        let out_of_range = TargetSettings {
            timeout,
            ..settings()
        };
        assert!(matches!(
            Target::new(&echo, &out_of_range),
            Err(TargetError::Timeout)
        ));
    }
}
