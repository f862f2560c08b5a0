//! An interaction as the trace that it was made from, or could have been made from, with our verdict on it.

use pawl_model::{EvalResults, Interaction, Json};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::assembly::{Assembled, outermost_place};
use super::otlp;
use super::reading::{EVALUATION, EVALUATION_NAME, EVALUATION_SCORE};
use super::span::{Attributes, Event, Span, SpanKind, Status, StatusCode};
use super::{StoredTrace, TraceSpans};

const EVALUATION_LABEL: &str = "gen_ai.evaluation.score.label";
const EVALUATION_EXPLANATION: &str = "gen_ai.evaluation.explanation";

/// A document of OTLP in JSON with the spans behind an interaction, and an event `gen_ai.evaluation.result` for its score
/// where that did not come with them. Where no agent and no model is among them, a span says what the interaction does.
#[must_use]
pub fn document(interaction: &Interaction, trace: Option<&StoredTrace>) -> Value {
    let stored = trace
        .map(|trace| TraceSpans::read(&trace.spans))
        .unwrap_or_default();
    let mut spans: Vec<Span> = stored.in_order().into_iter().cloned().collect();
    let trace_id = match trace {
        Some(trace) if !spans.is_empty() => trace.trace_id.clone(),
        _ => interaction.id.0.simple().to_string(),
    };
    let given = Assembled::of(&spans.iter().collect::<Vec<_>>());
    let place = outermost_place(&spans.iter().collect::<Vec<_>>()).unwrap_or_else(|| {
        let place = spans.len();
        spans.extend(made_up(interaction));
        place
    });
    for span in &mut spans {
        span.trace_id.clone_from(&trace_id);
    }
    if given.and_then(|given| given.score) != interaction.score {
        let at = spans[place].end_time_unix_nano;
        spans[place].events.extend(verdicts(interaction, trace, at));
    }
    otlp::document(&spans)
}

/// The span of an agent that did what an interaction says, and those of the tools that it called.
fn made_up(interaction: &Interaction) -> Vec<Span> {
    let said = |role: &str, text: &str| {
        json!([{"role": role, "parts": [{"type": "text", "content": text}]}]).to_string()
    };
    let began = u64::try_from(interaction.created_at.unix_timestamp_nanos()).unwrap_or(0);
    let took = interaction
        .latency_ms
        .and_then(|latency| u64::try_from(latency).ok());
    let ended = took.map_or(0, |took| began + took * 1_000_000);
    let agent = Span {
        span_id: span_id(interaction, 0),
        name: "invoke_agent".to_owned(),
        kind: SpanKind::Internal,
        start_time_unix_nano: began,
        end_time_unix_nano: ended,
        attributes: attributes([
            ("gen_ai.operation.name", json!("invoke_agent")),
            ("gen_ai.input.messages", json!(said("user", &interaction.prompt))),
            (
                "gen_ai.output.messages",
                json!(said("assistant", &interaction.response)),
            ),
        ]),
        ..Span::default()
    };
    let calls = match interaction.trace.as_ref().map(Json::to_value) {
        Some(Value::Array(calls)) => calls,
        _ => Vec::new(),
    };
    let parent = agent.span_id.clone();
    let tools = calls.iter().enumerate().map(|(number, call)| {
        let text = |name: &str| call.get(name).and_then(Value::as_str).map(str::to_owned);
        let name = text("name").unwrap_or_default();
        let mut attributes = attributes([
            ("gen_ai.operation.name", json!("execute_tool")),
            ("gen_ai.tool.name", json!(name)),
        ]);
        for (part, key) in [
            ("arguments", "gen_ai.tool.call.arguments"),
            ("result", "gen_ai.tool.call.result"),
        ] {
            if let Some(value) = call.get(part).filter(|value| !value.is_null()) {
                attributes.insert(key.to_owned(), value.clone());
            }
        }
        let error = call.get("error").filter(|error| !error.is_null());
        Span {
            span_id: span_id(interaction, number + 1),
            parent_span_id: Some(parent.clone()),
            name: ["execute_tool ", &name].concat(),
            kind: SpanKind::Internal,
            start_time_unix_nano: began,
            end_time_unix_nano: ended,
            status: error.map_or_else(Status::default, |error| Status {
                code: StatusCode::Error,
                message: error.as_str().map_or_else(|| error.to_string(), str::to_owned),
            }),
            attributes,
            ..Span::default()
        }
    });
    std::iter::once(agent.clone()).chain(tools).collect()
}

/// The same for the same interaction, each time.
fn span_id(interaction: &Interaction, number: usize) -> String {
    let seed = [interaction.id.0.as_bytes().as_slice(), &number.to_be_bytes()].concat();
    hex::encode(&Sha256::digest(seed)[..8])
}

/// The score, and what each check said. Of these the label alone is told: their scores would be taken for further ones.
fn verdicts(interaction: &Interaction, trace: Option<&StoredTrace>, at: u64) -> Vec<Event> {
    let Some(score) = &interaction.score else {
        return Vec::new();
    };
    let event = |attributes| Event {
        time_unix_nano: at,
        name: EVALUATION.to_owned(),
        attributes,
        ..Event::default()
    };
    let results = trace.and_then(|trace| trace.check_results.as_ref());
    let results = results.map(|results| EvalResults::read(&results.to_value()));
    let mut verdicts = vec![event(attributes([
        (EVALUATION_NAME, json!("pawl")),
        (EVALUATION_SCORE, json!(score.as_f64())),
    ]))];
    for check in results.into_iter().flat_map(|results| results.checks) {
        let mut said = attributes([
            (EVALUATION_NAME, json!(&*check.name)),
            (EVALUATION_LABEL, json!(check.state.as_str())),
        ]);
        if let Some(message) = check.message {
            said.insert(EVALUATION_EXPLANATION.to_owned(), json!(message));
        }
        verdicts.push(event(said));
    }
    verdicts
}

fn attributes<const N: usize>(pairs: [(&str, Value); N]) -> Attributes {
    pairs
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}
