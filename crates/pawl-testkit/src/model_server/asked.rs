//! What a model was asked.

use serde_json::Value;

/// The wire formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions and embeddings.
    OpenAi,
    /// The Gemini API, and Vertex AI.
    Gemini,
    /// Messages.
    Anthropic,
    /// `/api/chat` and `/api/embed`.
    Ollama,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its format.
    pub dialect: Dialect,
    /// The path that it was sent to.
    pub path: String,
    /// The model.
    pub model: String,
    /// All texts of the conversation, or those to embed, a line each.
    pub prompt: String,
    /// Whether the answer is wanted piece by piece.
    pub is_stream: bool,
    /// The document.
    pub body: Value,
}

impl Asked {
    pub(super) fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }
}

/// The members under which formats keep what is said, outermost first.
const CONVERSATION: [&str; 8] = [
    "system",
    "systemInstruction",
    "messages",
    "contents",
    "input",
    "requests",
    "instances",
    "content",
];

/// All texts of a conversation, in their order.
pub(super) fn prompt(body: &Value) -> String {
    let mut texts = Vec::new();
    for name in CONVERSATION {
        collect(&body[name], &mut texts);
    }
    texts.join("\n")
}

fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(members) => {
            for name in ["content", "parts", "text"] {
                if let Some(value) = members.get(name) {
                    collect(value, texts);
                }
            }
        }
        _ => {}
    }
}
