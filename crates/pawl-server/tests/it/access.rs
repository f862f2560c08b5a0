//! Who may call what: every operation of the OpenAPI document, as everybody.

use std::collections::BTreeSet;

use pawl_engine::auth::ExposeSecret as _;
use pawl_model::KeyScope;
use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::Value;

on_both_engines!(
    everybody_is_answered_as_documented,
    a_key_of_a_program_does_what_its_scope_says,
);

/// An operation, and the status that each of [`Identity::ALL`] is answered with, in that order:
/// nobody, the public key alone, user A, user B, the service.
type Entry = (&'static str, &'static str, [u16; 5]);

/// A run that nobody has: who may ask is told so.
const RUN: &str = "00000000-0000-0000-0000-00000000000a";

/// An operation that is not here fails the test: decide who may call it, and write it down.
const OPERATIONS: &[Entry] = &[
    ("GET", "/healthz", [200; 5]),
    ("GET", "/readyz", [200; 5]),
    ("GET", "/metrics", [200; 5]),
    // None of these has the ingestion secret, or a key for it.
    ("POST", "/api/evals/ingest", [401; 5]),
    ("GET", "/api/evals/policy", [401; 5]),
    ("POST", "/v1/traces", [401; 5]),
    ("GET", "/api/interactions/{id}", [401, 401, 404, 404, 404]),
    ("GET", "/api/interactions/{id}/otlp", [401, 401, 404, 404, 404]),
    ("GET", "/api/runs", [401, 401, 200, 200, 200]),
    ("GET", "/api/runs/{id}", [401, 401, 404, 404, 404]),
    ("GET", "/api/runs/{id}/cases", [401, 401, 404, 404, 404]),
    ("GET", "/api/runs/{id}/compare/{other}", [401, 401, 404, 404, 404]),
    ("GET", "/api/suggestions", [401, 401, 200, 200, 200]),
    ("GET", "/api/suggestions/{id}", [401, 401, 404, 404, 404]),
    (
        "PUT",
        "/api/suggestions/{id}/eval-test",
        [401, 401, 400, 400, 400],
    ),
    ("POST", "/api/suggestions/{id}/approve", [401, 401, 404, 404, 404]),
    ("POST", "/api/suggestions/{id}/reject", [401, 401, 400, 400, 400]),
    ("GET", "/api/suggestions/{id}/export", [401, 401, 404, 404, 404]),
    ("GET", "/api/mining", [401, 401, 200, 200, 200]),
    ("GET", "/api/mining/{id}", [401, 401, 404, 404, 404]),
    ("POST", "/api/mining", [401, 401, 202, 202, 202]),
    ("POST", "/api/optimizations", [401, 401, 400, 400, 400]),
    ("GET", "/api/optimizations", [401, 401, 200, 200, 200]),
    ("GET", "/api/optimizations/{id}", [401, 401, 404, 404, 404]),
    (
        "GET",
        "/api/optimizations/{id}/candidates",
        [401, 401, 404, 404, 404],
    ),
    ("GET", "/api/optimizations/{id}/stream", [401, 401, 404, 404, 404]),
    (
        "POST",
        "/api/optimizations/{id}/cancel",
        [401, 401, 404, 404, 404],
    ),
    (
        "POST",
        "/api/optimizations/{id}/resume",
        [401, 401, 404, 404, 404],
    ),
    ("GET", "/api/prompts", [401, 401, 200, 200, 200]),
    ("GET", "/api/prompts/{name}", [401, 401, 404, 404, 404]),
    ("POST", "/api/prompts/{name}/promote", [401, 401, 404, 404, 404]),
    ("POST", "/api/prompts/{name}/rollback", [401, 401, 404, 404, 404]),
    ("GET", "/api/prompts/{name}/live", [401, 401, 404, 404, 404]),
    ("GET", "/api/lineage", [401, 401, 200, 200, 200]),
    ("GET", "/api/lineage/{id}", [401, 401, 404, 404, 404]),
    ("POST", "/eval-tests/run-once", [401, 401, 200, 200, 200]),
    (
        "POST",
        "/eval-tests/generate/{suggestionId}",
        [401, 401, 404, 404, 404],
    ),
    ("GET", "/eval-tests/{suggestionId}", [401, 401, 404, 404, 404]),
    ("GET", "/eval-tests/health", [401, 401, 200, 200, 200]),
    ("GET", "/auth/v1/health", [200; 5]),
    ("GET", "/auth/v1/settings", [401, 200, 200, 200, 200]),
    ("POST", "/auth/v1/signup", [401, 400, 400, 400, 400]),
    ("POST", "/auth/v1/token", [401, 400, 400, 400, 400]),
    ("GET", "/auth/v1/user", [401, 403, 200, 200, 403]),
    ("PUT", "/auth/v1/user", [401, 400, 400, 400, 400]),
    ("GET", "/auth/v1/admin/users", [401, 403, 403, 403, 200]),
    ("POST", "/auth/v1/admin/users", [401, 403, 403, 403, 400]),
    ("GET", "/auth/v1/admin/users/{id}", [401, 403, 403, 403, 404]),
    ("PUT", "/auth/v1/admin/users/{id}", [401, 403, 403, 403, 400]),
    ("DELETE", "/auth/v1/admin/users/{id}", [401, 403, 403, 403, 404]),
    ("GET", "/rest/v1/sb_sessions", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/sb_sessions", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/sb_sessions", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/sb_sessions", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/sb_stories", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/sb_stories", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/sb_stories", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/sb_stories", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/sb_actions", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/sb_actions", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/sb_actions", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/sb_actions", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/sb_eval_runs", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/sb_eval_runs", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/sb_eval_runs", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/sb_eval_runs", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/sb_eval_cases", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/sb_eval_cases", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/sb_eval_cases", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/sb_eval_cases", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/evaluation_configs", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/evaluation_configs", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/evaluation_configs", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/evaluation_configs", [401, 204, 204, 204, 204]),
    ("GET", "/rest/v1/evaluations", [401, 200, 200, 200, 200]),
    ("POST", "/rest/v1/evaluations", [401, 400, 400, 400, 400]),
    ("PATCH", "/rest/v1/evaluations", [401, 400, 400, 400, 400]),
    ("DELETE", "/rest/v1/evaluations", [401, 401, 403, 403, 204]),
    (
        "GET",
        "/rest/v1/prompt_optimization_runs",
        [401, 200, 200, 200, 200],
    ),
    (
        "PATCH",
        "/rest/v1/prompt_optimization_runs",
        [401, 400, 400, 400, 400],
    ),
    ("GET", "/rest/v1/prompt_candidates", [401, 200, 200, 200, 200]),
    ("PATCH", "/rest/v1/prompt_candidates", [401, 400, 400, 400, 400]),
    ("GET", "/rest/v1/prompt_evaluations", [401, 200, 200, 200, 200]),
    ("PATCH", "/rest/v1/prompt_evaluations", [401, 400, 400, 400, 400]),
    ("GET", "/rest/v1/prompts", [401, 200, 200, 200, 200]),
    ("GET", "/rest/v1/prompt_versions", [401, 200, 200, 200, 200]),
    ("GET", "/rest/v1/promotion_verdicts", [401, 200, 200, 200, 200]),
    // The last one: it ends what the others need.
    ("POST", "/auth/v1/logout", [401, 403, 204, 204, 403]),
];

async fn everybody_is_answered_as_documented(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for (method, template, expected) in OPERATIONS {
        let path = template
            .replace("{id}", RUN)
            .replace("{other}", RUN)
            .replace("{suggestionId}", RUN)
            .replace("{name}", RUN);
        for (who, expected) in Identity::ALL.into_iter().zip(expected) {
            let method: Method = method.parse().unwrap();
            let answer = server.request(who, method.clone(), &path).send().await.unwrap();
            assert_eq!(
                answer.status().as_u16(),
                *expected,
                "{method} {template} as {who:?}"
            );
        }
    }
}

/// Every operation by a key of each scope: let in where the document says so, and nowhere else.
async fn a_key_of_a_program_does_what_its_scope_says(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let document = serde_json::to_value(pawl_server::document()).unwrap();
    let mut let_in = BTreeSet::new();
    for scope in [KeyScope::Ingest, KeyScope::Read, KeyScope::Write] {
        let key = server
            .engine
            .create_api_key(server.user_a.id, scope)
            .await
            .unwrap();
        for (method, template, operation) in documented(&document) {
            let security = operation["security"].as_array().unwrap();
            if is_public(security) {
                continue;
            }
            let mut scopes = security
                .iter()
                .flat_map(|requirement| requirement["api_key"].as_array().into_iter().flatten())
                .map(|scope| KeyScope::parse(scope.as_str().unwrap()).unwrap());
            let is_allowed = scopes.any(|asked| scope.allows(asked));
            let path = template
                .replace("{id}", RUN)
                .replace("{other}", RUN)
                .replace("{suggestionId}", RUN)
                .replace("{name}", RUN);
            let method: Method = method.parse().unwrap();
            let request = server.request(Identity::Nobody, method.clone(), &path);
            let answer = request
                .bearer_auth(key.text.expose_secret())
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            assert_eq!(
                !matches!(status, 401 | 403),
                is_allowed,
                "{method} {template} by a key to {} is answered with {status}",
                scope.as_str()
            );
            if is_allowed {
                let_in.insert((scope.as_str(), method.as_str() == "GET"));
            }
        }
    }
    let expected = [
        ("ingest", true),
        ("ingest", false),
        ("read", true),
        ("write", true),
        ("write", false),
    ];
    assert_eq!(
        let_in,
        BTreeSet::from(expected),
        "whether something was read, or done"
    );
}

/// Operations of the document: method, path and the object that describes it.
fn documented(document: &Value) -> Vec<(String, String, &Value)> {
    let methods = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let paths = document["paths"].as_object().unwrap();
    let operations = paths.iter().flat_map(|(path, item)| {
        methods
            .iter()
            .filter_map(move |method| Some((method.to_uppercase(), path.clone(), item.get(method)?)))
    });
    operations.collect()
}

#[test]
fn every_operation_is_declared_and_tested() {
    let document = serde_json::to_value(pawl_server::document()).unwrap();
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    let mut found = BTreeSet::new();
    for (method, path, operation) in documented(&document) {
        let security = operation["security"].as_array();
        let security = security.unwrap_or_else(|| panic!("{method} {path} does not say who may call it"));
        for scheme in security
            .iter()
            .flat_map(|requirement| requirement.as_object().unwrap().keys())
        {
            assert!(
                schemes.contains_key(scheme),
                "{method} {path}: there is no scheme {scheme}"
            );
        }
        let entry = OPERATIONS
            .iter()
            .find(|entry| (entry.0, entry.1) == (&*method, &*path));
        let (_, _, statuses) = entry.unwrap_or_else(|| panic!("{method} {path} has no entry in OPERATIONS"));
        assert_eq!(
            is_public(security),
            statuses[0] != 401,
            "{method} {path}: nobody is let in or not"
        );
        for status in statuses {
            let documented = operation["responses"].get(status.to_string());
            assert!(documented.is_some(), "{method} {path} does not document {status}");
        }
        found.insert((method, path));
    }
    for (method, path, _) in OPERATIONS {
        assert!(
            found.contains(&((*method).to_owned(), (*path).to_owned())),
            "{method} {path} is not in the document"
        );
    }
}

/// Whether one of the requirements is empty: no key is needed.
fn is_public(security: &[Value]) -> bool {
    security
        .iter()
        .any(|requirement| requirement.as_object().unwrap().is_empty())
}
