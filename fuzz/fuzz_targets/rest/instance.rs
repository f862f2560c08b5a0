//! An instance with two users and rows of both, and what it answers.

use std::ffi::OsString;
use std::fs;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use http_body_util::BodyExt as _;
use pawl_engine::auth::ExposeSecret as _;
use pawl_engine::{Clock, Engine, Location};
use pawl_model::KeyScope;
use pawl_server::{AppState, ServerSettings};
use pawl_store::Store;
use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer};
use serde_json::json;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

use crate::request::{ID_OF_A, ID_OF_B, Request};

/// What both marks have in common.
pub(crate) const MARK: &str = "owned-by-";
/// Stands in every text of the first user.
pub(crate) const MARK_OF_A: &str = "owned-by-a";
/// Stands in every text of the other one.
pub(crate) const MARK_OF_B: &str = "owned-by-b";

const TABLES: [&str; 7] = [
    "sb_sessions",
    "sb_stories",
    "sb_actions",
    "sb_eval_runs",
    "sb_eval_cases",
    "evaluations",
    "evaluation_configs",
];

/// Where interactions are handed in, with keys of their own.
const INTAKE: &str = "/api/evals";

/// An answer to a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
}

/// An instance that can be put back to how it began.
pub(crate) struct Instance {
    runtime: Runtime,
    origin: Origin,
    running: Running,
    rows_of_a: Vec<Answer>,
    rows_of_b: Vec<Answer>,
}

/// How it began.
struct Origin {
    /// The files of its data folder, by name: the database and the secrets.
    files: Vec<(OsString, Vec<u8>)>,
    clock: Clock,
    id_of_a: String,
    id_of_b: String,
    anon_key: String,
    service_key: String,
    token_of_a: String,
    token_of_b: String,
    ingestion_secret: String,
    ingest_key_of_a: String,
    ingest_key_of_b: String,
}

/// What answers.
struct Running {
    engine: Engine,
    router: Router,
    _folder: TempDir,
}

impl Instance {
    pub(crate) fn new() -> Self {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().expect("a runtime");
        let origin = runtime.block_on(Origin::new());
        let running = runtime.block_on(origin.start());
        let mut instance = Self {
            runtime,
            origin,
            running,
            rows_of_a: Vec::new(),
            rows_of_b: Vec::new(),
        };
        instance.rows_of_a = instance.rows(ID_OF_A);
        instance.rows_of_b = instance.rows(ID_OF_B);
        for (rows, mark) in [(&instance.rows_of_a, MARK_OF_A), (&instance.rows_of_b, MARK_OF_B)] {
            let marked = |answer: &Answer| String::from_utf8_lossy(&answer.body).contains(mark);
            assert!(rows.iter().all(marked), "there is something to find: {rows:?}");
        }
        instance
    }

    pub(crate) fn answer(&self, request: &Request) -> Answer {
        let origin = &self.origin;
        let filled = |text: &str| {
            text.replace(ID_OF_A, &origin.id_of_a)
                .replace(ID_OF_B, &origin.id_of_b)
        };
        let body = match str::from_utf8(&request.body) {
            Ok(text) => filled(text).into_bytes(),
            Err(_) => request.body.clone(),
        };
        let mut http = axum::http::Request::new(Body::from(body));
        *http.method_mut() = request.method.clone();
        *http.uri_mut() = filled(&request.target)
            .parse()
            .expect("a target that was read before");
        *http.headers_mut() = request.headers.clone();
        for (name, value) in origin.proof(request) {
            let value = value.parse().expect("a key is a header's value");
            http.headers_mut().insert(name, value);
        }
        let router = self.running.router.clone();
        self.runtime.block_on(async {
            let Ok(response) = router.oneshot(http).await;
            let (head, body) = response.into_parts();
            let body = body.collect().await.expect("the answer ends");
            Answer {
                status: head.status,
                body: body.to_bytes().to_vec(),
            }
        })
    }

    /// Whether the rows with this mark are what they were.
    pub(crate) fn rows_stand(&self, mark: &str) -> bool {
        if mark == MARK_OF_A {
            self.rows(ID_OF_A) == self.rows_of_a
        } else {
            self.rows(ID_OF_B) == self.rows_of_b
        }
    }

    /// Puts it back to how it began.
    pub(crate) fn reset(&mut self) {
        let old = std::mem::replace(&mut self.running, self.runtime.block_on(self.origin.start()));
        self.runtime.block_on(old.engine.close());
    }

    /// All that a user has, as the service sees it.
    fn rows(&self, id: &str) -> Vec<Answer> {
        let tables = TABLES.map(|table| format!("/rest/v1/{table}?order=id&user_id=eq.{id}"));
        let account = ["/auth/v1/admin/users/", id].concat();
        let targets = tables.into_iter().chain([account]);
        let get = |target| Request {
            identity: Identity::Service,
            method: Method::GET,
            target,
            headers: Default::default(),
            body: Vec::new(),
        };
        targets.map(|target| self.answer(&get(target))).collect()
    }
}

impl Origin {
    async fn new() -> Self {
        let server = TestServer::new(TestDatabase::new(pawl_testkit::Engine::Sqlite).await).await;
        fill(&server, Identity::UserA, MARK_OF_A).await;
        fill(&server, Identity::UserB, MARK_OF_B).await;
        let ingest_key = async |user| {
            let key = server.engine.create_api_key(user, KeyScope::Ingest).await;
            key.expect("a key").text.expose_secret().to_owned()
        };
        let mut origin = Self {
            files: Vec::new(),
            clock: server.clock.clock(),
            id_of_a: server.user_a.id.to_string(),
            id_of_b: server.user_b.id.to_string(),
            anon_key: server.anon_key.clone(),
            service_key: server.service_key.clone(),
            token_of_a: server.user_a.access_token.clone(),
            token_of_b: server.user_b.access_token.clone(),
            ingestion_secret: server.ingestion_secret.clone(),
            ingest_key_of_a: ingest_key(server.user_a.id).await,
            ingest_key_of_b: ingest_key(server.user_b.id).await,
        };
        let database = server.stopped().await;
        let busy = database.number("pragma wal_checkpoint(truncate)").await;
        assert_eq!(busy, 0, "everything is in the file");
        for entry in fs::read_dir(database.folder()).expect("the data folder") {
            let (name, path) = entry
                .map(|entry| (entry.file_name(), entry.path()))
                .expect("a file");
            // What SQLite keeps beside the database is empty now.
            if path
                .extension()
                .is_some_and(|extension| extension == "db" || extension == "json")
            {
                origin
                    .files
                    .push((name, fs::read(path).expect("what the file holds")));
            }
        }
        origin
    }

    /// The headers that say who asks.
    fn proof(&self, request: &Request) -> Vec<(&'static str, String)> {
        let bearer = |token: &str| ("authorization", ["Bearer ", token].concat());
        let for_intake = request.target.starts_with(INTAKE);
        match request.identity {
            Identity::Nobody => Vec::new(),
            Identity::Service if for_intake => vec![("x-ingestion-secret", self.ingestion_secret.clone())],
            Identity::UserA if for_intake => vec![bearer(&self.ingest_key_of_a)],
            Identity::UserB if for_intake => vec![bearer(&self.ingest_key_of_b)],
            other => {
                let (key, token) = match other {
                    Identity::Service => (&self.service_key, &self.service_key),
                    Identity::UserA => (&self.anon_key, &self.token_of_a),
                    Identity::UserB => (&self.anon_key, &self.token_of_b),
                    _ => (&self.anon_key, &self.anon_key),
                };
                vec![("apikey", key.clone()), bearer(token)]
            }
        }
    }

    async fn start(&self) -> Running {
        let folder = TempDir::new().expect("a temporary folder");
        for (name, content) in &self.files {
            fs::write(folder.path().join(name), content).expect("the file is written");
        }
        let location = Location::in_folder(folder.path());
        let store = Store::open(&location).await.expect("the database opens");
        let engine = Engine::new(store, self.clock.clone());
        Running {
            router: pawl_server::router(AppState::new(engine.clone(), ServerSettings::default())),
            engine,
            _folder: folder,
        }
    }
}

/// Gives a user a row in each table, and a password that the other cannot guess; all of it says whose it is.
async fn fill(server: &TestServer, who: Identity, mark: &str) {
    let n = if who == Identity::UserA { 'a' } else { 'b' };
    let id = |kind: &str| format!("00000000-0000-4000-8000-00000000{n}{n}{kind}");
    let (session, run) = (id("5e"), id("44"));
    let rows = [
        json!({"id": session, "title": mark}),
        json!({"id": id("57"), "session_id": session, "story": {"title": mark}}),
        json!({"id": id("ac"), "session_id": session, "action_type": mark}),
        json!({"id": run, "dataset_version": mark, "settings": {"mark": mark}}),
        json!({"id": id("ca"), "run_id": run, "session_id": session, "input_data": {"mark": mark}, "output": mark}),
        json!({"id": id("e5"), "interaction_id": mark, "prompt": mark, "response": mark, "flags": [mark]}),
        json!({"id": id("cf"), "failure_flags": [mark], "max_eval_per_day": 3}),
    ];
    let posts = TABLES.map(|table| (Method::POST, ["/rest/v1/", table].concat()));
    let account = json!({"password": mark, "data": {"mark": mark}});
    let put = (Method::PUT, "/auth/v1/user".to_owned());
    for ((method, path), body) in posts
        .into_iter()
        .chain([put])
        .zip(rows.into_iter().chain([account]))
    {
        let request = server.request(who, method, &path);
        let request = request
            .header("content-type", "application/json")
            .body(body.to_string());
        let answer = request.send().await.expect("an answer");
        assert!(
            answer.status().is_success(),
            "{path}: {}",
            answer.text().await.unwrap_or_default()
        );
    }
}
