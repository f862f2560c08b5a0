//! Models as targets.

use std::time::Duration;

use pawl_model::{Cost, TargetFailure, TargetFailureKind, TargetOutput, TargetRequest};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{broken, malformed, plain_text};
use crate::model::{
    ChatModel, ChatReply, ChatRequest, Finish, Message, ModelError, ModelFailure, ModelFailureKind,
    ModelSpec, OutputSchema, Provider, Role,
};
use crate::target::{TargetReply, TargetSettings};

/// How a model is asked as a target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelOptions {
    /// As in [`ChatRequest::temperature`].
    pub temperature: Option<f64>,
    /// As in [`ChatRequest::max_output_tokens`].
    pub max_output_tokens: Option<u32>,
    /// As in [`ChatRequest::schema`].
    pub schema: Option<OutputSchema>,
    /// Where the provider is, in place of what the settings say.
    pub base_url: Option<String>,
}

/// A model that is asked with the input of each case.
pub(crate) struct ModelTarget {
    model: ChatModel,
    options: ModelOptions,
    timeout: Duration,
}

impl ModelTarget {
    pub(crate) fn new(spec: &ModelSpec, settings: &TargetSettings) -> Result<Self, ModelError> {
        let models = &settings.models;
        let model = match &settings.model.base_url {
            Some(base) => models.at(spec.provider(), base)?.chat(spec)?,
            None => models.chat(spec)?,
        };
        Ok(Self {
            model,
            options: settings.model.clone(),
            timeout: settings.timeout,
        })
    }

    pub(crate) async fn call(&self, request: &TargetRequest) -> Result<TargetReply, TargetFailure> {
        let request = ChatRequest {
            temperature: self.options.temperature,
            max_output_tokens: self.options.max_output_tokens,
            schema: self.options.schema.clone(),
            ..ChatRequest::new(conversation(request)?, self.timeout)
        };
        let reply = self.model.complete(&request).await.map_err(TargetFailure::from)?;
        let latency = reply.latency;
        let output = self.output(reply)?;
        Ok(TargetReply { output, latency })
    }

    fn output(&self, reply: ChatReply) -> Result<TargetOutput, TargetFailure> {
        let is_google = matches!(self.model.spec().provider(), Provider::Google | Provider::Vertex);
        let output = match (reply.text.is_empty(), reply.refusal) {
            // A filter says a word of its own, which is no answer of the model.
            (true, Some(reason)) if is_google && reply.finish == Finish::Filter => {
                return Err(broken(format!(
                    "{}: a filter held the answer back: {reason}",
                    self.model.spec()
                )));
            }
            (true, Some(refusal)) => Value::String(refusal),
            // As promptfoo has it: where a model says nothing but calls, they are its output.
            (true, None) if !reply.tool_calls.is_empty() => json!(reply.tool_calls),
            _ => Value::String(reply.text),
        };
        let cost = match reply.cost {
            Cost::Known(amount) => Some(amount.as_f64()),
            Cost::Unknown => None,
        };
        Ok(TargetOutput {
            output,
            tool_calls: (!reply.tool_calls.is_empty()).then(|| json!(reply.tool_calls)),
            tokens: reply.usage.map(|usage| {
                json!({
                    "input": usage.input_tokens, "output": usage.output_tokens,
                    "total": usage.input_tokens + usage.output_tokens,
                })
            }),
            cost_usd: cost,
            reasoning: reply.reasoning.map(Value::String),
        })
    }
}

/// A refusal is shown with what the provider said about it: it is about the request, as a person made it.
impl From<ModelFailure> for TargetFailure {
    fn from(failure: ModelFailure) -> Self {
        let kind = match failure.kind {
            ModelFailureKind::Timeout => TargetFailureKind::Timeout,
            ModelFailureKind::Throttled => TargetFailureKind::Throttled,
            ModelFailureKind::TooLong => TargetFailureKind::Malformed,
            ModelFailureKind::Unauthorized | ModelFailureKind::Refused(_) | ModelFailureKind::Broken => {
                TargetFailureKind::Broken
            }
        };
        let message = match (failure.kind, failure.said) {
            (ModelFailureKind::Refused(_), Some(said)) => format!("{}: {said}", failure.message),
            _ => failure.message,
        };
        Self::new(kind, message)
    }
}

/// A chat message as OpenAI writes it.
#[derive(Deserialize)]
struct ChatMessage {
    role: String,
    content: Content,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: String,
}

/// The texts of the prompt set the model up; then comes what it is asked.
fn conversation(request: &TargetRequest) -> Result<Vec<Message>, TargetFailure> {
    let texts = request
        .prompt
        .iter()
        .flatten()
        .filter_map(|(_, text)| text.as_str());
    let texts: Vec<&str> = texts.collect();
    let system = (!texts.is_empty()).then(|| Message::system(texts.join("\n\n")));
    Ok(system.into_iter().chain(messages(&request.input)?).collect())
}

/// A prompt that is a JSON list of objects with a `role` is a conversation; anything else is asked as it is.
fn messages(input: &Value) -> Result<Vec<Message>, TargetFailure> {
    let text = plain_text(input);
    let conversation = serde_json::from_str::<Vec<Value>>(&text).ok();
    let is_conversation = |items: &Vec<Value>| {
        !items.is_empty()
            && items
                .iter()
                .all(|item| item.get("role").is_some_and(Value::is_string))
    };
    match conversation.filter(is_conversation) {
        Some(items) => items.into_iter().map(message).collect(),
        None => Ok(vec![Message::user(text)]),
    }
}

fn message(item: Value) -> Result<Message, TargetFailure> {
    let ChatMessage { role, content } = serde_json::from_value(item)
        .map_err(|_| malformed("the prompt holds a chat message whose content is not text"))?;
    let role = match role.as_str() {
        "system" | "developer" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => {
            return Err(malformed(format!(
                "the prompt holds a chat message of `{role}`, and only those of system, user and assistant are sent"
            )));
        }
    };
    let content = match content {
        Content::Text(text) => text,
        Content::Parts(parts) => parts.into_iter().map(|part| part.text).collect(),
    };
    Ok(Message { role, content })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_messages_is_a_conversation_and_anything_else_a_question() {
        let chat = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "Two"}, {"type": "text", "text": "?"}]},
            {"role": "assistant", "content": "2"},
        ]);
        let expected = vec![
            Message::system("Be brief."),
            Message::user("Two?"),
            Message::assistant("2"),
        ];
        assert_eq!(messages(&chat), Ok(expected.clone()));
        assert_eq!(messages(&json!(chat.to_string())), Ok(expected));
        for text in ["hello", "[1, 2]", "[]", "7", r#"{"role": "user"}"#] {
            assert_eq!(messages(&json!(text)), Ok(vec![Message::user(text)]));
        }
        assert_eq!(
            messages(&json!({"goal": "x"})),
            Ok(vec![Message::user(r#"{"goal":"x"}"#)])
        );
    }

    #[test]
    fn messages_that_cannot_be_sent_are_malformed() {
        for (item, part) in [
            (json!({"role": "tool", "content": "x"}), "chat message of `tool`"),
            (json!({"role": "user", "content": 7}), "content is not text"),
            (
                json!({"role": "user", "content": [{"type": "image_url", "image_url": {}}]}),
                "content is not text",
            ),
        ] {
            let failure = messages(&json!([item])).unwrap_err();
            assert_eq!(failure.kind, TargetFailureKind::Malformed);
            assert!(failure.message.contains(part), "{failure}");
        }
    }
}
