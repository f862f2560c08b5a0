//! What others printed, as it may stand in one of our messages.

use tokio::io::{AsyncRead, AsyncReadExt};

/// The end of an output that is read to its end but not kept.
#[derive(Default)]
pub(crate) struct Tail(Vec<u8>);

impl Tail {
    const LIMIT: usize = 2 * 1024;

    /// Reads everything and keeps the end. A stream that breaks has ended.
    pub(crate) async fn fill(&mut self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = [0; Self::LIMIT];
        while let Ok(length @ 1..) = stream.read(&mut chunk).await {
            self.push(&chunk[..length]);
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        self.0.extend_from_slice(chunk);
        let excess = self.0.len().saturating_sub(Self::LIMIT);
        self.0.drain(..excess);
    }

    /// The end as a text for people; empty when nothing was printed.
    pub(crate) fn text(&self) -> String {
        // The cut may go through a character.
        let text = String::from_utf8_lossy(&self.0);
        printable(text.trim_start_matches(char::REPLACEMENT_CHARACTER))
    }
}

/// Without terminal escapes and control characters other than line breaks and tabs, trimmed.
pub(crate) fn printable(text: &str) -> String {
    let kept: String = without_escapes(text)
        .chars()
        .filter(|character| matches!(character, '\n' | '\t') || !character.is_control())
        .collect();
    kept.trim().to_owned()
}

/// The first `limit` characters of [`printable`] text.
pub(crate) fn excerpt(text: &str, limit: usize) -> String {
    let text = printable(text);
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Without the escape sequences of terminals (ECMA-48: control sequences, strings and two-character escapes).
pub(crate) fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            kept.push(character);
            continue;
        }
        match characters.next() {
            Some('[') => {
                characters.find(|end| ('@'..='~').contains(end));
            }
            Some(']' | 'P' | '_' | '^' | 'X') => {
                let end = characters.find(|end| matches!(end, '\u{7}' | '\u{1b}'));
                if end == Some('\u{1b}') {
                    characters.next();
                }
            }
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_control_characters_go() {
        assert_eq!(
            printable("\u{1b}[1;31mred\u{1b}[0m\r\n\tnext\0\u{7}\n"),
            "red\n\tnext"
        );
        assert_eq!(
            without_escapes("a\u{1b}]0;title\u{7}b\u{1b}]8;;x\u{1b}\\c\u{1b}Md"),
            "abcd"
        );
        assert_eq!(without_escapes("cut \u{1b}[3"), "cut ");
    }

    #[test]
    fn excerpts_count_characters() {
        assert_eq!(excerpt("äöü", 3), "äöü");
        assert_eq!(excerpt("äöüß", 3), "äöü…");
    }

    #[tokio::test]
    async fn the_tail_keeps_the_end_only() {
        let mut tail = Tail::default();
        let printed = format!("{}end", "ä".repeat(50_000));
        tail.fill(printed.as_bytes()).await;
        let text = tail.text();
        assert!(text.len() <= Tail::LIMIT && text.ends_with("äend") && text.starts_with('ä'));
    }
}
