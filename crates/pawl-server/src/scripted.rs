//! A model that answers by a script, for demonstrations: it is reached over HTTP as any other, and speaks as Ollama does.

use std::io;
use std::net::SocketAddr;

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// What it answers to what it is asked.
type Script = fn(&str) -> String;

/// A model that answers by a script, for as long as this lives.
#[derive(Debug)]
pub struct ScriptedModel {
    address: SocketAddr,
    server: AbortHandle,
}

impl ScriptedModel {
    /// Starts one, which this machine alone can reach.
    ///
    /// # Errors
    /// When no port is free.
    pub async fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let routes = Router::new().route("/api/chat", post(chat)).with_state(script);
        let server = tokio::spawn(async move {
            // It ends with the value.
            let _ = axum::serve(listener, routes).await;
        });
        Ok(Self {
            address,
            server: server.abort_handle(),
        })
    }

    /// Where it is, as `OLLAMA_HOST` has it.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn chat(State(script): State<Script>, Json(request): Json<Value>) -> Json<Value> {
    let mut messages = request["messages"].as_array().into_iter().flatten();
    let asked = messages.rfind(|message| message["role"] == "user");
    let asked = asked
        .and_then(|message| message["content"].as_str())
        .unwrap_or_default();
    Json(json!({
        "model": request["model"],
        "message": {"role": "assistant", "content": script(asked)},
        "done": true, "done_reason": "stop", "prompt_eval_count": 0, "eval_count": 0,
    }))
}
