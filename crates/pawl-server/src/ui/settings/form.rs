//! The policy as a form has it.

use pawl_engine::intake::policy_problems;
use pawl_engine::intake::received::FieldError;
use pawl_model::{PiiPattern, Policy, RunPolicy};
use serde::Deserialize;

use super::field_error;

/// The most flags that make an interaction a failing one.
const MOST_FLAGS: usize = 100;

/// The policy as somebody filled it in: texts, of which nothing is checked yet.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(in crate::ui) struct PolicyForm {
    pub(super) run_policy: String,
    pub(super) sample_rate_pct: String,
    /// Something where the box is ticked.
    pub(super) obfuscate_pii: Option<String>,
    pub(super) max_eval_per_day: String,
    pub(super) timezone: String,
    pub(super) keep_failures: Option<String>,
    pub(super) failure_score: String,
    /// A line each.
    pub(super) failure_flags: String,
    pub(super) success_threshold_pct: String,
    /// A line each: a regular expression, or `NAME = expression`.
    pub(super) pii_patterns: String,
    /// In YAML.
    pub(super) online_checks: String,
    /// Of the policy that somebody saw.
    pub(super) version: String,
}

impl PolicyForm {
    /// A policy as it is shown.
    pub(super) fn of(policy: &Policy) -> Self {
        let ticked = |is_ticked: bool| is_ticked.then(|| "on".to_owned());
        Self {
            run_policy: policy.run_policy.as_str().to_owned(),
            sample_rate_pct: policy.sample_rate_pct.to_string(),
            obfuscate_pii: ticked(policy.obfuscate_pii),
            max_eval_per_day: policy.max_eval_per_day.to_string(),
            timezone: policy.timezone.clone(),
            keep_failures: ticked(policy.keep_failures),
            failure_score: policy.failure_score.to_string(),
            failure_flags: policy.failure_flags.join("\n"),
            success_threshold_pct: policy.success_threshold_pct.to_string(),
            pii_patterns: written(&policy.pii_patterns),
            online_checks: policy.online_checks.clone().unwrap_or_default(),
            version: policy.version.to_string(),
        }
    }

    pub(super) fn is_sampled(&self) -> bool {
        self.run_policy == RunPolicy::Sampled.as_str()
    }

    /// The policy that this makes of the one there is; or every field that says what it cannot.
    pub(super) fn applied_to(&self, policy: Policy) -> Result<Policy, Vec<FieldError>> {
        let mut problems = Vec::new();
        let percentage = "Enter a whole number from 0 to 100.";
        let run_policy = RunPolicy::parse(&self.run_policy);
        if run_policy.is_none() {
            problems.push(field_error("run_policy", "Choose one of the two."));
        }
        let mut number = |field, message, text: &str, most: u32| match text.trim().parse::<u32>() {
            Ok(number) if number <= most => number,
            _ => {
                problems.push(field_error(field, message));
                0
            }
        };
        let rate = number("sample_rate_pct", percentage, &self.sample_rate_pct, 100);
        let success = number(
            "success_threshold_pct",
            percentage,
            &self.success_threshold_pct,
            100,
        );
        let cap = number(
            "max_eval_per_day",
            "Enter a whole number from 0 to 2147483647.",
            &self.max_eval_per_day,
            i32::MAX.unsigned_abs(),
        );
        let failure_score = self.failure_score.trim().parse::<f64>().ok();
        let failure_score = failure_score.filter(|score| (0.0..=1.0).contains(score));
        if failure_score.is_none() {
            problems.push(field_error("failure_score", "Enter a number from 0 to 1."));
        }
        let failure_flags = lines(&self.failure_flags);
        if failure_flags.len() > MOST_FLAGS {
            problems.push(field_error("failure_flags", "Name at most 100 flags."));
        }
        let changed = Policy {
            run_policy: run_policy.unwrap_or(policy.run_policy),
            sample_rate_pct: u8::try_from(rate).unwrap_or(100),
            obfuscate_pii: self.obfuscate_pii.is_some(),
            max_eval_per_day: cap,
            timezone: self.timezone.trim().to_owned(),
            keep_failures: self.keep_failures.is_some(),
            failure_flags,
            failure_score: failure_score.unwrap_or(policy.failure_score),
            success_threshold_pct: u8::try_from(success).unwrap_or(100),
            pii_patterns: patterns(&self.pii_patterns),
            online_checks: Some(self.online_checks.replace('\r', ""))
                .filter(|checks| !checks.trim().is_empty()),
            // What is no number is the version of none.
            version: self.version.parse().unwrap_or(-1),
            ..policy
        };
        problems.extend(policy_problems(&changed).into_iter().map(|problem| FieldError {
            message: sentence(&problem.message).into(),
            ..problem
        }));
        if problems.is_empty() {
            Ok(changed)
        } else {
            Err(problems)
        }
    }
}

/// The patterns that lines say.
pub(super) fn patterns(text: &str) -> Vec<PiiPattern> {
    lines(text).into_iter().map(|line| pattern(&line)).collect()
}

/// `NAME = expression`, where what stands before can be a name; else all of it is the expression.
fn pattern(line: &str) -> PiiPattern {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    };
    match line.split_once(" = ") {
        Some((name, pattern)) if is_name(name.trim()) => PiiPattern {
            name: Some(name.trim().to_owned()),
            pattern: pattern.trim().to_owned(),
        },
        _ => PiiPattern {
            name: None,
            pattern: line.to_owned(),
        },
    }
}

fn written(patterns: &[PiiPattern]) -> String {
    let line = |PiiPattern { name, pattern }: &PiiPattern| match name {
        Some(name) => [name, " = ", pattern].concat(),
        None => pattern.clone(),
    };
    patterns.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// What stands on the lines that are not empty, each once.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !lines.iter().any(|known| known == line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// An error's text as a sentence.
pub(super) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().chain(characters).collect();
    sentence.push('.');
    sentence
}

#[cfg(test)]
mod tests {
    use pawl_model::UserId;
    use uuid::Uuid;

    use super::*;

    fn policy() -> Policy {
        Policy {
            version: 3,
            pii_patterns: vec![
                PiiPattern {
                    name: Some("ORDER".to_owned()),
                    pattern: r"PX-\d+".to_owned(),
                },
                PiiPattern {
                    name: None,
                    pattern: "a = b".to_owned(),
                },
            ],
            ..Policy::default_of(UserId(Uuid::nil()))
        }
    }

    #[test]
    fn a_policy_comes_back_from_its_form() {
        assert_eq!(PolicyForm::of(&policy()).applied_to(policy()), Ok(policy()));
    }

    #[test]
    fn every_wrong_field_is_named() {
        let form = PolicyForm {
            run_policy: "never".to_owned(),
            sample_rate_pct: "101".to_owned(),
            max_eval_per_day: "-1".to_owned(),
            timezone: "Mars/Olympus".to_owned(),
            failure_score: "NaN".to_owned(),
            success_threshold_pct: "half".to_owned(),
            pii_patterns: "(".to_owned(),
            ..PolicyForm::default()
        };
        let problems = form.applied_to(policy()).unwrap_err();
        let mut fields: Vec<&str> = problems.iter().map(|problem| &*problem.field).collect();
        fields.sort_unstable();
        assert_eq!(
            fields,
            [
                "failure_score",
                "max_eval_per_day",
                "pii_patterns",
                "run_policy",
                "sample_rate_pct",
                "success_threshold_pct",
                "timezone",
            ]
        );
    }
}
