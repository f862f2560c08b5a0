//! The list of interactions, one of them, and downloads.

use std::time::Duration;

use pawl_engine::Actor;
use pawl_model::{Json, NewInteraction, Policy, Score};
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};
use serde_json::Value;

use super::browser::Browser;
use super::{header, interaction, store};

on_both_engines!(
    a_list_is_restricted_and_sorted_by_its_address,
    pages_of_a_list_hold_every_row_once,
    a_download_is_the_filtered_list,
    one_is_shown_as_the_policy_says,
    what_mining_made_of_one_is_beside_it,
);

async fn filled(database: TestDatabase, count: u32) -> (TestServer, Browser) {
    let server = TestServer::new(database).await;
    for n in 0..count {
        let one = NewInteraction {
            score: Score::parse(&format!("0.{n:02}")),
            latency_ms: i32::try_from(n * 7 % 50).ok(),
            flags: vec![if n % 2 == 0 { "even" } else { "odd" }.to_owned()],
            ..interaction(server.user_a.id, &format!("case-{n:02}."))
        };
        store(&server, one).await;
        server.clock.advance(Duration::from_secs(1));
    }
    let browser = Browser::of(&server, &server.user_a).await;
    (server, browser)
}

/// The cases of a page, in their order.
fn cases(page: &str) -> Vec<&str> {
    let rows = page.split("data-opens-row>").skip(1);
    rows.map(|row| row.split_once('.').unwrap().0).collect()
}

async fn a_list_is_restricted_and_sorted_by_its_address(database: TestDatabase) {
    let (_server, browser) = filled(database, 9).await;
    for (query, expected) in [
        (
            "flag=even&sort=lowest-score",
            &["case-00", "case-02", "case-04", "case-06", "case-08"][..],
        ),
        ("flag=even&flag=odd&match=all", &[]),
        ("score_min=0.07&sort=highest-score", &["case-08", "case-07"]),
        ("score_max=0.02&sort=oldest", &["case-00", "case-01", "case-02"]),
        (
            "latency_min=42&latency_max=49&sort=slowest",
            &["case-07", "case-06"],
        ),
        ("until=1999-12-31", &[]),
    ] {
        let page = browser.page(&["/interactions?", query].concat()).await;
        assert_eq!(cases(&page), expected, "{query}");
        assert_eq!(
            page.contains("No interaction is like that"),
            expected.is_empty(),
            "{query}"
        );
    }
    let answer = browser.get("/interactions?score_min=many&from=today").await;
    assert_eq!(answer.status().as_u16(), 422);
    let page = answer.text().await.unwrap();
    assert!(
        page.contains("Enter a number from 0 to 1.") && page.contains("value=\"many\""),
        "{page}"
    );
}

async fn pages_of_a_list_hold_every_row_once(database: TestDatabase) {
    let (_server, browser) = filled(database, 60).await;
    let first = browser.page("/interactions?sort=fastest").await;
    assert_eq!(cases(&first).len(), 50);
    let next = first.split('"').find(|part| part.contains("after=")).unwrap();
    let second = browser.page(&next.replace("&#38;", "&")).await;
    assert_eq!(cases(&second).len(), 10);
    let mut all = [cases(&first), cases(&second)].concat();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 60);
    assert!(second.contains("That is all of them."), "{second}");
}

async fn a_download_is_the_filtered_list(database: TestDatabase) {
    let (server, browser) = filled(database, 9).await;
    let lines = browser
        .get("/interactions/export/jsonl?flag=odd&sort=highest-score")
        .await;
    assert_eq!(
        header(&lines, "content-disposition"),
        "attachment; filename=\"interactions.jsonl\""
    );
    let lines = lines.text().await.unwrap();
    let scores: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["score"].clone())
        .collect();
    assert_eq!(scores, [0.07, 0.05, 0.03, 0.01]);
    let table = browser.get("/interactions/export/csv?score_max=0.01").await;
    assert_eq!(header(&table, "content-type"), "text/csv; charset=utf-8");
    let table = table.text().await.unwrap();
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows.len(), 3, "{table}");
    assert!(
        rows[0].starts_with("id,interaction_id,created_at,score"),
        "{table}"
    );
    let other = Browser::of(&server, &server.user_b).await;
    assert_eq!(other.page("/interactions/export/jsonl").await, "");
    assert_eq!(
        browser.get("/interactions/export/pdf").await.status().as_u16(),
        404
    );
    let refused = browser.get("/interactions/export/csv?from=today").await;
    assert_eq!(refused.status().as_u16(), 400);
}

async fn one_is_shown_as_the_policy_says(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let text = "write to ann@example.org or call +1 202 555 0172";
    let with_calls = |id: &str| NewInteraction {
        interaction_id: id.to_owned(),
        tool_calls: Json::parse(r#"[{"name": "lookup", "arguments": {"who": "ann@example.org"}}]"#).ok(),
        ..interaction(server.user_a.id, text)
    };
    let plain = store(&server, with_calls("plain")).await;
    let path = ["/interactions/", &plain.to_string()].concat();
    let page = browser.page(&path).await;
    assert!(
        page.contains(text) && page.contains("the policy asks for no masking"),
        "{page}"
    );
    let policy = Policy {
        obfuscate_pii: true,
        ..Policy::default_of(server.user_a.id)
    };
    let actor = Actor::Tenant(server.user_a.id);
    server.engine.set_policy(actor, policy).await.unwrap();
    let page = browser.page(&path).await;
    assert!(
        !page.contains("ann@example.org") && page.contains("masked in this view"),
        "{page}"
    );
    assert!(page.contains("<mark class=\"masked\">[EMAIL]</mark>"), "{page}");
    let masked = store(&server, with_calls("masked")).await;
    let page = browser
        .page(&["/interactions/", &masked.to_string()].concat())
        .await;
    assert!(page.contains("Masked before it was stored:"), "{page}");
    assert!(
        !page.contains("ann@example.org") && page.contains("[EMAIL]</mark> "),
        "{page}"
    );
    for odd in ["00000000-0000-0000-0000-00000000000a", "x"] {
        let answer = browser.get(&["/interactions/", odd].concat()).await;
        assert!(matches!(answer.status().as_u16(), 400 | 404), "{odd}");
    }
}

async fn what_mining_made_of_one_is_beside_it(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let failing = |id: &str| NewInteraction {
        prompt: "Can I return opened software?".to_owned(),
        response: "Yes, within 90 days.".to_owned(),
        score: Score::parse("0.2"),
        flags: vec!["hallucination".to_owned()],
        ..interaction(server.user_a.id, id)
    };
    let id = store(&server, failing("one")).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let path = ["/interactions/", &id.to_string()].concat();
    assert!(!browser.page(&path).await.contains("What went wrong"));
    store(&server, failing("two")).await;
    server.mine().await;
    let page = browser.page(&path).await;
    for text in [
        "What went wrong",
        "hallucination, high",
        "flag hallucination · score 0.2",
        "One other interaction is like it. A regression test is suggested, and waits for review.",
        "It was mined as a failure.",
    ] {
        assert!(page.contains(text), "{text} is not in {page}");
    }
}
