//! What is said of interactions that are made up.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::intake::Zone;
use pawl_engine::simulation::{History, HistoryPlan, Wave, WavePlan};
use pawl_model::RunPolicy;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

use super::columns;
use super::facts::Fact;
use super::quantity::{count, counted};
use super::table;

const MOMENT: &[BorrowedFormatItem<'_>] =
    format_description!("[weekday repr:short] [year]-[month]-[day] [hour]:[minute]");
const CLOCK: &[BorrowedFormatItem<'_>] = format_description!("[hour]:[minute]");

/// Says what a history is like.
pub(crate) fn write_history(plan: &HistoryPlan, history: &History, out: &mut dyn Write) -> io::Result<()> {
    let title = counted(u64::from(plan.rows), "interaction");
    let timezone = &history.policy.timezone;
    writeln!(out, "{} · {} · {timezone}\n", title.bold(), plan.user)?;
    let incident = &history.incident;
    let mut facts: Vec<Fact> = vec![("stored", count(u64::from(history.created)))];
    facts.extend(counted_if_any("stored before", history.duplicates));
    facts.extend(counted_if_any(
        "not stored, since others have their ids",
        history.conflicts,
    ));
    if !history.is_whole {
        facts.push(("stopped", "the rest is not stored".to_owned()));
    }
    facts.extend([
        ("from", moment(history.span.start)),
        ("until", moment(history.span.end)),
        (
            "incident",
            format!(
                "{} to {} · {}: slow, wrong, flagged {}",
                moment(incident.hours.start),
                incident.hours.end.format(CLOCK).unwrap_or_default(),
                counted(u64::from(incident.interactions), "interaction"),
                incident.flag
            ),
        ),
        ("random seed", plan.random_seed.to_string()),
    ]);
    table::write_facts(&facts, table::width(), out)
}

/// The same as a document.
pub(crate) fn history_document(plan: &HistoryPlan, history: &History) -> Value {
    let incident = &history.incident;
    json!({
        "user_id": plan.user,
        "rows": plan.rows,
        "days": plan.days,
        "random_seed": plan.random_seed,
        "created": history.created,
        "duplicates": history.duplicates,
        "conflicts": history.conflicts,
        "timezone": history.policy.timezone,
        "from": rfc3339(history.span.start),
        "until": rfc3339(history.span.end),
        "incident": {
            "from": rfc3339(incident.hours.start),
            "until": rfc3339(incident.hours.end),
            "interactions": incident.interactions,
            "flag": incident.flag,
            "slowness": incident.slowness,
        },
    })
}

/// Says what an agent did.
pub(crate) fn write_wave(plan: &WavePlan, wave: &Wave, out: &mut dyn Write) -> io::Result<()> {
    let title = counted(u64::from(wave.seen), "interaction");
    writeln!(out, "{} · {} · {}\n", title.bold(), plan.user, policy(wave))?;
    table::write_facts(&wave_facts(plan, wave), table::width(), out)
}

fn wave_facts(plan: &WavePlan, wave: &Wave) -> Vec<Fact> {
    let mut facts: Vec<Fact> = vec![
        ("sampled out", count(u64::from(wave.sampled_out))),
        ("failures kept", count(u64::from(wave.failures_kept))),
        ("masked", counted(u64::from(wave.tokens_masked), "token")),
        ("sent", count(u64::from(wave.sent))),
        ("stored", count(u64::from(wave.created))),
    ];
    facts.extend(counted_if_any("stored before", wave.duplicates));
    facts.extend(counted_if_any(
        "refused, since others have their ids",
        wave.conflicts,
    ));
    if wave.over_cap > 0 {
        let zone = Zone::named_or_utc(&wave.policy.policy.timezone);
        let resets_at = moment(zone.local(wave.policy.next_day));
        let over_cap = count(u64::from(wave.over_cap));
        facts.push((
            "over the cap",
            format!("{over_cap} · it is full until {resets_at}"),
        ));
    }
    facts.push(("random seed", plan.random_seed.to_string()));
    facts
}

/// The same as a document.
pub(crate) fn wave_document(plan: &WavePlan, wave: &Wave) -> Value {
    let policy = &wave.policy.policy;
    json!({
        "user_id": plan.user,
        "random_seed": plan.random_seed,
        "policy": {
            "run_policy": policy.run_policy.as_str(),
            "sample_rate_pct": policy.sample_rate_pct,
            "obfuscate_pii": policy.obfuscate_pii,
            "max_eval_per_day": policy.max_eval_per_day,
            "keep_failures": policy.keep_failures,
            "version": policy.version,
            "remaining_today": wave.policy.remaining,
            "resets_at": rfc3339(wave.policy.next_day),
        },
        "seen": wave.seen,
        "sampled_out": wave.sampled_out,
        "failures_kept": wave.failures_kept,
        "tokens_masked": wave.tokens_masked,
        "sent": wave.sent,
        "created": wave.created,
        "duplicates": wave.duplicates,
        "conflicts": wave.conflicts,
        "over_cap": wave.over_cap,
    })
}

/// The policy of an agent in a line: `25 % sampled, failures kept, masked, 1,000 a day of which 310 are left`.
fn policy(wave: &Wave) -> String {
    let policy = &wave.policy.policy;
    let mut parts = vec![match policy.run_policy {
        RunPolicy::Always => "all evaluated".to_owned(),
        RunPolicy::Sampled => format!("{} % sampled", policy.sample_rate_pct),
    }];
    if policy.run_policy == RunPolicy::Sampled && policy.keep_failures {
        parts.push("failures kept".to_owned());
    }
    if policy.obfuscate_pii {
        parts.push("masked".to_owned());
    }
    parts.push(format!(
        "{} a day, {} left",
        count(u64::from(policy.max_eval_per_day)),
        count(wave.policy.remaining)
    ));
    parts.join(", ")
}

fn counted_if_any(label: &'static str, n: u32) -> Option<Fact> {
    (n > 0).then(|| (label, count(u64::from(n))))
}

fn moment(at: OffsetDateTime) -> String {
    at.format(MOMENT).unwrap_or_default()
}

fn rfc3339(at: OffsetDateTime) -> Option<String> {
    at.format(&Rfc3339).ok()
}

/// Writes what agents did, a row each.
pub(crate) fn write_waves(waves: &[(&str, &Wave)], out: &mut dyn Write) -> io::Result<()> {
    if let Some((_, first)) = waves.first() {
        writeln!(out, "{}\n", policy(first))?;
    }
    let head = [
        "",
        "seen",
        "sampled out",
        "failures kept",
        "masked",
        "sent",
        "stored",
        "over the cap",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (name, wave) in waves {
        let numbers = [
            wave.seen,
            wave.sampled_out,
            wave.failures_kept,
            wave.tokens_masked,
            wave.sent,
            wave.created,
            wave.over_cap,
        ];
        let numbers = numbers.map(|n| count(u64::from(n)));
        rows.push([vec![(*name).to_owned()], numbers.to_vec()].concat());
    }
    columns::write(&rows, out)
}
