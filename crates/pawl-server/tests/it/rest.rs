//! The data API over HTTP. What is answered is kept as transcripts, one for both engines: they are the same, byte by
//! byte.

mod embedding;
mod hostile;
mod interactions;
mod isolation;
mod prompts;
mod reading;
mod writing;

use std::fmt::Write as _;

use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestServer};

/// Headers that a transcript shows.
const SHOWN: &[&str] = &[
    "content-type",
    "content-range",
    "preference-applied",
    "location",
    "allow",
    "www-authenticate",
];

/// What was asked and answered.
struct Transcript<'s> {
    server: &'s TestServer,
    who: Identity,
    text: String,
}

/// A request for a transcript.
struct Ask<'a> {
    method: &'a str,
    path: &'a str,
    headers: &'a [(&'static str, &'a str)],
    body: Option<&'a str>,
}

impl<'s> Transcript<'s> {
    fn new(server: &'s TestServer, who: Identity) -> Self {
        Self {
            server,
            who,
            text: String::new(),
        }
    }

    async fn get(&mut self, path: &str) {
        self.get_with(path, &[]).await;
    }

    async fn get_with(&mut self, path: &str, headers: &[(&'static str, &str)]) {
        self.ask(&Ask {
            method: "GET",
            path,
            headers,
            body: None,
        })
        .await;
    }

    async fn post(&mut self, path: &str, headers: &[(&'static str, &str)], body: &str) {
        self.ask(&Ask {
            method: "POST",
            path,
            headers,
            body: Some(body),
        })
        .await;
    }

    async fn patch(&mut self, path: &str, headers: &[(&'static str, &str)], body: &str) {
        self.ask(&Ask {
            method: "PATCH",
            path,
            headers,
            body: Some(body),
        })
        .await;
    }

    async fn delete(&mut self, path: &str, headers: &[(&'static str, &str)]) {
        self.ask(&Ask {
            method: "DELETE",
            path,
            headers,
            body: None,
        })
        .await;
    }

    async fn ask(&mut self, ask: &Ask<'_>) {
        let method: Method = ask.method.parse().unwrap();
        let mut request = self
            .server
            .request(self.who, method, &["/rest/v1/", ask.path].concat());
        if ask.body.is_some() && !ask.headers.iter().any(|(name, _)| *name == "content-type") {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in ask.headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = ask.body {
            request = request.body(body.to_owned());
        }
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        assert!(
            status < 500,
            "{} {} is answered with {status}",
            ask.method,
            ask.path
        );
        let _ = writeln!(self.text, "{} {}", ask.method, ask.path);
        for (name, value) in ask.headers {
            let _ = writeln!(self.text, "> {name}: {value}");
        }
        if let Some(body) = ask.body {
            let _ = writeln!(self.text, "> {body}");
        }
        let _ = writeln!(self.text, "{status}");
        for name in SHOWN {
            if let Some(value) = answer.headers().get(*name) {
                let _ = writeln!(self.text, "< {name}: {}", value.to_str().unwrap());
            }
        }
        // Ids of users are fresh each time.
        let body = answer.text().await.unwrap();
        let body = body.replace(&self.server.user_a.id.to_string(), "USER-A");
        let _ = writeln!(self.text, "{body}\n");
    }
}

/// Adds two runs with cases and a session with a story, all user A's, through the API.
async fn fill(server: &TestServer) {
    let post = async |table: &str, body: &str| {
        let request = server.request(Identity::UserA, Method::POST, &["/rest/v1/", table].concat());
        let answer = request
            .header("content-type", "application/json")
            .body(body.to_owned())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status().as_u16(), 201, "{}", answer.text().await.unwrap());
    };
    post(
        "sb_sessions",
        r#"{"id": "00000000-0000-4000-8000-0000000000f1", "created_at": "2026-01-01", "title": "Checkout"}"#,
    )
    .await;
    post(
        "sb_stories",
        r#"{"id": "00000000-0000-4000-8000-0000000000e1", "created_at": "2026-01-01T00:00:01Z",
            "session_id": "00000000-0000-4000-8000-0000000000f1",
            "story": {"title": "Pay by card", "points": 5, "tags": ["pay", "card"]}}"#,
    )
    .await;
    post(
        "sb_eval_runs",
        r#"[{"id": "00000000-0000-4000-8000-0000000000a1", "created_at": "2026-01-01T10:00:00.5Z",
             "run_name": "Nightly", "dataset_version": "v1.0", "model": null, "total_cases": 3,
             "settings": {"trials": 1, "labels": {"team": "blue"}}},
            {"id": "00000000-0000-4000-8000-0000000000a2", "created_at": "2026-01-02T10:00:00+01:00",
             "run_name": "nightly_2 (50%)", "dataset_version": "v1.1", "model": "gpt, \"4\"", "total_cases": 20,
             "settings": {"trials": 10}},
            {"id": "00000000-0000-4000-8000-0000000000a3", "created_at": "2026-01-03",
             "run_name": null, "dataset_version": "v2", "model": "Ärger", "total_cases": 0, "settings": null}]"#,
    )
    .await;
    post(
        "sb_eval_cases",
        r#"[{"id": "00000000-0000-4000-8000-0000000000c1", "run_id": "00000000-0000-4000-8000-0000000000a1",
             "created_at": "2026-01-01T10:00:01Z", "input_data": {"id": "seed_1", "goal": "pay"}, "passed": true,
             "score": 0.30000000000000004, "status": "passed", "session_id": "00000000-0000-4000-8000-0000000000f1",
             "story_id": "00000000-0000-4000-8000-0000000000e1"},
            {"id": "00000000-0000-4000-8000-0000000000c2", "run_id": "00000000-0000-4000-8000-0000000000a1",
             "created_at": "2026-01-01T10:00:02Z", "input_data": {"id": "seed_2"}, "passed": false,
             "score": null, "status": "failed", "session_id": null, "story_id": null},
            {"id": "00000000-0000-4000-8000-0000000000c3", "run_id": "00000000-0000-4000-8000-0000000000a2",
             "created_at": "2026-01-01T10:00:03Z", "input_data": ["a", 1.50], "passed": false,
             "score": 1, "status": "error", "session_id": null, "story_id": null}]"#,
    )
    .await;
}
