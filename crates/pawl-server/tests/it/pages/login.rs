//! Signing up, logging in, logging out.

use std::time::Duration;

use pawl_server::ServerSettings;
use pawl_testkit::{TestDatabase, TestServer, on_both_engines};

use super::browser::Browser;
use super::header;

on_both_engines!(
    somebody_signs_up_logs_out_and_logs_in,
    what_is_wrong_is_said_beside_the_field,
    whoever_logs_in_comes_back_to_where_they_were,
    a_cookie_is_replaced_while_it_is_in_use,
    a_log_in_is_a_new_session,
);

const SESSION: &str = "pawl_session";

async fn somebody_signs_up_logs_out_and_logs_in(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::new(&server);
    let form = [("email", "Ann@Example.org"), ("password", "correct horse")];
    let signed_up = browser.post("/sign-up", &form).await;
    assert_eq!(
        (signed_up.status().as_u16(), header(&signed_up, "location")),
        (303, "/dashboard")
    );
    let cookie = header(&signed_up, "set-cookie");
    for part in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age=1209600"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    assert!(browser.page("/dashboard").await.contains("ann@example.org"));
    for path in ["/", "/login", "/sign-up"] {
        let answer = browser.get(path).await;
        assert_eq!(header(&answer, "location"), "/dashboard", "{path}");
    }
    let secret = browser.cookie(SESSION).unwrap();
    let logged_out = browser.post("/log-out", &[]).await;
    assert_eq!(header(&logged_out, "location"), "/login");
    assert_eq!(browser.cookie(SESSION).as_deref(), Some(""));
    // The session is over, not only the cookie gone.
    browser.set_cookie(SESSION, &secret);
    assert_eq!(browser.get("/dashboard").await.status().as_u16(), 303);
    let logged_in = browser.post("/login", &form).await;
    assert_eq!(header(&logged_in, "location"), "/dashboard");
    assert_eq!(browser.get("/dashboard").await.status().as_u16(), 200);
}

async fn what_is_wrong_is_said_beside_the_field(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::new(&server);
    let long = "x".repeat(257);
    for (path, email, password, said) in [
        ("/login", "a@example.org", "wrong horse", "do not belong together"),
        (
            "/login",
            "nobody@example.org",
            TestServer::PASSWORD,
            "do not belong together",
        ),
        (
            "/login",
            "\"><script>alert(1)</script>",
            "wrong horse",
            "do not belong together",
        ),
        ("/sign-up", "nobody", "correct horse", "Enter an e-mail address"),
        (
            "/sign-up",
            "new@example.org",
            "short",
            "Use at least 8 characters.",
        ),
        (
            "/sign-up",
            "new@example.org",
            &long,
            "Use at most 256 characters.",
        ),
        ("/sign-up", "a@example.org", "correct horse", "log in instead"),
    ] {
        let answer = browser
            .post(path, &[("email", email), ("password", password)])
            .await;
        assert_eq!(answer.status().as_u16(), 422, "{path} {email}");
        let page = answer.text().await.unwrap();
        assert!(page.contains(said), "{path} {email}: {page}");
        assert!(
            !page.contains("<script>") && !page.contains(password),
            "{path} {email}"
        );
        if !email.contains('<') {
            assert!(
                page.contains(&["value=\"", email, "\""].concat()),
                "{path} {email}"
            );
        }
        assert_eq!(browser.cookie(SESSION), None);
    }
    let mut statuses = Vec::new();
    for _ in 0..11 {
        let form = [("email", "b@example.org"), ("password", "wrong horse")];
        let answer = browser.post("/login", &form).await;
        statuses.push(answer.status().as_u16());
        if answer.status().as_u16() == 429 {
            assert!(
                answer
                    .text()
                    .await
                    .unwrap()
                    .contains("Too many attempts. Try again in")
            );
        }
    }
    assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 10);
    assert_eq!(statuses.last(), Some(&429));
}

async fn whoever_logs_in_comes_back_to_where_they_were(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (next, to) in [
        ("/dashboard?days=7", "/dashboard?days=7"),
        ("//evil.example", "/dashboard"),
        ("https://evil.example", "/dashboard"),
        ("/\\evil.example", "/dashboard"),
    ] {
        let browser = Browser::new(&server);
        let query = super::browser::encoded(&[("next", next)]);
        let page = browser.page(&["/login?", &query].concat()).await;
        assert!(page.contains(&["/sign-up?", &query].concat()), "{page}");
        let form = [
            ("email", "a@example.org"),
            ("password", TestServer::PASSWORD),
            ("next", next),
        ];
        let answer = browser.post("/login", &form).await;
        assert_eq!(header(&answer, "location"), to);
    }
}

async fn a_cookie_is_replaced_while_it_is_in_use(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::of(&server, &server.user_a).await;
    let first = browser.cookie(SESSION).unwrap();
    browser.page("/dashboard").await;
    assert_eq!(browser.cookie(SESSION), Some(first.clone()));
    server.clock.advance(Duration::from_secs(86_401));
    browser.page("/dashboard").await;
    let second = browser.cookie(SESSION).unwrap();
    assert_ne!(first, second);
    browser.page("/dashboard").await;
    // What was replaced can still end the session in the minute after, and takes no other cookie back.
    browser.set_cookie(SESSION, &first);
    browser.post("/log-out", &[]).await;
    assert_eq!(browser.cookie(SESSION).as_deref(), Some(""));
    browser.set_cookie(SESSION, &second);
    assert_eq!(browser.get("/dashboard").await.status().as_u16(), 303);
}

async fn a_log_in_is_a_new_session(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let browser = Browser::new(&server);
    // A secret that somebody planted is not the one that is let in.
    browser.set_cookie(SESSION, "planted");
    let form = [("email", "a@example.org"), ("password", TestServer::PASSWORD)];
    browser.post("/login", &form).await;
    let first = browser.cookie(SESSION).unwrap();
    browser.post("/login", &form).await;
    let second = browser.cookie(SESSION).unwrap();
    assert!(first != "planted" && first != second);
}

#[tokio::test]
async fn over_https_the_cookie_is_for_https_alone() {
    let settings = ServerSettings {
        url: Some("https://pawl.example.org".to_owned()),
        ..ServerSettings::default()
    };
    let server = TestServer::with(TestDatabase::new(pawl_testkit::Engine::Sqlite).await, settings).await;
    let form = [("email", "a@example.org"), ("password", TestServer::PASSWORD)];
    let answer = Browser::new(&server).post("/login", &form).await;
    assert!(header(&answer, "set-cookie").contains("; Secure"));
}

#[tokio::test]
async fn the_first_user_is_told_that_they_own_the_instance() {
    let server = TestServer::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
    let browser = Browser::new(&server);
    assert!(!browser.page("/sign-up").await.contains("owner"));
    for user in [&server.user_a, &server.user_b] {
        server.engine.delete_account(user.id).await.unwrap();
    }
    for path in ["/login", "/sign-up"] {
        let page = browser.page(path).await;
        assert!(page.contains("You will be the <strong>owner</strong>"), "{page}");
        assert!(page.contains("action=\"/sign-up\""), "{page}");
    }
}
