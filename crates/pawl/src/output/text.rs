//! Texts from outside, made safe and short enough for a line.

use std::fmt::Display;

use pawl_model::{CaseRecord, Run, State};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(super) use pawl_engine::intake::record::printable;

/// The text on one line: blanks folded; control characters, which could drive a terminal, and marks that turn the
/// direction of writing replaced.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.trim().chars() {
        match character {
            blank if blank.is_whitespace() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => line.push('\u{fffd}'),
            control if control.is_control() => line.push('\u{fffd}'),
            other => line.push(other),
        }
    }
    line
}

/// At most so many columns of a line, with `…` in place of what is cut off.
pub(super) fn shorten(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let mut left = width.saturating_sub(1);
    let mut short: String = line
        .chars()
        .take_while(|character| {
            let columns = character.width().unwrap_or(0);
            let fits = columns <= left;
            left = left.saturating_sub(columns);
            fits
        })
        .collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The text in lines of at most so many columns, broken at blanks.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The text, filled up with blanks to so many columns.
pub(super) fn pad(text: &str, width: usize) -> String {
    let padding = width.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(padding))
}

/// An id, shortened in the middle.
pub(super) fn short_id(id: impl Display) -> String {
    let id = id.to_string();
    match (id.get(..8), id.get(id.len().saturating_sub(4)..)) {
        (Some(start), Some(end)) if id.len() > 13 => format!("{start}…{end}"),
        _ => id,
    }
}

/// What a run is called: its suite, and its own name where that is another one.
pub(super) fn run_title(run: &Run) -> String {
    let title = match (&run.suite, &run.run_name) {
        (Some(suite), Some(name)) if suite != name => format!("{suite} / {name}"),
        (_, Some(name)) => name.clone(),
        (Some(suite), None) => suite.clone(),
        (None, None) => "run".to_owned(),
    };
    one_line(&title)
}

/// What a case is called: its id, and which repetition it is from the second on.
pub(super) fn case_title(id: &str, trial: i32) -> String {
    let id = if id.is_empty() {
        "(no id)".to_owned()
    } else {
        one_line(id)
    };
    if trial > 1 {
        format!("{id} (trial {trial})")
    } else {
        id
    }
}

/// The output of a case, as text: an object as compact JSON.
pub(super) fn output(case: &CaseRecord) -> &str {
    let story = case.output_story.as_ref().map(pawl_model::Json::as_str);
    case.output.as_deref().or(story).unwrap_or_default()
}

/// The shape of a state.
pub(super) const fn shape(state: State) -> &'static str {
    match state {
        State::Passed => "✓",
        State::Failed => "✕",
        State::Error => "!",
        State::Skipped => "–",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_cannot_drive_a_terminal() {
        assert_eq!(
            one_line(" a\r\n\t b\u{1b}[2Jc\u{202e}d\u{9b}e "),
            "a b\u{fffd}[2Jc\u{fffd}d\u{fffd}e"
        );
    }

    #[test]
    fn lines_are_cut_by_columns() {
        assert_eq!(shorten("hello", 5), "hello");
        assert_eq!(shorten("hello world", 7), "hello…");
        assert_eq!(shorten("日本語", 4), "日…");
        assert_eq!(shorten("日本語", 0), "…");
    }

    #[test]
    fn lines_are_broken_at_blanks() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("unbreakable a", 4), ["unbreakable", "a"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(pad("日", 4), "日  ");
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(printable("a\tb\r\nc"), "a\tb\r\nc");
        assert_eq!(
            printable("\0a\u{b}b\u{1b}c\u{9b}d\u{ffff}"),
            "\u{fffd}a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}"
        );
    }

    #[test]
    fn ids_are_shortened_in_the_middle() {
        assert_eq!(short_id("01935d1e-8a4c-7def-9abc-def012345678"), "01935d1e…5678");
        assert_eq!(short_id("short"), "short");
        assert_eq!(short_id("ééééééééééé"), "éééé…éé");
    }

    #[test]
    fn a_case_is_called_by_its_id_and_repetition() {
        assert_eq!(
            [case_title("a", 1), case_title("a", 2), case_title("", 1)],
            ["a", "a (trial 2)", "(no id)"]
        );
    }
}
