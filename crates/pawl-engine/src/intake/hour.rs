//! What an hour came to, as it is kept.

use pawl_checks::rollup::Rollup;
use pawl_model::Json;

use crate::EngineError;

/// A rollup from what is kept.
pub(super) fn rollup(data: &Json) -> Result<Rollup, EngineError> {
    serde_json::from_str(data.as_str()).map_err(EngineError::RollupData)
}

/// A rollup as it is to be kept.
pub(super) fn data(rollup: &Rollup) -> Result<Json, EngineError> {
    let text = serde_json::to_string(rollup).map_err(EngineError::RollupData)?;
    Json::parse(&text).map_err(|error| EngineError::RollupData(serde::ser::Error::custom(error)))
}
