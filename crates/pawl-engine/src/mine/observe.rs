//! What shows in a failing interaction: the tools that were called, what broke, what went round in circles.

use std::collections::HashMap;

use pawl_model::Json;
use serde_json::Value;

use crate::intake::signals;

/// How often the same call has to come for it to be a loop.
const LOOP: usize = 5;
/// Tools and errors that are kept.
const MOST: usize = 20;
/// Characters of a tool's name, and of what it says where it breaks.
const MAX_NAME: usize = 100;
const MAX_MESSAGE: usize = 300;

/// What tool calls and spans show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Observed {
    /// The tools, each once, in the order of their first calls.
    pub tools: Vec<String>,
    /// What broke, each message once.
    pub errors: Vec<Broken>,
    /// The tool that was called over and over with the same arguments, and how often.
    pub looped: Option<(String, usize)>,
}

/// A call or a span that broke.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    /// The tool or span.
    pub name: String,
    /// What it said.
    pub message: String,
    /// The status of HTTP, where there is one.
    pub status: Option<u16>,
}

impl Observed {
    pub(super) fn of(tool_calls: Option<&Json>, spans: Option<&Json>) -> Self {
        let mut observed = Self::default();
        let mut calls: HashMap<(String, String), usize> = HashMap::new();
        for (objects, are_tools) in [(tool_calls, true), (spans, false)] {
            let Some(Value::Array(objects)) = objects.map(Json::to_value) else {
                continue;
            };
            for object in &objects {
                let name = excerpt(text(object, &["name"]).unwrap_or("step"), MAX_NAME);
                if are_tools || is_tool(object) {
                    let name = excerpt(tool_name(object).unwrap_or(&name), MAX_NAME);
                    if !observed.tools.contains(&name) && observed.tools.len() < MOST {
                        observed.tools.push(name.clone());
                    }
                    if are_tools {
                        let arguments = object.get("arguments").map(Value::to_string);
                        *calls.entry((name, arguments.unwrap_or_default())).or_default() += 1;
                    }
                }
                if signals::is_error(object) {
                    observed.add_error(object, name);
                }
            }
        }
        observed.looped = calls
            .into_iter()
            .filter(|(_, times)| *times >= LOOP)
            .max_by(|(one, times), (other, more)| times.cmp(more).then_with(|| other.cmp(one)))
            .map(|((name, _), times)| (name, times));
        observed
    }

    fn add_error(&mut self, object: &Value, name: String) {
        const SAID: [&[&str]; 7] = [
            &["error"],
            &["error", "message"],
            &["status", "message"],
            &["status_message"],
            &["attributes", "exception.message"],
            &["attributes", "error.message"],
            &["attributes", "error.type"],
        ];
        let said = SAID.iter().find_map(|path| text(object, path));
        let message = excerpt(said.unwrap_or("an error"), MAX_MESSAGE);
        let status = [
            &["attributes", "http.response.status_code"][..],
            &["attributes", "http.status_code"],
            &["status_code"],
        ]
        .iter()
        .find_map(|path| number(object, path))
        .or_else(|| status_in(&message));
        let broken = Broken {
            name,
            message,
            status,
        };
        if !self.errors.contains(&broken) && self.errors.len() < MOST {
            self.errors.push(broken);
        }
    }
}

fn is_tool(span: &Value) -> bool {
    let kind = text(span, &["attributes", "openinference.span.kind"])
        .or_else(|| text(span, &["attributes", "gen_ai.operation.name"]))
        .or_else(|| text(span, &["kind"]));
    kind.is_some_and(|kind| kind.eq_ignore_ascii_case("tool") || kind == "execute_tool")
}

fn tool_name(object: &Value) -> Option<&str> {
    text(object, &["attributes", "gen_ai.tool.name"])
        .or_else(|| text(object, &["attributes", "tool.name"]))
        .or_else(|| text(object, &["name"]))
}

fn at<'v>(object: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(object, |value, key| value.get(key))
}

fn text<'v>(object: &'v Value, path: &[&str]) -> Option<&'v str> {
    at(object, path)?
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn number(object: &Value, path: &[&str]) -> Option<u16> {
    let number = at(object, path)?;
    let number = number.as_u64().or_else(|| number.as_str()?.parse().ok())?;
    u16::try_from(number)
        .ok()
        .filter(|status| (400..600).contains(status))
}

/// A number from 400 to 599 that stands by itself in a message, as in `403 forbidden` or `HTTP 502`.
fn status_in(message: &str) -> Option<u16> {
    message
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.len() == 3)
        .find_map(|word| word.parse().ok().filter(|status| (400..600).contains(status)))
}

/// The beginning of a text on one line, with an ellipsis where there is more.
pub(super) fn excerpt(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        // Four bytes are the most of a character.
        if line.len() > 4 * most {
            break;
        }
    }
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => {
            let end = line
                .char_indices()
                .nth(most - 1)
                .map_or(line.len(), |(end, _)| end);
            line.truncate(end);
            line.push('…');
            line
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(tool_calls: &str, spans: &str) -> Observed {
        Observed::of(
            Some(&Json::parse(tool_calls).unwrap()),
            Some(&Json::parse(spans).unwrap()),
        )
    }

    #[test]
    fn tools_and_errors_are_seen_in_calls_and_spans() {
        let observed = observed(
            r#"[{"name":"search","arguments":{"q":"a"}},{"name":"charge","error":"HTTP 502 from the gateway"}]"#,
            r#"[{"name":"chat","attributes":{"gen_ai.operation.name":"chat"}},
                {"name":"run","attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"lookup"},
                 "status":{"code":"ERROR","message":"no such order"}}]"#,
        );
        assert_eq!(observed.tools, ["search", "charge", "lookup"]);
        let errors: Vec<_> = observed
            .errors
            .iter()
            .map(|error| (error.name.as_str(), error.message.as_str(), error.status))
            .collect();
        assert_eq!(
            errors,
            [
                ("charge", "HTTP 502 from the gateway", Some(502)),
                ("run", "no such order", None)
            ]
        );
        assert_eq!(observed.looped, None);
    }

    #[test]
    fn the_same_call_five_times_is_a_loop() {
        let call = r#"{"name":"search","arguments":{"q":"a"}}"#;
        let four = [call; 4].join(",");
        let other = r#"{"name":"search","arguments":{"q":"b"}}"#;
        assert_eq!(observed(&format!("[{four},{other}]"), "[]").looped, None);
        let looped = observed(&format!("[{four},{call}]"), "[]").looped;
        assert_eq!(looped, Some(("search".to_owned(), 5)));
    }

    #[test]
    fn excerpts_are_one_line_and_no_longer_than_asked() {
        assert_eq!(excerpt("a  b\n c", 10), "a b c");
        assert_eq!(excerpt("abcdef", 6), "abcdef");
        assert_eq!(excerpt("abcdefg", 6), "abcde…");
        assert_eq!(excerpt(&"é".repeat(1000), 6), "ééééé…");
    }
}
