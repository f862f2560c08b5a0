//! On which lists of the lexicon a word is.

use super::lexicon::{
    ACTORS, ADVERBS, ARTICLES, AUXILIARIES, CLAUSE_STARTS, CONDITIONS, DETERMINERS, DO, FUNCTION_WORDS,
    GHERKIN, NEED_OBJECT, NOUN_LIKE, PLURALS, VERBS,
};

/// A word of up to 16 ASCII letters in lower case, as the digits of one number, so that it is compared and taken apart
/// without touching text. 0 is any word that the lexicon cannot hold: it is too long, or has letters beyond ASCII.
pub(super) type Letters = u128;

/// The letters of a word in any case; 0 also for a compound with a hyphen, which the lexicon does not hold.
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

const LISTS: [(List, &[&str]); 14] = [
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

/// The lists that a word is on, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lists(u16);

impl Lists {
    pub(super) const NONE: Self = Self(0);

    /// The lists that a word is on.
    pub(super) fn of(word: Letters) -> Self {
        TABLE.lists[TABLE.slot(word)]
    }

    const fn with(self, list: List) -> Self {
        Self(self.0 | (1 << list as u16))
    }

    pub(super) const fn has(self, list: List) -> bool {
        self.0 & (1 << list as u16) != 0
    }
}

/// A hash table of all words, made by the compiler: each is in the first free slot from the one on that its hash names.
struct Table {
    words: [Letters; Table::SLOTS],
    lists: [Lists; Table::SLOTS],
}

static TABLE: Table = Table::of(&LISTS);

impl Table {
    const BITS: u32 = 12;
    /// Some four for each word, so that hardly ever more than one has to be looked at.
    const SLOTS: usize = 1 << Self::BITS;

    const fn of(lists: &[(List, &[&str])]) -> Self {
        let mut table = Self {
            words: [0; Self::SLOTS],
            lists: [Lists::NONE; Self::SLOTS],
        };
        let mut index = 0;
        while index < lists.len() {
            let (list, words) = lists[index];
            table.add(list, words);
            index += 1;
        }
        table
    }

    const fn add(&mut self, list: List, words: &[&str]) {
        let mut index = 0;
        while index < words.len() {
            let word = pack(words[index]);
            assert!(word != 0, "a word of the lexicon is too long");
            let slot = self.slot(word);
            self.words[slot] = word;
            self.lists[slot] = self.lists[slot].with(list);
            index += 1;
        }
    }

    /// The slot of a word, or the free one in which it would be.
    const fn slot(&self, word: Letters) -> usize {
        let both_halves = word as u64 ^ (word >> 64) as u64;
        // The upper bits of a product with a large odd number depend on all bits of the other factor.
        let hash = both_halves.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - Self::BITS);
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
        for word in LISTS.iter().flat_map(|(_, words)| *words) {
            for (list, words) in LISTS {
                assert_eq!(Lists::of(pack(word)).has(list), words.contains(word), "{word}");
            }
        }
        for stranger in ["", "quarantine", "sav", "saves", "a-a", "naïve"] {
            assert_eq!(Lists::of(pack(stranger)), Lists::NONE, "{stranger}");
        }
    }
}
