//! The general checks as a suite uses them.

mod grading;
mod properties;
mod types;

use pawl_model::CheckResult;
use serde_json::Value;

use crate::{AssertSpec, Check, SpecError, Subject};

/// The one check of an entry.
pub(super) fn check(entry: &Value) -> Check {
    let mut checks = compile(entry).unwrap_or_else(|error| panic!("{entry}: {error}"));
    assert_eq!(checks.len(), 1, "{entry}");
    checks.remove(0)
}

pub(super) fn compile(entry: &Value) -> Result<Vec<Check>, SpecError> {
    Check::compile(&AssertSpec::read(entry)?)
}

pub(super) fn judge(entry: &Value, output: &Value) -> CheckResult {
    check(entry).judge(&Subject::new(output))
}
