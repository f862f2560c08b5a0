use pawl_engine::auth::{AuthError, BrowserSession, LogOut, NewBrowserSession, SecretString};
use pawl_testkit::{TestDatabase, on_both_engines};

use super::{PASSWORD, Rig, person, text};

on_both_engines!(
    a_browser_signs_up_logs_in_and_logs_out,
    a_wrong_password_lets_no_browser_in,
    a_secret_is_replaced_once_a_day,
    a_secret_that_comes_back_late_ends_its_session,
    a_session_has_an_end,
    a_new_password_ends_all_other_log_ins,
    other_ways_to_end_log_ins_end_those_of_browsers,
);

const DAY: i64 = 86_400;

impl Rig {
    async fn browser(&self, email: &str) -> NewBrowserSession {
        let password = PASSWORD.into();
        self.engine.browser_log_in(email, &password).await.unwrap()
    }

    /// Who presents this secret, and what takes its place.
    async fn present(&self, secret: &SecretString) -> Option<(BrowserSession, Option<String>)> {
        let presented = self.engine.browser_session(secret).await.unwrap()?;
        Some((presented.session, presented.next.as_ref().map(text)))
    }
}

async fn a_browser_signs_up_logs_in_and_logs_out(database: TestDatabase) {
    let rig = Rig::new(database);
    assert!(!rig.engine.has_users().await.unwrap());
    let first = rig
        .engine
        .browser_sign_up(&person("ann@example.org"))
        .await
        .unwrap();
    assert!(first.session.account.is_owner);
    let second = rig.browser("ANN@example.org").await;
    assert_ne!(
        text(&first.secret),
        text(&second.secret),
        "each log-in is a session of its own"
    );
    for session in [&first, &second] {
        let (found, next) = rig.present(&session.secret).await.unwrap();
        assert_eq!(
            (found.id, found.account.id),
            (session.session.id, first.session.account.id)
        );
        assert_eq!(next, None);
    }
    rig.engine.end_browser_session(first.session.id).await.unwrap();
    assert!(rig.present(&first.secret).await.is_none());
    assert!(rig.present(&second.secret).await.is_some());
    assert!(rig.present(&"nothing of ours".into()).await.is_none());
}

async fn a_wrong_password_lets_no_browser_in(database: TestDatabase) {
    let rig = Rig::new(database);
    rig.sign_up("ann@example.org").await;
    for (email, password) in [
        ("ann@example.org", "wrong horse"),
        ("nobody@example.org", PASSWORD),
    ] {
        let refused = rig.engine.browser_log_in(email, &password.into()).await;
        assert!(
            matches!(refused, Err(AuthError::InvalidCredentials)),
            "{refused:?}"
        );
    }
}

async fn a_secret_is_replaced_once_a_day(database: TestDatabase) {
    let rig = Rig::new(database);
    rig.sign_up("ann@example.org").await;
    let first = rig.browser("ann@example.org").await;
    rig.pass(DAY);
    assert_eq!(rig.present(&first.secret).await.unwrap().1, None);
    rig.pass(1);
    let next = rig.present(&first.secret).await.unwrap().1.unwrap();
    assert_ne!(next, text(&first.secret));
    // Another tab, or an answer that was lost.
    rig.pass(60);
    let again = rig.present(&first.secret).await.unwrap().1.unwrap();
    assert_eq!(next, again);
    let (session, none) = rig.present(&next.into()).await.unwrap();
    assert_eq!((session.id, none), (first.session.id, None));
}

async fn a_secret_that_comes_back_late_ends_its_session(database: TestDatabase) {
    let rig = Rig::new(database);
    rig.sign_up("ann@example.org").await;
    let first = rig.browser("ann@example.org").await;
    rig.pass(DAY + 1);
    let next: SecretString = rig.present(&first.secret).await.unwrap().1.unwrap().into();
    rig.pass(61);
    assert!(rig.present(&next).await.is_some());
    assert!(rig.present(&first.secret).await.is_none());
    assert!(rig.present(&next).await.is_none(), "two hold it");
}

async fn a_session_has_an_end(database: TestDatabase) {
    let rig = Rig::new(database);
    rig.sign_up("ann@example.org").await;
    let idle = rig.browser("ann@example.org").await;
    let used = rig.browser("ann@example.org").await;
    rig.pass(14 * DAY);
    let mut secret: SecretString = rig.present(&used.secret).await.unwrap().1.unwrap().into();
    rig.pass(1);
    assert!(
        rig.present(&idle.secret).await.is_none(),
        "nobody used it for two weeks"
    );
    for _ in 0..7 {
        rig.pass(10 * DAY);
        secret = rig.present(&secret).await.unwrap().1.unwrap().into();
    }
    rig.pass(6 * DAY);
    assert!(rig.present(&secret).await.is_none(), "ninety days are enough");
}

async fn a_new_password_ends_all_other_log_ins(database: TestDatabase) {
    let rig = Rig::new(database);
    let of_a_program = rig.sign_up("ann@example.org").await;
    let asking = rig.browser("ann@example.org").await;
    let other = rig.browser("ann@example.org").await;
    for (current, new) in [
        ("wrong horse", "another horse"),
        (PASSWORD, PASSWORD),
        (PASSWORD, "short"),
    ] {
        let refused = rig
            .engine
            .change_password(&asking.session, &current.into(), new.into())
            .await;
        assert!(refused.is_err(), "{current} to {new}");
    }
    assert!(
        rig.present(&other.secret).await.is_some(),
        "nothing has happened yet"
    );
    rig.engine
        .change_password(&asking.session, &PASSWORD.into(), "another horse".into())
        .await
        .unwrap();
    assert!(rig.present(&asking.secret).await.is_some());
    assert!(rig.present(&other.secret).await.is_none());
    let claims = rig
        .engine
        .claims(&text(&of_a_program.access_token))
        .await
        .unwrap();
    let ended = rig.engine.own_account(claims).await;
    assert!(matches!(ended, Err(AuthError::SessionNotFound)), "{ended:?}");
    let refused = rig
        .engine
        .browser_log_in("ann@example.org", &PASSWORD.into())
        .await;
    assert!(matches!(refused, Err(AuthError::InvalidCredentials)));
}

async fn other_ways_to_end_log_ins_end_those_of_browsers(database: TestDatabase) {
    let rig = Rig::new(database);
    let of_a_program = rig.sign_up("ann@example.org").await;
    let browser = rig.browser("ann@example.org").await;
    let claims = rig
        .engine
        .claims(&text(&of_a_program.access_token))
        .await
        .unwrap();
    rig.engine.log_out(claims, LogOut::Local).await.unwrap();
    assert!(rig.present(&browser.secret).await.is_some());
    let another = rig.log_in("ann@example.org").await;
    let claims = rig.engine.claims(&text(&another.access_token)).await.unwrap();
    rig.engine.log_out(claims, LogOut::Others).await.unwrap();
    assert!(rig.present(&browser.secret).await.is_none());
    let browser = rig.browser("ann@example.org").await;
    rig.engine
        .delete_account(browser.session.account.id)
        .await
        .unwrap();
    assert!(rig.present(&browser.secret).await.is_none());
}
