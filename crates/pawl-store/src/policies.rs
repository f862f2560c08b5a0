//! Policies: rows of `evaluation_configs`.

use pawl_model::{Policy, UserId};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::insert::{Insert, OnExisting};
use crate::statement::{documents, pair};
use crate::{Columns, Result, Scope, Statement, Value};

const LIST: Statement = pair!("policies/list");

pub(crate) const STATEMENTS: &[Statement] = &[LIST];

const PUT: Insert = Insert {
    table: "evaluation_configs",
    columns: &[
        "id",
        "user_id",
        "run_policy",
        "sample_rate_pct",
        "obfuscate_pii",
        "max_eval_per_day",
        "created_at",
        "timezone",
        "keep_failures",
        "failure_flags",
        "failure_score",
        "success_threshold_pct",
        "sample_salt",
        "pii_patterns",
        "online_checks",
        "updated_at",
    ],
    on_existing: OnExisting::Replace {
        key: &["user_id"],
        columns: &[
            "run_policy",
            "sample_rate_pct",
            "obfuscate_pii",
            "max_eval_per_day",
            "timezone",
            "keep_failures",
            "failure_flags",
            "failure_score",
            "success_threshold_pct",
            "sample_salt",
            "pii_patterns",
            "online_checks",
        ],
    },
};

/// Writes the policy of a tenant; `id` and `now` are those of its row where there is none yet.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] when it is another tenant's, [`crate::StoreError::Reference`] when there is no such
/// tenant.
pub async fn put(scope: &mut Scope, policy: &Policy, id: Uuid, now: OffsetDateTime) -> Result<()> {
    scope.owner(Some(policy.user_id)).await?;
    let patterns = documents(policy.pii_patterns.iter().map(|pattern| json!(pattern)))?;
    let row = vec![
        Value::Uuid(id),
        policy.user_id.into(),
        policy.run_policy.as_str().into(),
        i64::from(policy.sample_rate_pct).into(),
        policy.obfuscate_pii.into(),
        i64::from(policy.max_eval_per_day).into(),
        now.into(),
        policy.timezone.as_str().into(),
        policy.keep_failures.into(),
        policy.failure_flags.as_slice().into(),
        policy.failure_score.into(),
        i64::from(policy.success_threshold_pct).into(),
        policy.sample_salt.as_str().into(),
        (&patterns).into(),
        policy.online_checks.as_deref().into(),
        now.into(),
    ];
    scope.insert(&PUT, &[row]).await?;
    Ok(())
}

/// The policies of these users, the default one for those without a row; users that there are not are left out.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, users: &[UserId]) -> Result<Vec<Policy>> {
    let users: Vec<String> = users.iter().map(ToString::to_string).collect();
    let rows = scope.fetch(&LIST, &[Value::from(users.as_slice())]).await?;
    rows.iter().map(|row| read(row.columns())).collect()
}

pub(crate) fn read(mut columns: Columns<'_>) -> Result<Policy> {
    let default = Policy::default_of(columns.read()?);
    let Some(run_policy) = columns.read()? else {
        return Ok(default);
    };
    let percent = |number: i32| u8::try_from(number).unwrap_or(100);
    Ok(Policy {
        user_id: default.user_id,
        run_policy,
        sample_rate_pct: percent(columns.read()?),
        obfuscate_pii: columns.read()?,
        max_eval_per_day: u32::try_from(columns.read::<i32>()?).unwrap_or(0),
        created_at: columns.read()?,
        timezone: columns.read()?,
        keep_failures: columns.read()?,
        failure_flags: columns.read()?,
        failure_score: columns.read()?,
        success_threshold_pct: percent(columns.read()?),
        sample_salt: columns.read()?,
        pii_patterns: columns.document("patterns")?,
        online_checks: columns.read()?,
        version: columns.read()?,
    })
}
