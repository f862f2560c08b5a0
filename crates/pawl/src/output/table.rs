//! For people at a terminal: the answer first, then the evidence, then the first cases to look at.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::run::Unpassed;
use pawl_engine::run::compare::Comparison;
use pawl_model::State;
use unicode_width::UnicodeWidthStr as _;

use super::comparison::{self, BASELINE, Conclusion, TWO_RUNS};
use super::facts::{self, Fact};
use super::quantity::count;
use super::text::{case_title, one_line, pad, run_title, shape, short_id, shorten, wrap};
use super::{FinishedRun, columns};

/// Columns where there is no terminal to ask.
const WIDTH: usize = 100;
/// Columns of the title of a run.
const TITLE: usize = 48;
/// Columns of a target, at least.
const TARGET: usize = 24;
/// Columns of the names of checks.
const CHECK: usize = 48;
/// Columns of the ids of cases.
const CASE: usize = 40;

/// Columns of the terminal.
pub(super) fn width() -> usize {
    terminal_size::terminal_size_of(io::stdout()).map_or(WIDTH, |(width, _)| usize::from(width.0))
}

/// Writes runs one below the other.
pub(super) fn write_runs(runs: &[FinishedRun], width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (index, finished) in runs.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        write_run(finished, width, out)?;
    }
    if let [first, .., last] = runs {
        writeln!(
            out,
            "\n{}",
            next(&format!(
                "pawl compare {} {}",
                first.report.run.id, last.report.run.id
            ))
        )?;
    }
    Ok(())
}

fn write_run(finished: &FinishedRun, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let FinishedRun {
        report,
        gate,
        baseline,
    } = finished;
    let run = &report.run;
    let (title, id) = (shorten(&run_title(run), TITLE), short_id(run.id));
    let target = one_line(run.target.as_deref().unwrap_or("no target"));
    let left = width.saturating_sub(title.width() + id.width() + 6);
    writeln!(
        out,
        "{} · {id} · {}\n",
        title.bold(),
        shorten(&target, left.max(TARGET))
    )?;

    let states: Vec<String> = facts::states(report)
        .into_iter()
        .map(|(state, text)| coloured(state, &text))
        .collect();
    writeln!(out, "{}\n", states.join("   "))?;
    let mut facts = facts::of_run(report);
    facts.push(("run", run.id.to_string()));
    write_facts(&facts, width, out)?;

    let checks = report.checks();
    if !checks.is_empty() {
        writeln!(out)?;
        write_grid(facts::checks(&checks), out)?;
    }
    write_unpassed(finished, width, out)?;
    if let Some(baseline) = baseline {
        writeln!(out, "\n{}", "against the baseline".bold())?;
        write_facts(&comparison::facts(baseline, BASELINE), width, out)?;
        write_flips(baseline, out)?;
    }
    let (state, verdict) = facts::gate(gate);
    writeln!(
        out,
        "\n{}",
        coloured(state, &format!("{} {verdict}", shape(state)))
    )?;
    if let Some(baseline) = baseline {
        writeln!(
            out,
            "{}",
            next(&format!("pawl compare {} {}", baseline.a.id, baseline.b.id))
        )?;
    }
    Ok(())
}

fn write_unpassed(finished: &FinishedRun, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let unpassed = finished.report.unpassed();
    if unpassed.len() == 0 {
        return Ok(());
    }
    let tally = finished.report.tally;
    let more = tally.total() - tally.passed - unpassed.len() as u64;
    writeln!(out, "\n{}", "did not pass".bold())?;
    let cases: Vec<(&Unpassed, String)> = unpassed
        .map(|case| (case, shorten(&case_title(&case.id, case.trial), CASE)))
        .collect();
    let title_width = cases.iter().map(|(_, title)| title.width()).max().unwrap_or(0);
    for (case, title) in cases {
        let line = format!("{}  {}", pad(&title, title_width), one_line(&case.reason));
        let line = shorten(&line, width.saturating_sub(2));
        writeln!(out, "{} {line}", coloured(case.state, shape(case.state)))?;
    }
    if more > 0 {
        writeln!(out, "  … and {} more", count(more))?;
    }
    Ok(())
}

/// Writes a comparison of two runs that were named.
pub(super) fn write_comparison(comparison: &Comparison, width: usize, out: &mut dyn Write) -> io::Result<()> {
    write_facts(&comparison::facts(comparison, TWO_RUNS), width, out)?;
    write_flips(comparison, out)?;
    let (state, conclusion) = Conclusion::of(comparison).in_words();
    writeln!(
        out,
        "\n{}",
        coloured(state, &format!("{} {conclusion}", shape(state)))
    )
}

fn write_flips(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let checks = comparison::checks(comparison);
    if checks.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    write_grid(checks, out)
}

pub(super) fn write_facts(facts: &[Fact], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let label_width = facts.iter().map(|(label, _)| label.len()).max().unwrap_or(0) + 2;
    for (label, text) in facts {
        let mut lines = wrap(text, width.saturating_sub(label_width)).into_iter();
        writeln!(
            out,
            "{}{}",
            pad(label, label_width).dimmed(),
            lines.next().unwrap_or_default()
        )?;
        for line in lines {
            writeln!(out, "{}{line}", pad("", label_width))?;
        }
    }
    Ok(())
}

fn write_grid(mut rows: Vec<Vec<String>>, out: &mut dyn Write) -> io::Result<()> {
    for name in rows.iter_mut().filter_map(|row| row.first_mut()) {
        *name = shorten(name, CHECK);
    }
    columns::write(&rows, out)
}

fn next(command: &str) -> String {
    format!("{}  {command}", "next".dimmed())
}

/// Colour comes on top of a shape, never alone. Red is for what needs a person.
fn coloured(state: State, text: &str) -> String {
    match state {
        State::Passed => text.green().to_string(),
        State::Failed => text.red().to_string(),
        State::Error => text.yellow().to_string(),
        State::Skipped => text.dimmed().to_string(),
    }
}
