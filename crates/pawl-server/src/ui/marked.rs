//! Texts with marks in them: where words stand that were searched for, and where personal data stood.

use std::borrow::Cow;

use pawl_checks::mask::Kind;
use regex::{Regex, RegexBuilder};

/// How many characters stand before the first word that was found, in an excerpt that does not begin at the beginning.
const LEAD: usize = 30;

/// Finds what is to be marked in texts.
pub(crate) struct Marker(Option<Regex>);

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// What it says.
    pub(crate) text: String,
    /// Why it is marked.
    pub(crate) mark: Option<Mark>,
}

/// Why a piece of a text is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It was searched for.
    Found,
    /// Personal data stood there.
    Masked,
}

impl Piece {
    /// The class of its element.
    pub(crate) fn class(&self) -> &'static str {
        match self.mark {
            Some(Mark::Masked) => "masked",
            _ => "found",
        }
    }
}

impl Marker {
    /// Marks the words and quoted phrases of a search, in any case, and what stands in place of personal data.
    pub(crate) fn new(search: &str) -> Self {
        let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let placeholders = [r"(\[(?:", &kinds.join("|"), r")(?:_[A-Z0-9_]+)?\])"].concat();
        let mut alternatives = vec![placeholders];
        alternatives.extend(terms(search).map(|term| ["(?i:", &regex::escape(term), ")"].concat()));
        // Escaped words and names of our own: only an enormous search is no regular expression.
        Self(RegexBuilder::new(&alternatives.join("|")).build().ok())
    }

    /// A text in pieces.
    pub(crate) fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut add = |text: &str, mark| {
            if !text.is_empty() {
                pieces.push(Piece {
                    text: text.to_owned(),
                    mark,
                });
            }
        };
        let mut end = 0;
        for found in self.0.iter().flat_map(|regex| regex.captures_iter(text)) {
            let Some(whole) = found.get(0) else { continue };
            let mark = if found.get(1).is_some() {
                Mark::Masked
            } else {
                Mark::Found
            };
            add(&text[end..whole.start()], None);
            add(whole.as_str(), Some(mark));
            end = whole.end();
        }
        add(&text[end..], None);
        pieces
    }

    /// So many characters of a text on one line, around the first word that was found.
    pub(crate) fn excerpt(&self, text: &str, length: usize) -> Vec<Piece> {
        // As much as can matter: a word that stands further on is not shown.
        let start: String = text.chars().take(100 * length).collect();
        let line = start.split_whitespace().collect::<Vec<_>>().join(" ");
        let first = self.0.iter().flat_map(|regex| regex.captures_iter(&line));
        let mut found = first.filter(|found| found.get(1).is_none());
        let at = found
            .next()
            .and_then(|found| found.get(0))
            .map_or(0, |found| found.start());
        let before = line[..at].chars().count();
        let skipped = if before > length / 2 { before - LEAD } else { 0 };
        let shown: String = line.chars().skip(skipped).take(length).collect();
        let shown: Cow<'_, str> = if skipped > 0 {
            ["…", &shown].concat().into()
        } else {
            shown.into()
        };
        self.pieces(&shown)
    }
}

/// What is looked for: what stands in quotes belongs together.
fn terms(search: &str) -> impl Iterator<Item = &str> {
    let parts = search.split('"').enumerate();
    let terms = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    terms
        .map(|term| term.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .filter(|term| !term.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[Piece]) -> String {
        let marked = |piece: &Piece| match piece.mark {
            None => piece.text.clone(),
            Some(Mark::Found) => ["<", &piece.text, ">"].concat(),
            Some(Mark::Masked) => ["{", &piece.text, "}"].concat(),
        };
        pieces.iter().map(marked).collect()
    }

    #[test]
    fn words_and_placeholders_are_marked() {
        let marker = Marker::new("refund \"a.b\" --");
        assert_eq!(
            shown(&marker.pieces("REFUND to [EMAIL], a.b not axb, [1] [NOTE]")),
            "<REFUND> to {[EMAIL]}, <a.b> not axb, [1] [NOTE]"
        );
        assert_eq!(shown(&Marker::new("").pieces("plain")), "plain");
        assert!(Marker::new("").pieces("").is_empty());
    }

    #[test]
    fn an_excerpt_shows_what_was_found() {
        let marker = Marker::new("needle,");
        let hay = "straw\n ".repeat(40);
        let text = [&hay, "needle", &hay].concat();
        let excerpt = shown(&marker.excerpt(&text, 80));
        assert!(
            excerpt.starts_with('…') && excerpt.contains("<needle>"),
            "{excerpt}"
        );
        assert_eq!(shown(&marker.excerpt("a  needle\nb", 80)), "a <needle> b");
        assert_eq!(marker.excerpt(&"ä".repeat(90), 80)[0].text.chars().count(), 80);
    }
}
