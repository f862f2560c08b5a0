//! Asking a model for its opinion of an output: once, and once more where there is no verdict in the answer.

use std::time::Duration;

use pawl_checks::judge::{Asked, Opinion, Question};
use pawl_model::{Budget, Cost, TargetFailure, Usd};
use pawl_providers::{ChatModel, ChatReply, ChatRequest, Finish, Message, ModelFailure, OutputSchema};

/// The most tokens of a verdict, with the reasoning of models that reason before.
const MAX_OUTPUT_TOKENS: u32 = 8_192;
/// How much of an answer without a verdict is shown to its judge, in bytes.
const MAX_SHOWN: usize = 16 * 1024;

/// Who is asked, and how.
pub(crate) struct Examination<'a> {
    pub(crate) model: &'a ChatModel,
    pub(crate) timeout: Duration,
    /// What it may cost, where there is a bound.
    pub(crate) budget: Option<&'a Budget>,
}

/// What came of it.
pub(crate) struct Examined {
    pub(crate) opinion: Result<Opinion, String>,
    pub(crate) calls: u32,
    pub(crate) cost: Cost,
}

impl Examination<'_> {
    /// Asks a question about an output.
    pub(crate) async fn of(&self, question: &Question, asked: &Asked<'_>) -> Examined {
        let mut examined = Examined {
            opinion: Err("nothing can be asked in words".to_owned()),
            calls: 0,
            cost: Cost::Known(Usd::ZERO),
        };
        let Some(form) = question.form(asked) else {
            return examined;
        };
        let mut request = ChatRequest {
            temperature: Some(0.0),
            max_output_tokens: Some(MAX_OUTPUT_TOKENS),
            schema: Some(OutputSchema {
                name: "verdict".to_owned(),
                schema: form.schema,
            }),
            ..ChatRequest::new(
                vec![Message::system(form.instructions), Message::user(form.material)],
                self.timeout,
            )
        };
        loop {
            examined.calls += 1;
            let reply = match self.complete(&request).await {
                Ok(reply) => reply,
                Err(why) => {
                    examined.opinion = Err(why);
                    return examined;
                }
            };
            examined.cost = plus(examined.cost, reply.cost);
            match question.read(&reply.text) {
                Ok(opinion) => {
                    examined.opinion = Ok(opinion);
                    return examined;
                }
                Err(unreadable) if examined.calls > 1 => {
                    let why = ending(&reply).unwrap_or_else(|| unreadable.to_string());
                    examined.opinion = Err(format!("no verdict from {}: {why}", self.model.spec()));
                    return examined;
                }
                Err(unreadable) => request
                    .messages
                    .extend(repair(&reply.text, &unreadable.to_string())),
            }
        }
    }

    /// Within the budget; after a failure all that was reserved is charged, since it may be billed.
    async fn complete(&self, request: &ChatRequest) -> Result<ChatReply, String> {
        let reserved = self
            .budget
            .map(|budget| budget.reserve(self.model.upper_cost(request)))
            .transpose()
            .map_err(|error| error.to_string())?;
        let reply = self.model.complete(request).await.map_err(no_answer)?;
        if let Some(reserved) = reserved {
            reserved.settle(reply.cost);
        }
        Ok(reply)
    }
}

/// As of a target: a refusal is shown with what the provider said, since mostly it is about the model that was named.
pub(crate) fn no_answer(failure: ModelFailure) -> String {
    format!("no answer from the judge: {}", TargetFailure::from(failure))
}

/// Why an answer holds no verdict, where its end says so.
fn ending(reply: &ChatReply) -> Option<String> {
    match (reply.finish, &reply.refusal) {
        (Finish::Length, _) => Some(format!("it was cut off at {MAX_OUTPUT_TOKENS} tokens")),
        (Finish::Filter, _) | (_, Some(_)) => Some("it refused to judge".to_owned()),
        _ => None,
    }
}

/// What is said to a judge whose answer held no verdict.
fn repair(answer: &str, unreadable: &str) -> [Message; 2] {
    let shown = &answer[..answer.floor_char_boundary(MAX_SHOWN)];
    let shown = if shown.is_empty() { "(nothing)" } else { shown };
    [
        Message::assistant(shown),
        Message::user(format!(
            "That cannot be read: {unreadable}. Answer again with the one JSON object that was asked for, and nothing \
             else."
        )),
    ]
}

fn plus(one: Cost, other: Cost) -> Cost {
    match (one, other) {
        (Cost::Known(one), Cost::Known(other)) => Cost::Known(one + other),
        _ => Cost::Unknown,
    }
}
