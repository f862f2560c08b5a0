//! The words of a text.

/// The parts between white space, without the punctuation around them; those of punctuation alone are left out.
#[derive(Clone)]
pub(super) struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self(text)
    }

    /// The next word where characters beyond ASCII, or punctuation, ask for a closer look.
    fn next_unicode(&mut self) -> Option<&'a str> {
        let start = self.0.find(char::is_alphanumeric)?;
        let text = &self.0[start..];
        let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        self.0 = rest;
        Some(word.trim_end_matches(|c: char| !c.is_alphanumeric()))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        let kinds = |from: usize| {
            text.as_bytes()[from..]
                .iter()
                .map(|byte| Kind::OF[usize::from(*byte)])
        };
        let start = kinds(0).position(|kind| kind != Kind::Around)?;
        let length = kinds(start).position(|kind| kind != Kind::Within);
        let end = length.map_or(text.len(), |length| start + length);
        // Nearly every word is like this: in ASCII, and behind it a space or nothing.
        if end > start && matches!(text.as_bytes().get(end), None | Some(b' ')) {
            self.0 = &text[end..];
            return Some(&text[start..end]);
        }
        self.next_unicode()
    }
}

/// What a byte is to a word in ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A letter or digit.
    Within,
    /// White space or punctuation.
    Around,
    /// A part of a character beyond ASCII.
    Unknown,
}

impl Kind {
    const OF: [Self; 256] = {
        let mut kinds = [Self::Unknown; 256];
        let mut byte = 0_u8;
        while byte.is_ascii() {
            kinds[byte as usize] = if byte.is_ascii_alphanumeric() {
                Self::Within
            } else {
                Self::Around
            };
            byte += 1;
        }
        kinds
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn punctuation_stays_inside_of_a_word_only() {
        let words: Vec<&str> = Words::of(" **As\u{a0}a** user’s … (e-mail,)\u{3000}42! -\n").collect();
        assert_eq!(words, ["As", "a", "user’s", "e-mail", "42"]);
    }

    proptest! {
        #[test]
        fn words_are_trimmed_parts(text in "([ \t\u{a0}.,'-]|[aé1]|\\PC){0,30}") {
            let parts: Vec<&str> = text
                .split_whitespace()
                .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()))
                .filter(|word| !word.is_empty())
                .collect();
            prop_assert_eq!(Words::of(&text).collect::<Vec<_>>(), parts);
        }
    }
}
