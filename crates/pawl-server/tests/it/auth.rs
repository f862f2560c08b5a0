//! `/auth/v1` and keys, as clients meet them.

mod admin;
mod keys;
mod refusals;
mod sessions;

use pawl_testkit::http::{Method, RequestBuilder, Response, StatusCode};
use pawl_testkit::{Identity, TestServer};
use serde_json::Value;

/// A request with this body, as a client with the public key sends it.
fn post(server: &TestServer, path: &str, body: &Value) -> RequestBuilder {
    send(server, Identity::Anonymous, (Method::POST, path), body)
}

fn send(server: &TestServer, who: Identity, (method, path): (Method, &str), body: &Value) -> RequestBuilder {
    server
        .request(who, method, path)
        .header("content-type", "application/json;charset=UTF-8")
        .body(body.to_string())
}

async fn read(request: RequestBuilder) -> (StatusCode, Value) {
    let response = request.send().await.unwrap();
    (response.status(), document(response).await)
}

async fn document(response: Response) -> Value {
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

/// What a client is told that is refused.
async fn refused(request: RequestBuilder) -> (u16, String) {
    let (status, document) = read(request).await;
    let word = document["error_code"].as_str().unwrap().to_owned();
    assert_eq!(document["code"], status.as_u16());
    assert!(document["msg"].as_str().is_some_and(|text| !text.is_empty()));
    (status.as_u16(), word)
}
