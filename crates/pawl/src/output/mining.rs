//! What mining came to, and what workers have to do.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::mine::MineReport;
use pawl_model::{Job, JobState, Schedule};
use serde_json::json;
use time::format_description::well_known::Rfc3339;

use super::columns;
use super::quantity::{count, counted};
use super::text::one_line;

/// Suggestions that are shown; JSON has more of them.
const SHOWN: usize = 20;

/// Says what a run came to.
pub(crate) fn write_mined(report: &MineReport, out: &mut dyn Write) -> io::Result<()> {
    let counts = &report.counts;
    let title = counted(counts.patterns, "failure pattern");
    let run = report.run_id.as_deref().unwrap_or("nothing is written");
    writeln!(out, "{} · by {} · {run}", title.bold(), report.extracted_by)?;
    if counts.patterns == 0 {
        writeln!(
            out,
            "nothing is failing that has no pattern yet; --since looks further back"
        )?;
    } else {
        writeln!(
            out,
            "{} and {} to what was there",
            counted(counts.suggestions, "new suggestion"),
            counted(counts.joined, "pattern"),
        )?;
    }
    if report.is_charged_flat {
        writeln!(
            out,
            "no price of the model is known: $0.10 are charged for each call"
        )?;
    }
    if report.cost_usd > 0.0 {
        writeln!(out, "cost ${}", report.cost_usd)?;
    }
    if counts.errors > 0 {
        writeln!(
            out,
            "{} could not be read by the model, and were by rules",
            counted(counts.errors, "interaction")
        )?;
    }
    if !report.is_complete {
        writeln!(out, "stopped: the same command goes on with the rest")?;
    }
    if report.suggestions.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let rows: Vec<Vec<String>> = report
        .suggestions
        .iter()
        .take(SHOWN)
        .map(|suggestion| {
            vec![
                suggestion.suggestion_id.clone(),
                format!("+{}", count(suggestion.added)),
                suggestion.severity.to_string(),
                suggestion.suggestion_type.to_string(),
                match (suggestion.is_new, &suggestion.recurrence_of) {
                    (true, Some(rejected)) => format!("again, after {rejected} was rejected"),
                    (true, None) => "new".to_owned(),
                    (false, _) => suggestion.status.to_string(),
                },
                one_line(&suggestion.title),
            ]
        })
        .collect();
    columns::write_texts(&rows, out)?;
    let more = report.suggestions.len().saturating_sub(SHOWN);
    if more > 0 {
        writeln!(out, "… and {more} more")?;
    }
    Ok(())
}

/// Lists jobs.
pub(crate) fn write_jobs(jobs: &[Job], json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        for job in jobs {
            let document = json!({
                "id": job.id,
                "user_id": job.user_id,
                "kind": job.kind,
                "payload": job.payload,
                "priority": job.priority,
                "state": job.state,
                "attempts": job.attempts,
                "run_at": job.run_at.format(&Rfc3339).ok(),
                "error": job.error,
                "created_at": job.created_at.format(&Rfc3339).ok(),
                "finished_at": job.finished_at.and_then(|at| at.format(&Rfc3339).ok()),
            });
            writeln!(out, "{document}")?;
        }
        return Ok(());
    }
    let rows: Vec<Vec<String>> = jobs
        .iter()
        .map(|job| {
            vec![
                job.id.to_string(),
                job.kind.clone(),
                job.state.to_string(),
                counted(u64::try_from(job.attempts).unwrap_or(0), "attempt"),
                match (job.state, job.finished_at) {
                    (JobState::Queued, _) => job.run_at.format(&Rfc3339),
                    (_, Some(at)) => at.format(&Rfc3339),
                    _ => job.created_at.format(&Rfc3339),
                }
                .unwrap_or_default(),
                one_line(job.error.as_deref().unwrap_or_default()),
            ]
        })
        .collect();
    columns::write_texts(&rows, out)
}

/// Lists schedules.
pub(crate) fn write_schedules(schedules: &[Schedule], json: bool, out: &mut dyn Write) -> io::Result<()> {
    if json {
        for schedule in schedules {
            let document = json!({
                "name": schedule.name,
                "kind": schedule.kind,
                "user_id": schedule.user_id,
                "every_seconds": schedule.every_seconds,
                "enabled": schedule.enabled,
                "next_at": schedule.next_at.format(&Rfc3339).ok(),
            });
            writeln!(out, "{document}")?;
        }
        return Ok(());
    }
    let rows: Vec<Vec<String>> = schedules
        .iter()
        .map(|schedule| {
            let next = schedule.next_at.format(&Rfc3339).unwrap_or_default();
            vec![
                schedule.name.clone(),
                format!("every {} s", schedule.every_seconds),
                match schedule.enabled {
                    true => format!("next at {next}"),
                    false => "paused".to_owned(),
                },
            ]
        })
        .collect();
    columns::write_texts(&rows, out)
}
