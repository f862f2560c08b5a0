//! How a tenant wants interactions evaluated: a row of `evaluation_configs`.

use time::OffsetDateTime;

use crate::UserId;

/// Which interactions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPolicy {
    /// All of them, whatever the sample rate.
    Always,
    /// As many of a hundred as the sample rate says.
    Sampled,
}

impl RunPolicy {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Sampled => "sampled",
        }
    }

    /// The policy of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Always, Self::Sampled]
            .into_iter()
            .find(|policy| policy.as_str() == word)
    }
}

/// How a tenant wants interactions evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The tenant.
    pub user_id: UserId,
    /// Which interactions are evaluated.
    pub run_policy: RunPolicy,
    /// How many of a hundred are, from 0 to 100.
    pub sample_rate_pct: u8,
    /// Whether personal data is masked at intake and in every view.
    pub obfuscate_pii: bool,
    /// How many interactions a day of the tenant may store.
    pub max_eval_per_day: u32,
    /// When the row was made; none for a tenant without a row.
    pub created_at: Option<OffsetDateTime>,
    /// The IANA time zone of the tenant's days.
    pub timezone: String,
    /// Whether failing interactions are kept however the sample falls.
    pub keep_failures: bool,
    /// Flags that make an interaction a failing one.
    pub failure_flags: Vec<String>,
    /// A score below this one, from 0 to 1, makes an interaction a failing one.
    pub failure_score: f64,
    /// From this score on, in whole percents, an interaction counts as a success.
    pub success_threshold_pct: u8,
    /// What decides the sample together with an interaction's id; empty for a tenant without a row.
    pub sample_salt: String,
    /// What else is masked.
    pub pii_patterns: Vec<PiiPattern>,
    /// What scores arriving traces: checks in YAML, as suites have them under `assert`.
    pub online_checks: Option<String>,
    /// Counts the changes, from 1; 0 for a tenant without a row.
    pub version: i32,
}

/// What a tenant has masked beside what everybody has.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PiiPattern {
    /// Stands in brackets where the text stood; without it, `CUSTOM` does.
    #[serde(default)]
    pub name: Option<String>,
    /// A regular expression.
    pub pattern: String,
}

impl Policy {
    /// Flags that make an interaction a failing one, unless the tenant says otherwise.
    pub const FAILURE_FLAGS: [&str; 10] = [
        "hallucination",
        "toxicity",
        "safety_violation",
        "prompt_injection",
        "guardrail_failed",
        "wrong_tool",
        "runaway_loop",
        "pii_leak",
        "pii_found",
        "stale_data",
    ];

    /// What holds for a tenant without a row: everything is evaluated and nothing masked, 1,000 a day of UTC.
    #[must_use]
    pub fn default_of(user_id: UserId) -> Self {
        Self {
            user_id,
            run_policy: RunPolicy::Always,
            sample_rate_pct: 100,
            obfuscate_pii: false,
            max_eval_per_day: 1_000,
            created_at: None,
            timezone: "UTC".to_owned(),
            keep_failures: true,
            failure_flags: Self::FAILURE_FLAGS.map(str::to_owned).into(),
            failure_score: 0.5,
            success_threshold_pct: 80,
            sample_salt: String::new(),
            pii_patterns: Vec::new(),
            online_checks: None,
            version: 0,
        }
    }

    /// How many of a hundred interactions are evaluated.
    #[must_use]
    pub const fn rate_pct(&self) -> u8 {
        match self.run_policy {
            RunPolicy::Always => 100,
            RunPolicy::Sampled => self.sample_rate_pct,
        }
    }
}
