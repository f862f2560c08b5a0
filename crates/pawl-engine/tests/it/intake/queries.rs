//! What is asked of interactions: overviews, lists, words.

use pawl_checks::rollup::Rollup;
use pawl_checks::stats::Probability;
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, ListRequest, search};
use pawl_engine::intake::overview::{Days, Overview, Step, Today};
use pawl_engine::intake::{List, Neighbours, Terms};
use pawl_engine::{Actor, EngineError};
use pawl_model::{Interaction, NewInteraction, Score};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use time::Duration;

use super::{Rig, interaction, user};

on_both_engines!(
    overviews_equal_the_rows,
    a_day_counts_what_arrives_on_it,
    changes_behind_our_back_are_added_up_again,
    a_new_zone_moves_the_hours,
    pages_hold_every_row_once_in_any_order,
    words_are_found_once_they_are_indexed,
    neighbours_are_those_of_the_list,
);

/// The `n`-th of many interactions over ten days.
fn nth(n: u32) -> NewInteraction {
    let hours = i64::from(n * 7919 % 240);
    NewInteraction {
        prompt: format!(
            "question {} about {}",
            n,
            ["refunds", "delivery", "an invoice"][n as usize % 3]
        ),
        response: format!("answer {n}"),
        score: (!n.is_multiple_of(11)).then(|| Score::parse(&format!("0.{:03}", n * 37 % 1_000)).unwrap()),
        latency_ms: (!n.is_multiple_of(7)).then(|| i32::try_from(n * n % 5_000).unwrap()),
        flags: match n % 4 {
            0 => vec!["safe".to_owned()],
            1 => vec!["hallucination".to_owned(), "slow".to_owned()],
            _ => Vec::new(),
        },
        pii_tokens_redacted: i32::try_from(n % 3).unwrap(),
        created_at: Some(samples::time(0) - Duration::hours(hours) - Duration::seconds(i64::from(n))),
        sample_weight: n.is_multiple_of(5).then_some(4.0),
        ..interaction(&format!("i{n}"))
    }
}

async fn filled(database: TestDatabase, count: u32) -> (Rig, Vec<NewInteraction>) {
    let rig = Rig::new(database).await;
    let interactions: Vec<_> = (0..count).map(nth).collect();
    for some in interactions.chunks(97) {
        rig.store(some.to_vec(), Terms::History).await;
    }
    (rig, interactions)
}

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

async fn all(rig: &Rig, filter: &InteractionFilter, order: InteractionOrder) -> Vec<Interaction> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let request = ListRequest {
            user_id: user(1),
            filter,
            order,
            after: after.as_ref(),
            limit: 33,
        };
        let page = rig
            .engine
            .interactions(Actor::Tenant(user(1)), &request)
            .await
            .unwrap();
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

async fn pages_hold_every_row_once_in_any_order(database: TestDatabase) {
    use InteractionOrder as Order;
    let (rig, rows) = filled(database, 150).await;
    let none = InteractionFilter::default();
    for order in [
        Order::Newest,
        Order::Oldest,
        Order::LowestScore,
        Order::HighestScore,
        Order::Slowest,
        Order::Fastest,
    ] {
        let found = all(&rig, &none, order).await;
        let mut ids: Vec<&str> = found.iter().map(|row| row.interaction_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!((found.len(), ids.len()), (150, 150), "{order:?}");
        let key = |row: &Interaction| match order {
            Order::Newest => Some(-row.created_at.unix_timestamp() as f64),
            Order::Oldest => Some(row.created_at.unix_timestamp() as f64),
            Order::LowestScore => row.score.as_ref().map(Score::as_f64),
            Order::HighestScore => row.score.as_ref().map(|score| -score.as_f64()),
            Order::Slowest => row.latency_ms.map(|latency| -f64::from(latency)),
            Order::Fastest => row.latency_ms.map(f64::from),
        };
        for pair in found.windows(2) {
            let (one, other) = (key(&pair[0]), key(&pair[1]));
            assert!(
                one.is_some_and(|one| other.is_none_or(|other| one <= other)) || (one, other) == (None, None)
            );
        }
    }
    let ids = |found: Vec<Interaction>| {
        let mut ids: Vec<String> = found.into_iter().map(|row| row.interaction_id).collect();
        ids.sort_unstable();
        ids
    };
    let filter = InteractionFilter {
        from: Some(samples::time(0) - Duration::days(6)),
        until: Some(samples::time(0) - Duration::days(1)),
        any_flags: vec!["safe".to_owned(), "slow".to_owned()],
        least_score: Some(0.2),
        most_score: Some(0.9),
        most_latency_ms: Some(4_000),
        ..InteractionFilter::default()
    };
    let mut expected: Vec<String> = rows
        .iter()
        .filter(|row| {
            let at = row.created_at.unwrap();
            at >= filter.from.unwrap()
                && at < filter.until.unwrap()
                && !row.flags.is_empty()
                && row
                    .score
                    .as_ref()
                    .is_some_and(|score| (0.2..=0.9).contains(&score.as_f64()))
                && row.latency_ms.is_some_and(|latency| latency <= 4_000)
        })
        .map(|row| row.interaction_id.clone())
        .collect();
    expected.sort_unstable();
    assert!(expected.len() > 5);
    assert_eq!(ids(all(&rig, &filter, Order::Slowest).await), expected);
    let both = InteractionFilter {
        all_flags: vec!["slow".to_owned(), "hallucination".to_owned()],
        ..InteractionFilter::default()
    };
    assert_eq!(all(&rig, &both, Order::Newest).await.len(), 38);
    let stranger = ListRequest {
        user_id: user(1),
        filter: &none,
        order: Order::Newest,
        after: None,
        limit: 10,
    };
    let seen = rig
        .engine
        .interactions(Actor::Tenant(user(2)), &stranger)
        .await
        .unwrap();
    assert!(seen.items.is_empty());
}

async fn words_are_found_once_they_are_indexed(database: TestDatabase) {
    let (rig, _) = filled(database, 90).await;
    let other = NewInteraction {
        user_id: user(2),
        ..nth(1_000)
    };
    rig.store(vec![other], Terms::History).await;
    let found = async |text: &str| {
        let filter = InteractionFilter {
            search: search(text),
            ..InteractionFilter::default()
        };
        all(&rig, &filter, InteractionOrder::Newest).await.len()
    };
    assert_eq!(found("refunds").await, 0);
    rig.pass(5);
    rig.engine.catch_up().await.unwrap();
    for (text, count) in [
        ("refunds", 30),
        ("REFUNDS", 30),
        ("\"an invoice\"", 30),
        ("\"invoice an\"", 0),
        ("answer 17", 1),
        ("delivery answer", 30),
        ("refunds delivery", 0),
        ("or \" ' ) (", 0),
        ("nothing", 0),
    ] {
        assert_eq!(found(text).await, count, "{text}");
    }
    rig.database
        .run("update evaluations set prompt = 'zebra' where interaction_id = 'i0'")
        .await;
    rig.database
        .run("delete from evaluations where interaction_id = 'i3'")
        .await;
    rig.engine.catch_up().await.unwrap();
    assert_eq!((found("refunds").await, found("zebra").await), (28, 1));
    let filter = InteractionFilter {
        search: search("refunds"),
        ..InteractionFilter::default()
    };
    let request = ListRequest {
        user_id: user(1),
        filter: &filter,
        order: InteractionOrder::Newest,
        after: None,
        limit: 1,
    };
    let page = rig
        .engine
        .interactions(Actor::Tenant(user(1)), &request)
        .await
        .unwrap();
    assert_eq!(page.searched_until, Some(samples::time(5)));
}

async fn neighbours_are_those_of_the_list(database: TestDatabase) {
    let (rig, _) = filled(database, 60).await;
    let actor = Actor::Tenant(user(1));
    let filter = InteractionFilter {
        any_flags: vec!["safe".to_owned(), "slow".to_owned()],
        ..InteractionFilter::default()
    };
    for order in [
        InteractionOrder::Newest,
        InteractionOrder::Oldest,
        InteractionOrder::LowestScore,
        InteractionOrder::HighestScore,
        InteractionOrder::Slowest,
        InteractionOrder::Fastest,
    ] {
        let request = ListRequest {
            user_id: user(1),
            filter: &filter,
            order,
            after: None,
            limit: 100,
        };
        let items = rig.engine.interactions(actor, &request).await.unwrap().items;
        assert_eq!(items.len(), 30);
        let list = List {
            user_id: user(1),
            filter: &filter,
            order,
        };
        for (index, item) in items.iter().enumerate() {
            let found = rig.engine.neighbours(actor, list, item).await.unwrap();
            assert_eq!(
                found.next,
                items.get(index + 1).map(|next| next.id),
                "{order:?} {index}"
            );
            let before = index.checked_sub(1).map(|before| &items[before]);
            let same_part =
                before.filter(|before| order.place(before).key.is_some() == order.place(item).key.is_some());
            assert_eq!(
                found.previous,
                same_part.map(|before| before.id),
                "{order:?} {index}"
            );
        }
        let of_another = rig
            .engine
            .neighbours(Actor::Tenant(user(2)), list, &items[5])
            .await
            .unwrap();
        assert_eq!(of_another, Neighbours::default());
    }
}
