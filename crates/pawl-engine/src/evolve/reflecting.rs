//! Reflection by a model.

use std::time::Duration;

use pawl_evolve::{Cost, Failure, FailureKind, Reflect, Reflection, Reply, ReplyEnd};
use pawl_model::{Cost as ModelCost, FLAT_CHARGE};
use pawl_providers::{ChatModel, ChatRequest, Finish, Message, ModelFailureKind};

const INSTRUCTIONS: &str = include_str!("../../prompts/reflect.md");
/// Tokens that a model is given at most.
const MAX_PROMPT: usize = 48_000;
/// Tokens of an answer.
const MAX_OUTPUT: u32 = 8_192;
/// How long an answer may take, retries included.
const TIMEOUT: Duration = Duration::from_secs(120);
/// How much chance there is in a proposal: they are to differ.
const TEMPERATURE: f64 = 1.0;

/// A model that proposes texts.
pub(crate) struct Reflecting {
    pub(crate) model: ChatModel,
    /// Whether dollars are limited: then a model without a price is charged flat.
    pub(crate) is_limited: bool,
}

impl Reflect for Reflecting {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        let request = request(reflection.prompt(MAX_PROMPT));
        let reply = self.model.complete(&request).await.map_err(|failure| {
            let kind = match failure.kind {
                ModelFailureKind::Timeout => FailureKind::Timeout,
                _ => FailureKind::Infra,
            };
            Failure::new(kind, failure.message)
        })?;
        let tokens = reply
            .usage
            .map_or(0, |usage| usage.input_tokens.saturating_add(usage.output_tokens));
        Ok(Reply {
            text: reply.text,
            end: match reply.finish {
                Finish::Length => ReplyEnd::Cut,
                _ => ReplyEnd::Complete,
            },
            cost: Cost {
                tokens,
                usd_nanos: self.nanos(reply.cost),
            },
        })
    }

    fn at_most(&self) -> Option<Cost> {
        // A token has at least one byte, and the prompt four characters a token.
        let prompt = "x".repeat(4 * MAX_PROMPT);
        let tokens = prompt.len() as u64 + u64::from(MAX_OUTPUT);
        match self.model.upper_cost(&request(prompt)) {
            ModelCost::Known(usd) => Some(Cost {
                tokens,
                usd_nanos: usd.nanos(),
            }),
            ModelCost::Unknown if self.is_limited => Some(Cost {
                tokens,
                usd_nanos: FLAT_CHARGE.nanos(),
            }),
            ModelCost::Unknown => None,
        }
    }
}

fn request(prompt: String) -> ChatRequest {
    ChatRequest {
        temperature: Some(TEMPERATURE),
        max_output_tokens: Some(MAX_OUTPUT),
        ..ChatRequest::new(
            vec![Message::system(INSTRUCTIONS), Message::user(prompt)],
            TIMEOUT,
        )
    }
}

impl Reflecting {
    fn nanos(&self, cost: ModelCost) -> u64 {
        match cost {
            ModelCost::Known(usd) => usd.nanos(),
            ModelCost::Unknown if self.is_limited => FLAT_CHARGE.nanos(),
            ModelCost::Unknown => 0,
        }
    }
}
