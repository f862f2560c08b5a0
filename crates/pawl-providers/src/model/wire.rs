//! The wire formats: requests as JSON and answers as they are read, without any I/O.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod sampling;

use pawl_model::{ToolCall, Usage};
use serde_json::Value;

use super::chat::{ChatRequest, Finish, Role};
use super::spec::{ModelSpec, Provider};

/// What a model answered, as far as its provider says it.
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) reasoning: Option<String>,
    pub(super) tool_calls: Vec<ToolCall>,
    pub(super) refusal: Option<String>,
    pub(super) finish: Finish,
    pub(super) usage: Option<Usage>,
}

/// The vectors of some texts.
pub(super) struct Embedded {
    pub(super) vectors: Vec<Vec<f32>>,
    pub(super) usage: Option<Usage>,
}

/// Why an answer is none, in words that may quote it.
type Unreadable = String;

pub(super) fn chat_body(spec: &ModelSpec, request: &ChatRequest) -> Value {
    let mut request = request.clone();
    if sampling::is_fixed(spec) {
        request.temperature = None;
    }
    match spec.provider() {
        Provider::OpenAi => openai::chat_body(spec, &request),
        Provider::Google | Provider::Vertex => gemini::chat_body(&request),
        Provider::Anthropic => anthropic::chat_body(spec.model(), &request),
        Provider::Ollama => ollama::chat_body(spec.model(), &request),
    }
}

pub(super) fn read_chat(provider: Provider, body: &[u8]) -> Result<Answer, Unreadable> {
    match provider {
        Provider::OpenAi => openai::read_chat(body),
        Provider::Google | Provider::Vertex => gemini::read_chat(body),
        Provider::Anthropic => anthropic::read_chat(body),
        Provider::Ollama => ollama::read_chat(body),
    }
}

pub(super) fn embedding_body(spec: &ModelSpec, texts: &[String]) -> Value {
    match spec.provider() {
        Provider::OpenAi => openai::embedding_body(spec.model(), texts),
        Provider::Google => gemini::embedding_body(spec.model(), texts),
        Provider::Vertex => gemini::prediction_body(texts),
        Provider::Ollama | Provider::Anthropic => ollama::embedding_body(spec.model(), texts),
    }
}

pub(super) fn read_embeddings(provider: Provider, body: &[u8]) -> Result<Embedded, Unreadable> {
    match provider {
        Provider::OpenAi => openai::read_embeddings(body),
        Provider::Google => gemini::read_embeddings(body),
        Provider::Vertex => gemini::read_predictions(body),
        Provider::Ollama | Provider::Anthropic => ollama::read_embeddings(body),
    }
}

/// The name of a role where the provider takes all three in one list.
const fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// What sets the model up, where the provider takes it apart from the conversation.
fn system_text(request: &ChatRequest) -> Option<String> {
    let texts: Vec<&str> = request
        .messages
        .iter()
        .filter(|message| message.role == Role::System)
        .map(|message| message.content.as_str())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn json<'a, T: serde::Deserialize<'a>>(body: &'a [u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

/// Pieces of a text, or nothing where there are none.
fn joined<'a>(pieces: impl Iterator<Item = &'a str>) -> Option<String> {
    let text: String = pieces.collect();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests;
