//! A bundled support agent, and a model that writes tests for it, so that the loop can be tried without a model: both
//! know ten questions. The agent comes in two qualities, flawed on purpose and fixed; the model answers by a script.

use std::io::{self, BufRead, Write};
use std::sync::LazyLock;

use pawl_model::{Suggestion, TargetRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use super::story_agent::Quality;

/// A question that goes wrong, how it should go, and the test of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Remedy {
    /// What tells the failure from others: a text in the answer that is wrong, in lower case.
    mark: String,
    title: String,
    prompt: String,
    forbidden: Vec<String>,
    golden_output: Option<String>,
    bad: String,
    bad_tools: Vec<String>,
    good: String,
    good_tools: Vec<String>,
}

static REMEDIES: LazyLock<Vec<Remedy>> = LazyLock::new(|| {
    include_str!("support_agent/remedies.jsonl")
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
});

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

/// What the scripted model answers to somebody who asks for a test.
pub(crate) fn write_test(asked: &str) -> String {
    let Some(remedy) = for_failure(asked) else {
        return "I do not know this failure.".to_owned();
    };
    json!({
        "title": remedy.title,
        "rationale": "The agent answered this wrong in production; the test keeps the wrong answer from coming back.",
        "input": {"prompt": remedy.prompt, "required_state": null, "tools_involved": remedy.good_tools},
        "assertions": {
            "required": [], "forbidden": remedy.forbidden, "golden_output": remedy.golden_output, "notes": null,
        },
        "status": "draft",
    })
    .to_string()
}

/// Answers target requests until the input ends, a line each.
///
/// # Errors
/// When a request is not JSON of the target contract, or when reading or writing fails.
pub(crate) fn serve(requests: impl BufRead, mut answers: impl Write, quality: Quality) -> io::Result<()> {
    for request in serde_json::Deserializer::from_reader(requests).into_iter::<TargetRequest>() {
        writeln!(answers, "{}", answer(&request?.input, quality))?;
        answers.flush()?;
    }
    Ok(())
}

/// The answer to a question, with the tools that were called for it.
pub(super) fn answer(input: &Value, quality: Quality) -> Value {
    let remedy = REMEDIES.iter().find(|remedy| input == &remedy.prompt);
    let (output, tools) = match (remedy, quality) {
        (Some(remedy), Quality::Flawed) => (remedy.bad.as_str(), remedy.bad_tools.as_slice()),
        (Some(remedy), Quality::Fixed) => (remedy.good.as_str(), remedy.good_tools.as_slice()),
        (None, _) => ("I do not know; let me ask a colleague.", [].as_slice()),
    };
    let calls: Vec<Value> = tools
        .iter()
        .map(|name| json!({"name": name, "arguments": {}}))
        .collect();
    json!({"output": output, "tool_calls": calls})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_remedy_is_read_and_told_by_its_wrong_answer() {
        assert_eq!(REMEDIES.len(), 10);
        for remedy in REMEDIES.iter() {
            let found = for_failure(&remedy.bad).unwrap();
            assert!(
                std::ptr::eq(found, remedy),
                "{} finds {}",
                remedy.title,
                found.title
            );
            let draft: Value = serde_json::from_str(&write_test(&remedy.bad)).unwrap();
            assert_eq!(draft["input"]["prompt"], remedy.prompt);
        }
    }

    #[test]
    fn the_flawed_agent_and_the_fixed_one_differ() {
        let requests = REMEDIES.iter().map(|remedy| {
            json!({"id": "1", "input": remedy.prompt, "vars": {}, "trial": 1, "prompt": null}).to_string()
        });
        let requests: String = requests.map(|line| line + "\n").collect();
        let answers = |quality| {
            let mut answers = Vec::new();
            serve(requests.as_bytes(), &mut answers, quality).unwrap();
            String::from_utf8(answers).unwrap()
        };
        let (flawed, fixed) = (answers(Quality::Flawed), answers(Quality::Fixed));
        let differ = flawed
            .lines()
            .zip(fixed.lines())
            .filter(|(flawed, fixed)| flawed != fixed);
        assert_eq!(differ.count(), 10);
    }
}
