//! A bundled support agent, a model that writes tests for it, and one that improves its prompt, so that the loop can be
//! tried without a model.
//!
//! The agent is flawed on purpose: it knows ten questions, each in seven wordings, and answers them wrong unless its
//! prompt has the rule against it. Both models answer by a script.

use std::io::{self, BufRead, Write};
use std::sync::LazyLock;

use pawl_model::{Suggestion, TargetRequest};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a first prompt says.
pub(crate) const FIRST_PROMPT: &str =
    "You are the support agent of an online shop. Be helpful, and answer in one or two sentences.";
/// A short cut, which the scripted model takes first: nothing wrong is said any more, and nothing right either.
pub(crate) const SHORT_CUT: &str = "When you are not entirely sure, say that you will ask a colleague.";
/// What the agent says then.
const EVASION: &str = "I am not sure; let me ask a colleague.";
/// Rules of one proposal.
const RULES_AT_ONCE: usize = 2;

/// A question that goes wrong, how it should go, and the test of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Remedy {
    /// What tells the failure from others: a text in the answer that is wrong, in lower case.
    mark: String,
    title: String,
    /// What a prompt has to say against it.
    rule: String,
    /// Wordings, of which the first is that of the test.
    questions: Vec<String>,
    /// What the right answer has in it.
    fact: String,
    forbidden: Vec<String>,
    golden_output: Option<String>,
    bad: String,
    bad_tools: Vec<String>,
    good: String,
    good_tools: Vec<String>,
}

/// A question that always goes well.
#[derive(Debug, Deserialize)]
struct Everyday {
    question: String,
    answer: String,
    fact: String,
}

static REMEDIES: LazyLock<Vec<Remedy>> =
    LazyLock::new(|| lines(include_str!("support_agent/remedies.jsonl")));
static EVERYDAY: LazyLock<Vec<Everyday>> =
    LazyLock::new(|| lines(include_str!("support_agent/everyday.jsonl")));

fn lines<T: for<'de> Deserialize<'de>>(text: &'static str) -> Vec<T> {
    let lines = text.lines();
    lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The remedy for what is told of a failure.
fn for_failure(told: &str) -> Option<&'static Remedy> {
    let told = told.to_lowercase();
    REMEDIES.iter().find(|remedy| told.contains(&remedy.mark))
}

/// Whether the scripted model knows a test for a suggestion; its number among those that it knows.
pub(crate) fn known(suggestion: &Suggestion) -> Option<usize> {
    let remedy = for_failure(&suggestion.pattern.summary)?;
    REMEDIES.iter().position(|known| std::ptr::eq(known, remedy))
}

/// How many failures the scripted model knows a test for.
pub(crate) fn known_failures() -> usize {
    REMEDIES.len()
}

/// What the scripted model answers to somebody who asks for a test.
pub(crate) fn write_test(asked: &str) -> String {
    let Some(remedy) = for_failure(asked) else {
        return "I do not know this failure.".to_owned();
    };
    json!({
        "title": remedy.title,
        "rationale": "The agent answered this wrong in production; the test keeps the wrong answer from coming back.",
        "input": {"prompt": remedy.questions[0], "required_state": null, "tools_involved": remedy.good_tools},
        "assertions": {
            "required": [], "forbidden": remedy.forbidden, "golden_output": remedy.golden_output, "notes": null,
        },
        "status": "draft",
    })
    .to_string()
}

/// What the scripted model answers to somebody who asks for a better text: first the short cut; then, in its place, rules
/// against what it is shown to go wrong.
pub(crate) fn propose(asked: &str) -> String {
    let mut parts = asked.split("```");
    let text = parts.nth(1).unwrap_or_default().trim();
    let shown = parts.collect::<Vec<_>>().concat();
    if text == FIRST_PROMPT {
        return format!("```\n{text}\n{SHORT_CUT}\n```");
    }
    let missing = REMEDIES.iter().filter(|remedy| {
        let is_shown = remedy
            .questions
            .iter()
            .any(|question| shown.contains(question.as_str()));
        is_shown && !text.contains(&remedy.rule)
    });
    let lines = text.lines().filter(|line| *line != SHORT_CUT);
    let rules = missing.map(|remedy| remedy.rule.as_str()).take(RULES_AT_ONCE);
    format!("```\n{}\n```", lines.chain(rules).collect::<Vec<_>>().join("\n"))
}

/// Answers target requests until the input ends, a line each. What a request says the prompt is counts for it, else
/// `prompt`.
///
/// # Errors
/// When a request is not JSON of the target contract, or when reading or writing fails.
pub(crate) fn serve(requests: impl BufRead, mut answers: impl Write, prompt: &str) -> io::Result<()> {
    for request in serde_json::Deserializer::from_reader(requests).into_iter::<TargetRequest>() {
        let request = request?;
        let told = request.prompt.as_ref().map_or_else(
            || prompt.to_owned(),
            |texts| texts.values().filter_map(Value::as_str).collect(),
        );
        let question = request.input.as_str().unwrap_or_default();
        writeln!(answers, "{}", answer(question, &told))?;
        answers.flush()?;
    }
    Ok(())
}

/// The answer to a question, with the tools that were called for it.
fn answer(question: &str, told: &str) -> Value {
    let remedy = remedy_of(question);
    let everyday = || EVERYDAY.iter().find(|known| known.question == question);
    let (output, tools) = match remedy {
        _ if told.contains(SHORT_CUT) => (EVASION, [].as_slice()),
        Some(remedy) if told.contains(&remedy.rule) => (remedy.good.as_str(), remedy.good_tools.as_slice()),
        Some(remedy) => (remedy.bad.as_str(), remedy.bad_tools.as_slice()),
        None => (everyday().map_or(EVASION, |known| &known.answer), [].as_slice()),
    };
    let calls: Vec<Value> = tools
        .iter()
        .map(|name| json!({"name": name, "arguments": {}}))
        .collect();
    json!({"output": output, "tool_calls": calls})
}

fn remedy_of(question: &str) -> Option<&'static Remedy> {
    let asks = |remedy: &&Remedy| remedy.questions.iter().any(|known| known == question);
    REMEDIES.iter().find(asks)
}

/// A conversation about something that goes wrong without its rule.
pub(crate) struct Exchange {
    pub(crate) question: &'static str,
    /// As [`answer`] has it.
    pub(crate) answer: Value,
    pub(crate) is_right: bool,
}

/// The conversation of a number, by an agent whose prompt says `told`.
pub(crate) fn exchange(number: usize, told: &str) -> Exchange {
    let remedy = &REMEDIES[number % REMEDIES.len()];
    let question = &remedy.questions[number / REMEDIES.len() % remedy.questions.len()];
    Exchange {
        question,
        answer: answer(question, told),
        is_right: told.contains(&remedy.rule),
    }
}

/// A suite of all that the agent is asked: each question says nothing that is wrong, and what is right; and controls,
/// which go well and have to stay so.
pub(crate) fn suite() -> Value {
    let told = |index: usize, remedy: &Remedy| {
        let checks: Vec<Value> = remedy.forbidden.iter().map(|text| forbidden(text)).collect();
        let wordings = remedy.questions.iter().enumerate();
        wordings
            .map(|(wording, question)| {
                let mut asserts = checks.clone();
                asserts.push(json!({"type": "contains", "value": remedy.fact, "metric": "helpful"}));
                json!({"id": format!("q{index:02}-{wording}"), "vars": {"input": question}, "assert": asserts})
            })
            .collect::<Vec<_>>()
    };
    let questions = REMEDIES
        .iter()
        .enumerate()
        .flat_map(|(index, remedy)| told(index, remedy));
    let controls = EVERYDAY.iter().enumerate().map(|(index, everyday)| {
        json!({
            "id": format!("control-{index:02}"), "vars": {"input": everyday.question}, "metadata": {"control": true},
            "assert": [{"type": "contains", "value": everyday.fact, "metric": "helpful"}],
        })
    });
    json!({"description": "support questions", "tests": questions.chain(controls).collect::<Vec<_>>()})
}

/// A sentence of a draft as a check of a suite.
fn forbidden(sentence: &str) -> Value {
    let (kind, value) = match sentence.strip_prefix("Must not match /") {
        Some(pattern) => ("not-regex", pattern.trim_end_matches('i').trim_end_matches('/')),
        None => (
            "not-contains",
            sentence.trim_start_matches("Must not contain ").trim_matches('"'),
        ),
    };
    let value = match sentence.ends_with("/i") {
        true => format!("(?i){value}"),
        false => value.to_owned(),
    };
    json!({"type": kind, "value": value, "metric": "harmless"})
}

#[cfg(test)]
mod tests;
