use pawl_engine::auth::ExposeSecret as _;
use pawl_model::KeyScope;
use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};

on_both_engines!(the_token_says_who_it_is, keys_of_programs_read_what_they_may);

/// What a path answers to this pair of headers.
async fn status(server: &TestServer, path: &str, key: Option<&str>, authorization: Option<&str>) -> u16 {
    let mut request = server.request(Identity::Nobody, Method::GET, path);
    if let Some(key) = key {
        request = request.header("apikey", key);
    }
    if let Some(authorization) = authorization {
        request = request.header("authorization", authorization);
    }
    request.send().await.unwrap().status().as_u16()
}

async fn the_token_says_who_it_is(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let bearer = |token: &str| ["Bearer ", token].concat();
    let (anon, service) = (server.anon_key.as_str(), server.service_key.as_str());
    let user = bearer(&server.user_a.access_token);
    let forged = [&anon[..anon.len() - 2], "AA"].concat();
    // In turn: runs, which are somebody's, and users, who are the service's to list.
    for (key, authorization, runs, users) in [
        (None, None, 401, 401),
        (Some(""), None, 401, 401),
        (Some(anon), None, 401, 403),
        (Some(anon), Some(bearer(anon)), 401, 403),
        (Some(anon), Some(user.clone()), 200, 403),
        (Some(anon), Some(user.replace("Bearer", "bearer")), 200, 403),
        (None, Some(user.clone()), 200, 403),
        (Some(service), None, 200, 200),
        (Some(service), Some(bearer(service)), 200, 200),
        (Some(anon), Some(bearer(service)), 200, 200),
        // The token says who it is, not the key beside it.
        (Some(service), Some(user.clone()), 200, 403),
        (Some(service), Some(bearer(anon)), 401, 403),
        (Some(service), Some(bearer("x")), 401, 403),
        (Some(&forged), Some(user.clone()), 401, 401),
        (Some(&forged), None, 401, 401),
        (Some("x"), None, 401, 401),
        // No token at all: the key counts.
        (Some(service), Some("Basic eDp5".to_owned()), 200, 200),
    ] {
        let authorization = authorization.as_deref();
        for (path, expected) in [("/api/runs", runs), ("/auth/v1/admin/users", users)] {
            let answered = status(&server, path, key, authorization).await;
            assert_eq!(answered, expected, "{path} with {key:?} and {authorization:?}");
        }
    }
}

async fn keys_of_programs_read_what_they_may(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (scope, expected) in [
        (KeyScope::Read, 200),
        (KeyScope::Write, 200),
        (KeyScope::Ingest, 403),
    ] {
        let made = server
            .engine
            .create_api_key(server.user_a.id, scope)
            .await
            .unwrap();
        let (key, id) = (made.text.expose_secret(), made.key.id);
        let bearer = ["Bearer ", key].concat();
        for (key, authorization) in [(None, Some(bearer.as_str())), (Some(key), None)] {
            assert_eq!(
                status(&server, "/api/runs", key, authorization).await,
                expected,
                "{scope:?}"
            );
            // Of another tenant, and of users, they say nothing.
            let other = format!("/api/runs?user_id={}", server.user_b.id);
            let foreign = if expected == 200 { 404 } else { expected };
            assert_eq!(
                status(&server, &other, key, authorization).await,
                foreign,
                "{scope:?}"
            );
            assert!(status(&server, "/auth/v1/admin/users", key, authorization).await >= 401);
            assert!(status(&server, "/auth/v1/user", key, authorization).await >= 401);
        }
        server.engine.revoke_api_key(server.user_a.id, id).await.unwrap();
        assert_eq!(status(&server, "/api/runs", None, Some(&bearer)).await, 401);
    }
}
