//! Charts, as the tables that they are drawn from: whoever has no script, or does not see, reads the same numbers.

use std::cmp::Reverse;

use pawl_checks::rollup::Rollup;
use pawl_checks::stats::Probability;
use pawl_engine::intake::Zone;
use pawl_engine::intake::overview::{Overview, Piece, Step};
use pawl_model::DropReason;
use time::macros::format_description;

use super::links::Links;
use super::range;
use crate::ui::number::count;
use crate::ui::{duration, rate};

/// Flags that a chart tells apart.
const FLAGS: usize = 5;
/// Percents of a bar of the histogram.
const BAR_WIDTH: std::num::NonZeroU8 = std::num::NonZeroU8::new(5).expect("it is not 0");

/// A chart, and the table behind it.
pub(in crate::ui) struct Chart {
    pub(in crate::ui) id: &'static str,
    pub(in crate::ui) title: String,
    /// What is shown, and in which unit.
    pub(in crate::ui) caption: String,
    /// What the numbers are: `score`, `milliseconds` or `count`.
    pub(in crate::ui) unit: &'static str,
    /// What the rows are of.
    pub(in crate::ui) head: &'static str,
    pub(in crate::ui) columns: Vec<Column>,
    pub(in crate::ui) rows: Vec<Row>,
}

/// A series of a chart.
pub(in crate::ui) struct Column {
    pub(in crate::ui) name: String,
    /// How it is drawn: `line`, `steps`, `points`, `bar`, or as the end of an interval, `lower` or `upper`.
    pub(in crate::ui) shape: &'static str,
    /// The token of its colour.
    pub(in crate::ui) colour: &'static str,
}

/// A point of every series.
pub(in crate::ui) struct Row {
    pub(in crate::ui) name: String,
    /// Where it is, where rows are not as far apart as each other.
    pub(in crate::ui) at: Option<f64>,
    /// The rows behind it.
    pub(in crate::ui) href: String,
    pub(in crate::ui) cells: Vec<Cell>,
}

/// A number of a chart.
#[derive(Default)]
pub(in crate::ui) struct Cell {
    /// For the script; none where there is a gap.
    pub(in crate::ui) value: Option<f64>,
    pub(in crate::ui) text: String,
    /// The rows behind it, where they are others than those behind its row.
    pub(in crate::ui) href: Option<String>,
}

impl Cell {
    pub(in crate::ui) fn of(value: Option<f64>, show: impl FnOnce(f64) -> String) -> Self {
        Self {
            value,
            text: value.map_or("–".to_owned(), show),
            href: None,
        }
    }

    fn count(number: Option<u64>) -> Self {
        Self::of(number.map(|number| number as f64), |_| {
            count(number.unwrap_or_default())
        })
    }
}

impl Chart {
    /// The series that have a colour of their own; none where there is but one.
    pub(in crate::ui) fn legend(&self) -> Vec<&Column> {
        let drawn = self
            .columns
            .iter()
            .filter(|column| matches!(column.shape, "line" | "bar" | "steps" | "points"));
        Some(drawn.collect())
            .filter(|drawn: &Vec<_>| drawn.len() > 1)
            .unwrap_or_default()
    }
}

/// The charts of an overview.
pub(super) fn charts(overview: &Overview, step: Step, links: &Links) -> Vec<Chart> {
    let pieces = Pieces::of(overview, step);
    vec![
        scores(&pieces),
        latencies(&pieces),
        flags(&pieces, overview),
        histogram(overview, links),
        volume(&pieces),
    ]
}

/// The pieces of a series, each with its name and the rows behind it.
struct Pieces<'o> {
    pieces: Vec<(&'o Piece, String, Links)>,
    head: &'static str,
}

impl<'o> Pieces<'o> {
    fn of(overview: &'o Overview, step: Step) -> Self {
        let zone = Zone::named_or_utc(&overview.policy.timezone);
        let ends = overview.series.iter().skip(1).map(|piece| piece.starts);
        let ends = ends.chain([overview.until]);
        let pieces = overview.series.iter().zip(ends).map(|(piece, ends)| {
            let local = zone.local(piece.starts);
            let (name, links) = match step {
                Step::Day => {
                    let day = range::iso(local.date());
                    let name = local.format(format_description!(
                        "[weekday repr:short] [day padding:none] [month repr:short]"
                    ));
                    (name, Links::of_days([day.clone(), day]))
                }
                Step::Hour => {
                    let name = local.format(format_description!(
                        "[day padding:none] [month repr:short] [hour]:[minute]"
                    ));
                    (name, Links::between(piece.starts, ends))
                }
            };
            (piece, name.unwrap_or_default(), links)
        });
        Self {
            pieces: pieces.collect(),
            head: match step {
                Step::Day => "Day",
                Step::Hour => "Hour",
            },
        }
    }

    fn rows(&self, cells: impl Fn(Option<&Rollup>, &Links) -> Vec<Cell>) -> Vec<Row> {
        let row = |(piece, name, links): &(&Piece, String, Links)| Row {
            name: name.clone(),
            at: None,
            href: links.all(),
            cells: cells(piece.rollup.as_ref(), links),
        };
        self.pieces.iter().map(row).collect()
    }
}

fn scores(pieces: &Pieces<'_>) -> Chart {
    let column = |name: &str, shape| Column {
        name: name.to_owned(),
        shape,
        colour: "blue",
    };
    Chart {
        id: "scores",
        title: "Score".to_owned(),
        caption: "mean, with its 95 % interval".to_owned(),
        unit: "score",
        head: pieces.head,
        columns: vec![
            column("Mean", "line"),
            column("From", "lower"),
            column("To", "upper"),
        ],
        rows: pieces.rows(|rollup, _| {
            let mean = rollup.and_then(Rollup::mean_score);
            let interval = mean.and_then(|mean| mean.interval);
            let cell = |value| Cell::of(value, rate::score);
            vec![
                cell(mean.map(|mean| mean.value)),
                cell(interval.map(|interval| interval.lower)),
                cell(interval.map(|interval| interval.upper)),
            ]
        }),
    }
}

fn latencies(pieces: &Pieces<'_>) -> Chart {
    let column = |name: &str, colour| Column {
        name: name.to_owned(),
        shape: "line",
        colour,
    };
    Chart {
        id: "latencies",
        title: "Latency".to_owned(),
        caption: "median and 95th percentile".to_owned(),
        unit: "milliseconds",
        head: pieces.head,
        columns: vec![column("95th percentile", "orange"), column("Median", "sky")],
        rows: pieces.rows(|rollup, _| {
            let percentile = |share| rollup.and_then(|rollup| rollup.latency_percentile(share));
            [Probability::P95, Probability::P50]
                .map(|share| Cell::of(percentile(share), duration::milliseconds))
                .into()
        }),
    }
}

/// The flags of a rollup, the most frequent first.
pub(super) fn ranked(rollup: &Rollup) -> Vec<(&str, u64)> {
    let mut flags: Vec<_> = rollup.flags().iter().collect();
    flags.sort_by_key(|(flag, count)| (Reverse(*count), *flag));
    flags
}

fn flags(pieces: &Pieces<'_>, overview: &Overview) -> Chart {
    // Warm where the flag makes an interaction a failing one.
    let mut cool = ["sky", "green", "purple", "yellow", "blue"].into_iter();
    let mut warm = ["vermilion", "orange", "failed", "purple", "yellow"].into_iter();
    let ranked = ranked(&overview.total);
    let shown: Vec<&str> = ranked.iter().take(FLAGS).map(|(flag, _)| *flag).collect();
    let column = |flag: &&str| {
        let is_failure = overview
            .policy
            .failure_flags
            .iter()
            .any(|failing| failing == flag);
        Column {
            name: (*flag).to_owned(),
            shape: "bar",
            colour: if is_failure { warm.next() } else { cool.next() }.unwrap_or("line-strong"),
        }
    };
    let mut columns: Vec<_> = shown.iter().map(column).collect();
    let has_others = ranked.len() > FLAGS || overview.total.flags().others() > 0;
    if has_others {
        columns.push(Column {
            name: "all others".to_owned(),
            shape: "bar",
            colour: "line-strong",
        });
    }
    Chart {
        id: "flags",
        title: "Flags".to_owned(),
        caption: "interactions with a flag; one may have several".to_owned(),
        unit: "count",
        head: pieces.head,
        columns,
        rows: pieces.rows(|rollup, links| {
            let of = |flag: &str| {
                let mut flags = rollup?.flags().iter();
                Some(
                    flags
                        .find(|(name, _)| *name == flag)
                        .map_or(0, |(_, count)| count),
                )
            };
            let mut cells: Vec<_> = shown
                .iter()
                .map(|flag| Cell {
                    href: of(flag).filter(|count| *count > 0).map(|_| links.flag(flag)),
                    ..Cell::count(of(flag))
                })
                .collect();
            if has_others {
                let all = rollup.map(|rollup| {
                    let named: u64 = rollup.flags().iter().map(|(_, count)| count).sum();
                    named + rollup.flags().others()
                });
                let told_apart: u64 = shown.iter().filter_map(|flag| of(flag)).sum();
                cells.push(Cell::count(all.map(|all| all - told_apart)));
            }
            cells
        }),
    }
}

fn histogram(overview: &Overview, links: &Links) -> Chart {
    let threshold = overview.policy.success_threshold_pct;
    let column = |name: &str, colour| Column {
        name: name.to_owned(),
        shape: "bar",
        colour,
    };
    let rows = overview.total.scores().histogram(BAR_WIDTH);
    let rows = rows.into_iter().map(|bar| {
        // A bar in which the threshold lies is no success as a whole.
        let (below, from) = match bar.from_pct >= threshold {
            true => (None, Some(bar.count)),
            false => (Some(bar.count), None),
        };
        let share = |pct: u8| format!("{:.2}", f64::from(pct) / 100.0);
        Row {
            name: [
                &share(bar.from_pct),
                "–",
                &share(if bar.to_pct == 100 { 100 } else { bar.to_pct + 1 }),
            ]
            .concat(),
            at: None,
            href: links.scores(Some(bar.from_pct), Some(bar.to_pct)),
            cells: vec![Cell::count(below), Cell::count(from)],
        }
    });
    let threshold = format!("{:.2}", f64::from(threshold) / 100.0);
    Chart {
        id: "histogram",
        title: "Scores".to_owned(),
        caption: "how many interactions reached which score".to_owned(),
        unit: "count",
        head: "Score",
        columns: vec![
            column(&["Below ", &threshold].concat(), "sky"),
            column(&["Success, from ", &threshold].concat(), "green"),
        ],
        rows: rows.collect(),
    }
}

fn volume(pieces: &Pieces<'_>) -> Chart {
    let column = |name: &str, colour| Column {
        name: name.to_owned(),
        shape: "bar",
        colour,
    };
    Chart {
        id: "volume",
        title: "Volume".to_owned(),
        caption: "interactions stored, and not stored by reason".to_owned(),
        unit: "count",
        head: pieces.head,
        columns: vec![
            column("Stored", "blue"),
            column("Sampled out", "yellow"),
            column("Over the cap", "vermilion"),
        ],
        rows: pieces.rows(|rollup, _| {
            let drops = DropReason::ALL.map(|reason| rollup.map(|rollup| rollup.drops(reason)));
            let stored = rollup.map(Rollup::interactions);
            [stored].into_iter().chain(drops).map(Cell::count).collect()
        }),
    }
}
