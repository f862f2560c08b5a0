//! Conversations with models.

use std::time::Duration;

use pawl_model::{Cost, Price, ToolCall, Usage};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::endpoint::Endpoint;
use super::failure::{ModelFailure, ModelFailureKind};
use super::spec::ModelSpec;
use super::wire;

/// How long the answer to one request may be, in bytes as they are sent: 1 MiB.
pub const MAX_CHAT_ANSWER_BYTES: usize = 1024 * 1024;

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Who set the model up.
    System,
    /// Who asks it.
    User,
    /// The model.
    Assistant,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// By whom.
    pub role: Role,
    /// What.
    pub content: String,
}

impl Message {
    /// Something that sets the model up.
    pub fn system(content: impl Into<String>) -> Self {
        Self::of(Role::System, content)
    }

    /// Something that it is asked.
    pub fn user(content: impl Into<String>) -> Self {
        Self::of(Role::User, content)
    }

    /// Something that it said before.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self::of(Role::Assistant, content)
    }

    fn of(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
        }
    }
}

/// The form that an answer must have.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSchema {
    /// What it is called: letters, digits, `_` and `-`.
    pub name: String,
    /// A JSON Schema of an object. For OpenAI every property has to be required, and others forbidden by
    /// `additionalProperties: false`, at every level.
    pub schema: Value,
}

/// What a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// The conversation so far.
    pub messages: Vec<Message>,
    /// How much chance there is in the answer. It is left out for models that refuse one.
    pub temperature: Option<f64>,
    /// The most tokens that it may answer with, those of its reasoning included. Anthropic asks for a number, and is
    /// given 16,384 where there is none.
    pub max_output_tokens: Option<u32>,
    /// The form of the answer. The provider is asked to keep to it; whether it did is for the caller to check.
    pub schema: Option<OutputSchema>,
    /// The time for the answer, from the moment the request is first sent. Retries are inside it, waiting for the
    /// first turn is not; but where the provider has asked to be left alone for longer, it is not waited for.
    pub timeout: Duration,
}

impl ChatRequest {
    /// This conversation, with everything else as the provider has it.
    #[must_use]
    pub const fn new(messages: Vec<Message>, timeout: Duration) -> Self {
        Self {
            messages,
            temperature: None,
            max_output_tokens: None,
            schema: None,
            timeout,
        }
    }
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// It was at its end.
    Stop,
    /// It reached the most tokens.
    Length,
    /// Somebody found it unsafe: the model's own refusal, or a filter of the provider.
    Filter,
    /// The model waits for tools.
    ToolCalls,
    /// Anything else.
    Other,
}

/// What a model answered.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatReply {
    /// The text; empty where it only called tools or refused.
    pub text: String,
    /// What it thought, where the provider says it.
    pub reasoning: Option<String>,
    /// The tools that it called.
    pub tool_calls: Vec<ToolCall>,
    /// What it said instead of an answer.
    pub refusal: Option<String>,
    /// Why it ended.
    pub finish: Finish,
    /// The tokens, where the provider counted them.
    pub usage: Option<Usage>,
    /// What it cost, by the table of prices. Attempts that broke are not in it.
    pub cost: Cost,
    /// The time of the attempt that succeeded.
    pub latency: Duration,
    /// How often the request was sent again.
    pub retries: u32,
    /// SHA-256 of the answer as it came, in hexadecimal.
    pub raw_sha256: String,
}

/// One model, ready to be asked. Calls may run concurrently; dropping one closes its connection.
#[derive(Clone)]
pub struct ChatModel {
    pub(super) spec: ModelSpec,
    pub(super) endpoint: Endpoint,
    pub(super) price: Option<Price>,
}

impl ChatModel {
    /// The model.
    #[must_use]
    pub const fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// Asks for one answer. Where the provider is busy (408, 429, 5xx) or the connection breaks, it is asked again up
    /// to three times, as long as the time allows.
    ///
    /// # Errors
    /// When there is no answer: not in time, not at all, longer than [`MAX_CHAT_ANSWER_BYTES`], or in no form that the
    /// provider answers in. An error of the provider is never an answer.
    pub async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, ModelFailure> {
        let body = wire::chat_body(&self.spec, request);
        let answered = self
            .endpoint
            .post(&body, MAX_CHAT_ANSWER_BYTES, request.timeout)
            .await?;
        let answer =
            wire::read_chat(self.spec.provider(), &answered.answer).map_err(|reason| ModelFailure {
                kind: ModelFailureKind::Broken,
                message: format!("{}: the answer has none of the provider's forms", self.spec),
                said: Some(reason),
                retries: answered.retries,
            })?;
        let cost = self.price.zip(answer.usage);
        Ok(ChatReply {
            text: answer.text,
            reasoning: answer.reasoning,
            tool_calls: answer.tool_calls,
            refusal: answer.refusal,
            finish: answer.finish,
            usage: answer.usage,
            cost: cost.map_or(Cost::Unknown, |(price, usage)| Cost::Known(price.cost(&usage))),
            latency: answered.latency,
            retries: answered.retries,
            raw_sha256: hex::encode(Sha256::digest(&answered.answer)),
        })
    }

    /// The most that an answer can cost, to be reserved before the call: a token has at least one byte. Unknown where
    /// the model has no price, and where the request sets no bound to the answer.
    #[must_use]
    pub fn upper_cost(&self, request: &ChatRequest) -> Cost {
        let known = self.price.zip(request.max_output_tokens);
        known.map_or(Cost::Unknown, |(price, output)| {
            let said: usize = request
                .messages
                .iter()
                .map(|message| message.content.len() + MESSAGE_OVERHEAD)
                .sum();
            let schema = request.schema.as_ref();
            let schema = schema.map_or(0, |schema| schema.name.len() + schema.schema.to_string().len());
            let input = said + schema + REQUEST_OVERHEAD;
            Cost::Known(price.most(input as u64, u64::from(output)))
        })
    }
}

/// Tokens that a provider puts around a message, and around them all: more than any of them documents.
const MESSAGE_OVERHEAD: usize = 16;
const REQUEST_OVERHEAD: usize = 512;
