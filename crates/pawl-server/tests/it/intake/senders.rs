//! Who may hand in, and for whom.

use pawl_engine::auth::ExposeSecret as _;
use pawl_model::{KeyScope, UserId};
use pawl_testkit::http::{Method, RequestBuilder};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::{Value, json};

use super::{INGEST, changed, codes, fields, interaction, shown, stored};

on_both_engines!(
    without_the_secret_nothing_is_read,
    a_key_hands_in_for_its_tenant_alone,
);

async fn without_the_secret_nothing_is_read(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let near = &server.ingestion_secret[1..];
    for secret in [
        None,
        Some(""),
        Some(near),
        Some("\u{e9}"),
        Some(&*server.service_key),
    ] {
        for (content_type, body) in [
            ("application/json", "{"),
            ("application/x-ndjson", "{"),
            ("text/plain", ""),
        ] {
            let path = [INGEST, "?apply_policy=perhaps"].concat();
            let mut request = server.request(Identity::Service, Method::POST, &path);
            if let Some(secret) = secret {
                request = request.header("x-ingestion-secret", secret);
            }
            let answer = request
                .header("content-type", content_type)
                .body(body)
                .send()
                .await;
            let (status, problem) = shown(answer.unwrap()).await;
            assert_eq!((status, &problem["code"]), (401, &json!("unauthenticated")));
        }
    }
    // The secret beside the service key, as the back ends of Supabase's users send it.
    let request = server
        .request(Identity::Service, Method::POST, INGEST)
        .header("x-ingestion-secret", &server.ingestion_secret)
        .json(&interaction(server.user_a.id, "1"));
    assert_eq!(shown(request.send().await.unwrap()).await.0, 201);
}

async fn with_key(server: &TestServer, user: UserId, scope: KeyScope) -> RequestBuilder {
    let key = server.engine.create_api_key(user, scope).await.unwrap();
    server
        .request(Identity::Nobody, Method::POST, INGEST)
        .bearer_auth(key.text.expose_secret())
}

async fn a_key_hands_in_for_its_tenant_alone(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let (own, other) = (server.user_a.id, server.user_b.id);
    let nobody = "00000000-0000-0000-0000-000000000009";
    let request = with_key(&server, own, KeyScope::Ingest).await;
    let post =
        async |body: Value| shown(request.try_clone().unwrap().json(&body).send().await.unwrap()).await;
    assert_eq!(post(interaction(own, "1")).await.0, 201);
    let foreign = post(interaction(other, "1")).await;
    let unknown = post(changed(own, "1", json!({"user_id": nobody}))).await;
    assert_eq!(foreign, unknown, "who else there is does not show");
    assert_eq!((foreign.0, fields(&foreign.1)), (422, vec!["user_id"]));
    let foreign = post(changed(other, "1", json!({"score": 7}))).await;
    assert_eq!((foreign.0, fields(&foreign.1)), (422, vec!["user_id", "score"]));
    let (status, batch) = post(json!([
        interaction(other, "1"),
        interaction(own, "2"),
        changed(other, "3", json!({"prompt": 1})),
        interaction(own, "1"),
    ]))
    .await;
    assert_eq!((status, codes(&batch)), (207, vec![422, 201, 422, 200]));
    assert_eq!(stored(&server).await, 2);
    for scope in [KeyScope::Read, KeyScope::Write] {
        let request = with_key(&server, own, scope).await.json(&interaction(own, "9"));
        let (status, problem) = shown(request.send().await.unwrap()).await;
        assert_eq!(
            (status, &problem["code"]),
            (403, &json!("forbidden")),
            "{scope:?}"
        );
    }
}
