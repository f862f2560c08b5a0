//! Precision and recall of masking over a corpus.

mod corpus;

use std::collections::BTreeMap;

use corpus::{Piece, Sample};
use pawl_checks::mask::Masker;

/// Precision and recall must reach this.
const BAR: f64 = 0.98;

/// Pieces that were found rightly, found wrongly and overlooked.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    right: u32,
    wrong: u32,
    overlooked: u32,
}

impl Score {
    fn precision(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.wrong).max(1))
    }

    fn recall(self) -> f64 {
        f64::from(self.right) / f64::from((self.right + self.overlooked).max(1))
    }

    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.overlooked += other.overlooked;
    }
}

/// Compares each piece by its kind and its exact place. `show` is given what differs.
fn score(samples: &[Sample], mut show: impl FnMut(&Sample, &[Piece])) -> BTreeMap<String, Score> {
    let mut scores = BTreeMap::<String, Score>::new();
    for sample in samples {
        let Sample { text, expected } = sample;
        let found = Masker::built_in().find(text);
        let found: Vec<Piece> = found
            .into_iter()
            .map(|finding| (finding.name.to_owned(), finding.range))
            .collect();
        for piece in &found {
            let score = scores.entry(piece.0.clone()).or_default();
            if expected.contains(piece) {
                score.right += 1;
            } else {
                score.wrong += 1;
            }
        }
        for piece in expected.iter().filter(|piece| !found.contains(piece)) {
            scores.entry(piece.0.clone()).or_default().overlooked += 1;
        }
        if found != *expected {
            show(sample, &found);
        }
    }
    scores
}

/// Prints the scores per kind, and adds them up.
fn report(title: &str, scores: &BTreeMap<String, Score>) -> Score {
    let mut total = Score::default();
    for score in scores.values() {
        total.add(*score);
    }
    println!(
        "{title:<14} {:>9} {:>9} {:>6} {:>6} {:>10}",
        "precision", "recall", "right", "wrong", "overlooked"
    );
    for (name, score) in scores
        .iter()
        .map(|(name, score)| (name.as_str(), *score))
        .chain([("total", total)])
    {
        let (precision, recall) = (score.precision(), score.recall());
        let Score {
            right,
            wrong,
            overlooked,
        } = score;
        println!("{name:<14} {precision:>9.3} {recall:>9.3} {right:>6} {wrong:>6} {overlooked:>10}");
    }
    total
}

#[test]
fn precision_and_recall_reach_their_bar() {
    let samples = corpus::tuning();
    assert!(
        samples
            .iter()
            .filter(|sample| !sample.expected.is_empty())
            .count()
            >= 300
    );
    let scores = score(&samples, |sample, found| {
        let Sample { text, expected } = sample;
        println!("{text:?}\n    expected {expected:?}\n    found    {found:?}");
    });
    let tuned = report("tuned on", &scores);
    // What differs is not shown: the held-out part is not looked at.
    let held_out = report("held out", &score(&corpus::held_out(), |_, _| {}));
    let mut both = tuned;
    both.add(held_out);
    for (part, total) in [("tuned on", tuned), ("all", both)] {
        assert!(
            total.precision() >= BAR,
            "{part}: precision {:.4}",
            total.precision()
        );
        assert!(total.recall() >= BAR, "{part}: recall {:.4}", total.recall());
    }
}

#[test]
fn there_are_samples_enough() {
    let samples: Vec<Sample> = corpus::tuning().into_iter().chain(corpus::held_out()).collect();
    let positives = samples
        .iter()
        .filter(|sample| !sample.expected.is_empty())
        .count();
    assert!(positives >= 400, "{positives} positives");
    assert!(
        samples.len() - positives >= 400,
        "{} negatives",
        samples.len() - positives
    );
}

#[test]
fn masked_samples_stay_as_they_are() {
    for sample in corpus::tuning().into_iter().chain(corpus::held_out()) {
        let masked = Masker::built_in().mask(&sample.text);
        let again = Masker::built_in().mask(&masked.text);
        assert_eq!(again.text, masked.text, "of {:?}", sample.text);
        assert!(again.counts.is_empty(), "of {:?}", sample.text);
        let is_json = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert!(
            !is_json(&sample.text) || is_json(&masked.text),
            "{} is no JSON any more",
            masked.text
        );
    }
}
