//! What a tenant's interactions came to, in words.

use std::io::{self, Write};

use pawl_engine::intake::overview::Overview;
use pawl_model::{DropReason, Interaction};

use super::facts::Fact;
use super::quantity::{count, counted};
use super::table;
use super::text::one_line;

/// How many flags are named.
const FLAGS: usize = 5;

/// Writes what is stored of some days, with one of the interactions.
pub(crate) fn write_overview(
    overview: &Overview,
    example: Option<&Interaction>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let total = &overview.total;
    let mut facts: Vec<Fact> = vec![(
        "stored today",
        format!(
            "{} that stand for {:.0}",
            counted(total.interactions(), "interaction"),
            total.weight()
        ),
    )];
    if let Some(mean) = total.mean_score() {
        let interval = mean
            .interval
            .map(|interval| format!(" ({:.2}–{:.2})", interval.lower, interval.upper));
        facts.push((
            "mean score",
            format!(
                "{:.2}{} · {} scored",
                mean.value,
                interval.unwrap_or_default(),
                count(mean.count)
            ),
        ));
    }
    let mut flags: Vec<(&str, u64)> = total.flags().iter().collect();
    flags.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let flags: Vec<String> = flags
        .iter()
        .take(FLAGS)
        .map(|(flag, n)| format!("{} {}", one_line(flag), count(*n)))
        .collect();
    if !flags.is_empty() {
        facts.push(("flags", flags.join(", ")));
    }
    facts.push((
        "masked",
        format!(
            "{} in {}",
            counted(total.redacted(), "token"),
            counted(total.redacted_interactions(), "interaction")
        ),
    ));
    if let Some(example) = example {
        facts.push(("for example", one_line(&example.prompt)));
    }
    facts.push((
        "refused",
        format!(
            "{} over the cap, in the ledger",
            count(total.drops(DropReason::OverCap))
        ),
    ));
    table::write_facts(&facts, table::width(), out)
}
