//! What YAML scalars mean.

use saphyr_parser::{ScalarStyle, Tag};
use serde_json::{Number, Value};

use super::super::document::HOLDS_NUL;

/// The message for a tag that is none of the core schema's.
pub(super) fn unsupported_tag(tag: &Tag) -> String {
    format!("the YAML tag `{tag}` is not supported")
}

/// The value of a scalar.
pub(super) fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    if text.contains('\0') {
        return Err(HOLDS_NUL.to_owned());
    }
    let quoted = || Ok(Value::String(text.to_owned()));
    let Some(tag) = tag else {
        return if style == ScalarStyle::Plain {
            plain(text)
        } else {
            quoted()
        };
    };
    if !tag.is_yaml_core_schema() {
        return Err(unsupported_tag(tag));
    }
    let value = match tag.suffix.as_str() {
        "str" => return quoted(),
        "null" | "bool" | "int" | "float" => plain(text)?,
        _ => return Err(unsupported_tag(tag)),
    };
    let fits = match tag.suffix.as_str() {
        "null" => value.is_null(),
        "bool" => value.is_boolean(),
        "int" => value.is_i64() || value.is_u64(),
        _ => value.is_number(),
    };
    if fits {
        Ok(value)
    } else {
        Err(format!("`{text}` is not a YAML {}", tag.suffix))
    }
}

/// The meaning of an unquoted scalar.
fn plain(text: &str) -> Result<Value, String> {
    let value = match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => return number(text).map(|n| n.map_or_else(|| Value::String(text.to_owned()), Value::Number)),
    };
    Ok(value)
}

fn number(text: &str) -> Result<Option<Number>, String> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Err(format!("`{text}` is not a finite number"));
    }
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') || text.ends_with('_') {
        return Ok(None);
    }
    let digits = unsigned.replace('_', "");
    let negative = text.starts_with('-');
    for (prefix, radix) in [("0b", 2), ("0o", 8), ("0x", 16)] {
        if let Some(digits) = digits.strip_prefix(prefix) {
            let size = u64::from_str_radix(digits, radix).ok();
            return Ok(size.and_then(|size| integer(size, negative)));
        }
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Some(number) = digits.parse().ok().and_then(|size| integer(size, negative)) {
            return Ok(Some(number));
        }
    } else if !is_decimal(&digits) {
        return Ok(None);
    }
    let size: f64 = digits.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let size = if negative { -size } else { size };
    let number = Number::from_f64(size).ok_or_else(|| format!("`{text}` is not a finite number"))?;
    Ok(Some(number))
}

fn integer(size: u64, negative: bool) -> Option<Number> {
    if !negative {
        return Some(size.into());
    }
    0_i64.checked_sub_unsigned(size).map(Number::from)
}

/// `12.5`, `12.`, `.5`, each with or without an exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    all_digits(whole) && all_digits(fraction) && whole.len() + fraction.len() > 0 && exponent_fits
}
