//! Annotations for GitHub Actions: a workflow command for each of the first cases that did not pass, a notice per run.

use std::io::{self, Write};

use pawl_model::State;

use super::quantity::{count, counted};
use super::text::{case_title, one_line, run_title, shorten};
use super::{FinishedRun, facts};

/// GitHub shows no more than ten annotations of a kind per step.
const ANNOTATIONS: usize = 10;
/// Characters of a message.
const MESSAGE: usize = 1_000;

/// Writes the commands.
pub(super) fn write_runs(runs: &[FinishedRun], out: &mut dyn Write) -> io::Result<()> {
    let mut left = ANNOTATIONS;
    for finished in runs {
        let tally = finished.report.tally;
        let unpassed = tally.total() - tally.passed;
        let mut annotated = 0;
        for case in finished.report.unpassed().take(left) {
            let level = if case.state == State::Skipped {
                "warning"
            } else {
                "error"
            };
            let title = format!("{}: {}", case.state.as_str(), case_title(&case.id, case.trial));
            writeln!(
                out,
                "{}",
                command(level, &title, &shorten(&one_line(&case.reason), MESSAGE))
            )?;
            annotated += 1;
        }
        left -= annotated;
        let mut lines = summary(finished);
        let more = unpassed - annotated as u64;
        if more > 0 {
            lines.push(format!(
                "{} of {} without an annotation",
                count(more),
                counted(unpassed, "failure")
            ));
        }
        let title = format!("pawl: {}", run_title(&finished.report.run));
        writeln!(out, "{}", command("notice", &title, &lines.join("\n")))?;
    }
    Ok(())
}

fn summary(finished: &FinishedRun) -> Vec<String> {
    let states: Vec<String> = facts::states(&finished.report)
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let mut lines = vec![states.join("  ")];
    lines.extend(facts::pass_rate(&finished.report).map(|rate| format!("pass rate {rate}")));
    lines.push(facts::gate(&finished.gate).1);
    lines
}

/// A workflow command.
fn command(level: &str, title: &str, message: &str) -> String {
    format!(
        "::{level} title={}::{}",
        escaped(title).replace(':', "%3A").replace(',', "%2C"),
        escaped(message)
    )
}

fn escaped(data: &str) -> String {
    data.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_cannot_be_broken_out_of() {
        assert_eq!(
            command("error", "a:b,c%\n::", "100 %\r\n::error::fake"),
            "::error title=a%3Ab%2Cc%25%0A%3A%3A::100 %25%0D%0A::error::fake"
        );
    }
}
