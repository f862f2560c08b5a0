//! What is asked of a target and what it answers: the target contract.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a target is given for one trial of one case. Commands read it as JSON on standard input, HTTP targets as
/// the body of a POST.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetRequest {
    /// The case's id in its suite.
    pub id: String,
    /// The input: the rendered prompt, or the input object of the case.
    pub input: Value,
    /// The case's variables.
    pub vars: Value,
    /// The repetition, counted from 1.
    pub trial: u16,
    /// The texts of the candidate or live prompt by component; `null` if there is none.
    pub prompt: Option<serde_json::Map<String, Value>>,
}

/// What a target answered. Plain text is an `output` alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TargetOutput {
    /// The output: a text, or JSON.
    #[serde(default)]
    pub output: Value,
    /// Calls of tools: `[{name, arguments, result, error}]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<Value>,
    /// Tokens used: a number, or `{input, output, total}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Value>,
    /// What it cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The steps that led to the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Value>,
}

/// Why a target gave no output. It never becomes an output that a check could judge.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TargetFailure {
    /// What kind of failure.
    pub kind: TargetFailureKind,
    /// What happened, for a person.
    pub message: String,
}

/// The kinds of target failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFailureKind {
    /// It did not answer in time.
    Timeout,
    /// It could not be reached or started, or it ended with an error.
    Broken,
    /// It answered something that the contract does not allow.
    Malformed,
    /// It told us to come back later and the retries are used up.
    Throttled,
}

impl TargetFailure {
    /// A failure of this kind.
    #[must_use]
    pub fn new(kind: TargetFailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl TargetOutput {
    /// A plain text answer.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            output: Value::String(text.into()),
            ..Self::default()
        }
    }

    /// Reads what a target printed or answered: a JSON object with the key `output` is the contract's object form,
    /// anything else is the output itself, as a text.
    ///
    /// # Errors
    /// When the object form has a member of the wrong type, or a negative or infinite cost.
    pub fn parse(answer: &str) -> Result<Self, TargetFailure> {
        let trimmed = answer.trim();
        if trimmed.starts_with('{')
            && let Ok(Value::Object(members)) = serde_json::from_str::<Value>(trimmed)
            && members.contains_key("output")
        {
            return Self::from_object(members);
        }
        Ok(Self::text(answer.trim_end_matches(['\r', '\n'])))
    }

    /// Reads the contract's object form.
    ///
    /// # Errors
    /// As [`TargetOutput::parse`].
    pub fn from_object(members: serde_json::Map<String, Value>) -> Result<Self, TargetFailure> {
        let malformed = |what: String| TargetFailure::new(TargetFailureKind::Malformed, what);
        let answer: Self = serde_json::from_value(Value::Object(members))
            .map_err(|error| malformed(format!("the target's answer does not fit the contract: {error}")))?;
        if answer
            .cost_usd
            .is_some_and(|cost| !cost.is_finite() || cost < 0.0)
        {
            return Err(malformed(
                "the target's `cost_usd` is not a number of 0 or more".to_owned(),
            ));
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_stays_text_and_objects_with_output_are_read() {
        assert_eq!(TargetOutput::parse("hello\n"), Ok(TargetOutput::text("hello")));
        assert_eq!(
            TargetOutput::parse(r#"{"title":"x"}"#),
            Ok(TargetOutput::text(r#"{"title":"x"}"#))
        );
        let read = TargetOutput::parse(r#"{"output":{"title":"x"},"cost_usd":0.5,"tokens":7}"#).unwrap();
        assert_eq!(read.output, json!({"title": "x"}));
        assert_eq!((read.cost_usd, read.tokens), (Some(0.5), Some(json!(7))));
    }

    #[test]
    fn a_wrong_member_is_a_malformed_answer() {
        for answer in [
            r#"{"output":1,"cost_usd":"much"}"#,
            r#"{"output":1,"cost_usd":-1}"#,
        ] {
            assert_eq!(
                TargetOutput::parse(answer).unwrap_err().kind,
                TargetFailureKind::Malformed
            );
        }
    }
}
