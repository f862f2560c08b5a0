//! Lists: pages in any order, by filters and by words, and what is beside one of their rows.

use pawl_engine::Actor;
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, ListRequest, search};
use pawl_engine::intake::{List, Neighbours, Terms};
use pawl_model::{Interaction, NewInteraction, Score};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use time::Duration;

use super::{Rig, filled, nth, user};

on_both_engines!(
    pages_hold_every_row_once_in_any_order,
    words_are_found_once_they_are_indexed,
    neighbours_are_those_of_the_list,
);

pub(super) async fn all(rig: &Rig, filter: &InteractionFilter, order: InteractionOrder) -> Vec<Interaction> {
    pages(rig, filter, order, 33, usize::MAX).await
}

/// The rows of the first pages, each of so many rows.
pub(super) async fn pages(
    rig: &Rig,
    filter: &InteractionFilter,
    order: InteractionOrder,
    limit: u32,
    count: usize,
) -> Vec<Interaction> {
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..count {
        let request = ListRequest {
            user_id: user(1),
            filter,
            order,
            after: after.as_ref(),
            limit,
        };
        let page = rig
            .engine
            .interactions(Actor::Tenant(user(1)), &request)
            .await
            .unwrap();
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    found
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
