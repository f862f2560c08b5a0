//! Do the intervals and tests keep their promises? Simulated runs with a known truth and fixed seeds.

use super::{
    BootstrapSettings, ComparisonSettings, Observation, PairedCase, PairedComparison, PairedCounts, Philox,
    Probability, TestDesign, mcnemar_exact, mean_interval, minimum_detectable_mean_difference,
    minimum_detectable_rate_difference, paired_bootstrap, paired_rate_difference, wilson,
};

/// Fewer resamples than the default keep the simulations short; each simulation resamples in its own way.
fn bootstrap(simulation: u32) -> BootstrapSettings {
    BootstrapSettings {
        resamples: 499,
        seed: u64::from(simulation),
        ..BootstrapSettings::default()
    }
}

/// Of 95 % intervals, as many as the promise allows for.
fn assert_coverage(what: &str, covered: u32, simulated: u32) {
    let coverage = f64::from(covered) / f64::from(simulated);
    assert!(
        (0.93..=0.97).contains(&coverage),
        "{what}: {covered} of {simulated} intervals hold the truth"
    );
}

/// A standard normal number, by Box and Muller's transform.
fn normal(random: &mut Philox) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// A binomial count, by its definition.
fn successes(random: &mut Philox, trials: u64, rate: f64) -> u64 {
    (0..trials).map(|_| u64::from(random.unit() < rate)).sum()
}

/// A case in two runs of the same agent: its difficulty is shared, the rest is noise of each run.
fn same_agent_twice(random: &mut Philox, ability: f64) -> PairedCase {
    let difficulty = ability + 1.5 * normal(random);
    let mut run = || {
        let quality = difficulty + normal(random);
        Observation {
            passed: Some(quality > 0.0),
            score: Some(1.0 / (1.0 + (-quality).exp())),
        }
    };
    PairedCase {
        first: run(),
        second: run(),
    }
}

#[test]
fn two_equal_runs_rarely_raise_an_alarm() {
    // Abilities that give pass rates of .50, .71, .87 and .95; sizes of suites as people keep them.
    let designs = [(0.0, 50), (1.0, 20), (2.0, 100), (3.0, 200)];
    let simulated = 2_000_u32;
    let mut random = Philox::new(11, 0);
    let (mut by_test, mut by_rate_interval, mut by_score_interval) = (0_u32, 0_u32, 0_u32);
    for simulation in 0..simulated {
        let (ability, pairs) = designs[simulation as usize % designs.len()];
        let cases: Vec<PairedCase> = (0..pairs)
            .map(|_| same_agent_twice(&mut random, ability))
            .collect();
        let settings = ComparisonSettings {
            bootstrap: bootstrap(simulation),
            ..ComparisonSettings::default()
        };
        let comparison = PairedComparison::new(cases, &settings).unwrap();
        let scores = comparison.scores.unwrap();
        by_test += u32::from(comparison.rates.p_value < 0.05);
        by_rate_interval += u32::from(!comparison.rates.interval.contains(0.0));
        by_score_interval += u32::from(!scores.difference.interval.unwrap().contains(0.0));
    }
    // At most 6.2 % of 2,000; and not so few that nothing could ever be found.
    for (what, alarms) in [
        ("test", by_test),
        ("rate interval", by_rate_interval),
        ("score interval", by_score_interval),
    ] {
        assert!(
            (20..=124).contains(&alarms),
            "{what}: {alarms} false alarms in {simulated} comparisons"
        );
    }
}

#[test]
fn wilson_covers_the_rate() {
    let mut random = Philox::new(12, 0);
    for total in [20, 50, 200] {
        let (mut covered, mut simulated) = (0, 0);
        for rate in (1..20).map(|step| f64::from(step) / 20.0) {
            for _ in 0..400 {
                covered += u32::from(
                    wilson(successes(&mut random, total, rate), total, Probability::P95).contains(rate),
                );
                simulated += 1;
            }
        }
        assert_coverage(&format!("wilson, {total} cases"), covered, simulated);
    }
}

/// The discordant pairs of a comparison in which these shares of the pairs pass only in the first, only in the second run.
fn flips(random: &mut Philox, pairs: u64, lost: f64, gained: f64) -> PairedCounts {
    let mut counts = PairedCounts {
        pairs,
        ..PairedCounts::default()
    };
    for _ in 0..pairs {
        let draw = random.unit();
        counts.only_first_passed += u64::from(draw < lost);
        counts.only_second_passed += u64::from((lost..lost + gained).contains(&draw));
    }
    counts
}

#[test]
fn the_rate_interval_covers_the_difference() {
    let mut random = Philox::new(13, 0);
    for (pairs, lost, gained) in [
        (20, 0.15, 0.15),
        (50, 0.10, 0.10),
        (50, 0.05, 0.20),
        (100, 0.05, 0.05),
        (200, 0.02, 0.10),
        (500, 0.03, 0.03),
    ] {
        let simulated = 2_000;
        let covered = (0..simulated)
            .filter(|_| {
                let counts = flips(&mut random, pairs, lost, gained);
                paired_rate_difference(counts, Probability::P95).contains(gained - lost)
            })
            .count();
        assert_coverage(
            &format!("{pairs} pairs, {lost} lost, {gained} gained"),
            covered as u32,
            simulated,
        );
    }
}

#[test]
fn a_detectable_difference_is_found_as_often_as_promised() {
    let mut random = Philox::new(16, 0);
    let simulated = 4_000;
    let assert_power = |what: &str, found: usize| {
        // 80 % ± 3 standard deviations of a share of 4,000.
        assert!(
            (3_124..=3_276).contains(&found),
            "{what}: found {found} times in {simulated}"
        );
    };
    for (pairs, discordance) in [(30, 0.1), (50, 0.2), (200, 0.1), (1_000, 0.05)] {
        let design = TestDesign {
            pairs,
            significance: Probability::new(0.05).unwrap(),
            power: Probability::P80,
        };
        let difference = minimum_detectable_rate_difference(&design, discordance)
            .unwrap()
            .unwrap();
        let discordance = difference.max(discordance);
        let (lost, gained) = (
            (discordance - difference) / 2.0,
            f64::midpoint(discordance, difference),
        );
        let found = (0..simulated).filter(|_| {
            let counts = flips(&mut random, pairs, lost, gained);
            mcnemar_exact(counts.only_first_passed, counts.only_second_passed) <= 0.05
        });
        assert_power(&format!("rates of {pairs} pairs"), found.count());
    }
    let design = TestDesign {
        pairs: 20,
        significance: Probability::new(0.05).unwrap(),
        power: Probability::P80,
    };
    let difference = minimum_detectable_mean_difference(&design, 1.0).unwrap().unwrap();
    let found = (0..simulated).filter(|_| {
        let sample: Vec<f64> = (0..20).map(|_| difference + normal(&mut random)).collect();
        !mean_interval(&sample, Probability::P95)
            .unwrap()
            .interval
            .unwrap()
            .contains(0.0)
    });
    assert_power("scores of 20 pairs", found.count());
}

/// A distribution of score differences with its true mean.
struct Differences {
    name: &'static str,
    mean: f64,
    draw: fn(&mut Philox) -> f64,
}

/// exp(σ·z) has the mean exp(σ²/2).
const LOG_NORMAL: Differences = Differences {
    name: "log-normal",
    mean: 1.133_148_453_066_826_3,
    draw: |random| (0.5 * normal(random)).exp(),
};

const DIFFERENCES: [Differences; 6] = [
    Differences {
        name: "normal",
        mean: 0.0,
        draw: normal,
    },
    Differences {
        name: "exponential",
        mean: 1.0,
        draw: |random| -(1.0 - random.unit()).ln(),
    },
    LOG_NORMAL,
    // Pass/fail scores: 10 % lost, 20 % gained.
    Differences {
        name: "binary",
        mean: 0.1,
        draw: |random| match random.unit() {
            lost if lost < 0.1 => -1.0,
            gained if gained < 0.3 => 1.0,
            _ => 0.0,
        },
    },
    // Scores in eighths of which two thirds do not change.
    Differences {
        name: "mostly unchanged",
        mean: 0.0,
        draw: |random| match random.index_below(6) {
            0 => (random.index_below(8) + 1) as f64 / 8.0,
            1 => -((random.index_below(8) + 1) as f64) / 8.0,
            _ => 0.0,
        },
    },
    // The difference of two scores between 0 and 1, skewed towards the losses.
    Differences {
        name: "skewed to losses",
        mean: 0.5 - 0.8,
        draw: |random| random.unit() - random.unit().powf(0.25),
    },
];

fn covers(differences: &Differences, count: usize) {
    let simulated = 2_000;
    let mut random = Philox::new(14, count as u64);
    let covered = (0..simulated)
        .filter(|simulation| {
            let sample: Vec<f64> = (0..count).map(|_| (differences.draw)(&mut random)).collect();
            let estimate = paired_bootstrap(&sample, &bootstrap(*simulation)).unwrap();
            estimate
                .interval
                .is_none_or(|interval| interval.contains(differences.mean))
        })
        .count();
    assert_coverage(
        &format!("{}, {count} differences", differences.name),
        covered as u32,
        simulated,
    );
}

#[test]
fn the_bootstrap_covers_the_mean_of_20_differences() {
    for differences in &DIFFERENCES {
        covers(differences, 20);
    }
}

#[test]
fn the_bootstrap_covers_the_mean_of_60_differences() {
    for differences in &DIFFERENCES {
        covers(differences, 60);
    }
}

#[test]
fn the_bootstrap_covers_the_mean_of_500_differences() {
    covers(&LOG_NORMAL, 500);
}

#[test]
fn student_covers_the_mean() {
    let mut random = Philox::new(15, 0);
    let covered = (0..2_000)
        .filter(|_| {
            let sample: Vec<f64> = (0..10).map(|_| normal(&mut random)).collect();
            mean_interval(&sample, Probability::P95)
                .unwrap()
                .interval
                .unwrap()
                .contains(0.0)
        })
        .count();
    assert_coverage("Student's interval, 10 values", covered as u32, 2_000);
}
