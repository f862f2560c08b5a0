//! A draft as a form has it.

use pawl_engine::review::DraftEdit;
use pawl_model::{DraftAssertions, DraftInput, EvalTestDraft, Optional};

/// Empty lines for further sentences.
const SPARE: usize = 2;
/// Sentences of a form; the rest is refused with the whole.
const MOST: usize = 200;

/// A draft as somebody filled it in: texts, of which nothing is checked yet.
#[derive(Clone, Debug, Default)]
pub(super) struct DraftForm {
    pub(super) title: String,
    pub(super) rationale: String,
    pub(super) prompt: String,
    pub(super) required_state: String,
    /// A line each.
    pub(super) tools_involved: String,
    pub(super) required: Vec<String>,
    pub(super) forbidden: Vec<String>,
    pub(super) golden_output: String,
    pub(super) notes: String,
    /// The draft that this is an edit of, as JSON.
    pub(super) base: String,
    /// For a decision.
    pub(super) words: String,
}

impl DraftForm {
    /// What was sent.
    pub(super) fn read(body: &[u8]) -> Self {
        let mut form = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            // Browsers send line ends as the web has them.
            let value = value.replace("\r\n", "\n");
            match &*name {
                "title" => form.title = value,
                "rationale" => form.rationale = value,
                "prompt" => form.prompt = value,
                "required_state" => form.required_state = value,
                "tools_involved" => form.tools_involved = value,
                "required" if form.required.len() < MOST => form.required.push(value),
                "forbidden" if form.forbidden.len() < MOST => form.forbidden.push(value),
                "golden_output" => form.golden_output = value,
                "notes" => form.notes = value,
                "base" => form.base = value,
                "words" => form.words = value,
                _ => {}
            }
        }
        form
    }

    /// A draft as it is shown.
    pub(super) fn of(draft: &EvalTestDraft) -> Self {
        Self {
            base: serde_json::to_string(draft).unwrap_or_default(),
            ..Self::of_edit(&DraftEdit::from(draft))
        }
    }

    pub(super) fn of_edit(edit: &DraftEdit) -> Self {
        let text = |text: &Optional<String>| text.clone().flatten().unwrap_or_default();
        Self {
            title: edit.title.clone(),
            rationale: edit.rationale.clone(),
            prompt: edit.input.prompt.clone(),
            required_state: text(&edit.input.required_state),
            tools_involved: edit.input.tools_involved.join("\n"),
            required: edit.assertions.required.clone(),
            forbidden: edit.assertions.forbidden.clone(),
            golden_output: text(&edit.assertions.golden_output),
            notes: text(&edit.assertions.notes),
            base: String::new(),
            words: String::new(),
        }
    }

    /// The draft that it is an edit of.
    pub(super) fn base(&self) -> Option<EvalTestDraft> {
        serde_json::from_str(&self.base).ok()
    }

    /// What somebody wrote. A text that is empty is as absent as it was in the draft before.
    pub(super) fn edit(&self, base: &EvalTestDraft) -> DraftEdit {
        let optional = |text: &str, before: &Optional<String>| match (text.is_empty(), before) {
            (false, _) => Some(Some(text.to_owned())),
            (true, before) => before.as_ref().map(|_| None),
        };
        let lines = |texts: &[String]| -> Vec<String> {
            texts
                .iter()
                .filter(|text| !text.trim().is_empty())
                .cloned()
                .collect()
        };
        DraftEdit {
            title: self.title.clone(),
            rationale: self.rationale.clone(),
            input: DraftInput {
                prompt: self.prompt.clone(),
                required_state: optional(&self.required_state, &base.input.required_state),
                tools_involved: self
                    .tools_involved
                    .lines()
                    .map(str::trim)
                    .filter(|line| !line.is_empty())
                    .map(str::to_owned)
                    .collect(),
            },
            assertions: DraftAssertions {
                required: lines(&self.required),
                forbidden: lines(&self.forbidden),
                golden_output: optional(&self.golden_output, &base.assertions.golden_output),
                notes: optional(&self.notes, &base.assertions.notes),
            },
        }
    }

    /// The sentences of a kind, each with its name as errors have it, and empty ones to write more in.
    pub(super) fn sentences(&self, kind: &'static str) -> Vec<SentenceField> {
        let texts = match kind {
            "required" => &self.required,
            _ => &self.forbidden,
        };
        let filled = texts.iter().filter(|text| !text.trim().is_empty());
        filled
            .cloned()
            .chain(std::iter::repeat_n(String::new(), SPARE))
            .enumerate()
            .map(|(place, text)| SentenceField {
                element: format!("{kind}-{place}"),
                field: format!("assertions.{kind}[{place}]"),
                text,
            })
            .collect()
    }
}

/// A sentence in a form.
pub(super) struct SentenceField {
    pub(super) element: String,
    pub(super) field: String,
    pub(super) text: String,
}
