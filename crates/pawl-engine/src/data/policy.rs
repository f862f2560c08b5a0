//! What no CHECK of both databases can say of a policy: whether there is such a time zone, and whether patterns work.

use pawl_model::PiiPattern;
use pawl_model::table::{Column, Datum, Table};

use super::DataError;
use super::diagnosis::broken_check;
use crate::intake::policy;

/// Refuses values of `evaluation_configs` that intake could not go by.
pub(super) fn check<'v>(
    table: &Table,
    values: impl Iterator<Item = (&'static Column, &'v Datum)>,
) -> Result<(), DataError> {
    if table.name != "evaluation_configs" {
        return Ok(());
    }
    for (column, value) in values {
        let problem = match (column.name, value) {
            ("timezone", Datum::Text(name)) => policy::timezone_problem(name),
            ("pii_patterns", Datum::Json(patterns)) => patterns_problem(patterns.as_str()),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(broken_check(table, column, problem).into());
        }
    }
    Ok(())
}

fn patterns_problem(patterns: &str) -> Option<String> {
    match serde_json::from_str::<Vec<PiiPattern>>(patterns) {
        Ok(patterns) => policy::patterns_problem(&patterns),
        Err(_) => Some("pii_patterns must be an array of {\"name\", \"pattern\"}".to_owned()),
    }
}
