//! What is judged.

use std::borrow::Cow;
use std::cell::OnceCell;

use pawl_model::ToolCall;
use serde::Deserialize as _;
use serde_json::Value;

use crate::judge::Opinions;
use crate::story::Story;

/// The output of a target with what was measured of it.
///
/// An output is a text or JSON. Checks on text see JSON as its compact JSON text; checks on structure see a text
/// parsed as JSON. Both conversions happen at most once per subject, and only when a check asks.
#[derive(Debug)]
pub struct Subject<'a> {
    output: &'a Value,
    latency_ms: Option<u64>,
    cost_usd: Option<f64>,
    opinions: Option<&'a Opinions>,
    tool_calls: Option<&'a Value>,
    read_calls: OnceCell<Option<Vec<ToolCall>>>,
    text: OnceCell<Cow<'a, str>>,
    lower_case: OnceCell<String>,
    json: OnceCell<Option<Cow<'a, Value>>>,
    story: OnceCell<Story<'a>>,
}

impl<'a> Subject<'a> {
    /// An output without measurements.
    #[must_use]
    pub const fn new(output: &'a Value) -> Self {
        Self {
            output,
            latency_ms: None,
            cost_usd: None,
            opinions: None,
            tool_calls: None,
            read_calls: OnceCell::new(),
            text: OnceCell::new(),
            lower_case: OnceCell::new(),
            json: OnceCell::new(),
            story: OnceCell::new(),
        }
    }

    /// The same with the time that the target took, in milliseconds, where it is known.
    #[must_use]
    pub fn with_latency_ms(mut self, latency_ms: Option<u64>) -> Self {
        self.latency_ms = latency_ms;
        self
    }

    /// The same with what the target cost, in US dollars, where it is known.
    #[must_use]
    pub fn with_cost_usd(mut self, cost_usd: Option<f64>) -> Self {
        self.cost_usd = cost_usd;
        self
    }

    /// The same with what was asked about it and answered.
    #[must_use]
    pub const fn with_opinions(mut self, opinions: &'a Opinions) -> Self {
        self.opinions = Some(opinions);
        self
    }

    /// The same with the tools that were called, in their order: a list of objects with a `name`, where that is known.
    #[must_use]
    pub const fn with_tool_calls(mut self, tool_calls: Option<&'a Value>) -> Self {
        self.tool_calls = tool_calls;
        self
    }

    /// The tools that were called, in their order; none where nobody says, or not in a form that can be read.
    #[must_use]
    pub fn tool_calls(&self) -> Option<&[ToolCall]> {
        let read = self.read_calls.get_or_init(|| {
            let calls = self.tool_calls?.as_array()?;
            calls
                .iter()
                .map(|call| ToolCall::deserialize(call).ok())
                .collect()
        });
        read.as_deref()
    }

    pub(crate) const fn opinions(&self) -> Option<&Opinions> {
        self.opinions
    }

    /// The time that the target took, in milliseconds.
    #[must_use]
    pub const fn latency_ms(&self) -> Option<u64> {
        self.latency_ms
    }

    /// What the target cost, in US dollars.
    #[must_use]
    pub const fn cost_usd(&self) -> Option<f64> {
        self.cost_usd
    }

    /// The output as a text.
    #[must_use]
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| match self.output {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            json => Cow::Owned(json.to_string()),
        })
    }

    /// The output as a text in lower case.
    pub(crate) fn lower_case(&self) -> &str {
        self.lower_case.get_or_init(|| self.text().to_lowercase())
    }

    /// The output as JSON; `None` for a text that is not JSON.
    #[must_use]
    pub fn json(&self) -> Option<&Value> {
        let parsed = self.json.get_or_init(|| match self.output {
            Value::String(text) => serde_json::from_str(text).ok().map(Cow::Owned),
            json => Some(Cow::Borrowed(json)),
        });
        parsed.as_deref()
    }

    /// The output as a story.
    pub(crate) fn story(&self) -> Story<'_> {
        match self.output {
            // It borrows from the parsed text, and cannot be kept beside it.
            Value::String(_) => self.json().map(Story::read).unwrap_or_default(),
            json => *self.story.get_or_init(|| Story::read(json)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_and_json_are_two_views_of_one_output() {
        let object = json!({"b": 1, "a": [true, null]});
        assert_eq!(Subject::new(&object).text(), r#"{"b":1,"a":[true,null]}"#);
        assert_eq!(Subject::new(&object).json(), Some(&object));
        let text = json!(" {\"b\": 1,\n \"a\": [true, null]}");
        assert_eq!(Subject::new(&text).json(), Some(&object));
        assert_eq!(Subject::new(&json!("no json")).json(), None);
        assert_eq!(Subject::new(&json!("ÄB")).lower_case(), "äb");
    }
}
