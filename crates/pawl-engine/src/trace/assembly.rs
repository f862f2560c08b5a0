//! The interaction that the spans of a trace make together. It is a function of the set of spans: the order in which
//! they arrived changes nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use pawl_model::{Json, Score};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::reading::{Call, Evaluation, Message, Reading, Role, evaluations};
use super::span::Span;

/// Tool calls that an interaction keeps; further ones are in the spans alone.
const MAX_CALLS: usize = 1_000;

/// What the spans of a trace make together.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// What the agent was asked: the last message of a user that went into the outermost span which has one.
    pub prompt: String,
    /// What it answered: the text that came out of the outermost span which has one, of several the last.
    pub response: String,
    /// The mean of the verdicts that came with the spans, the last one of each name; none where none came.
    pub score: Option<Score>,
    /// From the first beginning to the last end of what agents, models and tools did.
    pub latency_ms: Option<i32>,
    /// When it began; none where no span says.
    pub created_at: Option<OffsetDateTime>,
    /// The tools that were called: an array of `{name, arguments, result, error}`.
    pub tool_calls: Option<Json>,
    /// Tokens that went into models.
    pub input_tokens: Option<u64>,
    /// Tokens that came out.
    pub output_tokens: Option<u64>,
    /// What the models cost, in US dollars.
    pub cost_usd: Option<f64>,
}

impl Assembled {
    /// What these spans make together; nothing where there is neither an agent nor a model that answers among them.
    #[must_use]
    pub fn of(spans: &[&Span]) -> Option<Self> {
        let steps = steps(spans);
        if !steps
            .iter()
            .any(|step| matches!(step.role, Role::Agent | Role::Model))
        {
            return None;
        }
        let began = steps.iter().map(|step| step.span.start_time_unix_nano);
        let began = began.filter(|at| *at > 0).min();
        let ended = steps.iter().map(|step| step.span.end_time_unix_nano).max();
        let models = outermost(&steps, Role::Model);
        let measured = if models.iter().any(|step| step.is_measured()) {
            models.clone()
        } else {
            outermost(&steps, Role::Agent)
        };
        Some(Self {
            prompt: prompt(&steps).unwrap_or_default(),
            response: response(&steps).unwrap_or_default(),
            score: score(spans),
            latency_ms: began
                .zip(ended)
                .and_then(|(began, ended)| milliseconds(began, ended)),
            created_at: steps.iter().filter_map(|step| step.span.began()).min(),
            tool_calls: tool_calls(&steps, &models),
            input_tokens: sum(measured.iter().filter_map(|step| step.reading.input_tokens)),
            output_tokens: sum(measured.iter().filter_map(|step| step.reading.output_tokens)),
            cost_usd: measured
                .iter()
                .filter_map(|step| step.reading.cost_usd)
                .reduce(|sum, cost| sum + cost)
                .filter(|cost| cost.is_finite()),
        })
    }
}

/// Which of these spans is the outermost one of an agent or a model; none where there is neither.
pub(super) fn outermost_place(spans: &[&Span]) -> Option<usize> {
    let steps = steps(spans);
    let first = steps
        .iter()
        .find(|step| matches!(step.role, Role::Agent | Role::Model))?;
    spans.iter().position(|span| span.span_id == first.span.span_id)
}

/// The spans that have to do with the agent: the outer ones first, then the earlier ones.
fn steps<'s>(spans: &[&'s Span]) -> Vec<Step<'s>> {
    let step = |(span, depth): (&&'s Span, usize)| {
        let reading = Reading::of(span);
        Some(Step {
            role: reading.role?,
            span,
            depth,
            reading,
        })
    };
    let mut steps: Vec<Step<'s>> = spans.iter().zip(depths(spans)).filter_map(step).collect();
    steps.sort_by_key(Step::order);
    steps
}

/// A span that has to do with the agent, and what it says.
struct Step<'s> {
    role: Role,
    span: &'s Span,
    /// How many spans stand above it.
    depth: usize,
    reading: Reading,
}

impl Step<'_> {
    /// The outer ones first, then the earlier ones.
    fn order(&self) -> (usize, u64, String) {
        (
            self.depth,
            self.span.start_time_unix_nano,
            self.span.span_id.clone(),
        )
    }

    const fn talks(&self) -> bool {
        matches!(self.role, Role::Agent | Role::Step | Role::Model)
    }

    const fn is_measured(&self) -> bool {
        let Reading {
            input_tokens,
            output_tokens,
            cost_usd,
            ..
        } = &self.reading;
        input_tokens.is_some() || output_tokens.is_some() || cost_usd.is_some()
    }
}

/// How many of the spans stand above each; of those that stand above themselves, as far as the first of them.
fn depths(spans: &[&Span]) -> Vec<usize> {
    let parents = parents(spans);
    let depth = |span: &&Span| ancestors(&parents, span).count();
    spans.iter().map(depth).collect()
}

fn parents<'s>(spans: &[&'s Span]) -> HashMap<&'s str, &'s str> {
    let known: HashSet<&str> = spans.iter().map(|span| span.span_id.as_str()).collect();
    let parent = |span: &&'s Span| {
        let parent = span.parent_span_id.as_deref()?;
        known.contains(parent).then_some((span.span_id.as_str(), parent))
    };
    spans.iter().filter_map(parent).collect()
}

/// The spans above one, the nearest first.
fn ancestors<'a>(
    parents: &'a HashMap<&'a str, &'a str>,
    span: &'a Span,
) -> impl Iterator<Item = &'a str> + 'a {
    let mut seen = HashSet::from([span.span_id.as_str()]);
    let mut at = span.span_id.as_str();
    std::iter::from_fn(move || {
        at = parents.get(at)?;
        seen.insert(at).then_some(at)
    })
}

fn prompt(steps: &[Step<'_>]) -> Option<String> {
    let inputs = steps
        .iter()
        .filter(|step| step.talks())
        .map(|step| &step.reading.input);
    inputs.map(|input| asked(input)).find(|text| !text.is_empty())
}

/// What a conversation comes down to: the last message of a user, else the last one that is no instruction.
fn asked(messages: &[Message]) -> String {
    let said = |wanted: fn(&str) -> bool| {
        let mut spoken = messages.iter().rev();
        spoken.find(|message| wanted(&message.role) && !message.text.is_empty())
    };
    let last = said(|role| matches!(role, "user" | "human"))
        .or_else(|| said(|role| !matches!(role, "system" | "developer")));
    last.map(|message| message.text.clone()).unwrap_or_default()
}

fn response(steps: &[Step<'_>]) -> Option<String> {
    let mut talking: Vec<&Step<'_>> = steps.iter().filter(|step| step.talks()).collect();
    talking.sort_by_key(|step| {
        (
            step.depth,
            Reverse(step.span.end_time_unix_nano),
            Reverse(&step.span.span_id),
        )
    });
    let mut outputs = talking.iter().map(|step| &step.reading.output);
    outputs.find_map(|output| {
        let mut said = output.iter().map(|message| &message.text);
        said.find(|text| !text.is_empty()).cloned()
    })
}

fn score(spans: &[&Span]) -> Option<Score> {
    let mut last: BTreeMap<&str, Evaluation<'_>> = BTreeMap::new();
    for evaluation in spans.iter().flat_map(|span| evaluations(span)) {
        let is_later = last.get(evaluation.name).is_none_or(|known| {
            // Of two at once one is taken, whichever arrived first.
            (known.at, known.score.to_bits()) < (evaluation.at, evaluation.score.to_bits())
        });
        if is_later {
            last.insert(evaluation.name, evaluation);
        }
    }
    let count = last.len() as f64;
    let mean = last.values().map(|evaluation| evaluation.score).sum::<f64>() / count;
    // Without any it is no number.
    Score::parse(&mean.clamp(0.0, 1.0).to_string())
}

/// The steps of a role that stand below no other of it: what wraps another call counts once.
fn outermost<'a, 's>(steps: &'a [Step<'s>], role: Role) -> Vec<&'a Step<'s>> {
    let spans: Vec<&Span> = steps.iter().map(|step| step.span).collect();
    let ids: HashSet<&str> = steps
        .iter()
        .filter(|step| step.role == role)
        .map(|step| step.span.span_id.as_str())
        .collect();
    let parents = parents(&spans);
    let is_outermost = |step: &&Step<'_>| {
        step.role == role && !ancestors(&parents, step.span).any(|ancestor| ids.contains(ancestor))
    };
    steps.iter().filter(is_outermost).collect()
}

/// The calls that have spans of their own, in their order; without any, those that the models asked for.
fn tool_calls(steps: &[Step<'_>], models: &[&Step<'_>]) -> Option<Json> {
    let mut with_spans: Vec<&Step<'_>> = steps.iter().filter(|step| step.role == Role::Tool).collect();
    with_spans.sort_by_key(|step| (step.span.start_time_unix_nano, &step.span.span_id));
    let mut calls: Vec<Call> = with_spans
        .iter()
        .filter_map(|step| step.reading.call.clone())
        .collect();
    if calls.is_empty() {
        calls = asked_for(models);
    }
    if calls.is_empty() {
        return None;
    }
    let objects = calls.into_iter().take(MAX_CALLS).map(|call| {
        json!({"name": call.name, "arguments": call.arguments, "result": call.result, "error": call.error})
    });
    Json::from_serialize(&objects.collect::<Vec<Value>>()).ok()
}

fn asked_for(models: &[&Step<'_>]) -> Vec<Call> {
    let mut in_order = models.to_vec();
    in_order.sort_by_key(|step| (step.span.start_time_unix_nano, &step.span.span_id));
    let results: HashMap<&str, &Value> = in_order
        .iter()
        .flat_map(|step| &step.reading.input)
        .flat_map(|message| &message.results)
        .filter_map(|(id, result)| Some((id.as_deref()?, result)))
        .collect();
    let outputs = in_order.iter().flat_map(|step| &step.reading.output);
    let calls = outputs.flat_map(|message| &message.calls).cloned();
    calls
        .map(|mut call| {
            let result = call.id.as_deref().and_then(|id| results.get(id));
            call.result = result.map(|result| (*result).clone());
            call
        })
        .collect()
}

fn sum(counts: impl Iterator<Item = u64>) -> Option<u64> {
    counts.reduce(u64::saturating_add)
}

fn milliseconds(began: u64, ended: u64) -> Option<i32> {
    let nanoseconds = ended.checked_sub(began)?;
    Some(i32::try_from((nanoseconds + 500_000) / 1_000_000).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests;
