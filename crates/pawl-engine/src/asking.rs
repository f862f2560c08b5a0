//! Asking a model for one JSON object, within a budget: once, and read without guessing.

use std::time::Duration;

use pawl_checks::extract;
use pawl_model::{Budget, BudgetError};
use pawl_providers::{ChatModel, ChatReply, ChatRequest, Finish, Message, ModelFailureKind, OutputSchema};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value, json};
use sha2::{Digest as _, Sha256};

/// How much chance there is in what a model writes.
const TEMPERATURE: f64 = 0.2;

/// What a model is asked for.
pub(crate) struct Question {
    /// What it is told of its task.
    pub(crate) instructions: &'static str,
    /// The material: one JSON document, so that nothing in it can pass for anything else.
    pub(crate) document: String,
    /// What the object is called, and its JSON Schema.
    pub(crate) schema: (&'static str, Value),
    /// A member that tells the object from others.
    pub(crate) member: &'static str,
    /// The most tokens that it may answer with.
    pub(crate) max_output_tokens: u32,
    /// How long it may take, retries included.
    pub(crate) timeout: Duration,
}

/// Why there is no answer.
pub(crate) enum Unanswered {
    /// It was not asked.
    Budget(BudgetError),
    /// The provider failed, after retries too.
    Provider(String),
    /// It did not come in time.
    Timeout(String),
    /// There is no JSON in what it said.
    InvalidJson { message: String, said: String },
    /// It is other JSON than was asked for.
    Schema { message: String, said: String },
}

impl Question {
    /// What the model is sent.
    pub(crate) fn request(&self) -> ChatRequest {
        let (name, schema) = &self.schema;
        ChatRequest {
            temperature: Some(TEMPERATURE),
            max_output_tokens: Some(self.max_output_tokens),
            schema: Some(OutputSchema {
                name: (*name).to_owned(),
                schema: schema.clone(),
            }),
            ..ChatRequest::new(
                vec![
                    Message::system(self.instructions),
                    Message::user(self.document.as_str()),
                ],
                self.timeout,
            )
        }
    }

    /// Asks, and reads the answer; `check` says what no type does.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        (model, budget): (&ChatModel, &Budget),
        check: impl Fn(&T) -> Result<(), String>,
    ) -> Result<(T, ChatReply), Unanswered> {
        let request = self.request();
        let reserved = budget
            .reserve(model.upper_cost(&request))
            .map_err(Unanswered::Budget)?;
        let reply = match model.complete(&request).await {
            Ok(reply) => reply,
            Err(failure) => {
                return Err(match failure.kind {
                    // What was under way may be billed: all that was reserved is charged.
                    ModelFailureKind::Timeout => Unanswered::Timeout(failure.message),
                    ModelFailureKind::Broken | ModelFailureKind::TooLong => {
                        Unanswered::Provider(failure.message)
                    }
                    ModelFailureKind::Throttled
                    | ModelFailureKind::Unauthorized
                    | ModelFailureKind::Refused(_) => {
                        reserved.release();
                        Unanswered::Provider(failure.message)
                    }
                });
            }
        };
        reserved.settle(reply.cost);
        let said = || reply.text.clone();
        let no_json = |message: String| Unanswered::InvalidJson {
            message,
            said: said(),
        };
        let no_form = |message: String| Unanswered::Schema {
            message,
            said: said(),
        };
        let found = extract::object(&reply.text, |object| object.contains_key(self.member))
            .map_err(|error| no_json(error.to_string()))?;
        if found.is_truncated || reply.finish == Finish::Length {
            return Err(no_json(
                "the answer ends in the middle of the JSON object".to_owned(),
            ));
        }
        let answer: T = serde_json::from_value(Value::Object(found.object))
            .map_err(|error| no_form(error.to_string()))?;
        check(&answer).map_err(no_form)?;
        Ok((answer, reply))
    }
}

/// The temperature, as documents keep it.
pub(crate) fn temperature() -> Number {
    Number::from_f64(TEMPERATURE).unwrap_or_else(|| 0.into())
}

/// `sha256:` and the hash of a text.
pub(crate) fn sha256(text: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(text)))
}

/// The schema of an object with every property required and no others, which is what OpenAI asks for.
pub(crate) fn object(properties: &Value) -> Value {
    let required: Vec<&String> = properties.as_object().into_iter().flat_map(Map::keys).collect();
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// The schema of a text, of one that may be null, and of a list of texts.
pub(crate) fn text() -> Value {
    json!({"type": "string"})
}

pub(crate) fn optional_text() -> Value {
    json!({"type": ["string", "null"]})
}

pub(crate) fn texts() -> Value {
    json!({"type": "array", "items": text()})
}
