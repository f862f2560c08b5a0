//! Searches: what they find is what the rows say, however the index came about.

use pawl_checks::stats::Philox;
use pawl_engine::intake::Terms;
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, search};
use pawl_model::NewInteraction;
use pawl_testkit::{Engine, TestDatabase, on_both_engines};

use super::lists::{all, pages};
use super::{Rig, nth, user};

on_both_engines!(
    searches_find_what_the_rows_say,
    of_many_hits_pages_are_looked_for_in_their_order,
);

const WORDS: [&str; 8] = ["red", "blue", "late", "order", "refund", "of", "the", "a"];

fn text(draw: &mut Philox) -> String {
    let words: Vec<&str> = (0..1 + draw.index_below(6))
        .map(|_| WORDS[draw.index_below(8)])
        .collect();
    words.join(" ")
}

fn searching(text: &str) -> InteractionFilter {
    InteractionFilter {
        search: search(text),
        ..InteractionFilter::default()
    }
}

/// Rows come, change and go, are indexed in many small parts, and those are merged.
async fn searches_find_what_the_rows_say(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let mut draw = Philox::new(7, 0);
    let mut prompts: Vec<Option<String>> = Vec::new();
    for round in 0..30 {
        let first = prompts.len() as u32;
        let batch: Vec<NewInteraction> = (first..first + 1 + draw.index_below(12) as u32)
            .map(|number| NewInteraction {
                prompt: text(&mut draw),
                response: "-".to_owned(),
                ..nth(number)
            })
            .collect();
        prompts.extend(batch.iter().map(|interaction| Some(interaction.prompt.clone())));
        rig.store(batch, Terms::History).await;
        for _ in 0..draw.index_below(4) {
            let number = draw.index_below(prompts.len());
            let named = ["where interaction_id = 'i", &number.to_string(), "'"].concat();
            if draw.index_below(3) == 0 {
                prompts[number] = None;
                rig.database
                    .run(&["delete from evaluations ", &named].concat())
                    .await;
            } else if prompts[number].is_some() {
                let prompt = text(&mut draw);
                let update = ["update evaluations set prompt = '", &prompt, "' ", &named].concat();
                rig.database.run(&update).await;
                prompts[number] = Some(prompt);
            }
        }
        // Sometimes several changes wait together.
        if round % 3 > 0 {
            rig.engine.catch_up().await.unwrap();
        }
    }
    rig.engine.catch_up().await.unwrap();
    for one in WORDS {
        for other in WORDS {
            let both = |prompt: &&String| {
                prompt.split(' ').any(|word| word == one) && prompt.split(' ').any(|word| word == other)
            };
            let phrase = [one, other].join(" ");
            let in_a_row = |prompt: &&String| format!(" {prompt} ").contains(&format!(" {phrase} "));
            let expected = (
                prompts.iter().flatten().filter(both).count(),
                prompts.iter().flatten().filter(in_a_row).count(),
            );
            let of_words = all(&rig, &searching(&phrase), InteractionOrder::Oldest)
                .await
                .len();
            let of_phrase = all(
                &rig,
                &searching(&["\"", &phrase, "\""].concat()),
                InteractionOrder::LowestScore,
            )
            .await;
            assert_eq!((of_words, of_phrase.len()), expected, "{phrase}");
        }
    }
    let parts = rig.database.number("select count(*) from _pawl_search").await;
    assert!((1..=16).contains(&parts), "{parts}");
    rig.database.run("delete from evaluations").await;
    rig.engine.catch_up().await.unwrap();
    assert!(
        all(&rig, &searching("red"), InteractionOrder::Oldest)
            .await
            .is_empty()
    );
}

/// More than are sorted in memory: 25,000 rows with a word in nine of ten.
async fn of_many_hits_pages_are_looked_for_in_their_order(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let insert = match rig.database.engine {
        Engine::Sqlite => {
            "insert into evaluations (interaction_id, user_id, prompt, response, score, latency_ms, created_at)
             with recursive n(i) as (select 0 union all select i + 1 from n where i < 24999)
             select 'm' || i, 'USER', case when i % 10 then 'many words' else 'few' end, 'word ' || (i % 50),
                 case when i % 7 then printf('0.%03d', i * 37 % 1000) end, i * 31 % 5000, 1780000000000000 + i * 1000000
             from n"
        }
        Engine::Postgres => {
            "insert into evaluations (interaction_id, user_id, prompt, response, score, latency_ms, created_at)
             select 'm' || i, 'USER', case when i % 10 <> 0 then 'many words' else 'few' end, 'word ' || (i % 50),
                 case when i % 7 <> 0 then (i * 37 % 1000) / 1000.0 end, i * 31 % 5000,
                 timestamp 'epoch' + (1780000000 + i) * interval '1 second'
             from generate_series(0, 24999) i"
        }
    };
    rig.database
        .run(&insert.replace("USER", &user(1).to_string()))
        .await;
    rig.engine.catch_up().await.unwrap();
    let ask = async |filter: &InteractionFilter, order, count| pages(&rig, filter, order, 300, count).await;
    for order in [
        InteractionOrder::Newest,
        InteractionOrder::Oldest,
        InteractionOrder::HighestScore,
        InteractionOrder::Fastest,
    ] {
        // The same without the index: what is stored, in its order.
        let stored = ask(&InteractionFilter::default(), order, 4).await.into_iter();
        let expected: Vec<_> = stored
            .filter(|row| row.prompt == "many words")
            .map(|row| row.id)
            .collect();
        let found = ask(&searching("many"), order, 4).await.into_iter();
        let found: Vec<_> = found.map(|row| row.id).take(expected.len()).collect();
        assert!(expected.len() > 1_000);
        assert_eq!(found.len(), expected.len(), "{order:?}");
        assert!(found == expected, "{order:?}");
    }
    // Few of those that are looked through are let through by the rest of the filter.
    let filter = InteractionFilter {
        most_latency_ms: Some(3),
        ..searching("many")
    };
    assert_eq!(ask(&filter, InteractionOrder::Newest, 3).await.len(), 15);
    assert_eq!(
        ask(
            &searching("\"many words\" \"word 7\""),
            InteractionOrder::Newest,
            3
        )
        .await
        .len(),
        500
    );
}
