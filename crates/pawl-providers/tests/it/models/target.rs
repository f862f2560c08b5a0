//! Models as targets.

use pawl_model::TargetFailureKind;
use pawl_providers::{ModelOptions, Target, TargetSettings};
use pawl_testkit::{Fault, ModelServer, Reply, Script};
use serde_json::json;

use super::{MODELS, models};
use crate::{assert_failure, request, settings, target};

fn of_model(server: &ModelServer, model: &str, options: ModelOptions) -> Target {
    let settings = TargetSettings {
        models: models(server),
        model: options,
        ..settings()
    };
    target(model, &settings)
}

#[tokio::test]
async fn a_case_is_asked_and_answered_with_tokens_and_cost() {
    let script = Script::new()
        .on("weather", Reply::tool_call("weather", json!({"city": "Paris"})))
        .otherwise(Reply::text("Paris").with_usage(1_000, 100));
    let server = ModelServer::start(script).await;
    let options = ModelOptions {
        temperature: Some(0.0),
        max_output_tokens: Some(50),
        ..ModelOptions::default()
    };
    for (model, cost) in MODELS
        .into_iter()
        .zip([0.000_21, 0.000_55, 0.000_55, 0.001_5, 0.0])
    {
        let target = of_model(&server, model, options.clone());
        let reply = target.call(&request("The capital of France?")).await.unwrap();
        assert_eq!(reply.output.output, json!("Paris"), "{model}");
        assert_eq!(
            reply.output.tokens,
            Some(json!({"input": 1_000, "output": 100, "total": 1_100}))
        );
        assert_eq!(reply.output.cost_usd, Some(cost), "{model}");
        assert!(reply.latency.as_nanos() > 0);
        let called = target.call(&request("The weather?")).await.unwrap().output;
        let calls = json!([{"name": "weather", "arguments": {"city": "Paris"}}]);
        assert_eq!((called.output, called.tool_calls), (calls.clone(), Some(calls)));
    }
}

#[tokio::test]
async fn a_refusal_of_the_model_is_an_output_and_one_of_a_filter_is_none() {
    let server = ModelServer::start(Script::new().otherwise(Reply::refusal("I cannot say."))).await;
    for model in MODELS {
        let result = of_model(&server, model, ModelOptions::default())
            .call(&request("hello"))
            .await;
        match model.split_once(':').unwrap().0 {
            "google" | "vertex" => {
                assert_failure(result, TargetFailureKind::Broken, "a filter held the answer back");
            }
            "ollama" => assert_eq!(result.unwrap().output.output, json!("")),
            _ => assert_eq!(result.unwrap().output.output, json!("I cannot say."), "{model}"),
        }
    }
}

#[tokio::test]
async fn faults_are_failures_of_their_kind() {
    for (fault, kind, part) in [
        (
            Fault::NotANumber,
            TargetFailureKind::Broken,
            "none of the provider's forms",
        ),
        (Fault::TooLong, TargetFailureKind::Malformed, "longer than 1 MiB"),
        (
            Fault::Status {
                status: 400,
                retry_after: None,
            },
            TargetFailureKind::Broken,
            "answered 400 Bad Request: {",
        ),
        (
            Fault::Status {
                status: 429,
                retry_after: Some("3600".to_owned()),
            },
            TargetFailureKind::Throttled,
            "asks to wait 3600 s",
        ),
    ] {
        let server = ModelServer::start(Script::new().otherwise(Reply::fault(fault))).await;
        let target = of_model(&server, MODELS[0], ModelOptions::default());
        assert_failure(target.call(&request("hello")).await, kind, part);
    }
}

#[tokio::test]
async fn a_suite_may_say_where_the_provider_is() {
    let server = ModelServer::start(Script::new().otherwise(Reply::text("fine"))).await;
    let options = ModelOptions {
        base_url: Some(format!("{}/v1", server.url)),
        ..ModelOptions::default()
    };
    let nowhere = ModelServer::start(Script::new()).await;
    let reply = of_model(&nowhere, MODELS[0], options)
        .call(&request("hello"))
        .await
        .unwrap();
    assert_eq!(reply.output.output, json!("fine"));
    assert_eq!((server.asked().len(), nowhere.asked().len()), (1, 0));
}
