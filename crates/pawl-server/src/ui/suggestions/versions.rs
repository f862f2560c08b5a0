//! Versions of a draft beside each other: where a regeneration or somebody else meets what a person wrote.

use pawl_engine::review::DraftEdit;
use pawl_model::Optional;

use super::form::DraftForm;

/// Versions beside each other, the fields in which they differ.
pub(super) struct Versions {
    /// What happened, in a sentence.
    pub(super) what: &'static str,
    pub(super) rows: Vec<Field>,
    /// A version that can be taken as it is, by its name.
    pub(super) offer: Option<Offer>,
}

/// A field, and what each version has in it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) texts: Vec<Text>,
}

/// What a version has in a field.
pub(super) struct Text {
    pub(super) version: &'static str,
    pub(super) text: String,
    /// Whether it is another one than that of the first version.
    pub(super) is_changed: bool,
}

/// A version that can be taken as it is.
pub(super) struct Offer {
    pub(super) name: &'static str,
    pub(super) form: DraftForm,
}

impl Versions {
    pub(super) fn of(what: &'static str, versions: &[(&'static str, &DraftEdit)]) -> Self {
        let shown: Vec<[(&'static str, String); 9]> = versions.iter().map(|(_, edit)| fields(edit)).collect();
        let first = shown.first();
        let rows = first
            .into_iter()
            .flatten()
            .enumerate()
            .filter_map(|(place, (name, _))| {
                let texts: Vec<Text> = shown
                    .iter()
                    .zip(versions)
                    .map(|(fields, (version, _))| Text {
                        version,
                        text: fields[place].1.clone(),
                        is_changed: fields[place].1 != shown[0][place].1,
                    })
                    .collect();
                texts
                    .iter()
                    .any(|text| text.is_changed)
                    .then_some(Field { name, texts })
            });
        Self {
            what,
            rows: rows.collect(),
            offer: None,
        }
    }
}

fn fields(edit: &DraftEdit) -> [(&'static str, String); 9] {
    let text = |text: &Optional<String>| text.clone().flatten().unwrap_or_default();
    let lines = |texts: &[String]| texts.join("\n");
    [
        ("Title", edit.title.clone()),
        ("Rationale", edit.rationale.clone()),
        ("Prompt", edit.input.prompt.clone()),
        ("State beforehand", text(&edit.input.required_state)),
        ("Tools", lines(&edit.input.tools_involved)),
        ("Required", lines(&edit.assertions.required)),
        ("Forbidden", lines(&edit.assertions.forbidden)),
        ("Golden output", text(&edit.assertions.golden_output)),
        ("Notes", text(&edit.assertions.notes)),
    ]
}
