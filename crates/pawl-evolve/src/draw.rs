//! Choices by chance, without a generator's state.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A counter-based generator: every number is a function of the run's seed, a purpose, a counter and names.
///
/// A number is the first 8 bytes, big-endian, of the SHA-256 of purpose, seed, counter and names, joined by U+001F.
/// There is nothing to store between steps, and nothing that the order of draws could change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws {
    seed: u64,
}

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// One of 2⁶⁴ numbers.
    pub(crate) fn number(self, purpose: &str, counter: u64) -> u64 {
        hash(&format!("{purpose}\u{1f}{}\u{1f}{counter}", self.seed))
    }

    /// One of `count` places, which must not be zero.
    pub(crate) fn place(self, purpose: &str, counter: u64, count: usize) -> usize {
        usize::try_from(self.number(purpose, counter) % count.max(1) as u64).unwrap_or(0)
    }

    /// The places of `names` in an order of chance; equal numbers keep the order of the names.
    pub(crate) fn order<'a>(
        self,
        purpose: &str,
        counter: u64,
        names: impl Iterator<Item = &'a str>,
    ) -> Vec<usize> {
        let mut text = format!("{purpose}\u{1f}{}\u{1f}{counter}\u{1f}", self.seed);
        let prefix = text.len();
        let mut keyed: Vec<(u64, &str, usize)> = names
            .enumerate()
            .map(|(place, name)| {
                text.truncate(prefix);
                text.push_str(name);
                (hash(&text), name, place)
            })
            .collect();
        keyed.sort_unstable();
        keyed.into_iter().map(|(_, _, place)| place).collect()
    }
}

fn hash(text: &str) -> u64 {
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The first 16 bytes of the SHA-256 of texts, each with its length before it, as 32 hexadecimal digits.
pub(crate) fn fingerprint<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    let digest = hasher.finalize();
    digest
        .iter()
        .take(16)
        .fold(String::with_capacity(32), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_any_language_can_compute() {
        // SHA-256 of "a", 1 and "b", joined by U+001F.
        assert_eq!(hash("a\u{1f}1\u{1f}b"), 9_139_530_479_963_095_750);
    }

    #[test]
    fn an_order_holds_every_place_once_and_depends_on_the_counter() {
        let names: Vec<String> = (0..40).map(|i| i.to_string()).collect();
        let order = |counter| Draws::new(3).order("epoch", counter, names.iter().map(String::as_str));
        let mut sorted = order(0);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..40).collect::<Vec<_>>());
        assert_ne!(order(0), order(1));
        assert_eq!(order(1), order(1));
    }

    #[test]
    fn texts_that_are_cut_elsewhere_have_another_fingerprint() {
        assert_ne!(
            fingerprint(["ab", "c"].into_iter()),
            fingerprint(["a", "bc"].into_iter())
        );
    }
}
