//! Prompts, their versions and verdicts, and optimisations.

use pawl_testkit::evolution::evolved;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};

use super::browser::Browser;
use super::{HOSTILE, header};

on_both_engines!(
    what_is_live_is_shown_with_its_history,
    an_optimisation_shows_what_was_tried,
    forms_show_a_quote_begin_and_say_what_is_wrong,
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

async fn forms_show_a_quote_begin_and_say_what_is_wrong(database: TestDatabase) {
    let (server, _model) = crate::optimizations::server(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let path = "/prompts/support/evolve";
    let mut form = vec![
        ("target", "agent"),
        ("suite", "suite.yaml"),
        ("reflector", "ollama:scripted"),
        ("max_metric_calls", "300"),
        ("do", "quote"),
    ];
    let quoted = browser.post(path, &form).await;
    assert_eq!(quoted.status().as_u16(), 200);
    let quoted = quoted.text().await.unwrap();
    assert!(
        quoted.contains("What it may take, at most") && quoted.contains("value=\"begin\""),
        "{quoted}"
    );
    form[3].1 = "3";
    let refused = browser.post(path, &form).await;
    assert_eq!(refused.status().as_u16(), 422);
    assert!(
        refused
            .text()
            .await
            .unwrap()
            .contains("the limits buy no proposal")
    );
    (form[3].1, form[4].1) = ("300", "begin");
    let begun = browser.post(path, &form).await;
    let place = header(&begun, "location").to_owned();
    assert!(place.starts_with("/optimizations/aor_"), "{place}");
    let waiting = browser.page(&place).await;
    assert!(
        waiting.contains("It waits for a worker") && waiting.contains("Stop it"),
        "{waiting}"
    );
    let stopped = browser.post(&[&place, "/cancel"].concat(), &[]).await;
    assert_eq!(header(&stopped, "location"), place);
    assert!(browser.page(&place).await.contains("it was stopped"));
    for (path, form, says) in [
        (
            "/prompts/support/rollback",
            [("to", "1"), ("reason", "x")],
            "no version 1 to go back to",
        ),
        (
            "/prompts/support/promote",
            [("candidate", "apc_none"), ("reason", "x")],
            "no candidate apc_none",
        ),
    ] {
        let answer = browser.post(path, &form).await;
        assert_eq!(answer.status().as_u16(), 422, "{path}");
        let page = answer.text().await.unwrap();
        assert!(page.contains(says), "{path}: {page}");
    }
}
