//! One line per row, for spreadsheets: RFC 4180, with a header.

use std::io::Write;

use pawl_engine::intake::record::{COLUMNS, free_text, record};
use pawl_model::{CaseRecord, EvalResults, Interaction, State};

use super::{FinishedRun, RowFormat, text};

const HEADER: [&str; 10] = [
    "run_id",
    "id",
    "trial",
    "status",
    "score",
    "latency_ms",
    "cost_usd",
    "failed_checks",
    "error",
    "output",
];

/// A table under way.
pub(super) struct Table<'a> {
    writer: csv::Writer<&'a mut dyn Write>,
}

impl<'a> Table<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            writer: csv::WriterBuilder::new()
                .terminator(csv::Terminator::CRLF)
                .from_writer(out),
        }
    }
}

impl RowFormat for Table<'_> {
    fn start(&mut self, _runs: &[FinishedRun]) -> anyhow::Result<()> {
        self.writer.write_record(HEADER)?;
        Ok(())
    }

    fn row(&mut self, case: &CaseRecord) -> anyhow::Result<()> {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        self.writer.write_record([
            case.run_id.to_string().as_str(),
            &free_text(&case.input_id().unwrap_or_default()),
            &case.trial.to_string(),
            case.state().as_str(),
            &number(case.score),
            &case
                .latency_ms
                .map(|latency| latency.to_string())
                .unwrap_or_default(),
            &number(case.cost_usd),
            &free_text(&failed_checks(case)),
            &free_text(case.error.as_deref().unwrap_or_default()),
            &free_text(text::output(case)),
        ])?;
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        self.writer.flush()?;
        Ok(())
    }
}

/// A table of interactions under way.
pub(crate) struct InteractionTable<W: Write> {
    writer: csv::Writer<W>,
}

impl<W: Write> InteractionTable<W> {
    /// Writes the header.
    pub(crate) fn new(out: W) -> anyhow::Result<Self> {
        let mut writer = csv::WriterBuilder::new()
            .terminator(csv::Terminator::CRLF)
            .from_writer(out);
        writer.write_record(COLUMNS)?;
        Ok(Self { writer })
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, interaction: &Interaction) -> anyhow::Result<()> {
        self.writer
            .write_record(record(interaction).iter().map(|field| field.as_bytes()))?;
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        self.writer.flush()?;
        Ok(())
    }
}

fn failed_checks(case: &CaseRecord) -> String {
    let results = EvalResults::read(&case.eval_results.to_value());
    let failed = results
        .checks
        .into_iter()
        .filter(|check| check.state == State::Failed);
    failed.map(|check| check.name).collect::<Vec<_>>().join(";")
}
