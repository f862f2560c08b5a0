//! The part of a text that is being searched, and what stands around a place in it.

use std::ops::Range;

use super::Kind;
use super::label::Labelled;

/// A part of a text without placeholders. Detectors see all that stands before it, and nothing behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'t> {
    /// The text up to the end of the part.
    pub(super) text: &'t str,
    /// Where the part begins, and where what was found last ends: nothing is found before it.
    pub(super) floor: usize,
    /// The key under which the text stands, or nothing.
    pub(super) key: &'t str,
}

/// A place where a detector has to look: one of its literals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Which of the detector's literals.
    pub(super) literal: usize,
}

/// What a detector says about an anchor.
#[derive(Debug)]
pub(super) enum Verdict {
    Found(Labelled),
    /// Nothing that begins before this place, which is behind the start of the anchor.
    Nothing {
        resume: usize,
    },
}

impl Verdict {
    pub(super) const fn found(range: Range<usize>, kind: Kind) -> Self {
        Self::Found(Labelled::new(range, kind))
    }
}

impl Anchor {
    /// Nothing is found here.
    pub(super) const fn nothing(self) -> Verdict {
        Verdict::Nothing { resume: self.end }
    }
}

impl<'t> Stretch<'t> {
    pub(super) fn byte(self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(super) fn byte_before(self, at: usize) -> Option<u8> {
        self.byte(at.checked_sub(1)?)
    }

    pub(super) fn char_before(self, at: usize) -> Option<char> {
        self.text[..at].chars().next_back()
    }

    pub(super) fn char_at(self, at: usize) -> Option<char> {
        self.text[at..].chars().next()
    }

    pub(super) fn rest(self, at: usize) -> &'t str {
        &self.text[at..]
    }

    /// Whether a byte that belongs to words of ASCII stands before a place, and not to an escape such as `\n`.
    pub(super) fn follows_word(self, at: usize) -> bool {
        match &self.text.as_bytes()[..at] {
            [.., b'\\', b'n' | b'r' | b't'] => false,
            [.., before] => is_word(*before),
            [] => false,
        }
    }

    /// Whether a byte that belongs to words of ASCII stands at a place.
    pub(super) fn is_word_at(self, at: usize) -> bool {
        self.byte(at).is_some_and(is_word)
    }

    /// The end of the run of bytes that begins at a place.
    pub(super) fn run_end(self, from: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let bytes = &self.text.as_bytes()[from..];
        from + bytes
            .iter()
            .position(|byte| !belongs(*byte))
            .unwrap_or(bytes.len())
    }

    /// The start of the run of bytes that ends at a place, at most `limit` bytes before it and not before the floor.
    pub(super) fn run_start(self, to: usize, limit: usize, belongs: impl Fn(u8) -> bool) -> usize {
        let from = self.floor.max(to.saturating_sub(limit));
        let bytes = &self.text.as_bytes()[from..to];
        to - bytes
            .iter()
            .rev()
            .position(|byte| !belongs(*byte))
            .unwrap_or(bytes.len())
    }
}

/// A letter or digit of ASCII, or `_`.
pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
