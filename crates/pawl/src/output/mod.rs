//! What a command says on standard output: runs in seven formats, comparisons in two.
//!
//! Rows are streamed from the database, a page at a time, so that a run of any length is printed in flat memory. What
//! every format writes is described in `docs/OUTPUT.md`.

mod columns;
mod comparison;
mod csv;
mod drafts;
mod facts;
mod github;
mod json;
mod junit;
mod lineage;
mod lines;
mod markdown;
mod mining;
mod quantity;
mod review;
mod simulation;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use csv::InteractionTable;
pub(crate) use drafts::{drafts_document, write_drafts};
pub(crate) use lineage::{write_lineage, write_verification};
pub(crate) use mining::{write_jobs, write_mined, write_schedules};
pub(crate) use quantity::{counted, percent};
pub(crate) use review::{write_queue, write_suggestion};
pub(crate) use simulation::{history_document, wave_document, write_history, write_wave, write_waves};

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{GateOutcome, RunReport};
use pawl_engine::{Actor, Engine};
use pawl_model::CaseRecord;
use serde_json::Value;

/// How the result of runs is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people at a terminal
    Table,
    /// One document: each run with its summary, gate, baseline and cases
    Json,
    /// One line of JSON per case
    Jsonl,
    /// One line per case, for spreadsheets
    Csv,
    /// JUnit's XML, for CI servers
    Junit,
    /// A summary for a pull request or $GITHUB_STEP_SUMMARY
    Markdown,
    /// Annotations for GitHub Actions
    Github,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonFormat {
    /// For people at a terminal.
    Table,
    /// One document.
    Json,
}

/// A run that is over, and what is thought of it.
#[derive(Debug)]
pub(crate) struct FinishedRun {
    /// What it came to.
    pub(crate) report: RunReport,
    /// Whether that is good enough.
    pub(crate) gate: GateOutcome,
    /// How it compares with the baseline, if there is one.
    pub(crate) baseline: Option<Comparison>,
}

/// Writes runs that the actor sees.
///
/// # Errors
/// When the database or `out` fails; a closed pipe is an [`io::Error`] in the chain.
pub(crate) async fn write_runs(
    format: Format,
    engine: &Engine,
    actor: Actor,
    runs: &[FinishedRun],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(out);
    let mut rows: Box<dyn RowFormat + '_> = match format {
        Format::Table => return finish(table::write_runs(runs, table::width(), &mut out), out),
        Format::Markdown => return finish(markdown::write_runs(runs, &mut out), out),
        Format::Github => return finish(github::write_runs(runs, &mut out), out),
        Format::Json => Box::new(json::Document::new(&mut out)),
        Format::Jsonl => Box::new(lines::Lines::new(&mut out)),
        Format::Csv => Box::new(csv::Table::new(&mut out)),
        Format::Junit => Box::new(junit::Document::new(&mut out)),
    };
    rows.start(runs)?;
    for finished in runs {
        rows.start_run(finished)?;
        engine
            .each_case(actor, finished.report.run.id, |case| rows.row(&case))
            .await?;
        rows.end_run()?;
    }
    rows.end()?;
    drop(rows);
    finish(Ok(()), out)
}

/// Writes a comparison.
///
/// # Errors
/// When `out` fails.
pub(crate) fn write_comparison(
    format: ComparisonFormat,
    comparison: &Comparison,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut out = BufWriter::new(out);
    let written = match format {
        ComparisonFormat::Table => table::write_comparison(comparison, table::width(), &mut out),
        ComparisonFormat::Json => json::write_comparison(comparison, &mut out),
    };
    finish(written, out)
}

/// Writes a document of its own.
///
/// # Errors
/// When `out` fails.
pub(crate) fn write_json(document: &Value, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{document:#}")
}

fn finish(written: io::Result<()>, mut out: BufWriter<&mut dyn Write>) -> anyhow::Result<()> {
    Ok(written.and_then(|()| out.flush())?)
}

/// A format that has every row: runs one after the other, each with its rows in the order of the data set.
trait RowFormat {
    /// Before the first run.
    fn start(&mut self, _runs: &[FinishedRun]) -> anyhow::Result<()> {
        Ok(())
    }

    /// Before the rows of a run.
    fn start_run(&mut self, _finished: &FinishedRun) -> anyhow::Result<()> {
        Ok(())
    }

    /// A row.
    fn row(&mut self, case: &CaseRecord) -> anyhow::Result<()>;

    /// After the rows of a run.
    fn end_run(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// After the last run.
    fn end(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}
