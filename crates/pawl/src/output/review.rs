//! What waits for a reviewer, and what there is to know of it.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::mine::suggestions::SuggestionDetail;
use pawl_engine::review::Drafted;
use pawl_model::{DraftStatus, Suggestion, SuggestionType};

use super::columns;
use super::text::one_line;

/// Writes a queue, a line each.
pub(crate) fn write_queue(suggestions: &[Suggestion], out: &mut dyn Write) -> io::Result<()> {
    if suggestions.is_empty() {
        return writeln!(
            out,
            "no suggestion is like that; `pawl mine` makes suggestions of what failed"
        );
    }
    let rows: Vec<Vec<String>> = suggestions
        .iter()
        .map(|suggestion| {
            vec![
                suggestion.suggestion_id.clone(),
                suggestion.severity.to_string(),
                suggestion.suggestion_type.to_string(),
                suggestion.status.to_string(),
                format!("{} ×", suggestion.recurrence_count),
                state(suggestion),
                one_line(&suggestion.pattern.title),
            ]
        })
        .collect();
    columns::write_texts(&rows, out)
}

/// How far its draft is.
fn state(suggestion: &Suggestion) -> String {
    if suggestion.suggestion_type != SuggestionType::Eval {
        return "–".to_owned();
    }
    match Drafted::of(suggestion) {
        Ok(None) => "no draft".to_owned(),
        Ok(Some(drafted)) if drafted.draft.status == DraftStatus::NeedsHumanInput => "needs input".to_owned(),
        Ok(Some(drafted)) => drafted.verdict().0.to_string(),
        Err(_) => "unreadable".to_owned(),
    }
}

/// Writes a suggestion with its draft, its proof and its history.
pub(crate) fn write_suggestion(detail: &SuggestionDetail, out: &mut dyn Write) -> io::Result<()> {
    let suggestion = &detail.suggestion;
    writeln!(out, "{}", one_line(&suggestion.pattern.title).bold())?;
    writeln!(
        out,
        "{} · {} · {} · {} × · {}",
        suggestion.suggestion_id,
        suggestion.severity,
        suggestion.suggestion_type,
        suggestion.recurrence_count,
        suggestion.status
    )?;
    writeln!(out, "{}", one_line(&suggestion.pattern.summary))?;
    match Drafted::of(suggestion) {
        Ok(Some(drafted)) => write_draft(&drafted, out)?,
        Ok(None) if suggestion.suggestion_type == SuggestionType::Eval => {
            writeln!(
                out,
                "\nno draft yet; `pawl draft --suggestion {}` makes one",
                suggestion.suggestion_id
            )?;
        }
        Ok(None) => {}
        Err(error) => writeln!(out, "\n{error}")?,
    }
    writeln!(out, "\n{}", "history".bold())?;
    let history = suggestion.version_history.to_value();
    let entries = history.as_array().into_iter().flatten();
    let rows: Vec<Vec<String>> = entries
        .map(|entry| {
            let text = |key: &str| one_line(entry[key].as_str().unwrap_or_default());
            vec![
                text("timestamp"),
                text("actor"),
                text("new_status"),
                text("notes"),
            ]
        })
        .collect();
    columns::write_texts(&rows, out)
}

fn write_draft(drafted: &Drafted, out: &mut dyn Write) -> io::Result<()> {
    let draft = &drafted.draft;
    let (verdict, summary) = drafted.verdict();
    writeln!(
        out,
        "\n{} ({}, {})",
        one_line(&draft.title).bold(),
        draft.status,
        draft.edit_source
    )?;
    writeln!(out, "  asks      {}", one_line(&draft.input.prompt))?;
    let sentences = drafted.proof.iter().flat_map(|card| &card.sentences);
    let found = |text: &str| sentences.clone().find(|sentence| sentence.text == text);
    let assertions = &draft.assertions;
    let required = assertions.required.iter().map(|text| ("required", text));
    let forbidden = assertions.forbidden.iter().map(|text| ("forbidden", text));
    for (kind, text) in required.chain(forbidden) {
        let proof = found(text).map(|sentence| match (sentence.is_compiled, sentence.is_judged) {
            (false, false) => "needs a judge".to_owned(),
            _ => format!(
                "catches {}, false alarms {}",
                sentence.caught, sentence.false_alarms
            ),
        });
        let proof = proof.unwrap_or_default();
        writeln!(out, "  {kind:<9} {}  {}", one_line(text), proof.dimmed())?;
    }
    if let Some(golden) = assertions.golden_output.iter().flatten().next() {
        writeln!(out, "  golden    {}", one_line(golden))?;
    }
    if let Some(notes) = assertions.notes.iter().flatten().next() {
        writeln!(out, "  notes     {}", one_line(notes))?;
    }
    writeln!(out, "  {verdict}: {summary}")
}
