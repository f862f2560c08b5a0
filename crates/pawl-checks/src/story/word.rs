//! A word of an acceptance criterion, and what the lexicon says of it.

use super::lexicon::{
    ACTORS, ADVERBS, ARTICLES, AUXILIARIES, CLAUSE_STARTS, CONDITIONS, DETERMINERS, DO, FUNCTION_WORDS,
    GHERKIN, NEED_OBJECT, NOUN_LIKE, PLURALS, VERBS,
};

/// A word of up to 16 ASCII letters in lower case, packed from the left, so that words compare as in a dictionary and
/// a list of them is searched without touching text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word(u128);

impl Word {
    /// Any word that the lexicon cannot hold: it is too long, or has letters beyond ASCII.
    pub(super) const UNKNOWN: Self = Self(0);

    const LONGEST: usize = 16;

    /// Reads a word in any case, with either form of apostrophe. Of a compound in -s, such as "auto-saves", the last
    /// part counts.
    pub(super) fn of(text: &str) -> Self {
        let text = match text.rsplit_once('-') {
            Some((_, last)) if last.ends_with('s') => last,
            Some(_) => return Self::UNKNOWN,
            None => text,
        };
        let mut packed = 0;
        let mut length = 0;
        for c in text.chars() {
            let c = if c == '\u{2019}' {
                '\''
            } else {
                c.to_ascii_lowercase()
            };
            if !c.is_ascii() || length == Self::LONGEST {
                return Self::UNKNOWN;
            }
            length += 1;
            packed |= (c as u128) << (8 * (Self::LONGEST - length));
        }
        Self(packed)
    }

    /// Packs a list of the lexicon.
    pub(super) const fn all<const N: usize>(texts: [&str; N]) -> [Self; N] {
        let mut words = [Self::UNKNOWN; N];
        let mut index = 0;
        while index < N {
            let bytes = texts[index].as_bytes();
            assert!(bytes.len() <= Self::LONGEST, "a word of the lexicon is too long");
            let mut at = 0;
            while at < bytes.len() {
                words[index].0 |= (bytes[at] as u128) << (8 * (Self::LONGEST - 1 - at));
                at += 1;
            }
            index += 1;
        }
        words
    }

    fn is_in(self, list: &[Self]) -> bool {
        list.binary_search(&self).is_ok()
    }

    /// The place of the last letter, in bits from the right.
    const fn end(self) -> u32 {
        self.0.trailing_zeros() / 8 * 8
    }

    /// The word without this last letter.
    fn without(self, last: u8) -> Option<Self> {
        let is_last = self != Self::UNKNOWN && (self.0 >> self.end()) & 0xff == u128::from(last);
        is_last.then(|| Self(self.0 & !(0xff << self.end())))
    }

    fn ends_with(self, [first, last]: &[u8; 2]) -> bool {
        self.without(*last)
            .and_then(|word| word.without(*first))
            .is_some()
    }

    /// The word with one more letter.
    const fn with(self, last: u8) -> Self {
        Self(self.0 | (last as u128) << (self.end() - 8))
    }

    /// The base form of a verb.
    pub(super) fn is_verb(self) -> bool {
        self.is_in(&VERBS)
    }

    /// The verb whose third person this is: "save" of "saves", "pass" of "passes", "try" of "tries".
    pub(super) fn base_of_third_person(self) -> Option<Self> {
        let stem = self.without(b's')?;
        if stem.is_verb() {
            return Some(stem);
        }
        let stem = stem.without(b'e')?;
        if stem.is_verb() {
            return Some(stem);
        }
        let base = stem.without(b'i')?.with(b'y');
        base.is_verb().then_some(base)
    }

    /// A verb whose third person looks like the plural of a noun: "report", "view".
    pub(super) fn is_noun_like(self) -> bool {
        self.is_in(&NOUN_LIKE)
    }

    /// A verb that at the start of a sentence is more often an adjective or noun, unless a determiner follows: "clear
    /// the cart", but "clear messages".
    pub(super) fn needs_object(self) -> bool {
        self.is_in(&NEED_OBJECT)
    }

    /// A modal, or a form of "be", "have" or "do".
    pub(super) fn is_auxiliary(self) -> bool {
        self.is_in(&AUXILIARIES)
    }

    /// A noun that acts in acceptance criteria, in the singular or plural.
    pub(super) fn is_actor(self) -> bool {
        self.is_in(&ACTORS) || self.without(b's').is_some_and(|one| one.is_in(&ACTORS))
    }

    /// A word that begins the object of a verb.
    pub(super) fn is_determiner(self) -> bool {
        self.is_in(&DETERMINERS)
    }

    /// A word that follows a verb more often than a noun: the start of its object, an adverb, a condition.
    pub(super) fn follows_verb(self) -> bool {
        self.is_determiner() || self.ends_with(b"ly") || self.is_in(&CONDITIONS)
    }

    /// "a", "an" or "the".
    pub(super) fn is_article(self) -> bool {
        self.is_in(&ARTICLES)
    }

    /// A word that ends the part of a sentence in which its verb has to stand.
    pub(super) fn is_clause_start(self) -> bool {
        self.is_in(&CLAUSE_STARTS)
    }

    /// A word after which, or as which, no verb stands.
    pub(super) fn is_function_word(self) -> bool {
        self.is_in(&FUNCTION_WORDS)
    }

    /// A word that may stand before the verb of a command.
    pub(super) fn is_adverb(self) -> bool {
        self.ends_with(b"ly") || self.is_in(&ADVERBS)
    }

    /// A word that can be the plural of a noun.
    pub(super) fn is_plural(self) -> bool {
        self.is_in(&PLURALS)
            || (self.without(b's').is_some() && ![b"ss", b"us", b"is"].iter().any(|end| self.ends_with(end)))
    }

    /// "given", "when" or "then".
    pub(super) fn is_gherkin(self) -> bool {
        self.is_in(&GHERKIN)
    }

    /// "do" or "don't".
    pub(super) fn is_do(self) -> bool {
        self.is_in(&DO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_undone() {
        for (third_person, base) in [
            ("saves", Some("save")),
            ("passes", Some("pass")),
            ("tries", Some("try")),
            ("goes", Some("go")),
            ("auto-saves", Some("save")),
            ("s", None),
            ("is", None),
            ("quarantines", None),
        ] {
            let found = Word::of(third_person).base_of_third_person();
            assert_eq!(found, base.map(Word::of), "{third_person}");
        }
    }

    #[test]
    fn words_outside_of_the_lexicon_are_unknown() {
        assert_eq!(Word::of("Can\u{2019}t"), Word::of("can't"));
        for unknown in ["", "naïve", "internationalisation", "user-friendly"] {
            assert_eq!(Word::of(unknown), Word::UNKNOWN, "{unknown}");
        }
    }
}
