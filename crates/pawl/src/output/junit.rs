//! JUnit's XML, as CI servers read it: a test suite per run, a test case per row.

use std::io::{self, Write};
use std::time::Duration;

use pawl_model::{CaseRecord, CheckResult, EvalResults, State};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};
use time::UtcOffset;
use time::macros::format_description;

use super::text::{case_title, one_line, printable, run_title};
use super::{FinishedRun, RowFormat, facts};

/// A document under way.
pub(super) struct Document<'a> {
    writer: Writer<&'a mut dyn Write>,
    suite: String,
}

impl<'a> Document<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self {
            writer: Writer::new_with_indent(out, b' ', 2),
            suite: String::new(),
        }
    }

    fn open(&mut self, element: &str, attributes: &[(&str, String)]) -> io::Result<()> {
        self.writer.write_event(Event::Start(tag(element, attributes)))
    }

    fn close(&mut self, element: &str) -> io::Result<()> {
        self.writer.write_event(Event::End(BytesEnd::new(element)))
    }

    fn outcome(&mut self, element: &str, outcome: &Outcome) -> io::Result<()> {
        let attributes = [
            ("type", outcome.kind.clone()),
            ("message", outcome.message.clone()),
        ];
        self.open(element, &attributes)?;
        self.writer
            .write_event(Event::Text(BytesText::new(&printable(&outcome.text))))?;
        self.close(element)
    }
}

impl RowFormat for Document<'_> {
    fn start(&mut self, runs: &[FinishedRun]) -> anyhow::Result<()> {
        let sum = |of: fn(&FinishedRun) -> u64| runs.iter().map(of).sum::<u64>().to_string();
        let took: Duration = runs.iter().map(|finished| finished.report.took).sum();
        self.writer
            .write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        self.open(
            "testsuites",
            &[
                ("name", "pawl".to_owned()),
                ("tests", sum(|finished| finished.report.tally.total())),
                ("failures", sum(|finished| finished.report.tally.failed)),
                ("errors", sum(|finished| finished.report.tally.error)),
                ("time", seconds(took)),
            ],
        )?;
        Ok(())
    }

    fn start_run(&mut self, finished: &FinishedRun) -> anyhow::Result<()> {
        let (run, tally) = (&finished.report.run, finished.report.tally);
        let started = run.created_at.to_offset(UtcOffset::UTC);
        // Most readers know no time zone here.
        let started = started.format(format_description!(
            "[year]-[month]-[day]T[hour]:[minute]:[second]"
        ))?;
        self.suite = run_title(run);
        self.open(
            "testsuite",
            &[
                ("name", self.suite.clone()),
                ("tests", tally.total().to_string()),
                ("failures", tally.failed.to_string()),
                ("errors", tally.error.to_string()),
                ("skipped", tally.skipped.to_string()),
                ("time", seconds(finished.report.took)),
                ("timestamp", started),
            ],
        )?;
        self.open("properties", &[])?;
        for (name, value) in [
            ("run_id", Some(run.id.to_string())),
            ("target", run.target.clone()),
            ("dataset_version", Some(run.dataset_version.clone())),
            ("model", run.model.clone()),
            ("prompt_version", run.prompt_version.clone()),
            ("gate", Some(facts::gate(&finished.gate).1)),
        ] {
            if let Some(value) = value {
                let attributes = [("name", name.to_owned()), ("value", one_line(&value))];
                self.writer
                    .write_event(Event::Empty(tag("property", &attributes)))?;
            }
        }
        self.close("properties")?;
        Ok(())
    }

    fn row(&mut self, case: &CaseRecord) -> anyhow::Result<()> {
        let latency = Duration::from_millis(u64::try_from(case.latency_ms.unwrap_or(0)).unwrap_or(0));
        let attributes = [
            ("classname", self.suite.clone()),
            (
                "name",
                case_title(&case.input_id().unwrap_or_default(), case.trial),
            ),
            ("time", seconds(latency)),
        ];
        let element = match case.state() {
            State::Passed => {
                self.writer
                    .write_event(Event::Empty(tag("testcase", &attributes)))?;
                return Ok(());
            }
            State::Failed => "failure",
            State::Error => "error",
            State::Skipped => "skipped",
        };
        self.open("testcase", &attributes)?;
        self.outcome(element, &Outcome::of(case))?;
        self.close("testcase")?;
        Ok(())
    }

    fn end_run(&mut self) -> anyhow::Result<()> {
        self.close("testsuite")?;
        Ok(())
    }

    fn end(&mut self) -> anyhow::Result<()> {
        self.close("testsuites")?;
        writeln!(self.writer.get_mut())?;
        Ok(())
    }
}

/// Why a case did not pass.
struct Outcome {
    /// The first check that did not pass, else the state.
    kind: String,
    message: String,
    /// Every reason, a line each.
    text: String,
}

impl Outcome {
    fn of(case: &CaseRecord) -> Self {
        let results = EvalResults::read(&case.eval_results.to_value());
        let culprits: Vec<&CheckResult> = results
            .checks
            .iter()
            .filter(|check| check.state != State::Passed)
            .collect();
        let mut reasons: Vec<String> = culprits.iter().map(|check| reason(check)).collect();
        // The error of a check stands in its own line already.
        if let Some(error) = case.error.as_ref().filter(|_| culprits.is_empty()) {
            reasons.push(error.clone());
        }
        Self {
            kind: one_line(
                culprits
                    .first()
                    .map_or(case.state().as_str(), |check| &check.name),
            ),
            message: one_line(
                case.error
                    .as_ref()
                    .or(reasons.first())
                    .map_or("no check was applied", |first| first),
            ),
            text: reasons.join("\n"),
        }
    }
}

fn reason(check: &CheckResult) -> String {
    match &check.message {
        Some(message) => format!("{}: {message}", check.name),
        None => check.name.to_string(),
    }
}

fn tag<'a>(element: &'a str, attributes: &[(&str, String)]) -> BytesStart<'a> {
    let mut tag = BytesStart::new(element);
    for (name, value) in attributes {
        tag.push_attribute((*name, &*printable(value)));
    }
    tag
}

fn seconds(duration: Duration) -> String {
    format!("{:.3}", duration.as_secs_f64())
}
