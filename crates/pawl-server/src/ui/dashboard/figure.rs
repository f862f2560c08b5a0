//! The numbers that sum a stretch of days up, each with how it differs from the days before.

use pawl_checks::rollup::Rollup;
use pawl_checks::stats::Probability;
use pawl_engine::intake::overview::Overview;
use pawl_model::DropReason;

use super::links::Links;
use crate::ui::number::{count, counted};
use crate::ui::{duration, rate};

/// A number that sums the days up.
pub(super) struct Figure {
    pub(super) name: String,
    pub(super) value: String,
    /// The rows behind it.
    pub(super) href: String,
    /// Where the truth plausibly lies; empty where that is not known, or the number is the truth.
    pub(super) interval: String,
    /// What it is of.
    pub(super) detail: String,
    /// How it differs from the days before; none where one of the two is not there.
    pub(super) change: Option<Change>,
}

/// How a number differs from what it was.
pub(super) struct Change {
    pub(super) difference: String,
    pub(super) was: String,
}

/// From so many times on.
const MANY_TIMES: f64 = 5.0;
const NOTHING: &str = "–";

/// All figures of an overview.
pub(super) fn figures(overview: &Overview, links: &Links) -> Vec<Figure> {
    vec![
        mean_score(overview, links),
        success_rate(overview, links),
        latency(overview, links),
        redaction_rate(overview, links),
        volume(overview, links),
        drops(overview),
    ]
}

fn mean_score(overview: &Overview, links: &Links) -> Figure {
    let of = |rollup: &Rollup| rollup.mean_score();
    let now = of(&overview.total);
    let interval = now.and_then(|mean| mean.interval).map(rate::score_interval);
    let scored = rate::of(now.map_or(0, |mean| mean.count), overview.total.interactions());
    Figure {
        name: "Mean score".to_owned(),
        value: now.map_or(NOTHING.to_owned(), |mean| rate::score(mean.value)),
        href: links.sorted("lowest-score"),
        interval: interval.unwrap_or_default(),
        detail: [&scored, " scored"].concat(),
        change: now.zip(of(&overview.before)).map(|(now, was)| Change {
            difference: rate::signed(now.value - was.value, 3),
            was: rate::score(was.value),
        }),
    }
}

fn success_rate(overview: &Overview, links: &Links) -> Figure {
    let threshold = overview.policy.success_threshold_pct;
    let of = |rollup: &Rollup| rollup.success_rate(threshold);
    let now = of(&overview.total);
    let interval = now.and_then(|share| share.interval).map(rate::percent_interval);
    let reached = overview
        .total
        .scores()
        .buckets()
        .filter(|(percent, _)| *percent >= threshold);
    let successes = reached.map(|(_, weights)| weights.count).sum();
    let counts = rate::of(successes, now.map_or(0, |share| share.count));
    Figure {
        name: format!("Success, score from {:.2}", f64::from(threshold) / 100.0),
        value: now.map_or(NOTHING.to_owned(), |share| rate::percent(share.value)),
        href: links.scores(Some(threshold), None),
        interval: interval.unwrap_or_default(),
        detail: counts,
        change: now.zip(of(&overview.before)).map(|(now, was)| Change {
            difference: rate::points(now.value - was.value),
            was: rate::percent(was.value),
        }),
    }
}

fn latency(overview: &Overview, links: &Links) -> Figure {
    let of = |rollup: &Rollup, share| rollup.latency_percentile(share);
    let now = of(&overview.total, Probability::P95);
    let shown = |latency: Option<f64>| latency.map_or(NOTHING.to_owned(), duration::milliseconds);
    let [median, p99] = [Probability::P50, Probability::P99].map(|share| shown(of(&overview.total, share)));
    Figure {
        name: "Latency, 95th percentile".to_owned(),
        value: shown(now),
        href: links.sorted("slowest"),
        interval: String::new(),
        detail: ["median ", &median, " · 99th ", &p99].concat(),
        change: now
            .zip(of(&overview.before, Probability::P95))
            .map(|(now, was)| Change {
                difference: relative(now, was),
                was: duration::milliseconds(was),
            }),
    }
}

fn redaction_rate(overview: &Overview, links: &Links) -> Figure {
    let total = &overview.total;
    let counts = rate::of(total.redacted_interactions(), total.interactions());
    let change = total.redaction_rate().zip(overview.before.redaction_rate());
    Figure {
        name: "Redacted".to_owned(),
        value: total.redaction_rate().map_or(NOTHING.to_owned(), rate::percent),
        href: links.all(),
        interval: String::new(),
        detail: [&counts, " · ", &counted(total.redacted(), "place")].concat(),
        change: change.map(|(now, was)| Change {
            difference: rate::points(now - was),
            was: rate::percent(was),
        }),
    }
}

fn volume(overview: &Overview, links: &Links) -> Figure {
    let [now, was] = [&overview.total, &overview.before].map(Rollup::interactions);
    let days = overview.days.count().unsigned_abs().max(1);
    let stands_for = overview.total.weight().round() as u64;
    let a_day = [&count((now + days / 2) / days), " a day"].concat();
    let weighted = (stands_for > now).then(|| [" · stand for ", &count(stands_for)].concat());
    Figure {
        name: "Stored".to_owned(),
        value: count(now),
        href: links.all(),
        interval: String::new(),
        detail: a_day + &weighted.unwrap_or_default(),
        change: (was > 0).then(|| Change {
            difference: relative(now as f64, was as f64),
            was: count(was),
        }),
    }
}

fn drops(overview: &Overview) -> Figure {
    let of = |rollup: &Rollup| DropReason::ALL.map(|reason| rollup.drops(reason));
    let [sampled_out, over_cap] = of(&overview.total);
    let was: u64 = of(&overview.before).iter().sum();
    Figure {
        name: "Not stored".to_owned(),
        value: count(sampled_out + over_cap),
        // There are no rows behind what was not stored; this says why it was not.
        href: "/settings".to_owned(),
        interval: String::new(),
        detail: [
            &count(sampled_out),
            " sampled out · ",
            &count(over_cap),
            " over cap",
        ]
        .concat(),
        change: (was > 0).then(|| Change {
            difference: relative((sampled_out + over_cap) as f64, was as f64),
            was: count(was),
        }),
    }
}

/// By how many of a hundred a number grew, or how many times as large it is where that is easier to grasp.
fn relative(now: f64, was: f64) -> String {
    match now / was {
        times if times.is_finite() && times < MANY_TIMES => {
            rate::signed((times - 1.0) * 100.0, 1) + "\u{a0}%"
        }
        times if times.is_finite() => format!("×\u{a0}{times:.1}"),
        _ => rate::signed(now, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grew_many_times_says_how_many() {
        for (now, was, shown) in [
            (110.0, 100.0, "+10.0\u{a0}%"),
            (20.0, 1.0, "×\u{a0}20.0"),
            (3.0, 0.0, "+3"),
            (0.0, 4.0, "−100.0\u{a0}%"),
        ] {
            assert_eq!(relative(now, was), shown);
        }
    }
}
