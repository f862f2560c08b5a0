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

    fn next(&mut self) -> Option<&'a str> {
        let start = self.0.find(char::is_alphanumeric)?;
        let text = &self.0[start..];
        let (word, rest) = text.split_at(find_space(text).unwrap_or(text.len()));
        self.0 = rest;
        if word.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            return Some(word);
        }
        Some(word.trim_end_matches(|c: char| !c.is_alphanumeric()))
    }
}

/// Where the first white space is. None is among visible ASCII characters, which are skipped as bytes.
fn find_space(text: &str) -> Option<usize> {
    let at = text.bytes().position(|byte| !byte.is_ascii_graphic())?;
    text[at..].find(char::is_whitespace).map(|space| at + space)
}

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
