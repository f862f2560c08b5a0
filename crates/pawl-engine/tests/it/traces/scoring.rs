//! Online checks score arriving traces, under the policy.

use pawl_engine::EngineError;
use pawl_engine::trace::otlp;
use pawl_model::RunPolicy;
use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::{Value, json};

use super::{INTERACTIONS, TRACE, part};
use crate::intake::{Rig, user};

on_both_engines!(
    checks_score_and_a_verdict_that_came_with_the_spans_stands,
    what_is_not_scored_says_why,
    the_cap_counts_scorings_over_two_servers,
    checks_that_cannot_be_made_are_refused_with_their_line,
    scores_do_not_depend_on_the_order_of_spans,
);

/// A quarter holds of what the sample's agent answers.
const CHECKS: &str = "- type: icontains\n  value: REFUND\n- type: contains\n  value: voucher\n  weight: 3\n";

impl Rig {
    async fn checks(&self, text: &str) {
        let text = Some(text.to_owned());
        self.engine.set_online_checks(user(1), text).await.unwrap();
    }

    async fn numbers(&self, expected: &[(&'static str, i64)]) {
        for (query, expected) in expected {
            assert_eq!(self.database.number(query).await, *expected, "{query}");
        }
    }
}

async fn checks_score_and_a_verdict_that_came_with_the_spans_stands(database: TestDatabase) {
    const SCORE: &str = "select coalesce(cast(score as text), '-') from evaluations";
    const JUDGED: &str =
        "select count(*) from interaction_traces where check_results is not null and unscored is null";
    let rig = Rig::new(database).await;
    rig.checks(CHECKS).await;
    assert_eq!(rig.export(&part(TRACE, &[3])).await, None);
    assert_eq!(rig.database.text(SCORE).await, "0.25");
    rig.numbers(&[(JUDGED, 1), ("select stored from intake_days", 1)])
        .await;
    // Scored anew, and counted once.
    assert_eq!(rig.export(&part(TRACE, &[1, 2])).await, None);
    assert_eq!(rig.database.text(SCORE).await, "0.25");
    rig.numbers(&[
        (JUDGED, 1),
        ("select stored from intake_days", 1),
        ("select count(*) from intake_ledger", 0),
    ])
    .await;
    assert_eq!(rig.export(&part(TRACE, &[0])).await, None);
    assert_eq!(rig.database.text(SCORE).await, "0.75");
    rig.numbers(&[(JUDGED, 0)]).await;
    // Another trace, its verdict at once: nothing is scored.
    assert_eq!(rig.export(&part(&"0a".repeat(16), &[0, 1, 2, 3])).await, None);
    rig.numbers(&[
        ("select stored from intake_days", 1),
        ("select count(*) from evaluations where score = '0.75'", 2),
    ])
    .await;
    rig.engine.set_online_checks(user(1), None).await.unwrap();
    assert_eq!(rig.export(&part(&"0b".repeat(16), &[3])).await, None);
    rig.numbers(&[(
        "select count(*) from interaction_traces where unscored = 'no_check'",
        1,
    )])
    .await;
    let today = rig.engine.policy_today(user(1)).await.unwrap().unwrap();
    assert_eq!((today.policy.version, today.policy.online_checks), (2, None));
}

/// The call of the tool, which broke, of a trace with this id.
fn broken(trace_id: &str) -> String {
    let mut document: Value = serde_json::from_str(&part(trace_id, &[2])).unwrap();
    document["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"] = json!({"code": 2});
    document.to_string()
}

async fn what_is_not_scored_says_why(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| {
        policy.run_policy = RunPolicy::Sampled;
        policy.sample_rate_pct = 0;
        policy.online_checks = Some(CHECKS.to_owned());
    })
    .await;
    for places in [&[3][..], &[1], &[1]] {
        assert_eq!(rig.export(&part(TRACE, places)).await, None);
    }
    rig.numbers(&[
        ("select count(*) from evaluations where score is null", 1),
        (
            "select count(*) from interaction_traces where unscored = 'sampled_out'",
            1,
        ),
        (
            "select cast(sum(attempts) as bigint) from intake_ledger where reason = 'sampled_out'",
            1,
        ),
    ])
    .await;
    // A failing one is scored all the same, also where that shows late.
    assert_eq!(rig.export(&broken(TRACE)).await, None);
    rig.numbers(&[
        (
            "select count(*) from evaluations where score = '0.25' and has_error",
            1,
        ),
        (
            "select count(*) from interaction_traces where unscored is null",
            1,
        ),
    ])
    .await;
}

async fn the_cap_counts_scorings_over_two_servers(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let other = Rig::beside(&rig).await;
    rig.policy(|policy| {
        policy.max_eval_per_day = 3;
        policy.online_checks = Some(CHECKS.to_owned());
    })
    .await;
    let mut tasks = Vec::new();
    for number in 1..=20 {
        let engine = if number % 2 == 0 { &rig.engine } else { &other }.clone();
        let document = part(&format!("{number:032x}"), &[3]);
        tasks.push(tokio::spawn(async move {
            engine.store_traces(user(1), otlp::read(&document).unwrap()).await
        }));
    }
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap(), None);
    }
    rig.numbers(&[
        ("select count(*) from evaluations", 20),
        ("select count(*) from evaluations where score is not null", 3),
        (
            "select count(*) from interaction_traces where unscored = 'over_cap'",
            17,
        ),
        ("select count(*) from intake_ledger where reason = 'over_cap'", 17),
        ("select stored from intake_days", 3),
    ])
    .await;
    // The next day, a late span brings the score.
    rig.pass(86_400);
    let late = "select min(trace_id) from interaction_traces where unscored = 'over_cap'";
    let late = rig.database.text(late).await;
    assert_eq!(rig.export(&part(&late, &[1])).await, None);
    rig.numbers(&[("select count(*) from evaluations where score is not null", 4)])
        .await;
}

async fn checks_that_cannot_be_made_are_refused_with_their_line(database: TestDatabase) {
    let rig = Rig::new(database).await;
    for (text, expected) in [
        (
            "- type: equals\n  value: x\n- type: llm-rubric\n  value: be kind\n",
            "online checks:3:9",
        ),
        (
            "assert:\n  - type: python\n    value: check.py\n",
            "online checks:2:11",
        ),
        ("- type: contains\n  value: '{{name}}'\n", "there is no case"),
        ("- type: regex\n  value: '('\n", "online checks:2:"),
        ("- type: contans\n  value: x\n", "contains"),
        ("[", "online checks:1:"),
        ("", "online checks"),
        ("assert: []", "there are no checks"),
        ("tests: []", "online checks:1:1"),
    ] {
        let set = rig.engine.set_online_checks(user(1), Some(text.to_owned())).await;
        let Err(EngineError::Policy { problem }) = set else {
            panic!("{text}: {set:?}")
        };
        assert!(problem.contains(expected), "{problem}");
    }
    let large = Some(format!("- type: contains\n  value: {}", "x".repeat(70_000)));
    assert!(rig.engine.set_online_checks(user(1), large).await.is_err());
    rig.numbers(&[("select count(*) from evaluation_configs", 0)])
        .await;
}

async fn scores_do_not_depend_on_the_order_of_spans(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.checks(CHECKS).await;
    for (number, order) in [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]
        .iter()
        .enumerate()
    {
        for place in order {
            assert_eq!(
                rig.export(&part(&format!("{:032x}", number + 1), &[*place]))
                    .await,
                None
            );
        }
    }
    let all = rig.database.text(INTERACTIONS).await;
    assert!(all.ends_with(" × 1") && all.contains("|0.25|"), "{all}");
    rig.numbers(&[("select stored from intake_days", 6)]).await;
}
