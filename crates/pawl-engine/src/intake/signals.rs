//! What tool calls and spans say of an interaction: whether one of them broke.

use pawl_model::{Json, NewInteraction};
use serde_json::Value;

/// Whether a tool call or a span of an interaction is an error.
pub(crate) fn has_error(interaction: &NewInteraction) -> bool {
    [&interaction.tool_calls, &interaction.spans]
        .into_iter()
        .flatten()
        .any(any_error)
}

fn any_error(objects: &Json) -> bool {
    // Most have none of the words.
    let text = objects.as_str();
    if !text.contains("error") && !text.contains("ERROR") && !text.contains("\"code\"") {
        return false;
    }
    match objects.to_value() {
        Value::Array(objects) => objects.iter().any(is_error),
        _ => false,
    }
}

/// `error` is something, or the status says so: as a word, or as OpenTelemetry has it (2 is `STATUS_CODE_ERROR`).
pub(crate) fn is_error(object: &Value) -> bool {
    let stands_for_error = |status: &Value| match status {
        Value::String(word) => {
            word.eq_ignore_ascii_case("error") || word.eq_ignore_ascii_case("status_code_error")
        }
        Value::Number(number) => number.as_u64() == Some(2),
        _ => false,
    };
    let is_something = |error: &Value| !matches!(error, Value::Null | Value::Bool(false)) && error != "";
    object.get("error").is_some_and(is_something)
        || object.get("status").is_some_and(|status| match status {
            Value::Object(status) => status.get("code").is_some_and(stands_for_error),
            Value::String(_) => stands_for_error(status),
            _ => false,
        })
        || object
            .get("status_code")
            .is_some_and(|code| code.is_string() && stands_for_error(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_by_what_they_say() {
        for (objects, expected) in [
            ("[]", false),
            (r#"[{"name":"a","error":null}]"#, false),
            (r#"[{"name":"a","error":""},{"error":false}]"#, false),
            (r#"[{"name":"a"},{"error":"timed out"}]"#, true),
            (r#"[{"status":"ERROR"}]"#, true),
            (r#"[{"status":{"code":2,"message":"x"}}]"#, true),
            (r#"[{"status":{"code":"STATUS_CODE_ERROR"}}]"#, true),
            (r#"[{"status":{"code":1}}]"#, false),
            (r#"[{"status_code":2}]"#, false),
            (r#"[{"status":"ok","code":2,"text":"no error"}]"#, false),
        ] {
            assert_eq!(any_error(&Json::parse(objects).unwrap()), expected, "{objects}");
        }
    }
}
