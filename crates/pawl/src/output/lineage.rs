//! What led to what, and whether it is as it was written.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::lineage::{Lineage, Shown, Step, Verification, event_text, folded};
use pawl_model::{LineageEntry, LineageKind};
use time::macros::format_description;

use super::quantity::{count, counted};
use super::text::one_line;

/// Digits of a hash that are shown.
const DIGITS: usize = 12;

/// Writes a node with its two trees, of many of a kind the first ones or all.
pub(crate) fn write_lineage(lineage: &Lineage, shows_all: bool, out: &mut dyn Write) -> io::Result<()> {
    for told in &lineage.nodes {
        write!(out, "{} {}", told.node.kind, told.node.id.bold())?;
        write_title(told.title.as_deref(), out)?;
        writeln!(out)?;
        for entry in told.entries.iter().rev() {
            writeln!(out, "  {}", became(told.node.kind, entry))?;
        }
    }
    write_tree("What led to it", &lineage.led_to_it, shows_all, out)?;
    write_tree("What it led to", &lineage.it_led_to, shows_all, out)?;
    if !lineage.is_complete {
        writeln!(out, "\nThere is more: these are the nearest.")?;
    }
    Ok(())
}

fn write_tree(title: &str, steps: &[Step], shows_all: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}", title.bold())?;
    if steps.is_empty() {
        return writeln!(out, "  nothing");
    }
    if shows_all {
        return steps.iter().try_for_each(|step| write_step(step, out));
    }
    let mut is_folded = false;
    for shown in folded(steps) {
        match shown {
            Shown::Node(step) => write_step(step, out)?,
            Shown::Rest { kind, count, steps } => {
                is_folded = true;
                let indent = "  ".repeat(steps.first().map_or(1, |first| first.depth));
                writeln!(out, "{indent}{}", format_args!("… {count} more {kind}s").dimmed())?;
            }
        }
    }
    if is_folded {
        writeln!(out, "  {}", "--all shows every one".dimmed())?;
    }
    Ok(())
}

fn write_step(step: &Step, out: &mut dyn Write) -> io::Result<()> {
    let newest = match (&step.newest, step.is_repeated) {
        (_, true) => "see above".to_owned(),
        (Some(entry), false) => event(step.node.kind, entry),
        (None, false) => "older than the lineage".to_owned(),
    };
    let (indent, node) = ("  ".repeat(step.depth), &step.node);
    write!(out, "{indent}{} {}", node.kind, node.id)?;
    if !step.is_repeated {
        write_title(step.title.as_deref(), out)?;
    }
    writeln!(out, "  {}", newest.dimmed())
}

fn write_title(title: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    title.map_or(Ok(()), |title| write!(out, "  {}", one_line(title)))
}

/// What became of a node, when, and the beginning of the hash.
fn became(kind: LineageKind, entry: &LineageEntry) -> String {
    let digits = entry.sha256.get(..DIGITS).unwrap_or_default();
    let event = event(kind, entry);
    format!("{event}  entry {}  sha256 {digits}…", entry.position)
}

/// What became of a node, and when.
fn event(kind: LineageKind, entry: &LineageEntry) -> String {
    let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second] UTC");
    let at = entry.at.format(format).unwrap_or_default();
    format!("{} {at}", event_text(kind, entry.event))
}

fn entries(n: u64) -> String {
    format!("{} {}", count(n), if n == 1 { "entry" } else { "entries" })
}

/// Writes what a verification found.
pub(crate) fn write_verification(verified: &Verification, out: &mut dyn Write) -> io::Result<()> {
    match &verified.broken {
        None => writeln!(
            out,
            "{}: {} and {} are as they were written",
            "whole".green().bold(),
            entries(verified.entries),
            counted(verified.rows, "row")
        )?,
        Some(broken) => writeln!(
            out,
            "{} at entry {}, {} {}: {}",
            "broken".red().bold(),
            broken.position,
            broken.kind,
            broken.id,
            broken.problem
        )?,
    }
    if verified.erased > 0 {
        writeln!(
            out,
            "erased: {}, as the entries say",
            counted(verified.erased, "row")
        )?;
    }
    for write in &verified.unfinished {
        writeln!(
            out,
            "not told to its end: entry {}, {}: the document is {}",
            write.position, write.node, write.found
        )?;
    }
    if verified.broken.is_none() && verified.entries > 0 {
        writeln!(out, "head: {}", verified.head)?;
    }
    Ok(())
}
