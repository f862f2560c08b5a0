//! Prompts, their versions and verdicts, and optimisations.

use pawl_testkit::evolution::evolved;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};

use super::HOSTILE;
use super::browser::Browser;

on_both_engines!(
    what_is_live_is_shown_with_its_history,
    an_optimisation_shows_what_was_tried
);

async fn what_is_live_is_shown_with_its_history(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    assert!(browser.page("/prompts").await.contains("No prompt yet"));
    evolved(&server, HOSTILE).await;
    let list = browser.page("/prompts").await;
    for text in [
        "/prompts/support",
        "/optimizations/aor_test",
        "time is up",
        "0.500",
    ] {
        assert!(list.contains(text), "{text}");
    }
    let page = browser.page("/prompts/support").await;
    assert!(
        page.contains("Live, version 1") && page.contains("the first version"),
        "{page}"
    );
}

async fn an_optimisation_shows_what_was_tried(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let id = evolved(&server, "Answer.").await;
    let page = browser.page(&["/optimizations/", &id].concat()).await;
    for text in [
        "3 candidates",
        "this text was tried before",
        "heat-5",
        "case-1: 0.500",
        "<ins> Be kind.</ins>",
        "not kind Answer.",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let seed = browser
        .page(&["/optimizations/", &id, "?candidate=apc_seed"].concat())
        .await;
    assert!(
        seed.contains("Candidate <span class=\"id\">apc_seed</span>"),
        "{seed}"
    );
}
