//! A server that speaks as model providers do and says what a script tells it: chat, tools, structured answers,
//! streams, embeddings and tokens, with the faults that there are in the world.

mod anthropic;
mod asked;
mod embedding;
mod format;
mod gemini;
mod google;
mod ollama;
mod openai;
mod script;

use std::future::pending;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

pub use asked::{Asked, Dialect};
pub use script::{CalledTool, Fault, Reply, Rule, Script};

/// A scripted model server on a free port of this machine. It ends with the runtime that it was started in.
pub struct ModelServer {
    /// Where it answers, without a slash at the end.
    pub url: String,
    shared: Shared,
    folder: TempDir,
}

#[derive(Clone)]
struct Shared(Arc<Inner>);

struct Inner {
    script: Mutex<(Script, Vec<usize>)>,
    asked: Mutex<Vec<Asked>>,
    abandoned: AtomicUsize,
    tokens: AtomicUsize,
    /// One permit for each request that may be answered.
    answers: Semaphore,
    held: AtomicUsize,
}

impl std::ops::Deref for Shared {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl ModelServer {
    /// The key of every provider.
    pub const KEY: &str = "scripted-key";

    /// Starts one that follows this script.
    ///
    /// # Panics
    /// When it cannot be started: a test without its server has failed.
    pub async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port has an address");
        let url = ["http://", &address.to_string()].concat();
        let used = vec![0; script.rules.len()];
        let shared = Shared(Arc::new(Inner {
            script: Mutex::new((script, used)),
            asked: Mutex::default(),
            abandoned: AtomicUsize::new(0),
            tokens: AtomicUsize::new(0),
            answers: Semaphore::new(Semaphore::MAX_PERMITS),
            held: AtomicUsize::new(0),
        }));
        let router = router(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let folder = TempDir::new().expect("a temporary folder");
        Self { url, shared, folder }
    }

    /// The variables by which programs find it as the provider of every model but Vertex AI's.
    #[must_use]
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let key = Self::KEY.to_owned();
        vec![
            ("OPENAI_API_KEY", key.clone()),
            ("OPENAI_BASE_URL", [&self.url, "/v1"].concat()),
            ("GEMINI_API_KEY", key.clone()),
            ("GEMINI_BASE_URL", self.url.clone()),
            ("ANTHROPIC_API_KEY", key),
            ("ANTHROPIC_BASE_URL", self.url.clone()),
            ("OLLAMA_HOST", self.url.clone()),
        ]
    }

    /// Those by which they find it as Vertex AI, with a service account of its own.
    #[must_use]
    pub fn vertex_variables(&self) -> Vec<(&'static str, String)> {
        let file = self.credentials("service_account.json", &google::service_account(&self.url));
        self.vertex(&[("GOOGLE_APPLICATION_CREDENTIALS", file.display().to_string())])
    }

    /// The same with a user who logged in.
    #[must_use]
    pub fn vertex_user_variables(&self) -> Vec<(&'static str, String)> {
        self.credentials("application_default_credentials.json", &google::user(&self.url));
        self.vertex(&[("CLOUDSDK_CONFIG", self.folder.path().display().to_string())])
    }

    /// The same as on a machine of Google's cloud.
    #[must_use]
    pub fn vertex_machine_variables(&self) -> Vec<(&'static str, String)> {
        let host = self.url.trim_start_matches("http://").to_owned();
        let nowhere = self.folder.path().join("nowhere").display().to_string();
        self.vertex(&[
            ("CLOUDSDK_CONFIG", nowhere),
            ("GCE_METADATA_HOST", host),
            ("GOOGLE_CLOUD_PROJECT", "scripted".to_owned()),
        ])
    }

    fn vertex(&self, access: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
        let base = ("VERTEX_BASE_URL", self.url.clone());
        [&[base], access].concat()
    }

    fn credentials(&self, name: &str, document: &Value) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, document.to_string()).expect("a file is written");
        path
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().expect("no test panicked").clone()
    }

    /// How many requests their clients gave up before they were answered.
    #[must_use]
    pub fn abandoned(&self) -> usize {
        self.shared.abandoned.load(Ordering::SeqCst)
    }

    /// Holds whatever is asked from now on, until answers are allowed.
    pub fn hold(&self) {
        self.shared.answers.forget_permits(Semaphore::MAX_PERMITS);
    }

    /// Answers so many requests more.
    pub fn allow(&self, answers: usize) {
        self.shared.answers.add_permits(answers);
    }

    /// How many requests are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.shared.held.load(Ordering::SeqCst)
    }

    /// How many access tokens of Google were given.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.shared.tokens.load(Ordering::SeqCst)
    }
}

fn router(shared: Shared) -> Router {
    let google = "/{version}/projects/{project}/locations/{location}/publishers/google/models/{action}";
    Router::new()
        .route("/v1/chat/completions", post(openai))
        .route("/v1/embeddings", post(openai))
        .route("/v1/models", get(models))
        .route("/v1/models/{action}", post(gemini))
        .route("/v1beta/models/{action}", post(gemini))
        .route(google, post(vertex))
        .route("/token", post(google::exchange))
        .route(
            "/computeMetadata/v1/instance/service-accounts/default/token",
            get(google::metadata),
        )
        .route("/v1/messages", post(anthropic))
        .route("/api/chat", post(ollama))
        .route("/api/embed", post(ollama))
        .with_state(shared)
}

async fn models() -> Json<Value> {
    let model = json!({"id": "scripted", "object": "model", "created": 0, "owned_by": "scripted"});
    Json(json!({"object": "list", "data": [model]}))
}

async fn openai(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let is_known = has(&headers, "authorization", &["Bearer ", ModelServer::KEY].concat());
    let asked = asked(Dialect::OpenAi, uri.path(), body);
    shared.answer(asked, is_known).await
}

async fn gemini(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let is_known = has(&headers, "x-goog-api-key", ModelServer::KEY);
    shared.answer(google_asked(uri.path(), body), is_known).await
}

async fn vertex(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok());
    let is_known = token.is_some_and(|token| token.starts_with("Bearer scripted-token-"));
    shared.answer(google_asked(uri.path(), body), is_known).await
}

async fn anthropic(
    State(shared): State<Shared>,
    uri: Uri,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let is_known = has(&headers, "x-api-key", ModelServer::KEY)
        || has(&headers, "authorization", &["Bearer ", ModelServer::KEY].concat());
    let asked = asked(Dialect::Anthropic, uri.path(), body);
    shared
        .answer(asked, is_known && headers.contains_key("anthropic-version"))
        .await
}

async fn ollama(State(shared): State<Shared>, uri: Uri, Json(body): Json<Value>) -> Response {
    let mut asked = asked(Dialect::Ollama, uri.path(), body);
    asked.is_stream = uri.path() == "/api/chat" && asked.body["stream"] != false;
    shared.answer(asked, true).await
}

fn has(headers: &HeaderMap, name: &str, value: &str) -> bool {
    headers.get(name).is_some_and(|sent| sent == value)
}

fn asked(dialect: Dialect, path: &str, body: Value) -> Asked {
    Asked {
        dialect,
        path: path.to_owned(),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        prompt: asked::prompt(&body),
        is_stream: body["stream"] == true,
        body,
    }
}

/// Google names model and method in the path: `…/MODEL:METHOD`.
fn google_asked(path: &str, body: Value) -> Asked {
    let action = path.rsplit('/').next().unwrap_or_default();
    let (model, method) = action.split_once(':').unwrap_or((action, ""));
    Asked {
        model: model.to_owned(),
        is_stream: method == "streamGenerateContent",
        ..asked(Dialect::Gemini, path, body)
    }
}

impl Shared {
    async fn answer(&self, asked: Asked, is_known: bool) -> Response {
        self.asked.lock().expect("no test panicked").push(asked.clone());
        if !is_known {
            return format::error(asked.dialect, 401, None);
        }
        self.allowed().await;
        let texts = texts(&asked);
        let reply = self.reply(&asked);
        let fault = reply.as_ref().and_then(|reply| reply.fault.as_ref());
        match fault {
            Some(Fault::Hang) => {
                let _given_up = Abandoned(self);
                return pending().await;
            }
            Some(Fault::Status { status, retry_after }) => {
                return format::error(asked.dialect, *status, retry_after.as_deref());
            }
            _ => {}
        }
        match (texts, reply.as_ref()) {
            (Some(texts), _) => {
                let vectors: Vec<_> = texts.iter().map(|text| embedding::embedding(text)).collect();
                format::embeddings(&asked, &vectors, fault)
            }
            (None, Some(reply)) => format::chat(&asked, reply),
            (None, None) => format::error(asked.dialect, 400, None),
        }
    }

    /// Waits until one more answer is allowed.
    async fn allowed(&self) {
        let permit = match self.answers.try_acquire() {
            Ok(permit) => permit,
            Err(_) => {
                let _held = Held::new(&self.held);
                self.answers.acquire().await.expect("it is never closed")
            }
        };
        permit.forget();
    }

    /// What the script says.
    fn reply(&self, asked: &Asked) -> Option<Reply> {
        let mut script = self.script.lock().expect("no test panicked");
        let (script, used) = &mut *script;
        let mut rules = script.rules.iter().zip(used);
        let (rule, used) = rules.find(|(rule, used)| {
            rule.fits(&asked.model, &asked.prompt) && rule.times.is_none_or(|times| **used < times)
        })?;
        *used += 1;
        Some(rule.reply.clone())
    }
}

/// Counts a request whose answer nobody waited for.
struct Abandoned<'a>(&'a Inner);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        self.0.abandoned.fetch_add(1, Ordering::SeqCst);
    }
}

/// Counts a request as held for as long as it is.
struct Held<'a>(&'a AtomicUsize);

impl<'a> Held<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(count)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The texts that are to be vectors, where that is what was asked.
fn texts(asked: &Asked) -> Option<Vec<String>> {
    let body = &asked.body;
    let list = match asked.path.rsplit(['/', ':']).next()? {
        "embeddings" | "embed" => &body["input"],
        "batchEmbedContents" => &body["requests"],
        "predict" => &body["instances"],
        _ => return None,
    };
    Some(match list {
        Value::Array(items) => items
            .iter()
            .map(|item| asked::prompt(&json!({"input": item})))
            .collect(),
        one => vec![asked::prompt(&json!({"input": one}))],
    })
}
