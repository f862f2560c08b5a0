//! The arguments and answers of promptfoo's `exec:` providers.

use pawl_model::TargetFailure;
use pawl_model::TargetFailureKind::Broken;
use pawl_providers::{CommandContract, TargetReply, TargetSettings};
use serde_json::{Value, json};

use crate::{assert_failure, request, settings, target};

async fn call(spec: &str, input: Value) -> Result<TargetReply, TargetFailure> {
    let contract = CommandContract::Promptfoo {
        options: json!({"config": {"mode": "short"}}),
    };
    let settings = TargetSettings {
        contract,
        ..settings()
    };
    target(spec, &settings).call(&request(input)).await
}

#[tokio::test]
async fn prompt_options_and_context_are_the_last_arguments() {
    let reply = call(r"exec: printf '%s\n' first", json!("Write about 'tea' $HOME"))
        .await
        .unwrap();
    assert_eq!(
        reply.output.output,
        json!(
            "first\nWrite about 'tea' $HOME\n{\"config\":{\"mode\":\"short\"}}\n{\"vars\":{\"topic\":\"tea\"}}"
        )
    );
    let reply = call(r#"exec:sh -c 'echo "$1"' sh"#, json!({"a": 1}))
        .await
        .unwrap();
    assert_eq!(reply.output.output, json!(r#"{"a":1}"#));
}

#[tokio::test]
async fn the_answer_is_a_trimmed_text() {
    let reply = call(
        r#"exec:sh -c 'printf "\n \033[1m{\"output\":1}\033[0m \n"'"#,
        json!(""),
    )
    .await
    .unwrap();
    assert_eq!(reply.output.output, json!("{\"output\":1}"));
    assert_eq!(
        call("exec:sh -c 'wc -c'", json!("")).await.unwrap().output.output,
        json!("0")
    );
}

#[tokio::test]
async fn nothing_but_errors_is_a_failure() {
    assert_failure(
        call("exec:sh -c 'echo no key >&2'", json!("")).await,
        Broken,
        "`sh` printed nothing but errors: no key",
    );
    let reply = call("exec:true", json!("")).await.unwrap();
    assert_eq!(reply.output.output, json!(""));
}

#[tokio::test]
async fn a_prompt_that_no_argument_can_hold_is_a_failure() {
    assert_failure(
        call("exec:echo", json!("x".repeat(4_000_000))).await,
        Broken,
        "too long",
    );
    assert_failure(
        call("exec:echo", json!("a\0b")).await,
        Broken,
        "cannot start `echo`",
    );
}
