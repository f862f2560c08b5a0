use pawl_engine::auth::{AccountChange, AuthError, AuthSettings, EmailAddress, NewAccount, Page, SignUp};
use pawl_model::{Json, UserId};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use serde_json::json;

use super::{Rig, person, text};

on_both_engines!(
    where_sign_up_is_closed_the_first_user_may,
    administrators_add_change_and_delete_users,
    accounts_come_in_pages,
    users_change_what_they_say_of_themselves,
);

async fn where_sign_up_is_closed_the_first_user_may(database: TestDatabase) {
    let settings = AuthSettings {
        sign_up: SignUp::Closed,
        ..AuthSettings::default()
    };
    let rig = Rig::with(database, settings);
    // At the same time, so that only the database can tell who was first.
    let asking: Vec<_> = (0..4)
        .map(|n| {
            let engine = rig.engine.clone();
            tokio::spawn(async move { engine.sign_up(&person(&format!("user{n}@example.org"))).await })
        })
        .collect();
    let mut let_in = 0;
    for answer in asking {
        match answer.await.unwrap() {
            Ok(issued) => {
                assert!(issued.account.is_owner);
                let_in += 1;
            }
            Err(error) => assert!(matches!(error, AuthError::SignUpClosed), "{error:?}"),
        }
    }
    assert_eq!(let_in, 1);
    let added = rig
        .engine
        .add_account(&person("added@example.org"))
        .await
        .unwrap();
    assert!(!added.is_owner);
    rig.log_in("added@example.org").await;
}

async fn administrators_add_change_and_delete_users(database: TestDatabase) {
    let rig = Rig::new(database);
    let id = samples::user(1).id;
    let new = NewAccount {
        id: Some(id),
        app_metadata: json!({"team": "a", "owner": false}).as_object().cloned().unwrap(),
        ..person("ann@example.org")
    };
    let added = rig.engine.add_account(&new).await.unwrap();
    assert_eq!((added.id, added.is_owner), (id, true));
    assert_eq!(added.app_metadata, Json::parse(r#"{"team": "a"}"#).unwrap());
    assert_eq!(rig.engine.account(id).await.unwrap(), added);
    for taken in [
        person("ANN@example.org"),
        NewAccount {
            id: Some(id),
            ..person("b@example.org")
        },
    ] {
        let refused = rig.engine.add_account(&taken).await;
        assert!(matches!(refused, Err(AuthError::UserExists)), "{refused:?}");
    }
    rig.pass(5);
    let change = AccountChange {
        email: Some(EmailAddress::parse("Anna@example.org").unwrap()),
        ..AccountChange::default()
    };
    let changed = rig.engine.change_account(id, &change).await.unwrap();
    assert_eq!(changed.email.as_deref(), Some("anna@example.org"));
    assert_eq!(changed.updated_at, samples::time(5));
    rig.log_in("anna@example.org").await;
    rig.engine.add_account(&person("bob@example.org")).await.unwrap();
    let change = AccountChange {
        email: Some(EmailAddress::parse("bob@example.org").unwrap()),
        ..AccountChange::default()
    };
    let refused = rig.engine.change_account(id, &change).await;
    assert!(matches!(refused, Err(AuthError::UserExists)), "{refused:?}");
    rig.engine.delete_account(id).await.unwrap();
    for gone in [
        rig.engine.account(id).await.err(),
        rig.engine.delete_account(id).await.err(),
        rig.engine
            .change_account(id, &AccountChange::default())
            .await
            .err(),
    ] {
        assert!(matches!(gone, Some(AuthError::UnknownUser)), "{gone:?}");
    }
}

async fn accounts_come_in_pages(database: TestDatabase) {
    let rig = Rig::new(database);
    for n in 0..5 {
        rig.pass(1);
        rig.engine
            .add_account(&person(&format!("user{n}@example.org")))
            .await
            .unwrap();
    }
    let page = |offset| Page { limit: 2, offset };
    let mut seen = Vec::new();
    for offset in [0, 2, 4, 6] {
        let (accounts, total) = rig.engine.accounts(page(offset)).await.unwrap();
        assert_eq!(total, 5);
        seen.extend(accounts.into_iter().filter_map(|account| account.email));
    }
    let newest_first: Vec<_> = (0..5).rev().map(|n| format!("user{n}@example.org")).collect();
    assert_eq!(seen, newest_first);
}

async fn users_change_what_they_say_of_themselves(database: TestDatabase) {
    let rig = Rig::new(database);
    let issued = rig.sign_up("ann@example.org").await;
    let claims = rig.engine.claims(&text(&issued.access_token)).await.unwrap();
    // Both at once: neither is lost.
    let changes = ["a", "b"].map(|key| {
        let engine = rig.engine.clone();
        tokio::spawn(async move {
            let change = AccountChange {
                user_metadata: json!({key: 1}).as_object().cloned().unwrap(),
                ..AccountChange::default()
            };
            engine.change_own_account(claims, &change).await
        })
    });
    for change in changes {
        change.await.unwrap().unwrap();
    }
    let account = rig.engine.own_account(claims).await.unwrap();
    assert_eq!(account.user_metadata, Json::parse(r#"{"a": 1, "b": 1}"#).unwrap());
    let refused = rig.engine.own_account(pawl_engine::auth::Claims {
        identity: pawl_engine::auth::Identity::User(UserId(uuid::Uuid::from_u128(1))),
        session: None,
    });
    assert!(matches!(refused.await, Err(AuthError::UnknownUser)));
}
