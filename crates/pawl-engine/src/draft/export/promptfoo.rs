//! A configuration of promptfoo.
//!
//! Its texts are templates, those that begin with `file://` or `package:` are paths, and `{{ env.NAME }}` is filled in
//! wherever it stands: every text of a draft is written so that it means itself. Where there is a choice, the checks
//! are those that Pawl runs as well.

use pawl_checks::sentence::{Form, Sentence, Unit};
use serde_json::{Map, Value, json};

use super::pattern::{Dialect, translated};
use super::{Exported, Line, golden, quoted, required_state, yaml};

const HEAD: &str = "\
# Regression tests of approved drafts. Name what is tested:
#
#     promptfoo eval --config promptfooconfig.yaml --providers openai:chat:gpt-4o-mini
#
# or write it here, with `metadata: { tool_calls: [{ name: … }] }` beside the output of a provider of your own:
#
# providers: [file://agent.js]
";

/// A prompt is a text, or one in parts that no template is read from.
const PROMPT: &str = "{{ prompt.parts | join if prompt.parts else prompt }}";

/// Takes the names of the tools that were called, in lower case; says so where nobody tells.
const CALLED: &str = "\
const calls = context.metadata?.tool_calls ?? output?.tool_calls ?? output;
if (!Array.isArray(calls)) throw new Error('nothing says which tools were called');
const called = calls.map((call) => String(call.name ?? call.function?.name).toLowerCase());
";

pub(super) fn export(drafts: &[Exported<'_>]) -> String {
    let tests: Vec<Value> = drafts.iter().map(test).collect();
    let mut config = Map::new();
    config.insert("description".to_owned(), json!("Approved drafts"));
    config.insert("prompts".to_owned(), json!([PROMPT]));
    config.insert("tests".to_owned(), json!(tests));
    format!("{HEAD}{}", yaml::document(&config))
}

fn test(exported: &Exported<'_>) -> Value {
    let draft = exported.draft;
    let mut metadata = json!({
        "suggestion_id": inert(exported.suggestion_id),
        "eval_test_id": inert(&draft.eval_test_id),
        "failure_type": exported.pattern.failure_type,
    });
    if let Some(state) = required_state(draft) {
        metadata["required_state"] = inert(state).into();
    }
    let mut checks: Vec<Value> = Line::all(draft).iter().map(check).collect();
    if let Some(golden) = golden(draft) {
        checks.push(json!({"type": "equals", "value": template(golden)}));
    }
    json!({
        "description": inert(&draft.title),
        "vars": {"prompt": prompt(&draft.input.prompt)},
        "metadata": metadata,
        "assert": checks,
    })
}

fn check(line: &Line<'_>) -> Value {
    let native = line.compiled.as_ref().and_then(native);
    native.unwrap_or_else(|| json!({"type": "llm-rubric", "value": template(&line.rubric())}))
}

/// The check that judges a sentence without a model.
fn native(sentence: &Sentence) -> Option<Value> {
    let named = |name: &str| match sentence.forbids() {
        true => format!("not-{name}"),
        false => name.to_owned(),
    };
    Some(match sentence.form() {
        Form::Contains(text) => json!({"type": named("icontains"), "value": template(text)}),
        Form::Matches {
            pattern,
            ignores_case,
        } => {
            let pattern = translated(pattern.as_str(), *ignores_case, Dialect::JavaScript)?;
            json!({"type": named("regex"), "value": template(&pattern)})
        }
        Form::Refuses => json!({"type": named("is-refusal")}),
        Form::ValidJson { key: None } => json!({"type": "is-json"}),
        Form::ValidJson { key: Some(key) } => {
            json!({"type": "is-json", "value": {"type": "object", "required": [key]}})
        }
        Form::AtMost { most, unit } => script(&at_most(*most, *unit)),
        Form::Calls { tool, before } => script(&calls(tool, before.as_deref(), sentence.forbids())),
    })
}

fn script(code: &str) -> Value {
    json!({"type": "javascript", "value": template(code)})
}

fn at_most(most: usize, unit: Unit) -> String {
    let parts = |granularity: &str| {
        format!(
            "const text = typeof output === 'string' ? output : JSON.stringify(output);\n\
             const parts = [...new Intl.Segmenter('en', {{ granularity: '{granularity}' }}).segment(text)];\n"
        )
    };
    match unit {
        Unit::Characters => format!("{}return parts.length <= {most};", parts("grapheme")),
        Unit::Words => format!(
            "{}return parts.filter((part) => part.isWordLike).length <= {most};",
            parts("word")
        ),
        Unit::Calls => format!("{CALLED}return called.length <= {most};"),
    }
}

fn calls(tool: &str, before: Option<&str>, forbids: bool) -> String {
    let first = |tool: &str| format!("called.indexOf({})", quoted(&tool.to_lowercase()));
    let Some(other) = before else {
        let wanted = if forbids { "===" } else { "!==" };
        return format!("{CALLED}return {} {wanted} -1;", first(tool));
    };
    // Nothing comes too late for a tool that is not called.
    let not = if forbids { "!" } else { "" };
    format!(
        "{CALLED}const [first, other] = [{}, {}];\nreturn other === -1 || {not}(first !== -1 && first < other);",
        first(tool),
        first(other)
    )
}

/// Whether a text is a path rather than itself.
fn is_path(text: &str) -> bool {
    text.starts_with("file://") || text.starts_with("package:")
}

/// A text as a variable; in parts where it would be read as a template or a path, or would lose its last line break.
fn prompt(text: &str) -> Value {
    let is_itself = !["{{", "{%", "{#", "#}"].iter().any(|mark| text.contains(mark));
    if is_itself && !is_path(text) && !text.ends_with('\n') {
        return text.into();
    }
    let mut parts = vec![String::new()];
    for letter in text.chars() {
        match parts.last_mut() {
            Some(part) if !(letter == '{' && part.ends_with('{')) => part.push(letter),
            _ => parts.push(letter.to_string()),
        }
    }
    json!({"parts": parts})
}

/// A text that is shown and never rendered, with braces apart: environment variables are filled in nevertheless.
fn inert(text: &str) -> String {
    let mut inert = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '{' && inert.ends_with('{') {
            inert.push(' ');
        }
        inert.push(letter);
    }
    inert
}

/// A text as a template that prints it, and that is no path.
fn template(text: &str) -> String {
    let mut template = String::with_capacity(text.len());
    if is_path(text) {
        template.push_str("{{ \"\" }}");
    }
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let opens = letter == '{' && matches!(letters.peek(), Some('{' | '%' | '#'));
        let closes = letter == '#' && letters.peek() == Some(&'}');
        if opens || closes {
            template.push_str(&format!("{{{{ \"{letter}\" }}}}"));
        } else {
            template.push(letter);
        }
    }
    template
}
