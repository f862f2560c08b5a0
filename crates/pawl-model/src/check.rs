//! Results of checks: the `eval_results` document, written in one shape and read in every known one.

use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::State;

/// One judgement on one output.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    /// The check's name: `has_title`, `contains`, `not-regex` …
    pub name: Arc<str>,
    /// Passed, failed, error or skipped.
    pub state: State,
    /// Why it is not passed; `None` for a pass.
    pub message: Option<String>,
    /// The score in 0..=1 where the check is graded, or weighs in with more than yes and no.
    pub score: Option<f64>,
    /// The weight in the case's score; 1 unless the suite says otherwise.
    pub weight: f64,
    /// The named metric that this check adds to.
    pub metric: Option<String>,
}

impl CheckResult {
    /// A result of weight 1 without score and metric.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>, state: State, message: Option<String>) -> Self {
        Self {
            name: name.into(),
            state,
            message,
            score: None,
            weight: 1.0,
            metric: None,
        }
    }

    /// The score that counts: the graded one, else 1 for a pass and 0 for a failure; none for error and skipped.
    #[must_use]
    pub fn effective_score(&self) -> Option<f64> {
        match self.state {
            State::Passed => Some(self.score.unwrap_or(1.0)),
            State::Failed => Some(self.score.unwrap_or(0.0)),
            State::Error | State::Skipped => None,
        }
    }
}

/// Writes `{name, passed, message}`, and further keys only where they say something that those do not; in the
/// order of the normal form, so that nothing has to be put in order later.
impl Serialize for CheckResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &*self.name)?;
        if let Some(score) = self.score {
            map.serialize_entry("score", &score)?;
        }
        if matches!(self.state, State::Error | State::Skipped) {
            map.serialize_entry("state", &self.state)?;
        }
        if let Some(metric) = &self.metric {
            map.serialize_entry("metric", metric)?;
        }
        map.serialize_entry("passed", &(self.state == State::Passed))?;
        if self.weight != 1.0 {
            map.serialize_entry("weight", &self.weight)?;
        }
        map.serialize_entry("message", &self.message)?;
        map.end()
    }
}

/// The `summary`: `error` and `skipped` are written only where they are not 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EvalSummary {
    /// All checks.
    pub total: u64,
    /// Passed checks.
    pub passed: u64,
    /// Failed checks.
    pub failed: u64,
    /// Checks that could not be judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub error: u64,
    /// Checks that were not judged.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// The `eval_results` of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EvalResults {
    /// Each check, in the order of the suite.
    pub checks: Vec<CheckResult>,
    /// How they add up.
    pub summary: EvalSummary,
}

impl EvalResults {
    /// The document of these checks, with its summary.
    #[must_use]
    pub fn of(checks: Vec<CheckResult>) -> Self {
        let mut summary = EvalSummary {
            total: checks.len() as u64,
            ..EvalSummary::default()
        };
        for check in &checks {
            match check.state {
                State::Passed => summary.passed += 1,
                State::Failed => summary.failed += 1,
                State::Error => summary.error += 1,
                State::Skipped => summary.skipped += 1,
            }
        }
        Self { checks, summary }
    }

    /// Reads what stands in the table, whoever wrote it: `checks` as an array of `{name, passed, message}` or as an
    /// object by name, `summary` under either set of names or absent, `{}`, unknown check names. Entries that are
    /// no check results are left out; the summary is counted anew from the checks where there are any.
    #[must_use]
    pub fn read(document: &Value) -> Self {
        let checks: Vec<CheckResult> = match document.get("checks") {
            Some(Value::Array(entries)) => entries
                .iter()
                .filter_map(|entry| {
                    let entry = entry.as_object()?;
                    read_check(entry.get("name")?.as_str()?, entry)
                })
                .collect(),
            Some(Value::Object(by_name)) => by_name
                .iter()
                .filter_map(|(name, entry)| read_check(name, entry.as_object()?))
                .collect(),
            _ => Vec::new(),
        };
        if !checks.is_empty() {
            return Self::of(checks);
        }
        let count = |short: &str, long: &str| {
            let summary = document.get("summary");
            summary
                .and_then(|s| s.get(short).or_else(|| s.get(long)))
                .and_then(Value::as_u64)
                .unwrap_or(0)
        };
        let summary = EvalSummary {
            total: count("total", "total_checks"),
            passed: count("passed", "passed_checks"),
            failed: count("failed", "failed_checks"),
            error: count("error", "error_checks"),
            skipped: count("skipped", "skipped_checks"),
        };
        Self { checks, summary }
    }

    /// The state of the case that these checks make: see [`State::combine`].
    #[must_use]
    pub fn state(&self) -> State {
        State::combine(self.checks.iter().map(|check| check.state))
    }

    /// The weighted mean of the checks' scores, over the scored ones with a weight above 0; `None` without any.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let (sum, weight) = self
            .checks
            .iter()
            .filter_map(|check| check.effective_score().map(|score| (score, check.weight)))
            .filter(|(_, weight)| *weight > 0.0)
            .fold((0.0, 0.0), |(sum, total), (score, weight)| {
                (sum + score * weight, total + weight)
            });
        (weight > 0.0).then(|| sum / weight)
    }
}

fn read_check(name: &str, entry: &Map<String, Value>) -> Option<CheckResult> {
    let passed = entry.get("passed")?.as_bool()?;
    let state = entry
        .get("state")
        .and_then(Value::as_str)
        .and_then(State::parse)
        .filter(|state| (*state == State::Passed) == passed)
        .unwrap_or_else(|| State::judged(passed));
    Some(CheckResult {
        name: name.into(),
        state,
        message: entry.get("message").and_then(Value::as_str).map(str::to_owned),
        score: entry.get("score").and_then(Value::as_f64),
        weight: entry.get("weight").and_then(Value::as_f64).unwrap_or(1.0),
        metric: entry.get("metric").and_then(Value::as_str).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn writes_the_seeds_shape() {
        let results = EvalResults::of(vec![
            CheckResult::new("has_title", State::Passed, None),
            CheckResult::new(
                "description_format",
                State::Failed,
                Some("missing 'so that' clause".into()),
            ),
        ]);
        assert_eq!(
            serde_json::to_string(&results).unwrap(),
            r#"{"checks":[{"name":"has_title","passed":true,"message":null},{"name":"description_format","passed":false,"message":"missing 'so that' clause"}],"summary":{"total":2,"passed":1,"failed":1}}"#
        );
        assert_eq!((results.state(), results.score()), (State::Failed, Some(0.5)));
    }

    #[test]
    fn reads_both_known_shapes_the_empty_one_and_unknown_names() {
        let array =
            json!({"checks": [{"name": "made_up", "passed": false, "message": "no"}, 7], "summary": {}});
        let object = json!({"checks": {"made_up": {"passed": false, "message": "no"}},
            "summary": {"total_checks": 1, "passed_checks": 0, "failed_checks": 1, "pass_rate": 0.0}});
        assert_eq!(EvalResults::read(&array), EvalResults::read(&object));
        assert_eq!(EvalResults::read(&array).state(), State::Failed);
        assert_eq!(EvalResults::read(&json!({})), EvalResults::default());
        assert_eq!(EvalResults::read(&json!({})).state(), State::Skipped);
        let summary_only = json!({"summary": {"total_checks": 5, "passed_checks": 4, "failed_checks": 1}});
        assert_eq!(EvalResults::read(&summary_only).summary.failed, 1);
    }

    #[test]
    fn what_is_written_reads_back() {
        let results = EvalResults::of(vec![
            CheckResult {
                score: Some(0.25),
                weight: 2.0,
                metric: Some("tone".into()),
                ..CheckResult::new("levenshtein", State::Failed, Some("far".into()))
            },
            CheckResult::new("is-json", State::Error, Some("judge broke".into())),
            CheckResult::new("llm-rubric", State::Skipped, Some("needs a judge".into())),
        ]);
        assert_eq!(
            EvalResults::read(&serde_json::to_value(&results).unwrap()),
            results
        );
        assert_eq!(results.score(), Some(0.25));
    }
}
