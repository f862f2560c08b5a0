//! How the bytes of an answer become an output.

use std::time::Duration;

use pawl_model::{TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
use serde_json::Value;

/// Reads an answer that is one JSON document where it can be: a JSON string is the text it stands for; anything else
/// as [`TargetOutput::parse`] reads it.
pub(crate) fn parse_json_or_text(answer: &str) -> Result<TargetOutput, TargetFailure> {
    if answer.trim_start().starts_with('"')
        && let Ok(text) = serde_json::from_str::<String>(answer)
    {
        return Ok(TargetOutput::text(text));
    }
    TargetOutput::parse(answer)
}

/// Reads an answer that claims to be JSON.
pub(crate) fn parse_json(answer: &str) -> Result<TargetOutput, TargetFailure> {
    serde_json::from_str::<Value>(answer).map_err(|error| {
        malformed(format!(
            "the target's answer is said to be JSON but is not: {error}"
        ))
    })?;
    parse_json_or_text(answer)
}

/// The answer as a text.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, TargetFailure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        malformed(format!(
            "the target's answer is not UTF-8: the byte at offset {at} does not fit"
        ))
    })
}

/// The request as one line of JSON, line break included.
pub(crate) fn request_line(request: &TargetRequest) -> Result<Vec<u8>, TargetFailure> {
    let mut line = serde_json::to_vec(request)
        .map_err(|error| broken(format!("cannot write the request as JSON: {error}")))?;
    line.push(b'\n');
    Ok(line)
}

/// A text as it is, anything else as JSON.
pub(crate) fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn broken(message: impl Into<String>) -> TargetFailure {
    TargetFailure::new(TargetFailureKind::Broken, message)
}

pub(crate) fn malformed(message: impl Into<String>) -> TargetFailure {
    TargetFailure::new(TargetFailureKind::Malformed, message)
}

pub(crate) fn too_long() -> TargetFailure {
    malformed(format!(
        "the target's answer is longer than {} MiB",
        crate::MAX_ANSWER_BYTES / (1024 * 1024)
    ))
}

pub(crate) fn no_answer_within(timeout: Duration) -> TargetFailure {
    TargetFailure::new(
        TargetFailureKind::Timeout,
        format!("no answer within {} s", timeout.as_secs_f64()),
    )
}
