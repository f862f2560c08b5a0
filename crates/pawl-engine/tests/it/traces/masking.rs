//! Nothing personal of a trace is at rest where the policy says so.

use pawl_testkit::{TestDatabase, on_both_engines};
use serde_json::{Value, json};

use super::{TRACE, part};
use crate::intake::Rig;

on_both_engines!(
    nothing_personal_is_at_rest,
    what_came_before_the_policy_is_masked_with_what_comes_after
);

const CANARY: &str = "canary@example.org";

/// Whatever of a trace is kept anywhere.
const AT_REST: &str =
    "select coalesce((select cast(min(cast(spans as text)) as text) from interaction_traces), '')
    || coalesce((select min(prompt || response || cast(flags as text) || coalesce(cast(trace as text), '')
        || coalesce(cast(redactions as text), '-')) from evaluations), '')
    || coalesce((select min(interaction_id) from intake_ledger), '')
    || coalesce((select min(cast(data as text)) from interaction_rollups), '')";

fn attribute(key: &str, value: &Value) -> Value {
    json!({"key": key, "value": value})
}

/// A trace with something personal in every place that holds texts.
fn personal(span_id: &str) -> String {
    let text = json!({"stringValue": CANARY});
    let said = json!([{"role": "user", "parts": [{"type": "text", "content": format!("I am {CANARY}")}]}])
        .to_string();
    let nested = json!({"kvlistValue": {"values": [attribute("mail", &text)]}});
    json!({"resourceSpans": [{
        "resource": {"attributes": [attribute("user.email", &text)]},
        "schemaUrl": CANARY,
        "scopeSpans": [{
            "scope": {"name": CANARY, "version": CANARY, "attributes": [attribute("by", &text)]},
            "spans": [{
                "traceId": TRACE, "spanId": span_id, "name": format!("chat with {CANARY}"), "traceState": CANARY,
                "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225601000000000",
                "status": {"code": 2, "message": format!("no {CANARY}")},
                "attributes": [
                    attribute("gen_ai.operation.name", &json!({"stringValue": "chat"})),
                    attribute("gen_ai.request.model", &json!({"stringValue": "gpt-5-mini"})),
                    attribute("gen_ai.input.messages", &json!({"stringValue": said})),
                    attribute("gen_ai.completion", &text),
                    attribute("db.password", &json!({"stringValue": "canary-hunter2"})),
                    attribute("nested", &nested),
                    attribute("list", &json!({"arrayValue": {"values": [text]}})),
                ],
                "events": [{"name": CANARY, "attributes": [attribute("exception.message", &text)]}],
                "links": [{"traceId": TRACE, "spanId": "00f067aa0ba902b7", "traceState": CANARY,
                    "attributes": [attribute("to", &text)]}],
            }]
        }]
    }]})
    .to_string()
}

async fn nothing_personal_is_at_rest(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| policy.obfuscate_pii = true).await;
    assert_eq!(rig.export(&personal("b7ad6b7169203331")).await, None);
    rig.engine.catch_up().await.unwrap();
    let rest = rig.database.text(AT_REST).await;
    assert!(!rest.contains("canary") && !rest.contains("hunter"), "{rest}");
    for kept in [
        "I am [EMAIL]",
        "chat with [EMAIL]",
        "gpt-5-mini",
        TRACE,
        "[PASSWORD]",
        "b7ad6b7169203331",
    ] {
        assert!(rest.contains(kept) || kept == TRACE, "{kept} is not in {rest}");
    }
    // Found by nobody, since no word of it is indexed.
    let words = "select count(*) from evaluations where prompt like '%canary%'";
    assert_eq!(rig.database.number(words).await, 0);
    let redacted = "select cast(pii_tokens_redacted as bigint) from evaluations";
    let count = rig.database.number(redacted).await;
    assert!(count >= 17, "{count}");
    // The same again is the same.
    assert_eq!(rig.export(&personal("b7ad6b7169203331")).await, None);
    assert_eq!(rig.database.number(redacted).await, count);
    assert_eq!(rig.database.number("select count(*) from stale_hours").await, 0);
}

async fn what_came_before_the_policy_is_masked_with_what_comes_after(database: TestDatabase) {
    let rig = Rig::new(database).await;
    assert_eq!(rig.export(&personal("b7ad6b7169203331")).await, None);
    assert!(rig.database.text(AT_REST).await.contains(CANARY));
    rig.policy(|policy| policy.obfuscate_pii = true).await;
    assert_eq!(rig.export(&part(TRACE, &[2])).await, None);
    rig.engine.catch_up().await.unwrap();
    let rest = rig.database.text(AT_REST).await;
    assert!(
        !rest.contains("canary") && rest.contains("I am [EMAIL]"),
        "{rest}"
    );
}
