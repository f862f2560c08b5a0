use std::num::NonZeroU8;

use proptest::prelude::*;

use super::*;
use crate::stats::{Probability, WeightedValues};

/// A row as intake stores it.
#[derive(Clone, Debug)]
struct Row {
    score: Option<Score>,
    weight: f64,
    latency_ms: Option<i32>,
    flags: Vec<String>,
    redactions: Vec<(&'static str, u32)>,
}

impl Row {
    fn add_to(&self, rollup: &mut Rollup) {
        let observation = Observation {
            score: self.score.as_ref(),
            weight: self.weight,
            latency_ms: self.latency_ms,
            flags: &self.flags,
            redacted: self.redactions.iter().map(|(_, count)| count).sum(),
            redactions: &self.redactions,
        };
        rollup.add(&observation).unwrap();
    }
}

fn rollup_of(rows: &[Row]) -> Rollup {
    rows.iter().fold(Rollup::default(), |mut rollup, row| {
        row.add_to(&mut rollup);
        rollup
    })
}

prop_compose! {
    fn row()(
        thousandths in proptest::option::weighted(0.9, 0..=1_000u32),
        // A quarter as the unit, so that sums of weights are exact and ranks in the oracle are not a matter of rounding.
        quarters in prop_oneof![Just(4), 1..400u32],
        latency_ms in proptest::option::weighted(0.9, prop_oneof![0..3i32, 0..5_000i32, 0..=i32::MAX]),
        flags in proptest::collection::vec("[ab]{1,2}", 0..4),
        emails in 0..3u32,
        phones in 0..2u32,
    ) -> Row {
        Row {
            score: thousandths.map(|number| Score::parse(&format!("{}", f64::from(number) / 1_000.0)).unwrap()),
            weight: f64::from(quarters) / 4.0,
            latency_ms,
            flags,
            redactions: vec![("email", emails), ("phone", phones)],
        }
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(row(), 0..60)
}

fn close(first: f64, second: f64) -> bool {
    (first - second).abs() <= 1e-12 * first.abs().max(second.abs())
}

/// Equal, but for the rounding of sums.
fn assert_alike(first: &Rollup, second: &Rollup) {
    assert!(close(first.weight, second.weight));
    let sums = |rollup: &Rollup| {
        let WeightedValues {
            sum,
            squared_weights,
            squares,
        } = rollup.scores.values();
        [sum, squared_weights, squares]
    };
    assert!(
        sums(first)
            .into_iter()
            .zip(sums(second))
            .all(|(first, second)| close(first, second))
    );
    let counts = |rollup: &Rollup| Rollup {
        weight: 0.0,
        scores: Scores::default(),
        ..rollup.clone()
    };
    assert_eq!(counts(first), counts(second));
    assert!(first.scores.buckets().eq(second.scores.buckets()));
}

proptest! {
    #[test]
    fn order_and_grouping_do_not_matter(
        (rows, shuffled) in rows().prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 2),
    ) {
        let whole = rollup_of(&rows);
        assert_alike(&whole, &rollup_of(&shuffled));
        let mut cuts = cuts.iter().map(|cut| cut.index(rows.len() + 1)).collect::<Vec<_>>();
        cuts.sort_unstable();
        let hours = [&shuffled[..cuts[0]], &shuffled[cuts[0]..cuts[1]], &shuffled[cuts[1]..]].map(rollup_of);
        let merged = |order: [usize; 3]| order.into_iter().fold(Rollup::default(), |mut day, hour| {
            day.merge(&hours[hour]);
            day
        });
        assert_alike(&whole, &merged([0, 1, 2]));
        assert_alike(&whole, &merged([2, 0, 1]));
        let mut nested = hours[1].clone();
        nested.merge(&hours[2]);
        let mut day = hours[0].clone();
        day.merge(&nested);
        assert_alike(&whole, &day);
    }

    #[test]
    fn the_numbers_are_those_of_the_rows(rows in rows(), threshold_pct in 0..=100u8) {
        let rollup = rollup_of(&rows);
        let scored: Vec<(&Score, f64)> =
            rows.iter().filter_map(|row| row.score.as_ref().map(|score| (score, row.weight))).collect();
        let weight: f64 = scored.iter().map(|(_, weight)| weight).sum();

        prop_assert_eq!(rollup.interactions(), rows.len() as u64);
        prop_assert_eq!(rollup.scores().weights().count, scored.len() as u64);
        prop_assert!(close(rollup.weight(), rows.iter().map(|row| row.weight).sum()));

        let mean = scored.iter().map(|(score, weight)| weight * score.as_f64()).sum::<f64>() / weight;
        let estimate = rollup.mean_score();
        prop_assert_eq!(estimate.is_some(), !scored.is_empty());
        if let Some(estimate) = estimate {
            prop_assert!(close(estimate.value, mean));
            let deviations: f64 = scored
                .iter()
                .map(|(score, weight)| (weight * (score.as_f64() - mean)).powi(2))
                .sum();
            let n = scored.len() as f64;
            if let Some(interval) = estimate.interval && interval.lower > 0.0 {
                // The half width is t times the standard error, and t is above the normal quantile.
                let error = (deviations * n / (n - 1.0)).sqrt() / weight;
                prop_assert!(mean - interval.lower > 1.9599 * error && mean - interval.lower < 12.71 * error);
            }
        }

        let successes: f64 = scored
            .iter()
            .filter(|(score, _)| score.percent() >= threshold_pct)
            .map(|(_, weight)| weight)
            .sum();
        if let Some(rate) = rollup.success_rate(threshold_pct) {
            prop_assert!((rate.value - successes / weight).abs() < 1e-12);
        }

        let with_flag = rows.iter().filter(|row| row.flags.iter().any(|flag| flag == "a")).count() as u64;
        prop_assert_eq!(rollup.flags().iter().find(|(flag, _)| *flag == "a").map_or(0, |(_, count)| count), with_flag);
        let emails: u64 = rows.iter().map(|row| u64::from(row.redactions[0].1)).sum();
        prop_assert_eq!(rollup.redactions().iter().find(|(kind, _)| *kind == "email").map_or(0, |(_, count)| count), emails);
        let redacted = rows.iter().filter(|row| row.redactions.iter().any(|(_, count)| *count > 0)).count();
        prop_assert_eq!(rollup.redacted_interactions(), redacted as u64);
    }

    #[test]
    fn percentiles_are_within_one_percent(rows in rows(), share in 0.001..0.999f64) {
        let share = Probability::new(share).unwrap();
        let mut timed: Vec<(i32, f64)> =
            rows.iter().filter_map(|row| Some((row.latency_ms?, row.weight))).collect();
        timed.sort_by_key(|(latency_ms, _)| *latency_ms);
        let rank = share.get() * timed.iter().map(|(_, weight)| weight).sum::<f64>();
        let mut below = 0.0;
        let exact = timed.iter().find(|(_, weight)| {
            below += weight;
            below >= rank
        });
        let sketched = rollup_of(&rows).latency_percentile(share);
        prop_assert_eq!(sketched.is_some(), exact.is_some());
        if let (Some(sketched), Some((exact, _))) = (sketched, exact) {
            let exact = f64::from(*exact);
            prop_assert!((sketched - exact).abs() <= exact * (0.01 + 1e-12), "{sketched} is not {exact}");
        }
    }

    #[test]
    fn storage_changes_nothing(rows in rows(), sampled_out in 0..3u64) {
        let mut rollup = rollup_of(&rows);
        rollup.add_drops(DropReason::SampledOut, sampled_out);
        let json = serde_json::to_string(&rollup).unwrap();
        prop_assert_eq!(serde_json::from_str::<Rollup>(&json).unwrap(), rollup, "{}", json);
    }

    #[test]
    fn which_names_are_counted_does_not_depend_on_the_order(
        names in Just((0..1_300).map(|number| format!("{number}")).collect::<Vec<_>>()).prop_shuffle(),
        cut in 0..1_300usize,
    ) {
        let count = |names: &[String]| names.iter().fold(NameCounts::default(), |mut counts, name| {
            counts.add(name, 1);
            counts
        });
        let (first, second) = names.split_at(cut);
        let mut merged = count(first);
        merged.merge(&count(&names));
        merged.merge(&count(second));
        // 0 to 999 are the shortest, and each is there twice.
        prop_assert_eq!(merged.iter().count(), NameCounts::MAX_NAMES);
        prop_assert!(merged.iter().all(|(name, count)| count == 2 && name.len() <= 3));
        prop_assert_eq!(merged.others(), 600);
    }
}

fn example() -> Rollup {
    let row = |score: Option<&str>, weight, latency_ms, flags: &[&str], emails| Row {
        score: score.map(|number| Score::parse(number).unwrap()),
        weight,
        latency_ms,
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        redactions: vec![("email", emails)],
    };
    let mut rollup = rollup_of(&[
        row(Some("0.5"), 4.0, Some(120), &[], 0),
        row(Some("1"), 4.0, Some(0), &["slow", "slow"], 2),
        row(Some("0.25"), 1.0, Some(121), &["toxicity"], 0),
        row(None, 4.0, None, &[], 0),
    ]);
    rollup.add_drops(DropReason::SampledOut, 9);
    rollup.add_drops(DropReason::OverCap, 0);
    rollup
}

#[test]
fn the_json_form_is_stable() {
    assert_eq!(
        serde_json::to_string(&example()).unwrap(),
        concat!(
            r#"{"n":4,"w":13.0,"#,
            r#""s":{"b":[[25,1,1.0,1.0],[50,1,4.0,16.0],[100,1,4.0,16.0]],"v":{"wx":6.25,"w2x":24.25,"w2x2":20.0625}},"#,
            r#""l":{"n":3,"z":4.0,"b":[[240,5.0]]},"f":{"c":{"slow":1,"toxicity":1}},"#,
            r#""r":2,"ri":1,"k":{"c":{"email":2}},"d":{"sampled_out":9}}"#,
        )
    );
    assert_eq!(
        serde_json::to_string(&Rollup::default()).unwrap(),
        r#"{"n":0,"w":0.0}"#
    );
    assert_eq!(serde_json::from_str::<Rollup>("{}").unwrap(), Rollup::default());
}

#[test]
fn json_that_is_no_rollup_is_refused() {
    for (json, expected) in [
        (r#"{"x":1}"#, "unknown field `x`"),
        (r#"{"n":-1}"#, "invalid value"),
        (r#"{"s":{"b":[[101,1,1,1]]}}"#, "no scores of 101 %"),
        (r#"{"s":{"b":[[7,1,-1,1]]}}"#, "no scores of 7 %"),
        (r#"{"l":{"b":[[1076,1]]}}"#, "no latencies are in bin 1076"),
        (r#"{"l":{"b":[[3,0]]}}"#, "no latencies are in bin 3"),
        (r#"{"d":{"lost":1}}"#, "`lost` is no reason for a drop"),
        (r#"{"w":1e999}"#, "out of range"),
    ] {
        let error = serde_json::from_str::<Rollup>(json).unwrap_err().to_string();
        assert!(error.contains(expected), "{json}: {error}");
    }
}

#[test]
fn what_is_out_of_range_leaves_the_rollup_as_it_was() {
    let fine = Observation {
        score: None,
        weight: 1.0,
        latency_ms: Some(5),
        flags: &[],
        redacted: 0,
        redactions: &[],
    };
    let mut rollup = example();
    for weight in [0.0, -1.0, 1e6 + 1.0, f64::NAN, f64::INFINITY] {
        let error = rollup.add(&Observation { weight, ..fine }).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("weight {weight} is not above 0 and at most 1000000")
        );
    }
    let negative = Observation {
        latency_ms: Some(-1),
        ..fine
    };
    assert_eq!(rollup.add(&negative), Err(RollupError::Latency(-1)));
    assert_eq!(rollup, example());
}

#[test]
fn names_that_are_too_long_are_among_the_others() {
    let mut names = NameCounts::default();
    names.add(&"x".repeat(NameCounts::MAX_NAME_BYTES), 1);
    names.add(&"x".repeat(NameCounts::MAX_NAME_BYTES + 1), 2);
    assert_eq!((names.iter().count(), names.others()), (1, 2));
}

#[test]
fn shares_are_of_what_is_stored() {
    let rollup = example();
    assert_eq!(rollup.coverage(), Some(0.75));
    assert_eq!(rollup.redaction_rate(), Some(0.25));
    assert_eq!(rollup.drops(DropReason::SampledOut), 9);
    assert_eq!(rollup.drops(DropReason::OverCap), 0);
    let nothing = Rollup::default();
    assert_eq!((nothing.coverage(), nothing.redaction_rate()), (None, None));
    assert_eq!((nothing.mean_score(), nothing.success_rate(80)), (None, None));
}

#[test]
fn thresholds_include_the_percent_they_name() {
    let rate = |threshold_pct| example().success_rate(threshold_pct).unwrap().value;
    assert_eq!((rate(0), rate(25), rate(26)), (1.0, 1.0, 8.0 / 9.0));
    assert_eq!((rate(50), rate(51), rate(100)), (8.0 / 9.0, 4.0 / 9.0, 4.0 / 9.0));
    assert_eq!(rate(101), 0.0);
}

#[test]
fn histograms_hold_every_score_once() {
    let bars = |width| example().scores().histogram(NonZeroU8::new(width).unwrap());
    let filled = |width| {
        let filled = bars(width).into_iter().filter(|bar| bar.count > 0);
        filled
            .map(|bar| (bar.from_pct, bar.to_pct, bar.weight))
            .collect::<Vec<_>>()
    };
    assert_eq!(filled(10), [(20, 29, 1.0), (50, 59, 4.0), (90, 100, 4.0)]);
    assert_eq!(filled(30), [(0, 29, 1.0), (30, 59, 4.0), (90, 100, 4.0)]);
    assert_eq!(filled(255), [(0, 100, 9.0)]);
    for width in 1..=100 {
        let bars = bars(width);
        assert_eq!(bars.len(), usize::from(100_u8.div_ceil(width)));
        assert_eq!((bars[0].from_pct, bars[bars.len() - 1].to_pct), (0, 100));
        assert!(bars.windows(2).all(|pair| pair[0].to_pct + 1 == pair[1].from_pct));
    }
}
