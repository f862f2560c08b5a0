//! Replies in the format that was asked.

use std::convert::Infallible;
use std::io;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use serde_json::Value;

use super::asked::{Asked, Dialect};
use super::script::{Fault, Reply};
use super::{anthropic, gemini, ollama, openai};

/// Tokens of a reply.
#[derive(Clone, Copy)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
}

/// Stands where no number is to stand.
const NOT_A_NUMBER: u64 = 987_654_321;

/// More than any client of ours takes.
const TOO_LONG: usize = 2_000_000;

/// One server-sent event.
pub(super) fn sse(event: Option<&str>, data: &Value) -> String {
    let event = event.map_or_else(String::new, |name| ["event: ", name, "\n"].concat());
    [&event, "data: ", &data.to_string(), "\n\n"].concat()
}

/// The answer to a conversation.
pub(super) fn chat(asked: &Asked, reply: &Reply) -> Response {
    let mut reply = reply.clone();
    let mut tokens = reply.usage.map_or_else(
        || Tokens {
            input: Asked::words(&asked.prompt),
            output: Asked::words(&reply.text),
        },
        |(input, output)| Tokens { input, output },
    );
    match reply.fault {
        Some(Fault::TooLong) => reply.text = "x".repeat(TOO_LONG),
        Some(Fault::NotANumber) => tokens.output = NOT_A_NUMBER,
        _ => {}
    }
    let (media_type, body) = match (asked.dialect, asked.is_stream) {
        (Dialect::OpenAi, false) => (
            "application/json",
            openai::chat(asked, &reply, tokens).to_string(),
        ),
        (Dialect::OpenAi, true) => ("text/event-stream", openai::stream(asked, &reply, tokens)),
        (Dialect::Gemini, false) => (
            "application/json",
            gemini::chat(asked, &reply, tokens).to_string(),
        ),
        (Dialect::Gemini, true) => ("text/event-stream", gemini::stream(asked, &reply, tokens)),
        (Dialect::Anthropic, false) => (
            "application/json",
            anthropic::chat(asked, &reply, tokens).to_string(),
        ),
        (Dialect::Anthropic, true) => ("text/event-stream", anthropic::stream(asked, &reply, tokens)),
        (Dialect::Ollama, false) => (
            "application/json",
            ollama::chat(asked, &reply, tokens).to_string(),
        ),
        (Dialect::Ollama, true) => ("application/x-ndjson", ollama::stream(asked, &reply, tokens)),
    };
    answer(media_type, body, reply.fault.as_ref())
}

/// The answer to texts that are to be vectors.
pub(super) fn embeddings(asked: &Asked, vectors: &[Vec<f32>], fault: Option<&Fault>) -> Response {
    let is_number = !matches!(fault, Some(Fault::NotANumber));
    let tokens = Tokens {
        input: if is_number {
            Asked::words(&asked.prompt)
        } else {
            NOT_A_NUMBER
        },
        output: 0,
    };
    let document = match asked.dialect {
        Dialect::Gemini if asked.path.ends_with(":predict") => gemini::predictions(vectors, tokens),
        Dialect::Gemini => gemini::embeddings(vectors, tokens),
        Dialect::Ollama => ollama::embeddings(asked, vectors, tokens),
        Dialect::OpenAi | Dialect::Anthropic => openai::embeddings(asked, vectors, tokens),
    };
    answer("application/json", document.to_string(), fault)
}

fn answer(media_type: &'static str, body: String, fault: Option<&Fault>) -> Response {
    let body = match fault {
        Some(Fault::NotANumber) => Body::from(body.replace(&NOT_A_NUMBER.to_string(), "NaN")),
        Some(Fault::CutConnection) => {
            let half = body.as_bytes()[..body.len() / 2].to_vec();
            Body::from_stream(stream::iter([Ok(half), Err(io::Error::other("cut"))]))
        }
        _ => Body::from_stream(stream::iter([Ok::<_, Infallible>(body)])),
    };
    ([(CONTENT_TYPE, media_type)], body).into_response()
}

/// An error as the provider writes it.
pub(super) fn error(dialect: Dialect, status: u16, retry_after: Option<&str>) -> Response {
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let message = ["the script says ", &code.to_string()].concat();
    let document = match dialect {
        Dialect::OpenAi => openai::error(status, &message),
        Dialect::Gemini => gemini::error(status, &message),
        Dialect::Anthropic => anthropic::error(status, &message),
        Dialect::Ollama => ollama::error(&message),
    };
    let mut response = (code, axum::Json(document)).into_response();
    let wait = retry_after.and_then(|wait| HeaderValue::from_str(wait).ok());
    if let Some(wait) = wait {
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}
