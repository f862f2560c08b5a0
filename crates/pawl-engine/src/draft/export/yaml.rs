//! YAML that versions 1.1 and 1.2 read the same.

use serde_json::{Map, Value};

use super::{is_unseen, quoted};

/// Words that version 1.1 takes for something else than texts.
const RESERVED: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

/// A list of values, each an item of a document.
pub(super) fn list(values: &[Value]) -> String {
    let mut yaml = String::new();
    if values.is_empty() {
        yaml.push_str("[]\n");
    }
    for value in values {
        item(&mut yaml, value, 0);
    }
    yaml
}

/// An object as a document.
pub(super) fn document(object: &Map<String, Value>) -> String {
    let mut yaml = String::new();
    members(&mut yaml, object, 0);
    yaml
}

/// The members of an object, each on lines of its own.
fn members(yaml: &mut String, object: &Map<String, Value>, depth: usize) {
    for (index, (key, value)) in object.iter().enumerate() {
        // The first one stands where the object begins.
        if index > 0 || yaml.ends_with('\n') {
            indent(yaml, depth);
        }
        yaml.push_str(&word(key));
        yaml.push(':');
        match value {
            Value::Object(object) if !object.is_empty() => {
                yaml.push('\n');
                members(yaml, object, depth + 1);
            }
            Value::Array(items) if !items.is_empty() => {
                yaml.push('\n');
                for value in items {
                    item(yaml, value, depth + 1);
                }
            }
            value => scalar(yaml, value, depth + 1),
        }
    }
}

/// An item of a list.
fn item(yaml: &mut String, value: &Value, depth: usize) {
    indent(yaml, depth);
    yaml.push('-');
    match value {
        Value::Object(object) if !object.is_empty() => {
            yaml.push(' ');
            members(yaml, object, depth + 1);
        }
        Value::Array(items) if !items.is_empty() => {
            yaml.push('\n');
            for value in items {
                item(yaml, value, depth + 1);
            }
        }
        value => scalar(yaml, value, depth + 1),
    }
}

/// A value without members, after a colon or a hyphen.
fn scalar(yaml: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(text) if is_block(text) => block(yaml, text, depth),
        Value::String(text) => {
            yaml.push(' ');
            yaml.push_str(&word(text));
            yaml.push('\n');
        }
        Value::Number(number) => yaml.push_str(&format!(" {}\n", float(&number.to_string()))),
        other => yaml.push_str(&format!(" {other}\n")),
    }
}

/// A text bare where it is a name, else in quotes.
fn word(text: &str) -> String {
    let is_name = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text
            .chars()
            .all(|letter| letter.is_ascii_alphabetic() || letter == '_' || letter == '-');
    if is_name && !RESERVED.contains(&text.to_ascii_lowercase().as_str()) {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// Version 1.1 takes no number with an exponent but one with a point and a sign.
fn float(number: &str) -> String {
    let Some((digits, exponent)) = number.split_once(['e', 'E']) else {
        return number.to_owned();
    };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with(['-', '+']) { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

/// Whether a text of several lines can stand as they are.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    body.contains('\n')
        && !body.starts_with(char::is_whitespace)
        && !body.ends_with(char::is_whitespace)
        && body.split('\n').all(|line| !line.ends_with(char::is_whitespace))
        && !body.chars().any(|letter| letter != '\n' && is_unseen(letter))
}

fn block(yaml: &mut String, text: &str, depth: usize) {
    yaml.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            indent(yaml, depth);
            yaml.push_str(line);
        }
        yaml.push('\n');
    }
}

fn indent(yaml: &mut String, depth: usize) {
    yaml.extend(std::iter::repeat_n("  ", depth));
}
