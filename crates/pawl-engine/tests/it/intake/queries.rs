//! What is asked of interactions: overviews, lists, words.

mod lists;
mod overviews;
mod searches;

use pawl_engine::intake::Terms;
use pawl_model::{NewInteraction, Score};
use pawl_testkit::{TestDatabase, samples};
use time::Duration;

use super::{Rig, interaction, user};

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
