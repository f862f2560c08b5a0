//! How texts of any length are shown in a message.

/// The longest excerpt, in characters.
pub(crate) const LONGEST: usize = 120;

/// The text on one line in double quotes, at most `limit` characters of it.
pub(crate) fn quote(text: &str, limit: usize) -> String {
    format!("\"{}\"", cut(text, limit))
}

/// The text on one line, at most `limit` characters of it. White space and control characters become single spaces.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    let mut line = String::with_capacity(text.len().min(limit));
    let mut length = 0;
    let mut gap = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = length > 0;
            continue;
        }
        if length + usize::from(gap) >= limit {
            line.pop();
            line.push('…');
            break;
        }
        if gap {
            line.push(' ');
            length += 1;
            gap = false;
        }
        line.push(c);
        length += 1;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(quote(" a\n\tb\u{0}c ", 20), "\"a b c\"");
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut(&"é ".repeat(500), LONGEST).chars().count(), LONGEST - 1);
        assert_eq!(cut("", 4), "");
    }
}
