//! What a policy must keep to, beside the types of its columns.

use pawl_checks::mask::{Masker, TenantPattern};
use pawl_model::{PiiPattern, Policy};

use super::online;
use super::received::FieldError;
use super::zone::Zone;
use crate::EngineError;

/// Every field that makes a policy one that intake could not go by.
#[must_use]
pub fn problems(policy: &Policy) -> Vec<FieldError> {
    let percents = |percent: u8| (percent > 100).then(|| "a percentage goes from 0 to 100".to_owned());
    let score = policy.failure_score;
    let cap = policy.max_eval_per_day;
    [
        ("sample_rate_pct", percents(policy.sample_rate_pct)),
        ("success_threshold_pct", percents(policy.success_threshold_pct)),
        (
            "failure_score",
            (!(0.0..=1.0).contains(&score)).then(|| "failure_score goes from 0 to 1".to_owned()),
        ),
        (
            "max_eval_per_day",
            (cap > i32::MAX.unsigned_abs()).then(|| "max_eval_per_day goes up to 2147483647".to_owned()),
        ),
        ("timezone", timezone_problem(&policy.timezone)),
        ("pii_patterns", patterns_problem(&policy.pii_patterns)),
        (
            "online_checks",
            policy.online_checks.as_deref().and_then(online::problem),
        ),
    ]
    .into_iter()
    .filter_map(|(field, problem)| {
        Some(FieldError {
            field: field.into(),
            message: problem?.into(),
        })
    })
    .collect()
}

/// Refuses a policy that intake could not go by.
pub(super) fn check(policy: &Policy) -> Result<(), EngineError> {
    match problems(policy).into_iter().next() {
        Some(FieldError { message, .. }) => Err(EngineError::Policy {
            problem: message.into_owned(),
        }),
        None => Ok(()),
    }
}

/// What is wrong with the name of a time zone.
pub(crate) fn timezone_problem(name: &str) -> Option<String> {
    let unknown = Zone::named(name).is_none();
    unknown.then(|| "timezone must be an IANA time zone, such as Europe/Berlin".to_owned())
}

/// What is wrong with the patterns of a tenant.
pub(crate) fn patterns_problem(patterns: &[PiiPattern]) -> Option<String> {
    let patterns: Vec<TenantPattern> = patterns
        .iter()
        .cloned()
        .map(|PiiPattern { name, pattern }| TenantPattern { name, pattern })
        .collect();
    Masker::new(&patterns).err().map(|error| error.to_string())
}
