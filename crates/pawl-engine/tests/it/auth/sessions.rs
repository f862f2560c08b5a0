use std::collections::BTreeSet;

use pawl_engine::auth::{AccountChange, AuthError, Identity, LogOut, NewAccount};
use pawl_testkit::{TestDatabase, on_both_engines};

use super::{PASSWORD, Rig, person, text};

on_both_engines!(
    a_user_signs_up_and_logs_in,
    a_wrong_password_and_a_wrong_user_are_the_same_error,
    a_refresh_token_is_good_once,
    a_refresh_token_that_comes_back_late_ends_its_session,
    many_refreshes_at_once_are_given_the_same_successor,
    log_out_ends_the_sessions_that_it_names,
    a_session_ends_that_nobody_refreshes,
    a_new_password_ends_other_sessions,
    sessions_are_few,
    nothing_secret_shows,
);

async fn a_user_signs_up_and_logs_in(database: TestDatabase) {
    let rig = Rig::new(database);
    let signed_up = rig.sign_up("Ann@Example.org").await;
    assert_eq!(signed_up.account.email.as_deref(), Some("ann@example.org"));
    assert!(signed_up.account.is_owner);
    assert_eq!(signed_up.expires_in, 3_600);
    rig.pass(60);
    let logged_in = rig.log_in("ANN@example.org").await;
    assert_eq!(logged_in.account.id, signed_up.account.id);
    assert_eq!(
        logged_in.account.last_sign_in_at,
        Some(signed_up.account.created_at + time::Duration::seconds(60))
    );
    for issued in [&signed_up, &logged_in] {
        let claims = rig.engine.claims(&text(&issued.access_token)).await.unwrap();
        assert_eq!(claims.identity, Identity::User(issued.account.id));
        assert_eq!(rig.engine.own_account(claims).await.unwrap(), logged_in.account);
    }
    let second = rig.sign_up("bob@example.org").await;
    assert!(!second.account.is_owner);
    let again = rig.engine.sign_up(&person("ann@example.org")).await;
    assert!(matches!(again, Err(AuthError::UserExists)), "{again:?}");
}

async fn a_wrong_password_and_a_wrong_user_are_the_same_error(database: TestDatabase) {
    let rig = Rig::new(database);
    rig.sign_up("ann@example.org").await;
    let without_password = NewAccount {
        password: None,
        ..person("no-password@example.org")
    };
    rig.engine.add_account(&without_password).await.unwrap();
    for (email, password) in [
        ("ann@example.org", "wrong horse"),
        ("ann@example.org", ""),
        ("nobody@example.org", PASSWORD),
        ("no-password@example.org", PASSWORD),
        ("no address", PASSWORD),
    ] {
        let refused = rig.engine.log_in(email, &password.into()).await;
        assert!(
            matches!(refused, Err(AuthError::InvalidCredentials)),
            "{email}: {refused:?}"
        );
    }
}

async fn a_refresh_token_is_good_once(database: TestDatabase) {
    let rig = Rig::new(database);
    let first = rig.sign_up("ann@example.org").await;
    rig.pass(3_000);
    let second = rig.engine.refresh(first.refresh_token.clone()).await.unwrap();
    assert_ne!(text(&second.refresh_token), text(&first.refresh_token));
    let claims = rig.engine.claims(&text(&second.access_token)).await.unwrap();
    assert_eq!(
        claims,
        rig.engine.claims(&text(&first.access_token)).await.unwrap(),
        "the session goes on"
    );
    // The answer may have been lost.
    rig.pass(10);
    let repeated = rig.engine.refresh(first.refresh_token).await.unwrap();
    assert_eq!(text(&repeated.refresh_token), text(&second.refresh_token));
    rig.pass(3_600);
    let third = rig.engine.refresh(second.refresh_token).await.unwrap();
    assert_ne!(text(&third.refresh_token), text(&repeated.refresh_token));
    let unknown = rig.engine.refresh("no such token".into()).await;
    assert!(
        matches!(unknown, Err(AuthError::RefreshTokenNotFound)),
        "{unknown:?}"
    );
}

async fn a_refresh_token_that_comes_back_late_ends_its_session(database: TestDatabase) {
    let rig = Rig::new(database);
    let other = rig.sign_up("ann@example.org").await;
    let first = rig.log_in("ann@example.org").await;
    let second = rig.engine.refresh(first.refresh_token.clone()).await.unwrap();
    rig.pass(11);
    let reused = rig.engine.refresh(first.refresh_token.clone()).await;
    assert!(
        matches!(reused, Err(AuthError::RefreshTokenAlreadyUsed)),
        "{reused:?}"
    );
    for token in [first.refresh_token, second.refresh_token] {
        let ended = rig.engine.refresh(token).await;
        assert!(matches!(ended, Err(AuthError::RefreshTokenNotFound)), "{ended:?}");
    }
    let claims = rig.engine.claims(&text(&second.access_token)).await.unwrap();
    let ended = rig.engine.own_account(claims).await;
    assert!(matches!(ended, Err(AuthError::SessionNotFound)), "{ended:?}");
    assert!(
        rig.engine.refresh(other.refresh_token).await.is_ok(),
        "other log-ins go on"
    );
}

async fn many_refreshes_at_once_are_given_the_same_successor(database: TestDatabase) {
    let rig = Rig::new(database);
    let first = rig.sign_up("ann@example.org").await;
    let asking: Vec<_> = (0..20)
        .map(|_| {
            let (engine, token) = (rig.engine.clone(), first.refresh_token.clone());
            tokio::spawn(async move { engine.refresh(token).await })
        })
        .collect();
    let mut successors = BTreeSet::new();
    for answer in asking {
        successors.insert(text(&answer.await.unwrap().unwrap().refresh_token));
    }
    assert_eq!(successors.len(), 1, "one line of tokens");
    let next = successors.pop_first().unwrap();
    rig.pass(60);
    assert!(rig.engine.refresh(next.into()).await.is_ok());
}

async fn log_out_ends_the_sessions_that_it_names(database: TestDatabase) {
    let rig = Rig::new(database);
    let stranger = rig.sign_up("bob@example.org").await;
    rig.sign_up("ann@example.org").await;
    for (which, left) in [
        (LogOut::Local, [false, true]),
        (LogOut::Others, [true, false]),
        (LogOut::Global, [false, false]),
    ] {
        let asking = rig.log_in("ann@example.org").await;
        let other = rig.log_in("ann@example.org").await;
        let claims = rig.engine.claims(&text(&asking.access_token)).await.unwrap();
        rig.engine.log_out(claims, which).await.unwrap();
        for (issued, is_left) in [asking, other].into_iter().zip(left) {
            let account = rig
                .engine
                .own_account(rig.engine.claims(&text(&issued.access_token)).await.unwrap());
            assert_eq!(account.await.is_ok(), is_left, "{which:?}");
            let refreshed = rig.engine.refresh(issued.refresh_token).await;
            assert_eq!(refreshed.is_ok(), is_left, "{which:?}");
        }
        if !left[0] {
            let again = rig.engine.log_out(claims, which).await;
            assert!(matches!(again, Err(AuthError::SessionNotFound)), "{again:?}");
        }
    }
    assert!(rig.engine.refresh(stranger.refresh_token).await.is_ok());
}

async fn a_session_ends_that_nobody_refreshes(database: TestDatabase) {
    let rig = Rig::new(database);
    let days = 86_400;
    let mut token = rig.sign_up("ann@example.org").await.refresh_token;
    for _ in 0..3 {
        rig.pass(59 * days);
        token = rig.engine.refresh(token).await.unwrap().refresh_token;
    }
    rig.pass(60 * days + 1);
    let expired = rig.engine.refresh(token.clone()).await;
    assert!(matches!(expired, Err(AuthError::SessionExpired)), "{expired:?}");
    let gone = rig.engine.refresh(token).await;
    assert!(matches!(gone, Err(AuthError::RefreshTokenNotFound)), "{gone:?}");
}

async fn a_new_password_ends_other_sessions(database: TestDatabase) {
    let rig = Rig::new(database);
    let other = rig.sign_up("ann@example.org").await;
    let asking = rig.log_in("ann@example.org").await;
    let claims = rig.engine.claims(&text(&asking.access_token)).await.unwrap();
    let change = |password: &str| AccountChange {
        password: Some(password.into()),
        ..Default::default()
    };
    let same = rig.engine.change_own_account(claims, &change(PASSWORD)).await;
    assert!(matches!(same, Err(AuthError::SamePassword)), "{same:?}");
    let short = rig.engine.change_own_account(claims, &change("short")).await;
    assert!(
        matches!(short, Err(AuthError::WeakPassword { least: 8 })),
        "{short:?}"
    );
    rig.engine
        .change_own_account(claims, &change("battery staple"))
        .await
        .unwrap();
    assert!(rig.engine.refresh(asking.refresh_token).await.is_ok());
    assert!(rig.engine.refresh(other.refresh_token).await.is_err());
    assert!(
        rig.engine
            .log_in("ann@example.org", &PASSWORD.into())
            .await
            .is_err()
    );
    let logged_in = rig
        .engine
        .log_in("ann@example.org", &"battery staple".into())
        .await
        .unwrap();
    rig.engine
        .change_account(logged_in.account.id, &change("set by somebody else"))
        .await
        .unwrap();
    assert!(rig.engine.refresh(logged_in.refresh_token).await.is_err());
}

async fn sessions_are_few(database: TestDatabase) {
    let rig = Rig::new(database);
    let first = rig.sign_up("ann@example.org").await;
    for _ in 0..2 {
        rig.pass(1);
        rig.log_in("ann@example.org").await;
    }
    let mut scope = rig
        .database
        .store
        .write(pawl_engine::Actor::Service)
        .await
        .unwrap();
    let kept = pawl_store::sessions::Kept {
        since: first.account.created_at,
        most: 2,
    };
    pawl_store::sessions::prune(&mut scope, first.account.id, kept)
        .await
        .unwrap();
    scope.commit().await.unwrap();
    let ended = rig.engine.refresh(first.refresh_token).await;
    assert!(matches!(ended, Err(AuthError::RefreshTokenNotFound)), "{ended:?}");
}

/// Neither what is logged nor what is written holds anything that lets somebody in.
async fn nothing_secret_shows(database: TestDatabase) {
    let rig = Rig::new(database);
    let issued = rig.sign_up("ann@example.org").await;
    let keys = rig.engine.keys().await.unwrap();
    let key = rig
        .engine
        .create_api_key(issued.account.id, pawl_model::KeyScope::Read)
        .await
        .unwrap();
    let shown = format!("{:?} {issued:?} {keys:?} {key:?}", person("ann@example.org"));
    for secret in [
        PASSWORD.to_owned(),
        text(&issued.access_token),
        text(&issued.refresh_token),
        text(&keys.service_role_key),
        text(&keys.ingestion_secret),
        text(&key.text),
    ] {
        assert!(!shown.contains(&secret));
        if let pawl_store::Location::Sqlite(path) = &rig.database.location {
            for file in [path.clone(), path.with_extension("db-wal")] {
                let bytes = std::fs::read(file).unwrap();
                let found = bytes
                    .windows(secret.len())
                    .any(|window| window == secret.as_bytes());
                assert!(!found, "in the database");
            }
        }
    }
}
