//! Whether an acceptance criterion says who does what: an English sentence that starts with a verb, with an actor and
//! a verb or modal, or with Given, When or Then.
//!
//! Without a grammar the question is decided by a lexicon of verbs and the words around them. Many verbs look like
//! plural nouns ("reports", "forms") or adjectives ("clear"); those count only where their neighbours tell.

use std::iter::Peekable;

use super::word::Word;
use super::words::Words;

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
    // One or two words tell most of the time: each is looked up when its turn has come.
    let mut words = Words::of(criterion)
        .filter(|word| word.contains(char::is_alphabetic))
        .take(WINDOW)
        .map(Word::of)
        .peekable();
    let Some(first) = words.next() else {
        return false;
    };
    match style {
        Style::VerbFirst => starts_with_verb(first, &mut words),
        Style::ActorAndVerb => {
            first.is_gherkin()
                || first.is_auxiliary()
                || starts_with_verb(first, &mut words)
                || (first.is_adverb() && {
                    let mut words = words.clone();
                    words
                        .next()
                        .is_some_and(|second| starts_with_verb(second, &mut words))
                })
                || has_actor_and_verb(first, words)
        }
    }
}

/// Whether a word in front of others is a verb.
fn starts_with_verb(first: Word, rest: &mut Peekable<impl Iterator<Item = Word>>) -> bool {
    let mut has_object = || rest.peek().is_some_and(|next| next.is_determiner());
    if first.is_verb() {
        return !first.needs_object() || has_object();
    }
    first.is_do()
        || first
            .base_of_third_person()
            .is_some_and(|base| !base.is_noun_like() || has_object())
}

fn has_actor_and_verb(first: Word, mut rest: Peekable<impl Iterator<Item = Word>>) -> bool {
    let mut before = first;
    while let Some(word) = rest.next() {
        if word.is_clause_start() {
            return false;
        }
        if word.is_auxiliary() || is_verb_of(word, before, &mut rest) {
            return true;
        }
        before = word;
    }
    false
}

/// Whether a word in front of others is the verb of an actor that ends with the word before it.
fn is_verb_of(word: Word, before: Word, rest: &mut Peekable<impl Iterator<Item = Word>>) -> bool {
    if before.is_function_word() {
        return false;
    }
    let mut after = || rest.peek().copied();
    if let Some(base) = word.base_of_third_person() {
        return !base.is_noun_like()
            || after().is_some_and(Word::follows_verb)
            || (before.is_actor() && after().is_some());
    }
    if word.is_verb() {
        return before.is_plural() && (after().is_some() || !word.is_noun_like());
    }
    // An unknown word in -s with an object behind it is a verb that the lexicon lacks.
    word.is_plural() && !word.is_function_word() && after().is_some_and(Word::is_article)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_what_is_actionable() {
        for criterion in [
            "User can enter email",
            "Users receive a confirmation",
            "The admin user with the right role can delete accounts",
            "The admin user is notified",
            "X is stored",
            "System validates credentials",
            "System quarantines the file",
            "The application auto-saves every minute",
            "Page loads within 2 seconds",
            "User searches products by name",
            "The system displays a message",
            "User’s password must have 8 characters",
            "Password shouldn't be shown",
            "Given a cart, when I pay, then I get a receipt",
            "When the token expires the user signs in again",
            "Then the order is placed",
            "If the card is declined, the user sees why",
            "Verify that the email is sent",
            "Validates the input",
            "Supports screen readers",
            "The cart total updates when the quantity changes",
            "Search results update as the user types",
            "There is a button to retry",
            "Session expires after 30 minutes",
            "1. Reset the password",
            "- [ ] Clear the cart on logout",
            "Only admins can delete a project",
            "Never store passwords",
            "Do not log tokens",
            "Cannot submit an empty form",
            "404 page is displayed",
            "Clicking the button opens a dialog",
            "Они: user can pay",
        ] {
            assert!(is_actionable(criterion, Style::ActorAndVerb), "{criterion}");
        }
    }

    #[test]
    fn wishes_and_headings_are_not() {
        for criterion in [
            "Nice dashboard",
            "Fast performance",
            "Good UX everywhere",
            "Responsive design",
            "Easy to use",
            "User-friendly interface",
            "Clear error messages",
            "Clean code",
            "Intuitive navigation for new visitors",
            "Login functionality",
            "User login",
            "User settings",
            "System logs",
            "Email notifications",
            "Better results for all",
            "Nice dashboard that users can see",
            "Highly optimized queries",
            "High availability",
            "Fast page loads",
            "Real-time updates",
            "Integration with Slack",
            "Ability to export data",
            "Simple and clean UI",
            "99.9% uptime",
            "Dark mode",
            "…",
            "",
            "密码",
        ] {
            assert!(!is_actionable(criterion, Style::ActorAndVerb), "{criterion}");
        }
    }

    #[test]
    fn strict_wants_the_verb_first() {
        for criterion in [
            "Validate the email",
            "Stores the token",
            "Do not log in twice",
            "2) Send a receipt",
        ] {
            assert!(is_actionable(criterion, Style::VerbFirst), "{criterion}");
        }
        for criterion in [
            "User can pay",
            "Given a cart",
            "The token is stored",
            "Always save",
            "Reports are shown",
        ] {
            assert!(!is_actionable(criterion, Style::VerbFirst), "{criterion}");
        }
    }
}
