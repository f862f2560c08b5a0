//! What interactions came to, and what arrives.

use std::time::Duration;

use pawl_engine::intake::Terms;
use pawl_model::{NewInteraction, Score, UserId};
use pawl_testkit::http::Response;
use pawl_testkit::{Engine, TestDatabase, TestServer, on_both_engines, samples};

use super::browser::Browser;
use super::header;

on_both_engines!(
    a_dashboard_sums_up_what_its_owner_has,
    what_cannot_be_shown_says_why,
    what_arrives_is_told,
);

const INJECTED: &str = "<script>alert(1)</script>";

fn interaction(user_id: UserId, n: u32) -> NewInteraction {
    NewInteraction {
        prompt: "How are you?".to_owned(),
        response: "Well.".to_owned(),
        score: Score::parse(if n.is_multiple_of(4) { "0.40" } else { "0.90" }),
        latency_ms: Some(1_500),
        flags: if n == 1 {
            vec![INJECTED.to_owned()]
        } else {
            Vec::new()
        },
        ..samples::interaction(user_id, &n.to_string())
    }
}

async fn store(server: &TestServer, numbers: std::ops::Range<u32>) {
    let interactions = numbers.map(|n| interaction(server.user_a.id, n)).collect();
    server.engine.ingest(interactions, Terms::Sampled).await.unwrap();
}

async fn a_dashboard_sums_up_what_its_owner_has(database: TestDatabase) {
    let server = TestServer::new(database).await;
    store(&server, 0..8).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let page = browser.page("/dashboard").await;
    let success = "75.0\u{a0}%</a> <small>(41–93)</small>";
    for text in [
        success,
        ">0.775</a>",
        "8 of 8 scored",
        "6 of 8",
        "1.5",
        "<span data-stored>8</span> of 1\u{202f}000",
    ] {
        assert!(page.contains(text), "{text} in {page}");
    }
    assert!(!page.contains(INJECTED), "a flag is a text");
    assert!(
        page.contains("flag=%3Cscript%3Ealert%281%29%3C%2Fscript%3E"),
        "{page}"
    );
    // Gaps are gaps: six days of seven without anything.
    let score = page
        .split("id=\"scores\"")
        .nth(1)
        .unwrap()
        .split("</figure>")
        .next()
        .unwrap();
    assert_eq!(score.matches("<tr><th scope=\"row\">").count(), 7);
    assert_eq!(score.matches("<td class=\"number\">–</td>").count(), 6 * 3);
    let other = Browser::of(&server, &server.user_b).await;
    let page = other.page("/dashboard").await;
    assert!(
        page.contains("No interactions yet") && page.contains("pawl seed --user"),
        "{page}"
    );
}

async fn what_cannot_be_shown_says_why(database: TestDatabase) {
    let server = TestServer::new(database).await;
    store(&server, 0..1).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let answer = browser.get("/dashboard?from=2026-11-28&until=2026-11-27").await;
    assert_eq!(answer.status().as_u16(), 422);
    let page = answer.text().await.unwrap();
    assert!(page.contains("The first day is behind the last one."), "{page}");
    let page = browser.page("/dashboard?from=2001-01-01&until=2001-01-02").await;
    assert!(
        page.contains("Nothing happened in these days") && page.contains("Show the days up to then"),
        "{page}"
    );
}

/// The next thing that is told; none when it is over.
async fn told(live: &mut Response) -> Option<String> {
    loop {
        let chunk = live.chunk().await.unwrap()?;
        let text = String::from_utf8(chunk.to_vec()).unwrap();
        // What keeps the connection alive is no news.
        if let Some(data) = text.trim().strip_prefix("data: ") {
            return Some(data.to_owned());
        }
    }
}

async fn what_arrives_is_told(database: TestDatabase) {
    let server = TestServer::new(database).await;
    store(&server, 0..2).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let mut live = browser.get("/dashboard/live").await;
    assert_eq!(header(&live, "content-type"), "text/event-stream");
    assert_eq!(
        told(&mut live).await.as_deref(),
        Some("{\"stored\":2,\"cap\":1000}")
    );
    store(&server, 2..5).await;
    assert_eq!(
        told(&mut live).await.as_deref(),
        Some("{\"stored\":5,\"cap\":1000}")
    );
    // A page that is open does not hold the server up.
    let stopped = tokio::time::timeout(Duration::from_secs(9), server.stopped()).await;
    assert!(stopped.is_ok(), "it ends before it would be cut off");
    assert_eq!(told(&mut live).await, None);
}

#[tokio::test]
async fn so_many_pages_are_told_and_no_more() {
    let server = TestServer::new(TestDatabase::new(Engine::Sqlite).await).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let mut open = Vec::new();
    for _ in 0..256 {
        let live = browser.get("/dashboard/live").await;
        assert_eq!(live.status().as_u16(), 200);
        open.push(live);
    }
    assert_eq!(browser.get("/dashboard/live").await.status().as_u16(), 503);
    drop(open);
}
