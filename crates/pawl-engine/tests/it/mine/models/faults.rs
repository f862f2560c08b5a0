//! Faults of a model: every one ends in a pattern and the right error row.

use pawl_engine::Actor;
use pawl_engine::mine::Mode;
use pawl_testkit::{Fault, ModelServer, Reply, Rule, Script, TestDatabase, on_both_engines};
use serde_json::{Value, json};

use super::{MODEL, Rig, Wording, answer};

on_both_engines!(every_fault_ends_in_a_pattern_and_its_error);

fn on(prompt: &str, reply: Reply) -> Rule {
    Rule {
        prompt: Some(format!("Question {prompt}:")),
        ..Rule::always(reply)
    }
}

fn times(times: usize, rule: Rule) -> Rule {
    Rule {
        times: Some(times),
        ..rule
    }
}

async fn every_fault_ends_in_a_pattern_and_its_error(database: TestDatabase) {
    let good = || Reply::json(&answer());
    let wrong = |change: fn(&mut Value)| {
        let mut answer = answer();
        change(&mut answer);
        Reply::json(&answer)
    };
    let nan = answer().to_string().replace("0.9", "NaN");
    // What is asked, the replies to it, and the error that stands there in the end.
    let faults: Vec<(&str, Vec<Rule>, Option<&str>)> = vec![
        ("plain", vec![on("plain", good())], None),
        ("prose", vec![on("prose", good().in_prose())], None),
        ("fences", vec![on("fences", good().in_fences())], None),
        (
            "truncated",
            vec![on("truncated", good().truncated())],
            Some("invalid_json"),
        ),
        ("empty", vec![on("empty", Reply::text(""))], Some("invalid_json")),
        (
            "refusal",
            vec![on("refusal", Reply::refusal("I will not."))],
            Some("invalid_json"),
        ),
        ("nan", vec![on("nan", Reply::text(nan))], Some("invalid_json")),
        (
            "kind",
            vec![on(
                "kind",
                wrong(|answer| answer["failure_type"] = "sadness".into()),
            )],
            Some("schema_validation"),
        ),
        (
            "confidence",
            vec![on("confidence", wrong(|answer| answer["confidence"] = 7.into()))],
            Some("schema_validation"),
        ),
        (
            "signals",
            vec![on(
                "signals",
                wrong(|answer| answer["evidence"]["signals"] = json!([])),
            )],
            Some("schema_validation"),
        ),
        (
            "busy",
            vec![times(1, on("busy", Reply::throttled("0"))), on("busy", good())],
            None,
        ),
        (
            "hiccup",
            vec![times(2, on("hiccup", Reply::status(500))), on("hiccup", good())],
            None,
        ),
        ("down", vec![on("down", Reply::status(500))], Some("vertex_error")),
        (
            "forbidden",
            vec![on("forbidden", Reply::status(403))],
            Some("vertex_error"),
        ),
        (
            "huge",
            vec![on("huge", Reply::fault(Fault::TooLong))],
            Some("vertex_error"),
        ),
        (
            "number",
            vec![on("number", Reply::fault(Fault::NotANumber))],
            Some("vertex_error"),
        ),
        (
            "hang",
            vec![on("hang", Reply::fault(Fault::Hang))],
            Some("timeout"),
        ),
    ];
    let rules = faults.iter().flat_map(|(_, rules, _)| rules.clone());
    let server = ModelServer::start(rules.fold(Script::new(), Script::rule)).await;
    let rig = Rig::new(database).await.with_models(&server, Some(MODEL), None);
    let wordings: Vec<Wording> = faults.iter().map(|(what, ..)| rig.asking(what)).collect();
    let ids = rig.store(&wordings).await;
    let report = rig.mine(Mode::Store).await;
    assert!(report.is_complete);
    assert_eq!(report.counts.patterns, faults.len() as u64, "nothing is lost");

    let failed: Vec<(&String, &str)> = ids
        .iter()
        .zip(&faults)
        .filter_map(|(id, (_, _, error))| Some((id, (*error)?)))
        .collect();
    let run = rig
        .engine
        .mining_run(Actor::Tenant(rig.user()), report.run_id.as_deref().unwrap())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(run.run.counts, report.counts);
    let errors = run.errors;
    let mut found: Vec<(&String, &str)> = errors
        .iter()
        .map(|error| (&error.source_trace_id, error.error_type.as_str()))
        .collect();
    let mut expected = failed.clone();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(report.counts.errors, failed.len() as u64);
    for error in &errors {
        assert!(!error.error_message.is_empty());
        let has_answer = matches!(error.error_type.as_str(), "invalid_json" | "schema_validation");
        assert_eq!(error.model_response_sha256.is_some(), has_answer, "{error:?}");
    }
    // What the model made nothing of, rules did.
    let by_rules = rig
        .number("select count(*) from failure_patterns where extracted_by = 'rules'")
        .await;
    assert_eq!(by_rules, failed.len() as i64);
    let by_model = rig
        .number("select count(*) from failure_patterns where extracted_by = 'openai:gpt-4o-mini'")
        .await;
    assert_eq!(by_model, (faults.len() - failed.len()) as i64);
    assert_eq!(rig.mine(Mode::Store).await.counts.picked_up, 0);
    assert!(report.cost_usd > 0.0);
}
