//! A summary for a pull request or a job's page.

use std::io::{self, Write};

use pawl_engine::run::Unpassed;

use super::FinishedRun;
use super::comparison::{self, BASELINE};
use super::facts::{self, Fact};
use super::quantity::{count, counted};
use super::text::{case_title, one_line, run_title, shape, short_id, shorten};

/// Bytes of the whole summary: GitHub takes 65,536 for a comment.
const LIMIT: usize = 60 * 1024;
/// Bytes kept for the line that says what is left out.
const LAST_LINE: usize = 200;
/// Columns of a name, an id or a target.
const NAME: usize = 80;
/// Columns of a reason.
const REASON: usize = 200;
/// Columns of a fact.
const FACT: usize = 400;
/// Rows of a table.
const ROWS: usize = 50;

/// Writes a section per run: the later ones without their tables, or not at all, where the summary would get too long.
pub(super) fn write_runs(runs: &[FinishedRun], out: &mut dyn Write) -> io::Result<()> {
    let mut left = LIMIT - LAST_LINE;
    for (index, finished) in runs.iter().enumerate() {
        let brief = brief(finished);
        let full = format!("{brief}{}", evidence(finished));
        let Some(section) = [full, brief].into_iter().find(|section| section.len() <= left) else {
            let omitted = counted((runs.len() - index) as u64, "more run");
            return writeln!(out, "… and {omitted}, left out to keep this summary short.");
        };
        left -= section.len();
        out.write_all(section.as_bytes())?;
    }
    Ok(())
}

/// The answer: heading, gate and numbers.
fn brief(finished: &FinishedRun) -> String {
    let report = &finished.report;
    let (state, verdict) = facts::gate(&finished.gate);
    let states: Vec<String> = facts::states(report).into_iter().map(|(_, text)| text).collect();
    let target = report.run.target.as_deref().unwrap_or("no target");
    let mut text = format!(
        "### {} {}\n\n{}\n\n{}\n\n",
        shape(state),
        code(&shorten(&run_title(&report.run), NAME)),
        code(&shorten(&verdict, REASON)),
        states.join(" · "),
    );
    let mut listed = facts::of_run(report);
    listed.push(("target", shorten(&one_line(target), NAME)));
    listed.push(("run", short_id(report.run.id)));
    push_facts(&mut text, listed);
    text
}

/// Tables of checks, of cases that did not pass, and of the baseline.
fn evidence(finished: &FinishedRun) -> String {
    let report = &finished.report;
    let mut text = String::new();
    let checks = report.checks();
    if !checks.is_empty() {
        push_grid(&mut text, &facts::checks(&checks));
    }
    let unpassed: Vec<&Unpassed> = report.unpassed().collect();
    if !unpassed.is_empty() {
        let all = report.tally.total() - report.tally.passed;
        text.push_str(&format!(
            "<details><summary>{} did not pass</summary>\n\n",
            counted(all, "case")
        ));
        text.push_str("| | case | reason |\n|---|---|---|\n");
        for case in &unpassed {
            let title = code(&shorten(&case_title(&case.id, case.trial), NAME));
            let reason = code(&shorten(&one_line(&case.reason), REASON));
            text.push_str(&format!("| {} | {title} | {reason} |\n", shape(case.state)));
        }
        let more = all - unpassed.len() as u64;
        if more > 0 {
            text.push_str(&format!("\n… and {} more\n", count(more)));
        }
        text.push_str("\n</details>\n\n");
    }
    if let Some(baseline) = &finished.baseline {
        text.push_str("#### Against the baseline\n\n");
        push_facts(&mut text, comparison::facts(baseline, BASELINE));
        let checks = comparison::checks(baseline);
        if !checks.is_empty() {
            push_grid(&mut text, &checks);
        }
    }
    text
}

fn push_facts(text: &mut String, facts: Vec<Fact>) {
    for (label, fact) in facts {
        text.push_str(&format!("- {label}: {}\n", code(&shorten(&fact, FACT))));
    }
    text.push('\n');
}

/// A table whose first column holds names and whose others hold numbers.
fn push_grid(text: &mut String, rows: &[Vec<String>]) {
    for (index, row) in rows.iter().take(ROWS + 1).enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let cell = if index > 0 && column == 0 {
                code(&shorten(cell, NAME))
            } else {
                cell.clone()
            };
            text.push_str(&format!("| {cell} "));
        }
        text.push_str("|\n");
        if index == 0 {
            text.push_str("|---");
            text.push_str(&"|---:".repeat(row.len().saturating_sub(1)));
            text.push_str("|\n");
        }
    }
    text.push('\n');
    if rows.len() > ROWS + 1 {
        text.push_str(&format!("… and {} more\n\n", rows.len() - ROWS - 1));
    }
}

/// A text in which nothing is markup, a link, a mention or an emoji: every character that Markdown or HTML could take
/// for more than itself is a reference to that character, and inside of `code` GitHub looks for nothing else.
fn code(line: &str) -> String {
    let mut text = String::from("<code>");
    for character in line.chars() {
        match character {
            '|' | '`' | '<' | '>' | '&' | '*' | '_' | '[' | ']' | '\\' | '#' | '!' | '~' | '@' | '$'
            | '"' => {
                text.push_str(&format!("&#{};", u32::from(character)));
            }
            other => text.push(other),
        }
    }
    text = text.replace("://", "&#58;//");
    text.push_str("</code>");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(
            code("a|b `c` <img src=x> [d](http://e) @f"),
            "<code>a&#124;b &#96;c&#96; &#60;img src=x&#62; &#91;d&#93;(http&#58;//e) &#64;f</code>"
        );
    }
}
