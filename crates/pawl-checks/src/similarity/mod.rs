//! How alike two failures are, without a model: vectors of words and pieces of words.
//!
//! Weights are fixed, so that a vector is the same on every day and in every process. What failed is a component of its
//! own, as much of the whole as is needed for a cosine of 0.85 to mean "the same failure": two failures of different
//! kinds have at most 0.24, and two of one kind reach 0.85 where their words have a cosine of three eighths.

mod common_words;

use std::f32::consts::FRAC_1_SQRT_2;

use crate::words::each_word;
use common_words::is_common;

/// From which cosine on two failures are one, the boundary included.
pub const SAME: f64 = 0.85;

/// Places of words.
const WORDS: usize = 1_024;
/// Places of kinds of failure.
const KINDS: usize = 16;
/// Numbers in a vector.
pub const DIMENSIONS: usize = WORDS + KINDS;

/// The part that the kind has in the square of a vector's length.
const KIND: f32 = 0.76;
/// The part of what was asked, of what was answered, of tools and of errors in what the words say.
const ASKED: f32 = 1.0;
const ANSWERED: f32 = 1.5;
const TOOLS: f32 = 0.5;
const ERRORS: f32 = 2.0;
/// What a piece of a word counts, where a word counts 1.
const PIECE: f32 = 0.3;
/// Letters of a piece.
const LETTERS: usize = 4;
/// Bytes of a text that count: what failed shows in its beginning.
const MAX_TEXT: usize = 2_000;

/// What failed and why, as far as words tell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failure<'a> {
    /// Which kind it is, from 0, below 16.
    pub kind: usize,
    /// What the agent was asked.
    pub asked: &'a str,
    /// What it answered.
    pub answered: &'a str,
    /// The tools that it called.
    pub tools: &'a [String],
    /// What they said where they broke.
    pub errors: &'a [String],
}

/// The vector of a failure: [`DIMENSIONS`] numbers, of length 1.
#[must_use]
pub fn lexical(failure: &Failure<'_>) -> Vec<f32> {
    let mut vector = vec![0.0; WORDS];
    for (weight, texts) in [
        (ASKED, &[failure.asked][..]),
        (ANSWERED, &[failure.answered][..]),
        (
            ERRORS,
            &failure.errors.iter().map(String::as_str).collect::<Vec<_>>()[..],
        ),
    ] {
        let mut features = Vec::new();
        for text in texts {
            add_words(&mut features, text);
        }
        add(&mut vector, weight, features);
    }
    let tools = failure
        .tools
        .iter()
        .map(|tool| (hash(b't', tool.as_bytes()), 1.0));
    add(&mut vector, TOOLS, tools.collect());
    scale(&mut vector, (1.0 - KIND).sqrt());
    vector.resize(DIMENSIONS, 0.0);
    if let Some(kind) = vector.get_mut(WORDS + failure.kind.min(KINDS - 1)) {
        *kind = KIND.sqrt();
    }
    // Where there are no words the kind is all there is.
    scale(&mut vector, 1.0);
    vector
}

/// The vector of the words of a text, of length 1; of zeros where there are none.
#[must_use]
pub fn words(text: &str) -> Vec<f32> {
    let mut features = Vec::new();
    add_words(&mut features, text);
    let mut vector = vec![0.0; WORDS];
    add(&mut vector, 1.0, features);
    vector
}

/// The cosine of two vectors of length 1; 0 where they have not the same number of places.
#[must_use]
pub fn cosine(left: &[f32], right: &[f32]) -> f64 {
    if left.len() != right.len() {
        return 0.0;
    }
    // Several sums at once, so that the compiler can use wide registers.
    let mut sums = [0.0_f32; 16];
    let (lefts, rights) = (left.chunks_exact(16), right.chunks_exact(16));
    let rest: f32 = (lefts.remainder().iter().zip(rights.remainder()))
        .map(|(left, right)| left * right)
        .sum();
    for (left, right) in lefts.zip(rights) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    f64::from(sums.iter().sum::<f32>() + rest)
}

/// Gives a vector this length; one of zeros stays.
pub fn scale(vector: &mut [f32], length: f32) {
    let square: f32 = vector.iter().map(|number| number * number).sum();
    if square > 0.0 {
        let factor = length / square.sqrt();
        vector.iter_mut().for_each(|number| *number *= factor);
    }
}

/// The words of a text and their pieces, those that are in every text left out.
fn add_words(features: &mut Vec<(u64, f32)>, text: &str) {
    let mut piece = String::new();
    each_word(&text[..text.floor_char_boundary(MAX_TEXT)], |word| {
        if is_common(word) || word.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        let stem = stem(word);
        features.push((hash(b'w', stem.as_bytes()), 1.0));
        let letters: Vec<char> = ['^'].into_iter().chain(stem.chars()).chain(['$']).collect();
        for letters in letters.windows(LETTERS) {
            piece.clear();
            piece.extend(letters);
            features.push((hash(b'p', piece.as_bytes()), PIECE));
        }
    });
}

/// A word without the endings that English words take.
fn stem(word: &str) -> &str {
    const ENDINGS: [&str; 10] = [
        "ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly",
    ];
    ENDINGS
        .iter()
        .find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= 3))
        .unwrap_or(word)
}

/// Adds features that came so often with their weights to a vector, as a part of this weight. How often damps: what
/// comes four times counts twice.
fn add(vector: &mut [f32], weight: f32, mut features: Vec<(u64, f32)>) {
    features.sort_unstable_by_key(|(feature, _)| *feature);
    let mut part = vec![0.0; vector.len()];
    for same in features.chunk_by(|one, other| one.0 == other.0) {
        let sum: f32 = same.iter().map(|(_, weight)| weight).sum();
        let Some((feature, _)) = same.first() else {
            continue;
        };
        // Two places and signs: what falls together by chance cancels out.
        for half in [*feature, feature.rotate_left(32)] {
            let place = usize::try_from(half % WORDS as u64).unwrap_or(0);
            let sign = if half & (1 << 31) == 0 { 1.0 } else { -1.0 };
            part[place] += sign * FRAC_1_SQRT_2 * sum.sqrt();
        }
    }
    scale(&mut part, weight);
    for (number, add) in vector.iter_mut().zip(part) {
        *number += add;
    }
}

/// FNV-1a with a final mix: the same for all time.
fn hash(kind: u8, bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in std::iter::once(&kind).chain(bytes) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(kind: usize, asked: &str, answered: &str) -> Vec<f32> {
        lexical(&Failure {
            kind,
            asked,
            answered,
            ..Failure::default()
        })
    }

    #[test]
    fn a_failure_is_like_itself_and_unlike_another() {
        let refund = vector(5, "Can I return opened software?", "Yes, within 90 days.");
        assert!((cosine(&refund, &refund) - 1.0).abs() < 1e-5);
        let laptop = vector(5, "Recommend a laptop", "The Nimbus 13 is in stock");
        assert!(cosine(&refund, &laptop) < SAME);
        let other_kind = vector(6, "Can I return opened software?", "Yes, within 90 days.");
        assert!(cosine(&refund, &other_kind) < 0.25);
        assert_eq!(cosine(&refund, &refund[1..]), 0.0);
    }

    #[test]
    fn without_words_the_kind_decides() {
        let nothing = vector(3, "", "");
        assert!((cosine(&nothing, &nothing) - 1.0).abs() < 1e-5);
        assert_eq!(cosine(&nothing, &vector(4, "", "")), 0.0);
    }

    #[test]
    fn weights_are_the_same_for_all_time() {
        assert_eq!(hash(b'w', b"refund"), 0x384410fe887a0009);
        assert_eq!(hash(b't', b"refund"), 0xedb9a665d3afb334);
        assert_eq!(
            ["returned", "policies", "using", "is"].map(stem),
            ["return", "polic", "using", "is"]
        );
    }

    proptest::proptest! {
        #[test]
        fn every_vector_has_length_1(kind in 0..20_usize, asked in ".{0,200}", answered in ".{0,200}") {
            let vector = vector(kind, &asked, &answered);
            proptest::prop_assert_eq!(vector.len(), DIMENSIONS);
            proptest::prop_assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4);
        }
    }
}
