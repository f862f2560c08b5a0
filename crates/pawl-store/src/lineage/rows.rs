//! The rows that have a place in the lineage, and their hashes.

use std::collections::HashMap;

use pawl_model::table::ColumnType::{
    self, Bool, Double, Int, Jsonb, Numeric, Real, Text, TextList, Timestamp, TimestampTz, Uuid,
};
use pawl_model::table::Datum;
use pawl_model::{LineageKind, UserId};
use sha2::{Digest as _, Sha256};

use super::Hash;
use crate::query::{Dialect, plain};
use crate::{Result, Row, Scope, Value};

/// A table whose rows have a place in the lineage.
pub struct NamedTable {
    /// Its name.
    pub name: &'static str,
    /// What its rows are called by in the lineage: a column, or an expression.
    pub key: &'static str,
    /// Whether that is an UUID.
    is_uuid: bool,
    /// Every column, in the order of the JSON normal form, so that a row is written as it stands there.
    pub columns: &'static [(&'static str, ColumnType)],
    /// The one column of bytes, which is hashed as the text of its hexadecimal digits.
    pub bytes: Option<&'static str>,
    /// What a person knows a row by, where it says that: a column, or an expression.
    title: Option<&'static str>,
}

/// Every table whose rows have a place in the lineage.
pub const TABLES: [NamedTable; 8] = [
    NamedTable {
        name: "evaluations",
        key: "id",
        is_uuid: true,
        columns: &[
            ("id", Uuid),
            ("flags", TextList),
            ("score", Numeric),
            ("trace", Jsonb),
            ("prompt", Text),
            ("user_id", Uuid),
            ("response", Text),
            ("has_error", Bool),
            ("created_at", Timestamp),
            ("latency_ms", Int),
            ("redactions", Jsonb),
            ("received_at", Timestamp),
            ("content_hash", Text),
            ("sample_weight", Double),
            ("interaction_id", Text),
            ("pii_tokens_redacted", Int),
        ],
        bytes: Some("content_hash"),
        title: None,
    },
    NamedTable {
        name: "failure_patterns",
        key: "pattern_id",
        is_uuid: false,
        columns: &[
            ("title", Text),
            ("summary", Text),
            ("user_id", Uuid),
            ("evidence", Jsonb),
            ("severity", Text),
            ("user_hash", Text),
            ("confidence", Numeric),
            ("pattern_id", Text),
            ("occurred_at", TimestampTz),
            ("extracted_at", TimestampTz),
            ("extracted_by", Text),
            ("failure_type", Text),
            ("evaluation_id", Uuid),
            ("suggestion_id", Text),
            ("source_trace_id", Text),
            ("similarity_score", Double),
            ("trigger_condition", Text),
            ("recommended_actions", Jsonb),
            ("confidence_rationale", Text),
            ("reproduction_context", Jsonb),
            ("root_cause_hypothesis", Text),
        ],
        bytes: None,
        title: Some("title"),
    },
    NamedTable {
        name: "suggestions",
        key: "suggestion_id",
        is_uuid: false,
        columns: &[
            ("type", Text),
            ("title", Text),
            ("status", Text),
            ("summary", Text),
            ("user_id", Uuid),
            ("severity", Text),
            ("embedding", Jsonb),
            ("created_at", TimestampTz),
            ("updated_at", TimestampTz),
            ("embedded_by", Text),
            ("failure_type", Text),
            ("recurrence_of", Text),
            ("suggestion_id", Text),
            ("version_history", Jsonb),
            ("similarity_group", Text),
            ("approval_metadata", Jsonb),
            ("trigger_condition", Text),
            ("suggestion_content", Jsonb),
        ],
        bytes: None,
        title: Some("title"),
    },
    NamedTable {
        name: "sb_eval_runs",
        key: "id",
        is_uuid: true,
        columns: &[
            ("id", Uuid),
            ("error", Text),
            ("model", Text),
            ("suite", Text),
            ("status", Text),
            ("target", Text),
            ("user_id", Uuid),
            ("run_name", Text),
            ("settings", Jsonb),
            ("created_at", TimestampTz),
            ("suite_hash", Text),
            ("total_cases", Int),
            ("completed_at", TimestampTz),
            ("dataset_hash", Text),
            ("failed_cases", Int),
            ("passed_cases", Int),
            ("prompt_version", Text),
            ("dataset_version", Text),
        ],
        bytes: None,
        title: Some("run_name"),
    },
    NamedTable {
        name: "prompt_candidates",
        key: "id",
        is_uuid: false,
        columns: &[
            ("id", Text),
            ("step", Int),
            ("demos", Jsonb),
            ("digest", Text),
            ("edited", Jsonb),
            ("reason", Text),
            ("run_id", Text),
            ("status", Text),
            ("parents", Jsonb),
            ("user_id", Uuid),
            ("coverage", Int),
            ("avg_score", Real),
            ("parent_id", Text),
            ("components", Jsonb),
            ("created_at", Timestamp),
            ("deleted_at", Timestamp),
            ("generation", Int),
            ("instructions", Text),
            ("dimension_scores", Jsonb),
        ],
        bytes: None,
        title: None,
    },
    NamedTable {
        name: "promotion_verdicts",
        key: "id",
        is_uuid: false,
        columns: &[
            ("id", Text),
            ("kind", Text),
            ("name", Text),
            ("reason", Text),
            ("user_id", Uuid),
            ("findings", Jsonb),
            ("created_at", Timestamp),
            ("decided_by", Text),
            ("to_version", Int),
            ("candidate_id", Text),
            ("from_version", Int),
        ],
        bytes: None,
        title: Some("kind || ', ' || reason"),
    },
    NamedTable {
        name: "prompt_versions",
        key: "name || '@' || version",
        is_uuid: false,
        columns: &[
            ("name", Text),
            ("user_id", Uuid),
            ("version", Int),
            ("components", Jsonb),
            ("created_at", Timestamp),
            ("candidate_id", Text),
        ],
        bytes: None,
        title: None,
    },
    NamedTable {
        name: "prompts",
        key: "name",
        is_uuid: false,
        columns: &[
            ("name", Text),
            ("user_id", Uuid),
            ("updated_at", Timestamp),
            ("live_version", Int),
        ],
        bytes: None,
        title: None,
    },
];

/// Characters of a title, at most.
const MOST_TITLE: u32 = 200;

/// A row as it stands there.
pub(super) struct Found {
    /// Its hash; none where it cannot be read.
    pub sha256: Option<Hash>,
    /// Whether it is a run that has not come to its end.
    pub is_running: bool,
}

/// Those of a tenant's rows that are there, by what they are called in the lineage.
pub(super) async fn found(
    scope: &mut Scope,
    user: UserId,
    kind: LineageKind,
    nodes: &[String],
) -> Result<HashMap<String, Found>> {
    let Some(table) = TABLES.iter().find(|table| table.name == kind.table()) else {
        return Ok(HashMap::new());
    };
    let mut rows = HashMap::new();
    let text = table.select(&table.hashed(scope.dialect()), scope.dialect());
    let values = [Value::from(user), Value::from(nodes)];
    scope
        .fetch_built(text, &values, |row| {
            let key: String = row.columns().read()?;
            let found = table.read(row).unwrap_or(Found {
                sha256: None,
                is_running: false,
            });
            rows.insert(key, found);
            Ok(())
        })
        .await?;
    Ok(rows)
}

/// What a person knows those of a tenant's rows by that say it, by what they are called in the lineage.
pub(super) async fn titles(
    scope: &mut Scope,
    user: UserId,
    table: &NamedTable,
    nodes: &[String],
) -> Result<HashMap<String, String>> {
    let mut titles = HashMap::new();
    let Some(title) = table.title else {
        return Ok(titles);
    };
    let text = table.select(&format!("substr({title}, 1, {MOST_TITLE})"), scope.dialect());
    let values = [Value::from(user), Value::from(nodes)];
    scope
        .fetch_built(text, &values, |row| {
            let mut columns = row.columns();
            let key = columns.read()?;
            if let Some(title) = columns.read()? {
                titles.insert(key, title);
            }
            Ok(())
        })
        .await?;
    Ok(titles)
}

impl NamedTable {
    /// Every column, as it is hashed.
    fn hashed(&self, dialect: Dialect) -> String {
        let mut columns = Vec::new();
        for (name, _) in self.columns {
            columns.push(match (self.bytes == Some(*name), dialect) {
                (false, _) => (*name).to_owned(),
                (true, Dialect::Sqlite) => [
                    "case when ",
                    name,
                    " is null then null else lower(hex(",
                    name,
                    ")) end",
                ]
                .concat(),
                (true, Dialect::Postgres) => ["encode(", name, ", 'hex')"].concat(),
            });
        }
        columns.join(", ")
    }

    /// What to read of rows, behind what they are called by. Names of ours and placeholders, no value.
    fn select(&self, columns: &str, dialect: Dialect) -> String {
        // A query and not a list, so that whoever plans it does not compare every row with each of them.
        let (key, is_one) = match (self.is_uuid, dialect) {
            (_, Dialect::Sqlite) => (self.key.to_owned(), " in (select value from json_each(?3))"),
            (true, Dialect::Postgres) => (
                [self.key, "::text"].concat(),
                " in (select unnest($3::text[])::uuid)",
            ),
            (false, Dialect::Postgres) => (self.key.to_owned(), " in (select unnest($3::text[]))"),
        };
        let guard = match dialect {
            Dialect::Sqlite => " where user_id = ?2 and (user_id = ?1 or ?1 is null) and ",
            Dialect::Postgres => " where user_id = $2 and (user_id = $1 or $1 is null) and ",
        };
        [
            "select ", &key, ", ", columns, " from ", self.name, guard, self.key, is_one,
        ]
        .concat()
    }

    /// The hash of a row: SHA-256 of it as a JSON object in normal form.
    fn read(&self, row: &Row) -> Result<Found> {
        let mut columns = row.columns();
        let _key: String = columns.read()?;
        let mut text = String::from("{");
        let mut is_running = false;
        for (place, (name, kind)) in self.columns.iter().enumerate() {
            let value = plain(&mut columns, *kind)?;
            is_running |= self.name == "sb_eval_runs"
                && *name == "status"
                && value == Datum::Text("running".to_owned());
            text.extend([if place > 0 { ",\"" } else { "\"" }, name, "\":"]);
            value.write_json(&mut text);
        }
        text.push('}');
        Ok(Found {
            sha256: Some(Sha256::digest(text).into()),
            is_running,
        })
    }
}
