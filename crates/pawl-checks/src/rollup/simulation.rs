//! Do the intervals hold the truth under sampling? A thousand days of tenants with a known truth, and fixed seeds.
//!
//! Interactions come from a process of which mean and success rate are known; the policy decides which are stored, and the
//! day's rollup has to say where the truth lies.

use std::sync::LazyLock;

use pawl_model::{Policy, RunPolicy, Score, UserId};

use super::{Observation, Rollup};
use crate::sampling::{Decision, Signals, decide};
use crate::stats::{Estimate, Philox};

const DAYS: u32 = 1_000;

/// 0.000 to 1.000 in thousandths.
static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| {
    let score = |number| Score::parse(&format!("{}", f64::from(number) / 1_000.0)).unwrap();
    (0..=1_000).map(score).collect()
});

/// Scores in thousandths, with the probability of each.
struct Process {
    name: &'static str,
    probabilities: Vec<f64>,
}

/// The height of a density at a score, but for its factor.
type Density = Box<dyn Fn(f64) -> f64>;

/// A mixture of densities, each with its share.
fn process(name: &'static str, parts: &[(f64, Density)]) -> Process {
    let mut probabilities = vec![0.0; 1_001];
    for (share, density) in parts {
        let heights: Vec<f64> = (0..=1_000)
            .map(|score| density(f64::from(score) / 1_000.0))
            .collect();
        let total: f64 = heights.iter().sum();
        for (probability, height) in probabilities.iter_mut().zip(heights) {
            *probability += share * height / total;
        }
    }
    Process { name, probabilities }
}

/// The beta distribution's density, moved inwards so that it is finite at both ends.
fn beta(a: i32, b: i32) -> Density {
    Box::new(move |score| (score + 0.0005).powi(a - 1) * (1.0005 - score).powi(b - 1))
}

/// All at one score.
fn point(at: f64) -> Density {
    Box::new(move |score| f64::from(u8::from(score == at)))
}

fn processes() -> [Process; 6] {
    [
        process("good", &[(1.0, beta(8, 2))]),
        process("good, one in ten broken", &[(0.9, beta(8, 2)), (0.1, beta(2, 8))]),
        process("pass or fail", &[(0.85, point(1.0)), (0.15, point(0.0))]),
        process("mediocre", &[(1.0, beta(2, 3))]),
        process(
            "five steps",
            &[
                (0.5, point(1.0)),
                (0.25, point(0.75)),
                (0.12, point(0.5)),
                (0.08, point(0.25)),
                (0.05, point(0.0)),
            ],
        ),
        process("rarely broken", &[(0.97, beta(12, 2)), (0.03, point(0.0))]),
    ]
}

impl Process {
    fn mean(&self) -> f64 {
        let scores = (0..).map(|score| f64::from(score) / 1_000.0);
        scores
            .zip(&self.probabilities)
            .map(|(score, probability)| score * probability)
            .sum()
    }

    fn success_rate(&self, threshold_pct: u8) -> f64 {
        self.probabilities[usize::from(threshold_pct) * 10..].iter().sum()
    }

    /// The probability of a score up to each.
    fn cumulative(&self) -> Vec<f64> {
        let mut sum = 0.0;
        self.probabilities
            .iter()
            .map(|probability| {
                sum += probability;
                sum
            })
            .collect()
    }
}

/// Days of many tenants.
struct Days {
    seed: u64,
    keep_failures: bool,
    /// The fewest and the most of a day.
    interactions: [usize; 2],
    /// The lowest and the highest sample rate, in percent.
    rates: [usize; 2],
}

/// Days as most tenants have them.
const FAILURES_KEPT: Days = Days {
    seed: 21,
    keep_failures: true,
    interactions: [200, 5_000],
    rates: [5, 100],
};
const FAILURES_SAMPLED: Days = Days {
    seed: 22,
    keep_failures: false,
    ..FAILURES_KEPT
};
/// Days of which 10 to 40 interactions are sampled.
const SPARSE: Days = Days {
    seed: 23,
    interactions: [200, 400],
    rates: [5, 10],
    ..FAILURES_KEPT
};

/// Draws a number from `lowest` to `highest`.
fn between(random: &mut Philox, [lowest, highest]: [usize; 2]) -> usize {
    lowest + random.index_below(highest - lowest + 1)
}

/// A day's rollup. Flags are independent of the scores; every fourth of them makes a failure, and one span in a hundred
/// is broken.
fn simulate(random: &mut Philox, cumulative: &[f64], policy: &Policy, interactions: usize) -> Rollup {
    let flags = ["technical", "slow", "off_topic", "toxicity"].map(|flag| vec![flag.to_owned()]);
    let mut rollup = Rollup::default();
    for number in 0..interactions {
        let draw = random.unit();
        let score = &SCORES[cumulative.partition_point(|sum| *sum <= draw).min(1_000)];
        // One in twenty is not scored, whatever its score would have been.
        let score = (random.index_below(20) > 0).then_some(score);
        let flags: &[String] = flags.get(random.index_below(40)).map_or(&[], Vec::as_slice);
        let signals = Signals {
            score,
            flags,
            error_span: random.index_below(100) == 0,
        };
        if let Decision::Keep { weight } = decide(policy, &number.to_string(), &signals) {
            let observation = Observation {
                score,
                weight,
                latency_ms: None,
                flags,
                redacted: 0,
                redactions: &[],
            };
            rollup.add(&observation).unwrap();
        }
    }
    rollup
}

/// Of how many days an interval held the truth; a day without an interval did not.
#[derive(Default)]
struct Coverage {
    covered: u32,
    days: u32,
    width: f64,
}

impl Coverage {
    fn count(&mut self, estimate: Option<Estimate>, truth: f64) {
        self.days += 1;
        if let Some(interval) = estimate.and_then(|estimate| estimate.interval) {
            self.covered += u32::from(interval.contains(truth));
            self.width += interval.width();
        }
    }

    fn share(&self) -> f64 {
        f64::from(self.covered) / f64::from(self.days)
    }
}

impl std::fmt::Display for Coverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width = self.width / f64::from(self.days);
        write!(f, "{} of {} days, mean width {width:.3}", self.covered, self.days)
    }
}

/// Coverage of the mean score, of that for each process, and of the success rates at 60, 80 and 95 %.
struct Outcome {
    means: Coverage,
    by_process: [Coverage; 6],
    rates: Coverage,
}

impl Days {
    fn outcome(&self) -> Outcome {
        let processes = processes();
        let cumulative = processes.each_ref().map(Process::cumulative);
        let mut random = Philox::new(self.seed, 0);
        let mut outcome = Outcome {
            means: Coverage::default(),
            by_process: processes.each_ref().map(|_| Coverage::default()),
            rates: Coverage::default(),
        };
        for tenant in 0..DAYS {
            let index = tenant as usize % processes.len();
            let policy = Policy {
                run_policy: RunPolicy::Sampled,
                sample_rate_pct: between(&mut random, self.rates) as u8,
                sample_salt: format!("salt of {tenant}"),
                keep_failures: self.keep_failures,
                ..Policy::default_of(UserId(uuid::Uuid::from_u128(u128::from(tenant))))
            };
            let interactions = between(&mut random, self.interactions);
            let rollup = simulate(&mut random, &cumulative[index], &policy, interactions);
            let mean = processes[index].mean();
            outcome.means.count(rollup.mean_score(), mean);
            outcome.by_process[index].count(rollup.mean_score(), mean);
            for threshold_pct in [60, 80, 95] {
                let rate = processes[index].success_rate(threshold_pct);
                outcome.rates.count(rollup.success_rate(threshold_pct), rate);
            }
        }
        println!("mean score: {}; success rates: {}", outcome.means, outcome.rates);
        for (process, coverage) in processes.iter().zip(&outcome.by_process) {
            println!("  {}: {coverage}", process.name);
        }
        outcome
    }
}

#[test]
fn the_truth_is_in_the_interval_where_failures_are_kept() {
    let Outcome { means, rates, .. } = FAILURES_KEPT.outcome();
    assert!((0.93..=0.97).contains(&means.share()), "{means}");
    // Kept failures make a rate better known than the effective count says: never less than promised.
    assert!(rates.share() >= 0.93, "{rates}");
}

#[test]
fn the_truth_is_in_the_interval_where_failures_are_sampled() {
    let Outcome { means, rates, .. } = FAILURES_SAMPLED.outcome();
    assert!((0.93..=0.97).contains(&means.share()), "{means}");
    assert!((0.93..=0.97).contains(&rates.share()), "{rates}");
}

#[test]
fn sparse_days_need_their_failures_kept() {
    let kept = SPARSE.outcome();
    assert!((0.92..=0.97).contains(&kept.means.share()), "{}", kept.means);
    assert!(kept.rates.share() >= 0.93, "{}", kept.rates);
    let sampled = Days {
        keep_failures: false,
        ..SPARSE
    };
    let [.., rarely_broken] = sampled.outcome().by_process;
    // Most samples hold none of the rare failures, and nothing in them could tell.
    assert!(rarely_broken.share() < 0.9, "{rarely_broken}");
}
