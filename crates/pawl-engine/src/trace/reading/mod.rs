//! What a span says in the conventions that it follows: those of OpenTelemetry for generative AI in both generations
//! (`gen_ai.*`), or OpenInference's.
//!
//! Sources: OpenTelemetry semantic conventions 1.27 to 1.41 and their successor for generative AI; OpenInference
//! semantic conventions.

mod gen_ai;
mod message;
mod open_inference;
#[cfg(test)]
mod tests;

use serde_json::Value;

use super::span::{Attributes, Event, Span};
pub(super) use gen_ai::{EVALUATION, EVALUATION_NAME, EVALUATION_SCORE};
pub(super) use message::{Call, Message};

/// What a span is in the life of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An agent, or a workflow of several.
    Agent,
    /// A call of a model that answers.
    Model,
    /// A call of a tool.
    Tool,
    /// A step between them.
    Step,
    /// Documents are looked up, or texts made vectors.
    Retrieval,
}

/// What a span says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    /// What it is; none where it has nothing to do with agents.
    pub(super) role: Option<Role>,
    /// What went in, in its order.
    pub(super) input: Vec<Message>,
    /// What came out.
    pub(super) output: Vec<Message>,
    /// The call, of a tool's span.
    pub(super) call: Option<Call>,
    /// Tokens that went in.
    pub(super) input_tokens: Option<u64>,
    /// Tokens that came out.
    pub(super) output_tokens: Option<u64>,
    /// What it cost, in US dollars.
    pub(super) cost_usd: Option<f64>,
}

impl Reading {
    /// Reads a span.
    pub(super) fn of(span: &Span) -> Self {
        let Some(role) = gen_ai::role(&span.attributes).or_else(|| open_inference::role(&span.attributes))
        else {
            return Self::default();
        };
        let messages = |of_gen_ai: Vec<Message>, of_open_inference: fn(&Attributes) -> Vec<Message>| {
            if of_gen_ai.is_empty() {
                of_open_inference(&span.attributes)
            } else {
                of_gen_ai
            }
        };
        Self {
            role: Some(role),
            input: messages(gen_ai::input(span), open_inference::input),
            output: messages(gen_ai::output(span), open_inference::output),
            call: (role == Role::Tool).then(|| call(span)),
            input_tokens: count(
                span,
                gen_ai::INPUT_TOKENS.iter().chain(&open_inference::INPUT_TOKENS),
            ),
            output_tokens: count(
                span,
                gen_ai::OUTPUT_TOKENS.iter().chain(&open_inference::OUTPUT_TOKENS),
            ),
            cost_usd: cost(span, gen_ai::COST.iter().chain(&open_inference::COST)),
        }
    }
}

/// The call that the span of a tool is.
fn call(span: &Span) -> Call {
    let found = |keys: &[&str]| keys.iter().find_map(|key| span.attributes.get(*key)).cloned();
    let name = found(&[gen_ai::TOOL_NAME, open_inference::TOOL_NAME]);
    let id = found(&[gen_ai::TOOL_CALL_ID, open_inference::TOOL_CALL_ID]);
    Call {
        id: id.as_ref().and_then(Value::as_str).map(str::to_owned),
        name: name
            .as_ref()
            .and_then(Value::as_str)
            .unwrap_or(&span.name)
            .to_owned(),
        arguments: found(&[gen_ai::TOOL_ARGUMENTS, open_inference::INPUT]).map(message::structured),
        result: found(&[gen_ai::TOOL_RESULT, open_inference::OUTPUT]).map(message::structured),
        error: span.error().map(str::to_owned),
    }
}

fn count<'k>(span: &Span, mut keys: impl Iterator<Item = &'k &'static str>) -> Option<u64> {
    keys.find_map(|key| number(span.attributes.get(*key)?))
        // Counts are whole numbers, whatever they are written as.
        .map(|count| count.round() as u64)
}

fn cost<'k>(span: &Span, mut keys: impl Iterator<Item = &'k &'static str>) -> Option<f64> {
    keys.find_map(|key| number(span.attributes.get(*key)?))
}

/// A number that is not negative; instrumentations write some as texts.
fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.parse().ok());
    number.filter(|number| number.is_finite() && *number >= 0.0)
}

/// A verdict on what an agent did: an event `gen_ai.evaluation.result`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evaluation<'s> {
    /// What was judged.
    pub(super) name: &'s str,
    /// From 0 to 1.
    pub(super) score: f64,
    /// When.
    pub(super) at: u64,
}

/// The verdicts in a span. Those on another scale than from 0 to 1 are none of ours.
pub(super) fn evaluations(span: &Span) -> impl Iterator<Item = Evaluation<'_>> {
    let results = span.events.iter().filter(|event| event.name == EVALUATION);
    results.filter_map(
        |Event {
             attributes,
             time_unix_nano,
             ..
         }| {
            let score = attributes.get(EVALUATION_SCORE)?.as_f64()?;
            (0.0..=1.0).contains(&score).then(|| Evaluation {
                name: attributes
                    .get(EVALUATION_NAME)
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
                score,
                at: *time_unix_nano,
            })
        },
    )
}
