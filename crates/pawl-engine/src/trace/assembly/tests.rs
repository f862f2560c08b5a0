use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::trace::otlp;

const AGENT: &str = include_str!("../../../../../examples/traces/agent.otlp.json");

fn sample() -> Vec<Span> {
    otlp::read(AGENT).unwrap().take_spans()
}

fn assembled(spans: &[Span]) -> Option<Assembled> {
    Assembled::of(&spans.iter().collect::<Vec<_>>())
}

fn span(id: &str, parent: Option<&str>, times: (u64, u64), attributes: &Value) -> Span {
    Span {
        span_id: id.to_owned(),
        parent_span_id: parent.map(str::to_owned),
        name: id.to_owned(),
        start_time_unix_nano: times.0 * 1_000_000,
        end_time_unix_nano: times.1 * 1_000_000,
        attributes: attributes.as_object().unwrap().clone(),
        ..Span::default()
    }
}

fn chat(id: &str, parent: Option<&str>, times: (u64, u64), [asked, answered]: [&str; 2]) -> Span {
    let attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.prompt": asked, "gen_ai.completion": answered,
        "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2, "gen_ai.usage.cost": 0.25});
    span(id, parent, times, &attributes)
}

#[test]
fn an_agent_that_calls_a_tool() {
    let spans = sample();
    let made = assembled(&spans).unwrap();
    assert_eq!(made.prompt, "Where is my refund for order 4711?");
    assert_eq!(made.response, "Your refund of 20 EUR was paid on 3 January.");
    assert_eq!(made.score.as_ref().map(Score::as_str), Some("0.75"));
    assert_eq!(made.latency_ms, Some(1_840));
    assert_eq!(
        made.created_at,
        OffsetDateTime::from_unix_timestamp(1_767_225_600).ok()
    );
    assert_eq!(
        (made.input_tokens, made.output_tokens, made.cost_usd),
        (Some(213), Some(39), None)
    );
    let calls = json!([{"name": "find_refund", "arguments": {"order": "4711"},
        "result": {"amount": 20, "currency": "EUR", "paid": "2026-01-03"}, "error": null}]);
    assert_eq!(made.tool_calls, Json::from_serialize(&calls).ok());
}

#[test]
fn without_agent_and_model_there_is_no_interaction() {
    let http = span("h", None, (0, 9), &json!({"http.route": "/"}));
    let tool = span(
        "t",
        Some("h"),
        (1, 2),
        &json!({"gen_ai.operation.name": "execute_tool"}),
    );
    let embedding = span(
        "e",
        Some("h"),
        (2, 3),
        &json!({"gen_ai.operation.name": "embeddings"}),
    );
    assert_eq!(assembled(&[http, tool, embedding]), None);
    assert_eq!(assembled(&[]), None);
}

#[test]
fn of_several_calls_the_first_asks_and_the_last_answers() {
    let server = span("h", None, (0, 100), &json!({"http.route": "/chat"}));
    let first = chat("a", Some("h"), (10, 20), ["Question?", "Let me look."]);
    let second = chat("b", Some("h"), (30, 90), ["And then?", "Answer."]);
    let made = assembled(&[second.clone(), server, first.clone()]).unwrap();
    assert_eq!(
        (made.prompt.as_str(), made.response.as_str()),
        ("Question?", "Answer.")
    );
    assert_eq!(
        (made.latency_ms, made.input_tokens, made.cost_usd),
        (Some(80), Some(20), Some(0.5))
    );
    // A library's span within that of a framework counts once.
    let inner = chat("c", Some("b"), (31, 89), ["raw", "raw"]);
    let made = assembled(&[first, second, inner]).unwrap();
    assert_eq!((made.input_tokens, made.response.as_str()), (Some(20), "Answer."));
}

#[test]
fn an_agent_without_texts_takes_those_of_its_models() {
    let agent = span(
        "a",
        None,
        (0, 9),
        &json!({"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 99}),
    );
    let made = assembled(&[agent.clone(), chat("b", Some("a"), (1, 8), ["Q", "A"])]).unwrap();
    assert_eq!(
        (made.prompt.as_str(), made.response.as_str(), made.input_tokens),
        ("Q", "A", Some(10))
    );
    let made = assembled(&[agent]).unwrap();
    assert_eq!((made.prompt.as_str(), made.input_tokens), ("", Some(99)));
}

#[test]
fn calls_without_spans_are_those_that_models_asked_for() {
    let first = span(
        "a",
        None,
        (0, 1),
        &json!({"gen_ai.operation.name": "chat", "gen_ai.output.messages":
        [{"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "look", "arguments": {}}]}]}),
    );
    let second = span(
        "b",
        None,
        (2, 3),
        &json!({"gen_ai.operation.name": "chat", "gen_ai.input.messages": [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "look", "arguments": {}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", "response": "found"}]}]}),
    );
    let made = assembled(&[first, second]).unwrap();
    let calls = json!([{"name": "look", "arguments": {}, "result": "found", "error": null}]);
    assert_eq!(made.tool_calls, Json::from_serialize(&calls).ok());
}

#[test]
fn what_broke_is_said_of_the_call() {
    let agent = span(
        "a",
        None,
        (0, 9),
        &json!({"gen_ai.operation.name": "invoke_agent"}),
    );
    let mut tool = span(
        "t",
        Some("a"),
        (1, 2),
        &json!({"gen_ai.tool.name": "pay", "error.type": "timeout"}),
    );
    tool.status.code = super::super::StatusCode::Error;
    let made = assembled(&[agent, tool]).unwrap();
    assert!(made.tool_calls.unwrap().as_str().contains(r#""error":"timeout""#));
}

#[test]
fn verdicts_are_averaged_the_last_of_each_name() {
    let verdict = |at: u64, name: &str, score: Value| super::super::Event {
        time_unix_nano: at,
        name: "gen_ai.evaluation.result".to_owned(),
        attributes: json!({"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": score})
            .as_object()
            .unwrap()
            .clone(),
        ..super::super::Event::default()
    };
    let mut spans = vec![chat("a", None, (0, 1), ["Q", "A"])];
    assert_eq!(assembled(&spans).unwrap().score, None);
    spans[0].events = vec![
        verdict(2, "Tone", json!(1.0)),
        verdict(1, "Tone", json!(0.0)),
        verdict(1, "Fit", json!(0.5)),
        verdict(3, "Stars", json!(4.0)),
        verdict(3, "Broken", json!("NaN")),
    ];
    assert_eq!(assembled(&spans).unwrap().score, Score::parse("0.75"));
}

#[test]
fn rings_of_spans_have_an_end() {
    let a = chat("a", Some("b"), (0, 1), ["Q", "A"]);
    let b = chat("b", Some("a"), (1, 2), ["R", "B"]);
    assert!(assembled(&[a, b, chat("c", Some("c"), (2, 3), ["S", "C"])]).is_some());
}

proptest! {
    /// The order in which spans are there changes nothing.
    #[test]
    fn order_is_nothing(order in Just((0..4_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let spans = sample();
        let shuffled: Vec<Span> = order.iter().map(|place| spans[*place].clone()).collect();
        prop_assert_eq!(assembled(&shuffled), assembled(&spans));
    }
}
