//! `pawl run` with models.

use pawl_testkit::{Engine, Fault, ModelServer, Reply, Script};
use serde_json::{Value, json};

use crate::rig::{Rig, Said, shown};

const SUITE: &str = "
prompts: ['Say {{ word }}']
tests:
  - id: a
    vars: {word: please}
    assert:
      - {type: llm-rubric, value: is polite}
      - {type: not-llm-rubric, value: is rude}
      - {type: cost, threshold: 0.001}
";

fn judge(polite: Reply) -> Script {
    let rude = json!({"evidence": "no rude word", "score": 0, "pass": false});
    Script::new()
        .on("is polite", polite)
        .on("is rude", Reply::json(&rude))
        .otherwise(Reply::text("Please!").with_usage(1_000, 100))
}

fn run(rig: &Rig, server: &ModelServer, words: &[&str]) -> Said {
    let suite = shown(&rig.file("suite.yaml", SUITE));
    let words = [&["run", &suite, "--format", "json"], words].concat();
    rig.command(&words)
        .envs(server.variables())
        .output()
        .unwrap()
        .into()
}

fn case(said: &Said) -> Value {
    said.json()["runs"][0]["cases"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suite_runs_against_models_and_costs_what_it_costs() {
    let polite = json!({"evidence": "it says please", "score": 1, "pass": true});
    let server = ModelServer::start(judge(Reply::json(&polite).in_fences())).await;
    let rig = Rig::new(Engine::Sqlite).await;
    let words = [
        "--target",
        "openai:gpt-4o-mini",
        "--judge",
        "anthropic:claude-haiku-4-5",
        "--cache",
        "use",
    ];
    let said = run(&rig, &server, &words).exits(0);
    let first = case(&said);
    assert_eq!(
        (&first["output"], &first["cost_usd"]),
        (&json!("Please!"), &json!(0.000_21))
    );
    assert_eq!(first["details"]["judges"]["calls"], 2);
    assert_eq!(said.json()["runs"][0]["model"], "openai:gpt-4o-mini");
    let second = case(&run(&rig, &server, &words).exits(0));
    assert_eq!(second["details"]["cached"], true);
    assert_eq!(server.asked().len(), 3);
    let only = [&words[..4], &["--cache", "only", "--trials", "2"]].concat();
    let said = run(&rig, &server, &only).exits(3);
    assert_eq!(
        said.json()["runs"][0]["cases"][1]["error"],
        "it is not in the response cache"
    );
}

/// A judge that gives no verdict makes the case an error: exit 3, never 0 and never 1.
#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_breaks_is_lost_coverage() {
    for reply in [
        Reply::text("I like it."),
        Reply::text(r#"{"pass": true, "score": NaN}"#),
        Reply::status(500),
        Reply::fault(Fault::NotANumber),
        Reply::fault(Fault::TooLong),
        Reply::fault(Fault::Hang),
    ] {
        let server = ModelServer::start(judge(reply.clone())).await;
        let rig = Rig::new(Engine::Sqlite).await;
        let said = run(
            &rig,
            &server,
            &["--target", "openai:gpt-4o-mini", "--timeout", "3"],
        );
        let said = said.exits(3);
        let checks = &case(&said)["eval_results"]["checks"];
        let states = |index: usize| (&checks[index]["state"], &checks[index]["passed"]);
        assert_eq!(states(0), (&json!("error"), &json!(false)), "{reply:?}");
        assert_eq!(checks[1]["passed"], true, "{reply:?}");
        assert_eq!(case(&said)["passed"], false);
    }
}
