//! What the loop came to, by the questions that the pages ask as well.

use std::io::Write;

use owo_colors::OwoColorize as _;
use pawl_engine::mine::MineReport;
use serde_json::{Value, json};

use super::evolve::{Decided, Evolved, NAME};
use super::review::Reviewed;
use super::wave::Waved;
use crate::output::{self, FinishedRun};

/// All stages, as they came out.
pub(super) struct Loop {
    pub(super) waves: [Waved; 2],
    pub(super) mined: [MineReport; 2],
    pub(super) reviewed: Reviewed,
    /// The approved tests on the first prompt, and on the one that is live.
    pub(super) approved: [FinishedRun; 2],
    pub(super) evolved: Evolved,
    pub(super) decided: Decided,
    /// All suggestions of tests.
    pub(super) suggestions: usize,
    /// Failures like those that the approved tests are about, in each wave.
    pub(super) alike: [usize; 2],
}

impl Loop {
    /// For people at a terminal, with where to look in a browser where there is a server.
    pub(super) fn write(&self, url: Option<&str>, out: &mut impl Write) -> anyhow::Result<()> {
        let [before, after] = &self.waves;
        let link = |path: String| url.map(|url| [url, &path].concat()).unwrap_or_default();
        let runs = self.approved.each_ref().map(|run| &run.report);
        let passed = runs.map(|report| format!("{} of {}", report.tally.passed, report.tally.total()));
        let [first, best] = self.evolved.scores().map(Option::unwrap_or_default);
        let days = [before, after].map(|waved| waved.stored.days.first.to_string());
        let held_back = self.reviewed.held_back().count();
        let rows = [
            (
                "answers that are good",
                format!("{} → {}", rate(before), rate(after)),
                link(format!("/dashboard?from={}&to={}", days[0], days[1])),
            ),
            (
                "failures",
                format!(
                    "{} suggestions, {} approved tests, {held_back} held back",
                    self.suggestions,
                    self.reviewed.approved().count(),
                ),
                link("/suggestions".to_owned()),
            ),
            (
                "approved tests passed",
                passed.join(" → "),
                link(format!("/runs/{}/compare/{}", runs[0].run.id, runs[1].run.id)),
            ),
            (
                "prompt",
                format!("{first:.3} → {best:.3} where candidates are compared"),
                link(format!("/optimizations/{}", self.evolved.run.id)),
            ),
            ("the gate", self.verdicts(), link(format!("/prompts/{NAME}"))),
            (
                "failures like these",
                format!("{} → {} of 2,000", self.alike[0], self.alike[1]),
                link("/interactions".to_owned()),
            ),
            (
                "what led to what",
                format!(
                    "version {} of the prompt, back to the first failures",
                    after.version
                ),
                link(format!("/lineage/{NAME}@{}", after.version)),
            ),
        ];
        let width = rows
            .iter()
            .map(|(what, ..)| what.chars().count())
            .max()
            .unwrap_or(0);
        for (what, told, link) in rows {
            let gap = " ".repeat(width - what.chars().count());
            writeln!(out, "  {what}{gap}  {told}")?;
            if !link.is_empty() {
                writeln!(out, "  {}  {}", " ".repeat(width), link.dimmed())?;
            }
        }
        Ok(())
    }

    fn verdicts(&self) -> String {
        let verdicts = [
            ("the short cut", &self.decided.refused),
            ("the best", &self.decided.best),
        ];
        let told = verdicts.iter().filter_map(|(what, verdict)| {
            let verdict = verdict.as_ref()?;
            let findings = verdict.findings.to_value();
            let objections = findings["objections"].as_array().map_or(0, Vec::len) as u64;
            let why = match verdict.to_version {
                Some(version) => format!("live as version {version}"),
                None => output::counted(objections, "objection"),
            };
            Some(format!("{what} is {}, {why}", verdict.kind))
        });
        told.collect::<Vec<_>>().join("; ")
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        let run = |finished: &FinishedRun| {
            let (tally, run) = (finished.report.tally, &finished.report.run);
            json!({"id": run.id, "name": run.run_name, "tally": tally, "pass_rate": tally.pass_rate()})
        };
        json!({
            "waves": self.waves.each_ref().map(Waved::document),
            "mining": self.mined,
            "review": self.reviewed.document(),
            "approved_runs": self.approved.each_ref().map(run),
            "evolution": self.evolved.document(),
            "gate": self.decided.document(),
            "suggestions": self.suggestions,
            "alike": self.alike,
        })
    }
}

/// The share of good answers on the day of a wave, with its interval.
fn rate(waved: &Waved) -> String {
    let stored = &waved.stored;
    let Some(rate) = stored.total.success_rate(stored.policy.success_threshold_pct) else {
        return "–".to_owned();
    };
    let interval = rate
        .interval
        .map(|interval| format!(" ({:.1}–{:.1})", interval.lower * 100.0, interval.upper * 100.0));
    format!("{}{}", output::percent(rate.value), interval.unwrap_or_default())
}
