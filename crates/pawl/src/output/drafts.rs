//! What became of suggestions that were to get a draft.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::draft::DraftReport;
use pawl_model::DraftOutcomeStatus;
use serde_json::{Value, json};

use super::columns;
use super::quantity::counted;
use super::text::one_line;

/// Says what came of a run.
pub(crate) fn write_drafts(report: &DraftReport, out: &mut dyn Write) -> io::Result<()> {
    let run = &report.run;
    let title = counted(u64::from(run.generated_count), "draft");
    writeln!(out, "{} · {}", title.bold(), run.run_id)?;
    if run.picked_up_count == 0 {
        return writeln!(
            out,
            "no suggestion of a test waits for a draft; `pawl mine` makes suggestions"
        );
    }
    if run.cost_usd > 0.0 {
        writeln!(out, "cost ${}", run.cost_usd)?;
    }
    writeln!(out)?;
    let mut drafts = report.drafts.iter();
    let rows: Vec<Vec<String>> = run
        .suggestion_outcomes
        .iter()
        .map(|outcome| {
            let reason = outcome
                .error_reason
                .as_deref()
                .unwrap_or_default()
                .replace('_', " ");
            let said = match outcome.status {
                DraftOutcomeStatus::Generated => drafts.next().map(|(draft, card)| {
                    let title = one_line(&draft.title);
                    [draft.status.as_str(), &card.summary, &title].map(str::to_owned)
                }),
                DraftOutcomeStatus::Skipped | DraftOutcomeStatus::Error => {
                    Some([outcome.status.as_str().to_owned(), reason, String::new()])
                }
            };
            let said = said.into_iter().flatten();
            std::iter::once(outcome.suggestion_id.clone())
                .chain(said)
                .collect()
        })
        .collect();
    columns::write_texts(&rows, out)
}

/// The same as a document.
pub(crate) fn drafts_document(report: &DraftReport) -> Value {
    let mut document = json!(report.run);
    document["drafts"] = report
        .drafts
        .iter()
        .map(|(draft, card)| json!({"eval_test": draft, "eval_test_proof": card}))
        .collect();
    document
}
