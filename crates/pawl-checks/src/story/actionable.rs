//! Whether an acceptance criterion says who does what: an English sentence that starts with a verb, with an actor and
//! a verb or modal, or with Given, When or Then.
//!
//! Without a grammar the question is decided by a lexicon of verbs and the words around them. Many verbs look like
//! plural nouns ("reports", "forms") or adjectives ("clear"); those count only where their neighbours tell.

use super::lexicon::Word;

/// How a criterion has to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// With a verb, an actor and a verb or modal, or Given, When or Then.
    ActorAndVerb,
    /// With a verb.
    VerbFirst,
}

/// Words that are looked at: an actor takes a few.
const WINDOW: usize = 12;

/// Whether the criterion starts as the style demands.
pub(super) fn is_actionable(criterion: &str, style: Style) -> bool {
    let mut window = [Word::UNKNOWN; WINDOW];
    let mut count = 0;
    for (slot, word) in window.iter_mut().zip(words(criterion)) {
        *slot = Word::of(word);
        count += 1;
    }
    let words = &window[..count];
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    match style {
        Style::VerbFirst => starts_with_verb(words),
        Style::ActorAndVerb => {
            first.is_gherkin()
                || first.is_auxiliary()
                || starts_with_verb(words)
                || has_actor_and_verb(words)
                || (first.is_adverb() && starts_with_verb(rest))
        }
    }
}

/// The words without numbers and free-standing punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| word.contains(char::is_alphabetic))
}

fn starts_with_verb(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else {
        return false;
    };
    let has_object = || rest.first().is_some_and(|next| next.is_determiner());
    if first.is_verb() {
        return !first.needs_object() || has_object();
    }
    first.is_do()
        || first
            .base_of_third_person()
            .is_some_and(|base| !base.is_noun_like() || has_object())
}

fn has_actor_and_verb(words: &[Word]) -> bool {
    for (index, word) in words.iter().enumerate().skip(1) {
        if word.is_clause_start() {
            return false;
        }
        if word.is_auxiliary() || is_verb_of(*word, words[index - 1], words.get(index + 1).copied()) {
            return true;
        }
    }
    false
}

/// Whether a word is the verb of an actor that ends with the word before it.
fn is_verb_of(word: Word, before: Word, after: Option<Word>) -> bool {
    if before.is_function_word() {
        return false;
    }
    if let Some(base) = word.base_of_third_person() {
        return !base.is_noun_like()
            || after.is_some_and(Word::is_determiner)
            || (before.is_actor() && after.is_some());
    }
    if word.is_verb() {
        return before.is_plural() && (after.is_some() || !word.is_noun_like());
    }
    // An unknown word in -s with an object behind it is a verb that the lexicon lacks.
    word.is_plural() && !word.is_function_word() && after.is_some_and(Word::is_article)
}
