//! Interactions as rows of a table, for spreadsheets.

use std::borrow::Cow;

use pawl_model::{Interaction, Json, Score};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The names of the columns.
pub const COLUMNS: [&str; 12] = [
    "id",
    "interaction_id",
    "created_at",
    "score",
    "latency_ms",
    "flags",
    "pii_tokens_redacted",
    "sample_weight",
    "received_at",
    "prompt",
    "response",
    "trace",
];

/// An interaction in the order of [`COLUMNS`]; flags are separated by semicolons.
#[must_use]
pub fn record(interaction: &Interaction) -> [Cow<'_, str>; COLUMNS.len()] {
    let latency = interaction.latency_ms.map(|latency| latency.to_string());
    [
        interaction.id.to_string().into(),
        free_text(&interaction.interaction_id),
        moment(interaction.created_at).into(),
        interaction.score.as_ref().map_or("", Score::as_str).into(),
        latency.unwrap_or_default().into(),
        free_text(&interaction.flags.join(";")).into_owned().into(),
        interaction.pii_tokens_redacted.to_string().into(),
        interaction.sample_weight.to_string().into(),
        moment(interaction.received_at).into(),
        free_text(&interaction.prompt),
        free_text(&interaction.response),
        interaction.trace.as_ref().map_or("", Json::as_str).into(),
    ]
}

fn moment(at: OffsetDateTime) -> String {
    // Years that databases keep have four digits.
    at.format(&Rfc3339).unwrap_or_default()
}

/// A text as a field of a table: printable. One that a spreadsheet would take for a formula gets an apostrophe in front,
/// which makes it a text there.
pub fn free_text(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        ["'", &text].concat().into()
    } else {
        text
    }
}

/// A text with a replacement character for each that documents may not hold, or that does strange things to
/// spreadsheets and terminals.
///
/// Source: Extensible Markup Language (XML) 1.0, fifth edition, production 2.
pub fn printable(text: &str) -> Cow<'_, str> {
    let unprintable = |character: char| match character {
        '\t' | '\n' | '\r' => false,
        '\u{fffe}' | '\u{ffff}' => true,
        other => other.is_control(),
    };
    if text.contains(unprintable) {
        text.replace(unprintable, "\u{fffd}").into()
    } else {
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"),
            ("a=1", "a=1"),
            ("a\u{1b}b\nc", "a\u{fffd}b\nc"),
            ("", ""),
        ] {
            assert_eq!(free_text(text), written);
        }
    }
}
