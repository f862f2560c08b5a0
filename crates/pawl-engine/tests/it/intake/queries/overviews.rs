//! Overviews: what was added up is what the rows say.

use pawl_checks::rollup::Rollup;
use pawl_checks::stats::Probability;
use pawl_engine::intake::Terms;
use pawl_engine::intake::overview::{Days, Overview, Step, Today};
use pawl_engine::{Actor, EngineError};
use pawl_model::NewInteraction;
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use time::Duration;

use super::{Rig, filled, interaction, nth, user};

on_both_engines!(
    overviews_equal_the_rows,
    a_day_counts_what_arrives_on_it,
    changes_behind_our_back_are_added_up_again,
    a_new_zone_moves_the_hours,
);

async fn overview(rig: &Rig, step: Step) -> Overview {
    let last = samples::time(0).date();
    let days = Days {
        first: last - Duration::days(10),
        last,
    };
    let actor = Actor::Tenant(user(1));
    rig.engine.overview(actor, user(1), days, step).await.unwrap()
}

/// Compares what was added up with the plain formulas over the rows.
fn assert_equal(total: &Rollup, rows: &[NewInteraction]) {
    assert_eq!(total.interactions(), rows.len() as u64);
    let scored: Vec<(f64, f64, u8)> = rows
        .iter()
        .filter_map(|row| {
            let score = row.score.as_ref()?;
            Some((row.sample_weight.unwrap_or(1.0), score.as_f64(), score.percent()))
        })
        .collect();
    let weight: f64 = scored.iter().map(|(weight, ..)| weight).sum();
    let mean = scored
        .iter()
        .map(|(weight, score, _)| weight * score)
        .sum::<f64>()
        / weight;
    let passed: f64 = scored
        .iter()
        .filter(|(.., percent)| *percent >= 80)
        .map(|(weight, ..)| weight)
        .sum();
    let near = |one: f64, other: f64| (one - other).abs() < 1e-9;
    assert!(near(total.mean_score().unwrap().value, mean));
    assert!(near(total.success_rate(80).unwrap().value, passed / weight));
    let redacted: i32 = rows.iter().map(|row| row.pii_tokens_redacted).sum();
    assert_eq!(total.redacted(), u64::from(redacted.unsigned_abs()));
    for flag in ["safe", "hallucination", "slow"] {
        let expected = rows
            .iter()
            .filter(|row| row.flags.iter().any(|known| known == flag))
            .count();
        let counted = total
            .flags()
            .iter()
            .find(|(name, _)| *name == flag)
            .map(|(_, count)| count);
        assert_eq!(counted.unwrap_or(0), expected as u64, "{flag}");
    }
    let mut latencies: Vec<(i32, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.latency_ms?, row.sample_weight.unwrap_or(1.0))))
        .collect();
    latencies.sort_by_key(|(latency, _)| *latency);
    let half: f64 = latencies.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let exact = latencies
        .iter()
        .find(|(_, weight)| {
            sum += weight;
            sum >= half
        })
        .map(|(latency, _)| f64::from(*latency))
        .unwrap();
    let estimated = total.latency_percentile(Probability::P50).unwrap();
    assert!(
        (estimated - exact).abs() <= exact * 0.0101,
        "{estimated} for {exact}"
    );
}

async fn overviews_equal_the_rows(database: TestDatabase) {
    let (rig, rows) = filled(database, 500).await;
    let by_day = overview(&rig, Step::Day).await;
    assert_equal(&by_day.total, &rows);
    assert_eq!((by_day.series.len(), by_day.before.interactions()), (11, 0));
    let in_series: u64 = by_day
        .series
        .iter()
        .filter_map(|piece| piece.rollup.as_ref())
        .map(Rollup::interactions)
        .sum();
    assert_eq!(in_series, 500);
    let by_hour = overview(&rig, Step::Hour).await;
    assert_eq!(by_hour.series.len(), 264);
    assert!(
        by_hour.series.iter().any(|piece| piece.rollup.is_none()),
        "gaps are gaps"
    );
    // Nobody sees the overview of another.
    let days = by_day.days;
    let stranger = rig
        .engine
        .overview(Actor::Tenant(user(2)), user(1), days, Step::Day)
        .await;
    assert!(stranger.is_err());
}

async fn a_day_counts_what_arrives_on_it(database: TestDatabase) {
    let (rig, _) = filled(database, 5).await;
    rig.policy(|policy| policy.max_eval_per_day = 2).await;
    let today = async || rig.engine.today(Actor::Tenant(user(1)), user(1)).await.unwrap();
    assert_eq!(
        today().await,
        Today { stored: 0, cap: 2 },
        "history is none of today's"
    );
    let arriving = ["a", "b", "c"].map(interaction).into();
    rig.store(arriving, Terms::Sampled).await;
    assert_eq!(today().await, Today { stored: 2, cap: 2 });
    rig.pass(24 * 60 * 60);
    assert_eq!(today().await, Today { stored: 0, cap: 2 });
    let foreign = rig.engine.today(Actor::Tenant(user(2)), user(1)).await;
    assert!(matches!(foreign, Err(EngineError::UnknownUser { .. })));
}

async fn changes_behind_our_back_are_added_up_again(database: TestDatabase) {
    let (rig, mut rows) = filled(database, 200).await;
    rig.database
        .run("update evaluations set latency_ms = 7 where interaction_id = 'i1'")
        .await;
    rig.database
        .run("delete from evaluations where interaction_id = 'i2'")
        .await;
    rig.database
        .run(
            "insert into evaluations (interaction_id, user_id, prompt, response, created_at)
             select 'raw', user_id, 'p', 'r', created_at from evaluations where interaction_id = 'i3'",
        )
        .await;
    rows[1].latency_ms = Some(7);
    let raw = NewInteraction {
        score: None,
        latency_ms: None,
        flags: Vec::new(),
        pii_tokens_redacted: 0,
        sample_weight: None,
        ..rows[3].clone()
    };
    rows.push(raw);
    rows.remove(2);
    assert!(rig.database.number("select count(*) from stale_hours").await >= 2);
    assert_equal(&overview(&rig, Step::Day).await.total, &rows);
    assert_eq!(rig.database.number("select count(*) from stale_hours").await, 0);
}

async fn a_new_zone_moves_the_hours(database: TestDatabase) {
    let (rig, rows) = filled(database, 200).await;
    rig.policy(|_| {}).await;
    rig.policy(|policy| policy.timezone = "Asia/Kathmandu".to_owned())
        .await;
    let overview = overview(&rig, Step::Hour).await;
    assert_eq!(overview.total.interactions(), rows.len() as u64);
    for piece in &overview.series {
        assert_eq!(piece.starts.minute(), 15, "{}", piece.starts);
    }
    // And on it goes under the new zone.
    rig.store(vec![nth(900)], Terms::History).await;
    let total = self::overview(&rig, Step::Day).await.total;
    assert_eq!(total.interactions(), rows.len() as u64 + 1);
}
