//! How the score grew with the calls of the target.

use pawl_engine::evolve::Progress;

use crate::ui::dashboard::chart::{Cell, Chart, Column, Row};
use crate::ui::number::count;

/// The chart, with a row for each candidate that got into the pool.
pub(super) fn chart(run: &str, progress: &Progress) -> Chart {
    let column = |name: &str, shape, colour| Column {
        name: name.to_owned(),
        shape,
        colour,
    };
    let score = |score: Option<f64>| Cell::of(score, |score| format!("{score:.3}"));
    let mut rows: Vec<Row> = progress
        .points
        .iter()
        .map(|point| Row {
            name: count(point.metric_calls),
            at: Some(point.metric_calls as f64),
            href: format!("/optimizations/{run}?candidate={}#candidate", point.candidate_id),
            cells: vec![score(point.best), score(point.score)],
        })
        .collect();
    // What was spent since the last one brought nothing better.
    if let Some(last) = progress
        .points
        .last()
        .filter(|last| last.metric_calls < progress.spent.metric_calls)
    {
        rows.push(Row {
            name: count(progress.spent.metric_calls),
            at: Some(progress.spent.metric_calls as f64),
            href: ["/optimizations/", run].concat(),
            cells: vec![score(last.best), Cell::default()],
        });
    }
    Chart {
        id: "score",
        title: "Score".to_owned(),
        caption: "over calls of the target".to_owned(),
        unit: "score",
        head: "Calls",
        columns: vec![
            column("The best so far", "steps", "blue"),
            column("Each new candidate", "points", "orange"),
        ],
        rows,
    }
}
