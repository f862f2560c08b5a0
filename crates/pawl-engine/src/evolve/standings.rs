//! How good candidates are, from their rows.

use std::collections::{BTreeMap, HashMap};

use pawl_model::PromptCandidate;
use pawl_store::evolution::ExampleScore;

/// Writes means and coverage into candidates: over the examples of validation, each counted once.
pub(super) fn put(candidates: &mut [PromptCandidate], scores: &[ExampleScore]) {
    let mut by_candidate: HashMap<&str, BTreeMap<&str, &ExampleScore>> = HashMap::new();
    let mut best: HashMap<&str, f64> = HashMap::new();
    for score in scores {
        if !score.example_id.starts_with("validation:") {
            continue;
        }
        let of = by_candidate.entry(&score.candidate_id).or_default();
        of.entry(&score.example_id).or_insert(score);
    }
    for score in by_candidate.values().flat_map(BTreeMap::values) {
        let best = best.entry(&score.example_id).or_insert(score.score);
        *best = best.max(score.score);
    }
    for candidate in candidates {
        let Some(scores) = by_candidate.get(candidate.id.as_str()) else {
            continue;
        };
        let count = scores.len() as f64;
        candidate.avg_score = Some(scores.values().map(|score| score.score).sum::<f64>() / count);
        let is_best = |score: &&&ExampleScore| best.get(score.example_id.as_str()) == Some(&score.score);
        candidate.coverage = i64::try_from(scores.values().filter(is_best).count()).unwrap_or(i64::MAX);
        let mut dimensions: BTreeMap<String, (f64, f64)> = BTreeMap::new();
        for (name, score) in scores.values().flat_map(|score| &score.dimension_scores) {
            let (sum, count) = dimensions.entry(name.clone()).or_default();
            *sum += score;
            *count += 1.0;
        }
        candidate.dimension_scores = dimensions
            .into_iter()
            .map(|(name, (sum, count))| (name, sum / count))
            .collect();
    }
}
