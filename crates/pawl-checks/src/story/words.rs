//! The words of a text.

/// The parts between white space, without the punctuation around them; those of punctuation alone are left out.
#[derive(Clone)]
pub(super) struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    pub(super) const fn of(text: &'a str) -> Self {
        Self(text)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let start = self
            .0
            .bytes()
            .position(|byte| KINDS[usize::from(byte)] != Kind::Around)?;
        let bytes = &self.0.as_bytes()[start..];
        let end = bytes
            .iter()
            .position(|byte| KINDS[usize::from(*byte)] != Kind::Within)
            .unwrap_or(bytes.len());
        // Nearly all words are like this one: ASCII with a space behind.
        if end > 0 && bytes.get(end).is_none_or(|byte| *byte == b' ') {
            let (word, rest) = self.0[start..].split_at(end);
            self.0 = rest;
            return Some(word);
        }
        self.any()
    }
}

impl<'a> Words<'a> {
    /// The next word, of whatever characters.
    fn any(&mut self) -> Option<&'a str> {
        let start = self.0.find(char::is_alphanumeric)?;
        let text = &self.0[start..];
        let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
        self.0 = rest;
        Some(word.trim_end_matches(|c: char| !c.is_alphanumeric()))
    }
}

/// What a byte is to a word of letters and digits in ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Within,
    Around,
    Unknown,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Unknown; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        kinds[byte as usize] = if byte.is_ascii_alphanumeric() {
            Kind::Within
        } else {
            Kind::Around
        };
        byte += 1;
    }
    kinds
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
