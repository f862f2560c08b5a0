//! The gate: what a candidate has to show before it becomes live.

use pawl_checks::stats::{ComparisonSettings, Observation, PairedCase, PairedComparison};
use pawl_evolve::Candidate;
use serde::Serialize;

use crate::evolve::Attempt;

/// By how much the candidate's mean score has to be above that of the live prompt.
pub const MIN_EFFECT: f64 = 0.02;
/// How far below nothing the interval of the difference may reach.
pub const TOLERATED_LOSS: f64 = 0.05;
/// How many times as long, and as dear, the candidate's answers may be.
pub const MOST_TIMES: f64 = 1.5;
/// Answers that are this quick are as good as each other, in milliseconds.
const QUICK_MS: f64 = 100.0;

/// What was found, all of it.
#[derive(Clone, Debug, Serialize)]
pub struct Findings {
    /// The candidate and the live prompt on examples that the search never saw.
    pub hold_out: Side,
    /// Approved tests: how many there are, and which the candidate fails.
    pub approved: Regression,
    /// Controls, those of the suite and healthy interactions like those of approved tests: how many there are, and which the
    /// candidate fails though the live prompt passes them.
    pub controls: Regression,
    /// Why it may not become live; nothing where it may.
    pub objections: Vec<String>,
}

/// A comparison on examples.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// Examples on which both were tried.
    pub examples: usize,
    /// Examples on which one of them gave no answer.
    pub unanswered: usize,
    /// With intervals and tests.
    pub comparison: Option<PairedComparison>,
    /// Examples that got worse.
    pub worse: Vec<String>,
    /// Milliseconds of the mean answer, live and candidate.
    pub latency_ms: [f64; 2],
    /// US dollars of the mean answer, live and candidate.
    pub cost_usd: [f64; 2],
}

/// Tests that must still pass.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Regression {
    /// How many there are.
    pub tests: usize,
    /// Those that do not.
    pub failed: Vec<String>,
}

impl std::ops::AddAssign for Regression {
    fn add_assign(&mut self, other: Self) {
        self.tests += other.tests;
        self.failed.extend(other.failed);
    }
}

/// What a case came to: live, and candidate.
pub(super) type Pair<'a> = (&'a str, [&'a Result<Attempt, pawl_evolve::Failure>; 2]);

/// Compares on examples that the search never saw.
pub(super) fn compare(pairs: &[Pair<'_>]) -> Side {
    let mut side = Side::default();
    let mut cases = Vec::new();
    let mut sums = [[0.0; 2]; 2];
    for (id, attempts) in pairs {
        let [Ok(live), Ok(candidate)] = attempts else {
            side.unanswered += 1;
            continue;
        };
        if candidate.rollout.score < live.rollout.score {
            side.worse.push((*id).to_owned());
        }
        let observation = |attempt: &Attempt| Observation {
            passed: Some(attempt.passed),
            score: Some(attempt.rollout.score),
        };
        cases.push(PairedCase {
            first: observation(live),
            second: observation(candidate),
        });
        for (sum, attempt) in sums.iter_mut().zip([live, candidate]) {
            sum[0] += attempt.latency_ms as f64;
            sum[1] += attempt.rollout.cost.usd_nanos as f64 / 1e9;
        }
    }
    side.examples = cases.len();
    let count = cases.len().max(1) as f64;
    side.latency_ms = sums.map(|[latency, _]| latency / count);
    side.cost_usd = sums.map(|[_, cost]| cost / count);
    side.comparison = PairedComparison::new(cases, &ComparisonSettings::default()).ok();
    side
}

/// Which tests the candidate fails, of those that `counts`.
pub(super) fn regression(pairs: &[Pair<'_>], counts: impl Fn(bool) -> bool) -> Regression {
    let passes = |attempt: &Result<Attempt, _>| attempt.as_ref().is_ok_and(|attempt| attempt.passed);
    let failed = pairs
        .iter()
        .filter(|(_, [live, candidate])| counts(passes(live)) && !passes(candidate))
        .map(|(id, _)| (*id).to_owned());
    Regression {
        tests: pairs.len(),
        failed: failed.collect(),
    }
}

/// Everything that speaks against it.
pub(super) fn objections(findings: &Findings) -> Vec<String> {
    let mut objections = Vec::new();
    let side = &findings.hold_out;
    if side.unanswered > 0 {
        objections.push(format!(
            "{} of the held-out examples gave no answer that could be judged",
            side.unanswered
        ));
    }
    let compared = side.comparison.as_ref();
    match compared.and_then(|comparison| Some((comparison, comparison.scores?))) {
        None => objections.push("there is no held-out example to compare on".to_owned()),
        Some((comparison, scores)) => {
            let mean = scores.difference.mean;
            // Where all scores differ by the same there is no interval of their mean; the rates have one all the same.
            let (of, interval) = match scores.difference.interval {
                Some(interval) => ("difference", interval),
                None => ("difference of the pass rates", comparison.rates.interval),
            };
            if mean < MIN_EFFECT {
                objections.push(format!(
                    "on {} held-out examples it is {mean:+.3} against the live prompt, and at least +{MIN_EFFECT} is needed",
                    side.examples
                ));
            } else if interval.lower < -TOLERATED_LOSS {
                objections.push(format!(
                    "on {} held-out examples it may be worse: the interval of the {of} begins at {:+.3}, and may \
                     begin at -{TOLERATED_LOSS}; more examples would tell",
                    side.examples, interval.lower
                ));
            }
        }
    }
    let [live, candidate] = side.latency_ms;
    if candidate > QUICK_MS && candidate > MOST_TIMES * live {
        objections.push(format!(
            "it takes {candidate:.0} ms an answer, and the live prompt {live:.0} ms"
        ));
    }
    let [live, candidate] = side.cost_usd;
    if live > 0.0 && candidate > MOST_TIMES * live {
        objections.push(format!(
            "it costs ${candidate:.5} an answer, and the live prompt ${live:.5}"
        ));
    }
    for (what, regression) in [
        ("approved tests", &findings.approved),
        ("controls", &findings.controls),
    ] {
        if !regression.failed.is_empty() {
            objections.push(format!(
                "it fails {} of {} {what}: {}",
                regression.failed.len(),
                regression.tests,
                regression.failed.join(", ")
            ));
        }
    }
    objections
}

/// A candidate of these texts.
pub(super) fn candidate(components: &[pawl_model::PromptComponent]) -> Option<Candidate> {
    let texts = components.iter().map(|one| (one.name.clone(), one.text.clone()));
    Candidate::new(texts).ok()
}
