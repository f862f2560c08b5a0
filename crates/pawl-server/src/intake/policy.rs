//! What `/api/evals/policy` answers.

use pawl_engine::intake::PolicyToday;
use pawl_model::UserId;
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

/// How a tenant wants interactions evaluated, and what is left of today.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Policy)]
pub(crate) struct PolicyAnswer {
    /// The tenant.
    #[schema(value_type = uuid::Uuid)]
    user_id: UserId,
    /// Which interactions to hand in: `always` all, `sampled` as many of a hundred as the rate says.
    run_policy: &'static str,
    /// How many of a hundred.
    #[schema(maximum = 100)]
    sample_rate_pct: u8,
    /// Whether personal data is masked.
    obfuscate_pii: bool,
    /// How many interactions a day may store.
    max_eval_per_day: u32,
    /// The IANA time zone of the tenant's days.
    timezone: String,
    /// Whether failing interactions are in every sample.
    keep_failures: bool,
    /// Flags that make an interaction a failing one.
    failure_flags: Vec<String>,
    /// A score below this one makes it a failing one, too.
    failure_score: f64,
    /// Draws the sample: with `run_policy` `sampled`, an interaction is in it when the first 8 bytes of
    /// HMAC-SHA-256(`sample_salt`, `interaction_id`), read as a big-endian number, are below
    /// `sample_rate_pct` × 2⁶⁴ / 100.
    sample_salt: String,
    /// Counts the changes of the policy; 0 for a tenant who has not set one.
    version: i32,
    /// How many more interactions may be stored today.
    remaining_today: u64,
    /// When the tenant's next day begins.
    #[serde(with = "time::serde::rfc3339")]
    resets_at: OffsetDateTime,
}

impl From<PolicyToday> for PolicyAnswer {
    fn from(today: PolicyToday) -> Self {
        let policy = today.policy;
        Self {
            user_id: policy.user_id,
            run_policy: policy.run_policy.as_str(),
            sample_rate_pct: policy.sample_rate_pct,
            obfuscate_pii: policy.obfuscate_pii,
            max_eval_per_day: policy.max_eval_per_day,
            timezone: policy.timezone,
            keep_failures: policy.keep_failures,
            failure_flags: policy.failure_flags,
            failure_score: policy.failure_score,
            sample_salt: policy.sample_salt,
            version: policy.version,
            remaining_today: today.remaining,
            resets_at: today.next_day,
        }
    }
}
