//! How two texts differ, word by word.

use similar::{ChangeTag, TextDiff};

/// Longer texts, in bytes, are not compared: it would take a time that grows with the product of their lengths.
const LONGEST: usize = 20_000;

/// A piece of two texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) text: String,
    pub(super) kind: Kind,
}

/// In which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// In both.
    Kept,
    /// In the first alone.
    Removed,
    /// In the second alone.
    Added,
}

impl Change {
    pub(super) fn is_removed(&self) -> bool {
        self.kind == Kind::Removed
    }

    pub(super) fn is_added(&self) -> bool {
        self.kind == Kind::Added
    }
}

/// What of two texts is in which; none where they are too long to be compared.
pub(super) fn changes(first: &str, second: &str) -> Option<Vec<Change>> {
    if first.len().max(second.len()) > LONGEST {
        return None;
    }
    let mut changes: Vec<Change> = Vec::new();
    for change in TextDiff::from_words(first, second).iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => Kind::Kept,
            ChangeTag::Delete => Kind::Removed,
            ChangeTag::Insert => Kind::Added,
        };
        match changes.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(change.value()),
            _ => changes.push(Change {
                text: change.value().to_owned(),
                kind,
            }),
        }
    }
    Some(changes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_compared() {
        let changes = changes("the order is late", "the parcel is late").unwrap();
        let shown: Vec<_> = changes
            .iter()
            .map(|change| (change.kind, &*change.text))
            .collect();
        let expected = [
            (Kind::Kept, "the "),
            (Kind::Removed, "order"),
            (Kind::Added, "parcel"),
            (Kind::Kept, " is late"),
        ];
        assert_eq!(shown, expected);
        assert_eq!(super::changes(&"a ".repeat(10_001), ""), None);
    }

    proptest! {
        #[test]
        fn both_texts_can_be_put_together_again(first in "[a-c \n]{0,60}", second in "[a-c \n]{0,60}") {
            let changes = changes(&first, &second).unwrap();
            let of = |other: Kind| -> String {
                changes.iter().filter(|change| change.kind != other).map(|change| &*change.text).collect()
            };
            prop_assert_eq!(of(Kind::Added), first);
            prop_assert_eq!(of(Kind::Removed), second);
        }
    }
}
