//! Suggestions, and the tests of them, on pages without a script.

use pawl_engine::draft::{DEFAULT_BATCH, DraftRequest, Overwrite};
use pawl_engine::mine::Mode;
use pawl_model::TriggeredBy;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines, over_firestore};

use super::browser::Browser;
use super::{HOSTILE, header, interaction, store};

on_both_engines!(
    a_test_is_written_proven_and_approved,
    who_comes_late_is_shown_both_versions,
    what_would_be_generated_stands_beside_what_a_person_wrote,
    refusals_keep_what_was_written,
);

over_firestore!(
    a_test_is_written_proven_and_approved,
    who_comes_late_is_shown_both_versions,
    what_would_be_generated_stands_beside_what_a_person_wrote,
    refusals_keep_what_was_written,
);

/// A suggestion of the first user, with a template for a draft: its id.
pub(super) async fn suggested(server: &TestServer, text: &str) -> String {
    let mut failing = interaction(server.user_a.id, text);
    failing.interaction_id = "failing".to_owned();
    failing.response = ["It is free for 90 days. ", text].concat();
    failing.flags = vec!["hallucination".to_owned()];
    store(server, failing).await;
    let mut healthy = interaction(server.user_a.id, text);
    healthy.interaction_id = "healthy".to_owned();
    healthy.response = "It is free for 30 days.".to_owned();
    healthy.score = pawl_model::Score::parse("0.9");
    healthy.flags.clear();
    store(server, healthy).await;
    let report = server.mine().await;
    let flagged =
        |suggestion: &&pawl_engine::mine::ReportedSuggestion| suggestion.title.starts_with("Made-up");
    let found = report.suggestions.iter().find(flagged).unwrap();
    let id = found.suggestion_id.clone();
    let request = DraftRequest {
        user_id: server.user_a.id,
        suggestion_ids: Some(vec![id.clone()]),
        batch_size: DEFAULT_BATCH,
        overwrite: Overwrite::Keep,
        mode: Mode::Store,
        triggered_by: TriggeredBy::Manual,
    };
    server.engine.draft(&request).await.unwrap();
    id
}

/// The value of a hidden field of a page.
fn hidden(page: &str, name: &str) -> String {
    let start = format!("<input type=\"hidden\" name=\"{name}\" value=\"");
    let rest = page.split(&start).nth(1).unwrap();
    let value = rest.split('"').next().unwrap();
    value
        .replace("&#34;", "\"")
        .replace("&#39;", "'")
        .replace("&#60;", "<")
        .replace("&#62;", ">")
        .replace("&#38;", "&")
}

/// A form of the test, as a browser sends it.
fn form<'f>(base: &'f str, title: &'f str, forbidden: &'f str) -> Vec<(&'static str, &'f str)> {
    vec![
        ("base", base),
        ("title", title),
        ("rationale", "Nothing is free for so long."),
        ("prompt", "Is it free?"),
        ("required_state", ""),
        ("tools_involved", "\r\n"),
        ("required", ""),
        ("forbidden", forbidden),
        ("forbidden", " "),
        ("golden_output", ""),
        ("notes", "two\r\nlines"),
    ]
}

const CATCHES: &str = "Must not contain \"90 days\"";

async fn a_test_is_written_proven_and_approved(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    assert!(
        browser
            .page("/suggestions")
            .await
            .contains("Nothing waits for review")
    );
    let id = suggested(&server, HOSTILE).await;
    let list = browser.page("/suggestions?type=eval").await;
    assert!(list.contains(&id) && list.contains("needs input"), "{list}");
    let path = ["/suggestions/", &id].concat();
    let page = browser.page(&path).await;
    assert!(page.contains("a template, without a model"), "{page}");
    let base = hidden(&page, "base");

    let form = form(&base, "Not for free", CATCHES);
    let preview = browser.post(&[&path, "/preview"].concat(), &form).await;
    assert_eq!(preview.status().as_u16(), 200);
    let preview = preview.text().await.unwrap();
    assert!(
        preview.contains("would have caught 1 of 1") && preview.contains("Proven"),
        "{preview}"
    );
    let saved = browser.post(&path, &form).await;
    assert_eq!(
        (saved.status().as_u16(), header(&saved, "location")),
        (303, &*format!("{path}?done=saved#test"))
    );
    let page = browser.page(&[&path, "?done=saved"].concat()).await;
    assert!(
        page.contains("edited by a person") && page.contains("Saved, and tried"),
        "{page}"
    );
    assert!(page.contains("What stood there before"));
    let draft: serde_json::Value = serde_json::from_str(&hidden(&page, "base")).unwrap();
    assert_eq!(draft["assertions"]["notes"], "two\nlines");
    // What was null stays null, and what nobody wrote is not there.
    assert!(draft["assertions"]["golden_output"].is_null());
    assert_eq!(draft["input"]["tools_involved"], serde_json::json!([]));

    let approved = browser
        .post(&[&path, "/approve"].concat(), &[("words", "")])
        .await;
    assert_eq!(header(&approved, "location"), "/suggestions?done=approved");
    assert!(!browser.page("/suggestions").await.contains(&id));
    assert!(browser.page("/suggestions?status=approved").await.contains(&id));
    let page = browser.page(&path).await;
    assert!(!page.contains("Save and prove"), "what was decided is not edited");
    let export = [&path, "/export/pytest"].concat();
    assert!(page.contains(&export), "{page}");
    let file = browser.get(&export).await;
    let disposition = "attachment; filename=\"test_approved_drafts.py\"";
    assert_eq!(header(&file, "content-disposition"), disposition);
    let other = Browser::of(&server, &server.user_b).await;
    assert_eq!(other.get(&export).await.status().as_u16(), 404);
}

async fn who_comes_late_is_shown_both_versions(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let id = suggested(&server, "free").await;
    let path = ["/suggestions/", &id].concat();
    let base = hidden(&browser.page(&path).await, "base");
    assert_eq!(
        browser
            .post(&path, &form(&base, "Theirs", CATCHES))
            .await
            .status()
            .as_u16(),
        303
    );
    let late = browser.post(&path, &form(&base, "Mine", CATCHES)).await;
    assert_eq!(late.status().as_u16(), 409);
    let page = late.text().await.unwrap();
    for text in [
        "When you opened it",
        "Theirs, saved",
        "Yours",
        "Needs human input",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        page.contains("name=\"title\" value=\"Mine\""),
        "what was written stands in the form"
    );
    // Saved again it is on top of theirs, which stays in the history.
    let base = hidden(&page, "base");
    assert_eq!(
        browser
            .post(&path, &form(&base, "Mine", CATCHES))
            .await
            .status()
            .as_u16(),
        303
    );
    let page = browser.page(&path).await;
    assert!(
        page.contains("name=\"title\" value=\"Mine\"") && page.contains("Theirs"),
        "{page}"
    );
}

async fn what_would_be_generated_stands_beside_what_a_person_wrote(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let id = suggested(&server, "free").await;
    let path = ["/suggestions/", &id].concat();
    let base = hidden(&browser.page(&path).await, "base");
    browser.post(&path, &form(&base, "By hand", CATCHES)).await;
    let answer = browser.post(&[&path, "/draft"].concat(), &[]).await;
    assert_eq!(answer.status().as_u16(), 200);
    let page = answer.text().await.unwrap();
    for text in [
        "Generated before",
        "Yours, saved",
        "Generated now",
        "Nothing is overwritten",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        browser
            .page(&path)
            .await
            .contains("name=\"title\" value=\"By hand\"")
    );
}

async fn refusals_keep_what_was_written(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let id = suggested(&server, "free").await;
    let path = ["/suggestions/", &id].concat();
    let base = hidden(&browser.page(&path).await, "base");
    let answer = browser
        .post(&path, &form(&base, "Ask ann@example.org", "TODO: this"))
        .await;
    assert_eq!(answer.status().as_u16(), 422);
    let page = answer.text().await.unwrap();
    assert!(page.contains("name=\"title\" value=\"Ask ann@example.org\""));
    assert!(page.contains("holds personal data or a secret (EMAIL)"), "{page}");
    assert!(page.contains("still a placeholder"));
    for (action, words, status, told) in [
        ("/approve", "", 409, "needs human input"),
        ("/reject", " ", 422, "needs a reason"),
    ] {
        let answer = browser.post(&[&path, action].concat(), &[("words", words)]).await;
        assert_eq!(answer.status().as_u16(), status);
        assert!(answer.text().await.unwrap().contains(told), "{action}");
    }
    let other = Browser::of(&server, &server.user_b).await;
    for action in ["", "/preview", "/draft", "/approve", "/reject"] {
        let answer = other
            .post(&[&path, action].concat(), &form(&base, "x", CATCHES))
            .await;
        assert_eq!(answer.status().as_u16(), 404, "{action}");
    }
    let rejected = browser
        .post(&[&path, "/reject"].concat(), &[("words", "as it should be")])
        .await;
    assert_eq!(header(&rejected, "location"), "/suggestions?done=rejected");
    assert!(browser.page(&path).await.contains("as it should be"));
}
