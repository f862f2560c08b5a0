//! A word of an acceptance criterion, and what the lexicon says of it.

use super::lists::{Letters, List, Lists, pack};

/// A word with the lists that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word {
    letters: Letters,
    lists: Lists,
}

/// The typographic form of `'`.
const APOSTROPHE: char = '\u{2019}';

impl Word {
    /// Any word that the lexicon cannot hold: it is too long, or has letters beyond ASCII.
    const UNKNOWN: Self = Self {
        letters: 0,
        lists: Lists::NONE,
    };

    /// Reads a word in any case, with either form of apostrophe. Of a compound in -s, such as "auto-saves", the last
    /// part counts.
    pub(super) fn of(text: &str) -> Self {
        let letters = pack(text);
        if letters != 0 {
            return Self::spelled(letters);
        }
        match text.rsplit_once('-') {
            Some((_, last)) if last.ends_with('s') => Self::of(last),
            None if text.contains(APOSTROPHE) => Self::spelled(pack(&text.replace(APOSTROPHE, "'"))),
            _ => Self::UNKNOWN,
        }
    }

    fn spelled(letters: Letters) -> Self {
        Self {
            letters,
            lists: Lists::of(letters),
        }
    }

    fn ends_with(self, end: &str) -> bool {
        let mask = (1 << (8 * end.len())) - 1;
        self.letters & mask == pack(end)
    }

    /// The word without these last letters.
    fn without(self, end: &str) -> Option<Self> {
        self.ends_with(end)
            .then(|| Self::spelled(self.letters >> (8 * end.len())))
    }

    /// The base form of a verb.
    pub(super) fn is_verb(self) -> bool {
        self.lists.has(List::Verb)
    }

    /// The verb whose third person this is: "save" of "saves", "pass" of "passes", "try" of "tries".
    pub(super) fn base_of_third_person(self) -> Option<Self> {
        let stem = self.without("s")?;
        if stem.is_verb() {
            return Some(stem);
        }
        let stem = stem.without("e")?;
        if stem.is_verb() {
            return Some(stem);
        }
        let base = Self::spelled(stem.without("i")?.letters << 8 | Letters::from(b'y'));
        base.is_verb().then_some(base)
    }

    /// A verb whose third person looks like the plural of a noun: "report", "view".
    pub(super) fn is_noun_like(self) -> bool {
        self.lists.has(List::NounLike)
    }

    /// A verb that at the start of a sentence is more often an adjective or noun, unless a determiner follows: "clear
    /// the cart", but "clear messages".
    pub(super) fn needs_object(self) -> bool {
        self.lists.has(List::NeedsObject)
    }

    /// A modal, or a form of "be", "have" or "do".
    pub(super) fn is_auxiliary(self) -> bool {
        self.lists.has(List::Auxiliary)
    }

    /// A noun that acts in acceptance criteria, in the singular or plural.
    pub(super) fn is_actor(self) -> bool {
        self.lists.has(List::Actor) || self.without("s").is_some_and(|one| one.lists.has(List::Actor))
    }

    /// A word that begins the object of a verb.
    pub(super) fn is_determiner(self) -> bool {
        self.lists.has(List::Determiner)
    }

    /// A word that follows a verb more often than a noun: the start of its object, an adverb, a condition.
    pub(super) fn follows_verb(self) -> bool {
        self.is_determiner() || self.ends_with("ly") || self.lists.has(List::Condition)
    }

    /// "a", "an" or "the".
    pub(super) fn is_article(self) -> bool {
        self.lists.has(List::Article)
    }

    /// A word that ends the part of a sentence in which its verb has to stand.
    pub(super) fn is_clause_start(self) -> bool {
        self.lists.has(List::ClauseStart)
    }

    /// A word after which, or as which, no verb stands.
    pub(super) fn is_function_word(self) -> bool {
        self.lists.has(List::FunctionWord)
    }

    /// A word that may stand before the verb of a command.
    pub(super) fn is_adverb(self) -> bool {
        self.ends_with("ly") || self.lists.has(List::Adverb)
    }

    /// A word that can be the plural of a noun.
    pub(super) fn is_plural(self) -> bool {
        self.lists.has(List::Plural)
            || (self.ends_with("s") && !["ss", "us", "is"].iter().any(|end| self.ends_with(end)))
    }

    /// "given", "when" or "then".
    pub(super) fn is_gherkin(self) -> bool {
        self.lists.has(List::Gherkin)
    }

    /// "do" or "don't".
    pub(super) fn is_do(self) -> bool {
        self.lists.has(List::Do)
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
