//! Policies: rows of `evaluation_configs`.

use pawl_model::{PiiPattern, Policy, UserId};

use crate::statement::pair;
use crate::{Result, Row, Scope, Statement, StoreError, Value};

const LIST: Statement = pair!("policies/list");

pub(crate) const STATEMENTS: &[Statement] = &[LIST];

/// The policies of these users, the default one for those without a row; users that there are not are left out.
///
/// # Errors
/// When the database fails.
pub async fn list(scope: &mut Scope, users: &[UserId]) -> Result<Vec<Policy>> {
    let users: Vec<String> = users.iter().map(ToString::to_string).collect();
    let rows = scope.fetch(&LIST, &[Value::from(users.as_slice())]).await?;
    rows.iter().map(read).collect()
}

fn read(row: &Row) -> Result<Policy> {
    let mut columns = row.columns();
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
        pii_patterns: patterns(&columns.read()?)?,
        version: columns.read()?,
    })
}

fn patterns(stored: &pawl_model::Json) -> Result<Vec<PiiPattern>> {
    serde_json::from_str(stored.as_str()).map_err(|_| StoreError::Corrupt {
        column: 12,
        expected: "patterns",
    })
}
