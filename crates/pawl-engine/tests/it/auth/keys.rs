use std::collections::BTreeSet;

use pawl_engine::auth::{AuthError, AuthSettings, Identity};
use pawl_engine::{Clock, Engine};
use pawl_model::KeyScope;
use pawl_store::Store;
use pawl_testkit::{TestDatabase, on_both_engines, samples};

use super::{Rig, text};

on_both_engines!(
    whoever_opens_the_database_has_the_same_keys,
    given_secrets_come_before_kept_ones,
    keys_open_what_they_say,
    keys_of_programs_speak_for_their_user,
);

async fn whoever_opens_the_database_has_the_same_keys(database: TestDatabase) {
    let opening: Vec<_> = (0..8)
        .map(|n| {
            let location = database.location.clone();
            tokio::spawn(async move {
                let store = Store::open(&location).await.unwrap();
                let engine = Engine::new(store, Clock::new(move || samples::time(n)));
                let keys = engine.keys().await.unwrap();
                engine.close().await;
                [
                    keys.anon_key,
                    text(&keys.service_role_key),
                    text(&keys.ingestion_secret),
                ]
            })
        })
        .collect();
    let mut different = BTreeSet::new();
    for keys in opening {
        different.insert(keys.await.unwrap());
    }
    assert_eq!(different.len(), 1);
    let keys = Rig::new(database).engine.keys().await.unwrap();
    let keys = [
        keys.anon_key,
        text(&keys.service_role_key),
        text(&keys.ingestion_secret),
    ];
    assert_eq!(different.pop_first(), Some(keys));
}

async fn given_secrets_come_before_kept_ones(database: TestDatabase) {
    let kept = Rig::new(TestDatabase::new(database.engine).await)
        .engine
        .keys()
        .await
        .unwrap();
    let settings = AuthSettings {
        jwt_secret: Some("0123456789abcdef0123456789abcdef".into()),
        ingestion_secret: Some("from the environment".into()),
        ..AuthSettings::default()
    };
    let rig = Rig::with(database, settings);
    let given = rig.engine.keys().await.unwrap();
    assert_eq!(text(&given.ingestion_secret), "from the environment");
    assert!(
        rig.engine
            .is_ingestion_secret("from the environment")
            .await
            .unwrap()
    );
    for wrong in [
        "",
        "from the environmen",
        "from the environment ",
        &text(&kept.ingestion_secret),
    ] {
        assert!(!rig.engine.is_ingestion_secret(wrong).await.unwrap(), "{wrong}");
    }
    assert!(rig.engine.identify(&given.anon_key).await.is_ok());
    let foreign = rig.engine.identify(&text(&kept.service_role_key)).await;
    assert!(matches!(foreign, Err(AuthError::InvalidToken)), "{foreign:?}");
    let short = AuthSettings {
        jwt_secret: Some("0123456789abcdef0123456789abcde".into()),
        ..AuthSettings::default()
    };
    let refused = rig.engine.clone().with_auth(short).err().unwrap().to_string();
    assert!(refused.contains("PAWL_JWT_SECRET has 31 bytes"), "{refused}");
}

async fn keys_open_what_they_say(database: TestDatabase) {
    let rig = Rig::new(database);
    let keys = rig.engine.keys().await.unwrap();
    for (key, identity) in [
        (&keys.anon_key, Identity::Anonymous),
        (&text(&keys.service_role_key), Identity::Service),
    ] {
        assert_eq!(rig.engine.identify(key).await.unwrap(), identity);
    }
    let refused = rig.engine.identify(&text(&keys.ingestion_secret)).await;
    assert!(matches!(refused, Err(AuthError::InvalidToken)), "{refused:?}");
}

async fn keys_of_programs_speak_for_their_user(database: TestDatabase) {
    let rig = Rig::new(database);
    let user = rig.sign_up("ann@example.org").await.account.id;
    let other = rig.sign_up("bob@example.org").await.account.id;
    let made = rig.engine.create_api_key(user, KeyScope::Read).await.unwrap();
    let presented = text(&made.text);
    assert!(presented.starts_with("pawl_") && presented.ends_with(&made.key.last_four));
    assert_eq!(
        rig.engine.api_key(&presented).await.unwrap(),
        Some((user, KeyScope::Read))
    );
    for wrong in [
        "",
        "pawl_",
        &presented[..presented.len() - 1],
        &presented.to_uppercase(),
    ] {
        assert_eq!(rig.engine.api_key(wrong).await.unwrap(), None, "{wrong}");
    }
    assert_eq!(
        rig.engine.api_keys(user).await.unwrap(),
        std::slice::from_ref(&made.key)
    );
    assert_eq!(rig.engine.api_keys(other).await.unwrap(), []);
    assert!(!rig.engine.revoke_api_key(other, made.key.id).await.unwrap());
    assert!(rig.engine.revoke_api_key(user, made.key.id).await.unwrap());
    assert_eq!(rig.engine.api_key(&presented).await.unwrap(), None);
    for _ in 0..100 {
        rig.engine.create_api_key(user, KeyScope::Ingest).await.unwrap();
    }
    let refused = rig.engine.create_api_key(user, KeyScope::Ingest).await;
    assert!(
        matches!(refused, Err(AuthError::TooManyApiKeys { most: 100 })),
        "{refused:?}"
    );
}

/// The file beside the embedded database: for its owner alone, and never half of one.
#[cfg(unix)]
#[tokio::test]
async fn the_file_of_secrets_is_private_and_whole() {
    use std::os::unix::fs::PermissionsExt as _;
    let rig = Rig::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await);
    let file = rig.database.folder().join("secrets.json");
    // As a process leaves it that was killed while writing.
    let draft = rig.database.folder().join("secrets.json.new");
    std::fs::write(&draft, "{\"jwt_sec").unwrap();
    let keys = rig.engine.keys().await.unwrap();
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(!draft.exists());
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains(&text(&keys.ingestion_secret)));

    std::fs::write(&file, "{}").unwrap();
    let engine = Engine::new(rig.database.store.clone(), Clock::new(|| samples::time(0)));
    let refused = engine.keys().await.unwrap_err().to_string();
    assert!(refused.contains("cannot use the file of secrets"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}", "it is left alone");
}
