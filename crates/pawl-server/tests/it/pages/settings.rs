//! Settings, keys, the password, and the end of an account.

use std::collections::{BTreeMap, BTreeSet};

use pawl_engine::auth::AuthError;
use pawl_model::{ApiKeyId, Json, KeyScope, Policy, RunPolicy};
use pawl_testkit::{TestDatabase, TestServer, evolution, on_both_engines};
use serde_json::Value;

use super::browser::Browser;
use super::suggestions::suggested;
use super::{header, interaction, store};

/// More cases than are read at once.
const CASES: usize = 503;

on_both_engines!(
    a_policy_is_saved_whole_or_not_at_all,
    a_key_is_shown_once_and_revoked_by_its_owner,
    passwords_are_asked_for_and_not_guessed,
    everything_is_taken_along,
    what_is_taken_along_is_masked_as_what_is_shown,
    an_account_is_deleted_by_whoever_it_is,
);

/// The form as it is filled in, with these changes.
fn policy_form<'f>(changes: &[(&'f str, &'f str)]) -> Vec<(&'f str, &'f str)> {
    let mut form = vec![
        ("version", "0"),
        ("run_policy", "sampled"),
        ("sample_rate_pct", "25"),
        ("obfuscate_pii", "on"),
        ("max_eval_per_day", "1000"),
        ("timezone", "Europe/Berlin"),
        ("failure_score", "0.4"),
        ("failure_flags", "hallucination\r\nslow\r\n\r\nslow"),
        ("success_threshold_pct", "90"),
        ("pii_patterns", "ORDER = PX-\\d+"),
    ];
    for (name, value) in changes {
        form.retain(|(known, _)| known != name);
        form.push((name, value));
    }
    form
}

async fn a_policy_is_saved_whole_or_not_at_all(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let policy = async || {
        let today = server.engine.policy_today(server.user_a.id).await.unwrap();
        today.unwrap().policy
    };
    let wrong = [
        ("timezone", "Mars/Olympus"),
        ("failure_score", "2"),
        ("pii_patterns", "(<b>"),
        (
            "online_checks",
            "- type: equals\r\n  value: x\r\n- type: python\r\n  value: <b>",
        ),
    ];
    let answer = browser.post("/settings/policy", &policy_form(&wrong)).await;
    assert_eq!(answer.status().as_u16(), 422);
    let page = answer.text().await.unwrap();
    for said in [
        "IANA time zone",
        "Enter a number from 0 to 1.",
        "Pattern 1, column",
        "value=\"Mars/Olympus\"",
        "nline checks:3:9",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    assert!(!page.contains("<b>"), "{page}");
    assert_eq!(policy().await.version, 0);
    let checks = [("online_checks", "- type: contains\r\n  value: refund\r\n")];
    let answer = browser.post("/settings/policy", &policy_form(&checks)).await;
    assert_eq!(header(&answer, "location"), "/settings?done=policy#policy");
    let saved = policy().await;
    assert_eq!(
        (saved.run_policy, saved.sample_rate_pct),
        (RunPolicy::Sampled, 25)
    );
    assert!(
        saved.obfuscate_pii && !saved.keep_failures,
        "a box that is not ticked is not sent"
    );
    assert_eq!(saved.failure_flags, ["hallucination", "slow"]);
    assert_eq!((saved.failure_score, saved.success_threshold_pct), (0.4, 90));
    let expected = "- type: contains\n  value: refund\n";
    assert_eq!(saved.online_checks.as_deref(), Some(expected));
    assert_eq!(saved.pii_patterns[0].name.as_deref(), Some("ORDER"));
    let page = browser.page("/settings?done=policy").await;
    assert!(
        page.contains("The settings are saved") && page.contains("About 250 of"),
        "{page}"
    );
    let outdated = browser.post("/settings/policy", &policy_form(&[])).await;
    assert_eq!(outdated.status().as_u16(), 409);
    assert!(outdated.text().await.unwrap().contains("Yours are not saved"));
    assert_eq!(policy().await.version, saved.version);
}

async fn a_key_is_shown_once_and_revoked_by_its_owner(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let owner = Browser::of(&server, &server.user_a).await;
    let other = Browser::of(&server, &server.user_b).await;
    let answer = owner.post("/settings/keys", &[("scope", "ingest")]).await;
    let page = answer.text().await.unwrap();
    let (_, text) = page.split_once("id=\"new-key\">").unwrap();
    let text = text.split_once('<').unwrap().0;
    assert_eq!(
        server.engine.api_key(text).await.unwrap(),
        Some((server.user_a.id, KeyScope::Ingest))
    );
    assert_eq!(page.matches(text).count(), 2, "in the command as well");
    assert!(!owner.page("/settings").await.contains(text));
    let ApiKeyId(id) = server.engine.api_keys(server.user_a.id).await.unwrap()[0].id;
    let revoke = ["/settings/keys/", &id.to_string(), "/revoke"].concat();
    assert!(!other.page("/settings").await.contains(&id.to_string()));
    assert_eq!(other.post(&revoke, &[]).await.status().as_u16(), 404);
    assert!(server.engine.api_key(text).await.unwrap().is_some());
    assert_eq!(owner.post(&revoke, &[]).await.status().as_u16(), 303);
    assert_eq!(server.engine.api_key(text).await.unwrap(), None);
    assert_eq!(
        owner
            .post("/settings/keys", &[("scope", "all")])
            .await
            .status()
            .as_u16(),
        422
    );
}

async fn passwords_are_asked_for_and_not_guessed(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let new = "another horse";
    for (current, new, said) in [
        ("wrong horse", new, "This is not your password."),
        (TestServer::PASSWORD, "short", "Use at least 8 characters."),
        (
            TestServer::PASSWORD,
            TestServer::PASSWORD,
            "This is the password that you have.",
        ),
    ] {
        let form = [("current", current), ("new", new)];
        let answer = browser.post("/settings/password", &form).await;
        assert_eq!(answer.status().as_u16(), 422);
        assert!(answer.text().await.unwrap().contains(said), "{said}");
    }
    let form = [("current", TestServer::PASSWORD), ("new", new)];
    assert_eq!(
        browser.post("/settings/password", &form).await.status().as_u16(),
        303
    );
    assert!(
        browser
            .page("/settings?done=password")
            .await
            .contains("The password is changed.")
    );
    let old = server
        .engine
        .log_in(&server.user_a.email, &TestServer::PASSWORD.into())
        .await;
    assert!(matches!(old, Err(AuthError::InvalidCredentials)));
    let mut said = String::new();
    for _ in 0..10 {
        let form = [("current", "wrong horse"), ("new", "a third horse")];
        said = browser
            .post("/settings/password", &form)
            .await
            .text()
            .await
            .unwrap();
    }
    assert!(said.contains("Too many attempts."), "{said}");
}

async fn everything_is_taken_along(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (user, text) in [(&server.user_a, "mine"), (&server.user_b, "theirs")] {
        store(&server, interaction(user.id, text)).await;
    }
    evolution::evolved(&server, "Answer.").await;
    suggested(&server, "mine").await;
    let run = pawl_model::Run {
        user_id: Some(server.user_a.id),
        ..pawl_testkit::samples::run(1)
    };
    let cases: Vec<_> = (0..CASES as u32)
        .map(|ordinal| pawl_testkit::samples::case(&run, ordinal, pawl_model::State::Passed))
        .collect();
    server.store_run(&run, &cases).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let text = browser.page("/settings/export").await;
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut rows: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for line in &lines {
        let table = rows.entry(line["table"].as_str().unwrap()).or_default();
        assert!(table.insert(line["row"].to_string()), "twice: {line}");
    }
    let counts: BTreeMap<&str, usize> = rows.iter().map(|(table, rows)| (*table, rows.len())).collect();
    let expected = [
        ("auth.users", 1),
        ("evaluations", 3),
        ("failure_patterns", 2),
        ("promotion_verdicts", 1),
        ("prompt_candidates", 3),
        ("prompt_evaluations", 1),
        ("prompt_optimization_runs", 1),
        ("prompt_versions", 1),
        ("prompts", 1),
        ("sb_eval_cases", CASES),
        ("sb_eval_runs", 1),
        ("suggestions", 2),
    ];
    assert_eq!(counts, BTreeMap::from(expected));
    assert!(rows["evaluations"].iter().all(|row| row.contains("\"mine\"")));
    assert!(!text.contains("theirs") && !text.contains("argon2"), "{text}");
    let other = Browser::of(&server, &server.user_b).await;
    assert_eq!(other.page("/settings/export").await.lines().count(), 2);
}

async fn what_is_taken_along_is_masked_as_what_is_shown(database: TestDatabase) {
    const ADDRESS: &str = "grace@example.org";
    let server = TestServer::new(database).await;
    let user = server.user_a.id;
    let mut personal = interaction(user, ADDRESS);
    personal.interaction_id = "personal".to_owned();
    personal.flags.clear();
    let spans = format!(r#"[{{"name": "chat", "input": "write to {ADDRESS}"}}]"#);
    personal.spans = Some(Json::parse(&spans).unwrap());
    store(&server, personal).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let tables = async || {
        let text = browser.page("/settings/export").await;
        let lines = text.lines().filter(|line| line.contains(ADDRESS));
        let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap()["table"].clone());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(tables().await, ["evaluations", "interaction_traces"]);
    let policy = Policy {
        obfuscate_pii: true,
        ..Policy::default_of(user)
    };
    let owner = pawl_engine::Actor::Tenant(user);
    server.engine.set_policy(owner, policy).await.unwrap();
    assert_eq!(tables().await, [""; 0], "of the time before it was masked");
}

async fn an_account_is_deleted_by_whoever_it_is(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let (a, b) = (&server.user_a, &server.user_b);
    let browser = Browser::of(&server, a).await;
    for (email, password) in [
        (&*b.email, TestServer::PASSWORD),
        (&*a.email, "wrong horse"),
        ("", ""),
    ] {
        let form = [("email", email), ("password", password)];
        let answer = browser.post("/settings/delete", &form).await;
        assert_eq!(answer.status().as_u16(), 422, "{email}");
        assert!(server.engine.account(a.id).await.is_ok(), "{email}");
    }
    let form = [("email", "A@Example.org"), ("password", TestServer::PASSWORD)];
    let answer = browser.post("/settings/delete", &form).await;
    assert_eq!(header(&answer, "location"), "/login");
    let gone = server.engine.account(a.id).await;
    assert!(matches!(gone, Err(AuthError::UnknownUser)), "{gone:?}");
    assert!(server.engine.account(b.id).await.is_ok());
    assert_eq!(browser.cookie("pawl_session").as_deref(), Some(""));
}

#[tokio::test]
async fn masking_is_tried_without_keeping_anything() {
    let server = TestServer::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let form = [
        ("text", "ann@example.org asked for PX-1"),
        ("pii_patterns", "ORDER = PX-\\d"),
    ];
    let page = browser
        .post("/settings/preview", &form)
        .await
        .text()
        .await
        .unwrap();
    assert!(page.contains("<mark class=\"masked\">[ORDER]</mark>"), "{page}");
    let wrong = [("text", "x"), ("pii_patterns", "(")];
    let answer = browser.post("/settings/preview", &wrong).await;
    assert_eq!(answer.status().as_u16(), 422);
    assert!(answer.text().await.unwrap().contains("Pattern 1, column"));
}
