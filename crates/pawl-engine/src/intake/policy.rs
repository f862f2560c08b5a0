//! What a policy must keep to, beside the types of its columns.

use pawl_checks::mask::{Masker, TenantPattern};
use pawl_model::{PiiPattern, Policy};

use super::zone::Zone;
use crate::EngineError;

/// Refuses a policy that intake could not go by.
pub(super) fn check(policy: &Policy) -> Result<(), EngineError> {
    let percents = [policy.sample_rate_pct, policy.success_threshold_pct];
    let problem = if percents.iter().any(|percent| *percent > 100) {
        Some("percents go from 0 to 100".to_owned())
    } else if !(0.0..=1.0).contains(&policy.failure_score) {
        Some("failure_score goes from 0 to 1".to_owned())
    } else if policy.max_eval_per_day > i32::MAX.unsigned_abs() {
        Some("max_eval_per_day goes up to 2147483647".to_owned())
    } else {
        timezone_problem(&policy.timezone).or_else(|| patterns_problem(&policy.pii_patterns))
    };
    match problem {
        Some(problem) => Err(EngineError::Policy { problem }),
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
