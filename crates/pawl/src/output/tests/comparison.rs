use serde_json::Value;

use super::super::{Comparison, ComparisonFormat, FinishedRun, markdown, table, write_comparison};
use super::rig::{Compared, compared};

fn written(format: ComparisonFormat, comparison: &Comparison) -> String {
    let mut out = Vec::new();
    write_comparison(format, comparison, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn table(compared: &Compared) -> String {
    let mut out = Vec::new();
    table::write_comparison(&compared.comparison, 100, &mut out).unwrap();
    redacted(compared, &String::from_utf8(out).unwrap())
}

/// Ids of runs start with the time, which stands still, and end at random.
fn redacted(compared: &Compared, text: &str) -> String {
    let [first, second] =
        [&compared.first, &compared.second].map(|finished| finished.report.run.id.to_string());
    let short = |id: &str| format!("{}…{}", &id[..8], &id[32..]);
    anstream::adapter::strip_str(text)
        .to_string()
        .replace(&first, "FIRST")
        .replace(&second, "SECOND")
        .replace(&short(&second), "SECOND…")
}

#[tokio::test]
async fn a_comparison_in_words() {
    let compared = compared(16).await;
    insta::assert_snapshot!(table(&compared));
}

#[tokio::test]
async fn an_inconclusive_comparison_in_words() {
    let compared = compared(3).await;
    insta::assert_snapshot!(table(&compared));
}

#[tokio::test]
async fn what_a_comparison_comes_to() {
    for (lost, conclusion) in [(16, "worse"), (3, "inconclusive"), (0, "inconclusive")] {
        let compared = compared(lost).await;
        let document: Value =
            serde_json::from_str(&written(ComparisonFormat::Json, &compared.comparison)).unwrap();
        assert_eq!(document["conclusion"], conclusion, "{lost}");
        assert_eq!(document["lost"]["count"], lost);
        assert_eq!(document["statistics"]["pairs"], 39);
    }
}

#[tokio::test]
async fn the_way_back_is_better_and_strangers_share_nothing() {
    let Compared {
        engine,
        first,
        second,
        ..
    } = &compared(16).await;
    let actor = pawl_engine::Actor::Service;
    let back = engine
        .compare(actor, second.report.run.id, first.report.run.id)
        .await
        .unwrap();
    assert!(written(ComparisonFormat::Table, &back).contains("better: the pass rate rose"));

    let mut strangers = back;
    strangers.statistics = None;
    let text = written(ComparisonFormat::Table, &strangers);
    assert!(
        text.contains("nothing to compare: the runs share no case"),
        "{text}"
    );
    let document: Value = serde_json::from_str(&written(ComparisonFormat::Json, &strangers)).unwrap();
    assert_eq!(document["conclusion"], "nothing_shared");
}

#[tokio::test]
async fn a_run_against_its_baseline() {
    let mut compared = compared(16).await;
    let finished = FinishedRun {
        baseline: Some(compared.comparison.clone()),
        report: compared.second.report.clone(),
        gate: compared.second.gate.clone(),
    };
    compared.second = finished;
    compared.second.report.took = std::time::Duration::from_millis(25);
    let runs = std::slice::from_ref(&compared.second);
    let mut out = Vec::new();
    table::write_runs(runs, 100, &mut out).unwrap();
    insta::assert_snapshot!(
        "baseline_table",
        redacted(&compared, &String::from_utf8(out).unwrap())
    );
    let mut out = Vec::new();
    markdown::write_runs(runs, &mut out).unwrap();
    insta::assert_snapshot!(
        "baseline_markdown",
        redacted(&compared, &String::from_utf8(out).unwrap())
    );
}
