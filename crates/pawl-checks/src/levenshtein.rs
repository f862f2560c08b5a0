//! Edit distance, and the `levenshtein` check on it.

use crate::Subject;
use crate::excerpt::quote;
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, SpecError};

/// The Levenshtein distance of two texts in characters (Unicode scalar values), if it is at most `limit`.
///
/// Only a band of `limit` cells on each side of the diagonal is computed (E. Ukkonen, "Algorithms for approximate
/// string matching", Information and Control 64, 1985), so the time grows with `limit` × the longer text.
#[must_use]
pub fn distance_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.is_ascii() && b.is_ascii() {
        return within(a.as_bytes(), b.as_bytes(), limit);
    }
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    within(&chars(a), &chars(b), limit)
}

fn within<T: PartialEq>(a: &[T], b: &[T], limit: usize) -> Option<usize> {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let prefix = short.iter().zip(long).take_while(|(x, y)| x == y).count();
    let (short, long) = (&short[prefix..], &long[prefix..]);
    let same_end = |(x, y): &(&T, &T)| x == y;
    let suffix = short
        .iter()
        .rev()
        .zip(long.iter().rev())
        .take_while(same_end)
        .count();
    banded(
        &short[..short.len() - suffix],
        &long[..long.len() - suffix],
        limit,
    )
}

fn banded<T: PartialEq>(short: &[T], long: &[T], limit: usize) -> Option<usize> {
    let limit = limit.min(long.len());
    if long.len() - short.len() > limit {
        return None;
    }
    let beyond = limit + 1;
    let mut row: Vec<usize> = (0..=long.len()).map(|j| j.min(beyond)).collect();
    for (i, item) in (1_usize..).zip(short) {
        let first = i.saturating_sub(limit).max(1);
        let last = (i + limit).min(long.len());
        let mut diagonal = row[first - 1];
        row[first - 1] = if first == 1 { i.min(beyond) } else { beyond };
        let mut best = row[first - 1];
        for j in first..=last {
            let edited = if *item == long[j - 1] {
                diagonal
            } else {
                1 + diagonal.min(row[j - 1]).min(row[j])
            };
            diagonal = row[j];
            row[j] = edited.min(beyond);
            best = best.min(row[j]);
        }
        if best == beyond {
            return None;
        }
    }
    let distance = row[long.len()];
    (distance <= limit).then_some(distance)
}

/// The default threshold, as in promptfoo.
const DEFAULT_THRESHOLD: f64 = 5.0;

/// The largest threshold: beyond it the time per output would no longer be small.
const LARGEST_THRESHOLD: f64 = 1000.0;

/// Texts up to this length have their exact distance named in the message.
const EXACT_LENGTH: usize = 1000;

#[derive(Debug)]
pub(crate) struct Levenshtein {
    value: String,
    threshold: usize,
}

impl Levenshtein {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let threshold = spec.threshold.unwrap_or(DEFAULT_THRESHOLD);
        if !(0.0..=LARGEST_THRESHOLD).contains(&threshold) {
            return Err(SpecError::at(
                "threshold",
                format!("must be within 0 and {LARGEST_THRESHOLD} edits"),
            ));
        }
        Ok(Self {
            value: spec.text_value()?,
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range is checked"
            )]
            threshold: threshold as usize,
        })
    }
}

impl Rule for Levenshtein {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let text = subject.text();
        Finding::of(
            distance_within(text, &self.value, self.threshold).is_some(),
            || {
                let exact = (text.len().max(self.value.len()) <= EXACT_LENGTH)
                    .then(|| distance_within(text, &self.value, EXACT_LENGTH))
                    .flatten();
                match exact {
                    Some(distance) => format!("edit distance {distance}, at most {}", self.threshold),
                    None => format!("edit distance above {}", self.threshold),
                }
            },
        )
    }

    fn claim(&self) -> String {
        format!("within {} edits of {}", self.threshold, quote(&self.value, 80))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The textbook recursion over the full matrix.
    fn naive(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut matrix = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                matrix[i][j] = match (i, j) {
                    (0, n) | (n, 0) => n,
                    _ => (matrix[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]))
                        .min(matrix[i - 1][j] + 1)
                        .min(matrix[i][j - 1] + 1),
                };
            }
        }
        matrix[a.len()][b.len()]
    }

    #[test]
    fn known_distances() {
        for (a, b, distance) in [
            ("", "", 0),
            ("kitten", "sitting", 3),
            ("flaw", "lawn", 2),
            ("", "abc", 3),
            ("naïve", "naive", 1),
        ] {
            assert_eq!(distance_within(a, b, 10), Some(distance), "{a} / {b}");
        }
        assert_eq!(distance_within("kitten", "sitting", 2), None);
    }

    proptest! {
        #[test]
        fn equals_the_full_matrix_within_every_limit(a in "[abä]{0,12}", b in "[abä]{0,12}", limit in 0_usize..14) {
            let expected = naive(&a, &b);
            prop_assert_eq!(distance_within(&a, &b, limit), (expected <= limit).then_some(expected));
        }

        #[test]
        fn is_a_metric(a in "[abc]{0,9}", b in "[abc]{0,9}", c in "[abc]{0,9}") {
            let distance = |x: &str, y: &str| distance_within(x, y, 9).unwrap();
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
        }
    }
}
