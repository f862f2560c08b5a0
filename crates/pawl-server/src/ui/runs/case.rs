//! One case of a run: what went in, what came out, and what each check says of it.

use pawl_model::{CaseRecord, EvalResults, State};
use serde_json::Value;

use crate::ui::fold::folded_lines;
use crate::ui::{duration, rate};

/// A case, opened.
pub(super) struct CaseView {
    pub(super) name: String,
    pub(super) trial: i32,
    pub(super) state: State,
    /// The page without it.
    pub(super) close: String,
    /// The element that leads to it.
    pub(super) link: String,
    pub(super) error: Option<String>,
    pub(super) checks: Vec<CheckView>,
    pub(super) facts: Vec<(&'static str, String)>,
    pub(super) story: Option<Story>,
    pub(super) texts: Vec<Text>,
}

/// A check of it.
pub(super) struct CheckView {
    pub(super) state: State,
    pub(super) name: String,
    pub(super) message: String,
    pub(super) score: Option<String>,
}

/// An output that is a user story.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Story {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) criteria: Vec<String>,
    /// What else stands in it.
    rest: Option<String>,
}

/// A long text of it.
pub(super) struct Text {
    pub(super) name: String,
    pub(super) element: String,
    pub(super) text: String,
    /// How many lines it takes, where that is more than are shown at first.
    pub(super) lines: Option<usize>,
}

impl CaseView {
    pub(super) fn of(record: &CaseRecord, close: String) -> Self {
        let results = EvalResults::read(&record.eval_results.to_value());
        let checks = results.checks.into_iter().map(|check| CheckView {
            state: check.state,
            name: check.name.to_string(),
            message: check.message.unwrap_or_default(),
            score: check.score.map(rate::score),
        });
        let facts = [
            ("Score", record.score.map(rate::score)),
            (
                "Latency",
                record
                    .latency_ms
                    .map(|latency| duration::milliseconds(f64::from(latency))),
            ),
            ("Cost", record.cost_usd.map(dollars)),
        ];
        let story = Story::of(record);
        let mut texts = Vec::new();
        let mut add = |name: &str, text: String| {
            let element = ["text-", &texts.len().to_string()].concat();
            texts.push(Text::new(name.to_owned(), element, text));
        };
        match &story {
            None => add("Output", output(record)),
            Some(story) => story
                .rest
                .iter()
                .for_each(|rest| add("Rest of the output", rest.clone())),
        }
        for (name, text) in input(record) {
            add(&["Input: ", &name].concat(), text);
        }
        if let Some(details) = &record.details {
            add("Details", pretty(&details.to_value()));
        }
        Self {
            name: name(record),
            trial: record.trial,
            state: record.state(),
            close,
            link: link(record),
            error: record.error.clone(),
            checks: checks.collect(),
            facts: facts
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            story,
            texts,
        }
    }
}

/// The case's id in its suite; of other writers, that of its row.
pub(super) fn name(record: &CaseRecord) -> String {
    record.input_id().unwrap_or_else(|| record.id.to_string())
}

/// The element that leads to a case.
pub(super) fn link(record: &CaseRecord) -> String {
    ["case-", &record.id.to_string()].concat()
}

/// Dollars, with as many digits as small sums need.
pub(super) fn dollars(sum: f64) -> String {
    if sum >= 0.1 {
        format!("${sum:.2}")
    } else {
        format!("${sum:.5}")
    }
}

/// The output as a text.
pub(super) fn output(record: &CaseRecord) -> String {
    if let Some(story) = Story::of(record) {
        return story.text();
    }
    let document = || {
        record
            .output_story
            .as_ref()
            .map(|story| pretty(&story.to_value()))
    };
    record.output.clone().or_else(document).unwrap_or_default()
}

/// The input by its keys; a document that is no object has none.
fn input(record: &CaseRecord) -> Vec<(String, String)> {
    match record.input_data.to_value() {
        Value::Object(input) => input
            .into_iter()
            .filter(|(name, _)| name != "id")
            .map(|(name, value)| (name, pretty(&value)))
            .collect(),
        other => vec![("document".to_owned(), pretty(&other))],
    }
}

fn pretty(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

impl Story {
    /// The output as a story, where it has the parts of one.
    fn of(record: &CaseRecord) -> Option<Self> {
        let Value::Object(mut story) = record.output_story.as_ref()?.to_value() else {
            return None;
        };
        let mut text = |key: &str| match story.remove(key)? {
            Value::String(text) => Some(text),
            _ => None,
        };
        let (title, description) = (text("title")?, text("description")?);
        let Value::Array(criteria) = story.remove("acceptance_criteria")? else {
            return None;
        };
        Some(Self {
            title,
            description,
            criteria: criteria.iter().map(pretty).collect(),
            rest: (!story.is_empty()).then(|| pretty(&Value::Object(story))),
        })
    }

    fn text(&self) -> String {
        let mut text = [&self.title, "\n\n", &self.description, "\n"].concat();
        for criterion in &self.criteria {
            text += &["\n- ", criterion].concat();
        }
        if let Some(rest) = &self.rest {
            text += &["\n\n", rest].concat();
        }
        text
    }
}

impl Text {
    fn new(name: String, element: String, text: String) -> Self {
        Self {
            name,
            element,
            lines: folded_lines(&text),
            text,
        }
    }
}

#[cfg(test)]
mod tests {
    use pawl_model::Json;
    use pawl_testkit::samples;

    use super::*;

    fn case(output: &str) -> CaseRecord {
        CaseRecord {
            output_story: Json::parse(output).ok(),
            ..samples::case(&samples::run(1), 1, State::Passed)
        }
    }

    #[test]
    fn a_story_is_told_from_other_documents() {
        let story = case(r#"{"title": "T", "description": "As a user", "acceptance_criteria": ["a", 1]}"#);
        assert_eq!(output(&story), "T\n\nAs a user\n\n- a\n- 1");
        let more = case(r#"{"title": "T", "description": "D", "acceptance_criteria": [], "points": 3}"#);
        assert_eq!(output(&more), "T\n\nD\n\n\n{\n  \"points\": 3\n}");
        for other in [
            r#"{"title": "T"}"#,
            r#"{"title": "T", "description": "D"}"#,
            r#"{"title": 1, "description": "", "acceptance_criteria": []}"#,
        ] {
            let case = case(other);
            assert_eq!(Story::of(&case), None, "{other}");
            assert!(output(&case).starts_with('{'), "{other}");
        }
    }

    #[test]
    fn a_view_has_all_that_is_known() {
        let view = CaseView::of(&case(r#"{"n": 1}"#), String::new());
        assert_eq!((&*view.name, view.checks.len()), ("seed_1", 1));
        let names: Vec<_> = view.texts.iter().map(|text| &*text.name).collect();
        assert_eq!(names, ["Output", "Input: goal"]);
        assert_eq!(dollars(0.000_12), "$0.00012");
    }
}
