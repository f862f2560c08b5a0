//! On which lists of the lexicon a word is.

use super::lexicon::{
    ACTORS, ADVERBS, ARTICLES, AUXILIARIES, CLAUSE_STARTS, CONDITIONS, DETERMINERS, DO, FUNCTION_WORDS,
    GHERKIN, NEED_OBJECT, NOUN_LIKE, PLURALS, VERBS,
};

/// A word of up to 16 ASCII letters in lower case, as the digits of one number, so that it is compared and taken apart
/// without touching text. 0 is any word that the lexicon cannot hold: it is too long, or has letters beyond ASCII.
pub(super) type Letters = u128;

/// The letters of a word, in either case and without hyphens.
pub(super) const fn pack(text: &str) -> Letters {
    let bytes = text.as_bytes();
    if bytes.len() > size_of::<Letters>() {
        return 0;
    }
    let mut letters = 0;
    let mut index = 0;
    while index < bytes.len() {
        let byte = bytes[index];
        if !byte.is_ascii() || byte == b'-' {
            return 0;
        }
        letters = letters << 8 | byte.to_ascii_lowercase() as Letters;
        index += 1;
    }
    letters
}

/// The lists of the lexicon.
#[derive(Clone, Copy)]
pub(super) enum List {
    Verb,
    NounLike,
    NeedsObject,
    Auxiliary,
    Actor,
    Determiner,
    FunctionWord,
    Condition,
    ClauseStart,
    Adverb,
    Plural,
    Article,
    Gherkin,
    Do,
}

/// The lists that a word is on, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lists(u16);

impl Lists {
    pub(super) const NONE: Self = Self(0);

    /// The lists on which a word is.
    pub(super) fn of(word: Letters) -> Self {
        TABLE.lists[TABLE.slot(word)]
    }

    const fn with(self, list: List) -> Self {
        Self(self.0 | 1 << list as u16)
    }

    pub(super) const fn has(self, list: List) -> bool {
        self.0 & 1 << list as u16 != 0
    }
}

/// A hash table of all words, made by the compiler: each is in the first free slot from that on which its hash names.
struct Table {
    words: [Letters; Table::SLOTS],
    lists: [Lists; Table::SLOTS],
}

static TABLE: Table = Table::EMPTY
    .with(List::Verb, &VERBS)
    .with(List::NounLike, &NOUN_LIKE)
    .with(List::NeedsObject, &NEED_OBJECT)
    .with(List::Auxiliary, &AUXILIARIES)
    .with(List::Actor, &ACTORS)
    .with(List::Determiner, &DETERMINERS)
    .with(List::FunctionWord, &FUNCTION_WORDS)
    .with(List::Condition, &CONDITIONS)
    .with(List::ClauseStart, &CLAUSE_STARTS)
    .with(List::Adverb, &ADVERBS)
    .with(List::Plural, &PLURALS)
    .with(List::Article, &ARTICLES)
    .with(List::Gherkin, &GHERKIN)
    .with(List::Do, &DO);

impl Table {
    const BITS: u32 = 12;
    /// Several for each word, so that few have to be looked at.
    const SLOTS: usize = 1 << Self::BITS;
    const EMPTY: Self = Self {
        words: [0; Self::SLOTS],
        lists: [Lists::NONE; Self::SLOTS],
    };

    const fn with(mut self, list: List, words: &[&str]) -> Self {
        let mut index = 0;
        while index < words.len() {
            let word = pack(words[index]);
            assert!(word != 0, "a word of the lexicon is too long");
            let slot = self.slot(word);
            self.words[slot] = word;
            self.lists[slot] = self.lists[slot].with(list);
            index += 1;
        }
        self
    }

    /// The slot of a word, or the free one in which it would be.
    const fn slot(&self, word: Letters) -> usize {
        let folded = word as u64 ^ (word >> 64) as u64;
        // The upper bits of a product with a large odd number depend on all of its bits.
        let hash = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::BITS);
        let mut slot = hash as usize;
        while self.words[slot] != word && self.words[slot] != 0 {
            slot = (slot + 1) % Self::SLOTS;
        }
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_on_its_lists_alone() {
        let lists: [(List, &[&str]); 14] = [
            (List::Verb, &VERBS),
            (List::NounLike, &NOUN_LIKE),
            (List::NeedsObject, &NEED_OBJECT),
            (List::Auxiliary, &AUXILIARIES),
            (List::Actor, &ACTORS),
            (List::Determiner, &DETERMINERS),
            (List::FunctionWord, &FUNCTION_WORDS),
            (List::Condition, &CONDITIONS),
            (List::ClauseStart, &CLAUSE_STARTS),
            (List::Adverb, &ADVERBS),
            (List::Plural, &PLURALS),
            (List::Article, &ARTICLES),
            (List::Gherkin, &GHERKIN),
            (List::Do, &DO),
        ];
        for word in lists.iter().flat_map(|(_, words)| *words) {
            for (list, words) in lists {
                assert_eq!(Lists::of(pack(word)).has(list), words.contains(word), "{word}");
            }
        }
        for stranger in ["", "quarantine", "sav", "saves"] {
            assert_eq!(Lists::of(pack(stranger)), Lists::NONE, "{stranger}");
        }
    }
}
