//! Prompts of a promptfoo configuration, and the runs that they make with its providers.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::cursor::{Cursor, Spot};
use super::digest::ContentDigest;
use super::document::{self, display, extension};
use super::error::SuiteError;
use super::keys;
use super::provider::Provider;
use super::template::{Rendering, Templates};

/// How long the label of a prompt without one is, in characters.
const LABEL_LENGTH: usize = 60;

/// A prompt whose `{{ … }}` are filled in with the variables of a case.
#[derive(Clone, Debug)]
pub struct Prompt {
    /// Its name: the `label`, else the file, else the start of the text.
    pub label: String,
    /// Its text, with templates.
    pub text: String,
    /// The text's value where it is JSON, such as a list of chat messages: templates stand inside its strings.
    json: Option<Value>,
    spot: Spot,
}

/// One run of the suite: one prompt with one target. A suite without prompts has one that asks with the cases'
/// inputs; a suite without targets leaves that to the command line.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The prompt, if the suite has prompts.
    pub prompt: Option<Arc<Prompt>>,
    /// The target, if the suite names some.
    pub target: Option<Provider>,
}

impl Variant {
    /// The label of its prompt.
    #[must_use]
    pub fn prompt_label(&self) -> Option<String> {
        self.prompt.as_ref().map(|prompt| prompt.label.clone())
    }
}

impl Prompt {
    fn new(text: String, label: Option<&str>, spot: Spot) -> Self {
        let label = label.map_or_else(|| shortened(&text), str::to_owned);
        // Only what looks like a document of messages is one: a prompt may well be the text `7`.
        let json = serde_json::from_str(&text)
            .ok()
            .filter(|value: &Value| value.is_array() || value.is_object());
        Self {
            label,
            text,
            json,
            spot,
        }
    }

    /// Compiles its templates.
    pub(super) fn add_to(&self, templates: &mut Templates) -> Result<(), SuiteError> {
        let added = match &self.json {
            Some(json) => add_texts(json, templates),
            None => templates.add(&self.text),
        };
        added.map_err(|message| self.spot.error(message))
    }

    pub(super) fn digest(&self, digest: &mut ContentDigest) {
        digest.text(&self.text);
    }

    /// The prompt with the variables of a case, between the case's prefix and suffix.
    pub(super) fn render(
        &self,
        rendering: &Rendering<'_>,
        affixes: &Affixes,
        spot: &Spot,
    ) -> Result<String, SuiteError> {
        let rendered = match &self.json {
            Some(json) if affixes.is_empty() => {
                let rendered = rendering.render_value(json);
                rendered
                    .and_then(|json| serde_json::to_string_pretty(&json).map_err(|error| error.to_string()))
            }
            _ if affixes.is_empty() => rendering.render(&self.text),
            _ => rendering.render(&affixes.around(&self.text)),
        };
        rendered.map_err(|message| {
            spot.error(format!(
                "the prompt `{}` cannot be rendered: {message}",
                self.label
            ))
        })
    }
}

/// What a case's options put before and after the prompt.
#[derive(Clone, Debug, Default)]
pub(super) struct Affixes {
    pub(super) prefix: String,
    pub(super) suffix: String,
}

impl Affixes {
    fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }

    fn around(&self, text: &str) -> String {
        format!("{}{text}{}", self.prefix, self.suffix)
    }
}

fn add_texts(json: &Value, templates: &mut Templates) -> Result<(), String> {
    match json {
        Value::String(text) => templates.add(text),
        Value::Array(items) => items.iter().try_for_each(|item| add_texts(item, templates)),
        Value::Object(members) => members
            .values()
            .try_for_each(|member| add_texts(member, templates)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(LABEL_LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Reads `prompts`: a text or a file, or a list of them and of objects with `raw` or `id` and `label`.
pub(super) fn read_prompts(cursor: &Cursor<'_>) -> Result<Vec<Arc<Prompt>>, SuiteError> {
    let mut prompts = Vec::new();
    match cursor.value {
        Value::String(_) => read_prompt(cursor, &mut prompts)?,
        Value::Array(_) => cursor
            .items()?
            .try_for_each(|item| read_prompt(&item, &mut prompts))?,
        _ => return Err(cursor.wrong_type("a text or a list")),
    }
    if prompts.is_empty() {
        return Err(cursor.error("`prompts` is empty"));
    }
    Ok(prompts.into_iter().map(Arc::new).collect())
}

fn read_prompt(item: &Cursor<'_>, prompts: &mut Vec<Prompt>) -> Result<(), SuiteError> {
    if item.value.is_string() {
        return read_text(item, None, prompts);
    }
    if !item.value.is_object() {
        return Err(item.wrong_type("a text or an object"));
    }
    keys::PROMPT.check(item)?;
    let label = item.get("label");
    let label = label.as_ref().map(Cursor::text).transpose()?;
    match (item.get("raw"), item.get("id")) {
        (Some(raw), _) => read_text(&raw, label, prompts),
        (None, Some(id)) => read_text(&id, label, prompts),
        (None, None) => Err(item.error("a prompt needs a text under `raw`")),
    }
}

fn read_text(cursor: &Cursor<'_>, label: Option<&str>, prompts: &mut Vec<Prompt>) -> Result<(), SuiteError> {
    let text = cursor.text()?;
    let Some(reference) = file_of(text) else {
        for scheme in ["exec:", "helicone://", "langfuse://", "portkey://"] {
            if text.starts_with(scheme) {
                return Err(cursor.error(format!("prompts of the form `{scheme}…` are not supported yet")));
            }
        }
        prompts.push(Prompt::new(text.to_owned(), label, cursor.spot()));
        return Ok(());
    };
    if reference.contains('*') {
        return Err(cursor
            .error("patterns of file names are not supported yet")
            .with_help("name each file"));
    }
    let path = cursor.document.sibling(reference);
    let extension = extension(&path);
    if !matches!(extension.as_str(), "txt" | "md" | "j2" | "json") {
        return Err(cursor
            .error(format!("prompts from `.{extension}` files are not supported yet"))
            .with_help("supported are .txt, .md, .j2 and .json"));
    }
    let content = read_referenced(cursor, reference, &path)?;
    let spot = Spot::Place(super::error::Place::file(display(&path)));
    let parts: Vec<String> = if extension == "txt" {
        sections(&content)
    } else {
        vec![content]
    };
    if parts.is_empty() {
        return Err(spot.error("the prompt is empty"));
    }
    let several = parts.len() > 1;
    for (index, part) in parts.into_iter().enumerate() {
        let name = label.unwrap_or(reference);
        let name = if several {
            format!("{name} #{}", index + 1)
        } else {
            name.to_owned()
        };
        prompts.push(Prompt::new(part, Some(&name), spot.clone()));
    }
    Ok(())
}

/// Reads the text of a file that a value names; a missing one is reported where it is named.
pub(super) fn read_referenced(
    cursor: &Cursor<'_>,
    reference: &str,
    path: &Path,
) -> Result<String, SuiteError> {
    if !path.exists() {
        return Err(cursor.error(format!("there is no file `{reference}`")));
    }
    document::read_text(path)
}

/// The file that a prompt's text names: `file://…`, or one word with the extension of a prompt file.
fn file_of(text: &str) -> Option<&str> {
    const EXTENSIONS: [&str; 16] = [
        "cjs", "csv", "exe", "j2", "js", "json", "jsonl", "md", "mjs", "py", "rb", "sh", "ts", "txt", "yaml",
        "yml",
    ];
    if let Some(reference) = text.strip_prefix("file://") {
        return Some(reference);
    }
    let is_word = !text.contains(|c: char| c.is_whitespace() || c == '{');
    (is_word && EXTENSIONS.contains(&extension(Path::new(text)).as_str())).then_some(text)
}

/// The prompts of a text file: its parts between lines of `---`.
fn sections(content: &str) -> Vec<String> {
    let mut sections = vec![String::new()];
    for line in content.lines() {
        if line.trim() == "---" {
            sections.push(String::new());
        } else if let Some(section) = sections.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }
    let sections = sections.iter().map(|section| section.trim().to_owned());
    sections.filter(|section| !section.is_empty()).collect()
}
