//! What a piece of text is found to be, and the placeholders already in a text.

use std::ops::Range;

use super::Kind;

/// What is found: a kind, or the name that a tenant's pattern gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Kind(Kind),
    /// The pattern of this index, which has a name of its own.
    Named(usize),
}

/// A piece of a text and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Labelled {
    pub(super) range: Range<usize>,
    pub(super) label: Label,
}

impl Labelled {
    pub(super) const fn new(range: Range<usize>, kind: Kind) -> Self {
        Self {
            range,
            label: Label::Kind(kind),
        }
    }
}

/// Characters that the name of a tenant's pattern may have.
pub(super) const MAX_NAME: usize = 32;

/// Whether a placeholder may bear this name: `A` to `Z`, digits and `_`, beginning with a letter.
pub(super) fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The placeholders in a text whose names are known, in their order.
pub(super) fn placeholders<'t>(
    text: &'t str,
    is_known: impl Fn(&str) -> bool + 't,
) -> impl Iterator<Item = Range<usize>> + 't {
    memchr::memchr_iter(b'[', text.as_bytes()).filter_map(move |start| {
        let name = &text.as_bytes()[start + 1..];
        let length = name
            .iter()
            .take(MAX_NAME + 1)
            .position(|byte| !(byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_'))?;
        let end = start + 1 + length;
        (name[length] == b']' && is_known(&text[start + 1..end])).then_some(start..end + 1)
    })
}
