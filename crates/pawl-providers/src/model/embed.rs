//! Texts as vectors.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use pawl_model::{Cost, Price, Usage};
use tokio::time::{Instant, timeout_at};

use super::endpoint::Endpoint;
use super::failure::{ModelFailure, ModelFailureKind};
use super::spec::{ModelSpec, Provider};
use super::wire;

/// How long the answer to one request may be. It has up to 100 vectors of some thousand numbers.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// How many requests one call makes at once.
const CONCURRENT_REQUESTS: usize = 4;

/// The vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddingReply {
    /// One per text, in their order, all of one length. They need not have the length 1.
    pub vectors: Vec<Vec<f32>>,
    /// The tokens, where the provider counted them.
    pub usage: Option<Usage>,
    /// What it cost, by the table of prices.
    pub cost: Cost,
}

/// One model that turns texts into vectors. Calls may run concurrently.
#[derive(Clone)]
pub struct Embedder {
    pub(super) spec: ModelSpec,
    pub(super) endpoint: Endpoint,
    pub(super) price: Option<Price>,
}

/// What one request may hold.
struct BatchLimits {
    texts: usize,
    /// Of all texts together; a longer text goes alone.
    bytes: usize,
}

impl Embedder {
    /// The model.
    #[must_use]
    pub const fn spec(&self) -> &ModelSpec {
        &self.spec
    }

    /// The vectors of these texts, asked for in as many requests as the provider needs. The timeout is that of the
    /// whole call.
    ///
    /// # Errors
    /// As [`ChatModel::complete`](super::ChatModel::complete), and when there is not one finite vector for each text.
    pub async fn embed(&self, texts: &[String], timeout: Duration) -> Result<EmbeddingReply, ModelFailure> {
        let deadline = Instant::now() + timeout;
        // Collected first: a stream that still holds the closure could not go from thread to thread.
        let calls: Vec<_> = batches(texts, &self.limits())
            .into_iter()
            .map(|batch| self.embed_batch(batch, timeout))
            .collect();
        let answers = futures::stream::iter(calls)
            .buffered(CONCURRENT_REQUESTS)
            .try_collect::<Vec<_>>();
        let answers = timeout_at(deadline, answers)
            .await
            .map_err(|_| self.endpoint.timed_out(timeout))??;
        let usages: Option<Vec<Usage>> = answers.iter().map(|answer| answer.usage).collect();
        let usage = usages.map(|usages| Usage {
            input_tokens: usages.iter().map(|usage| usage.input_tokens).sum(),
            ..Usage::default()
        });
        let vectors: Vec<_> = answers.into_iter().flat_map(|answer| answer.vectors).collect();
        let length = vectors.first().map_or(0, Vec::len);
        if vectors.iter().any(|vector| vector.len() != length) {
            return Err(self.broken("vectors of different lengths".to_owned(), 0));
        }
        let cost = match (self.price, usage) {
            (Some(price), Some(usage)) => Cost::Known(price.cost(&usage)),
            _ => Cost::Unknown,
        };
        Ok(EmbeddingReply { vectors, usage, cost })
    }

    /// The most that the vectors of these texts can cost, as [`ChatModel::upper_cost`](super::ChatModel::upper_cost).
    #[must_use]
    pub fn upper_cost(&self, texts: &[String]) -> Cost {
        self.price.map_or(Cost::Unknown, |price| {
            let bytes: usize = texts.iter().map(|text| text.len() + TEXT_OVERHEAD).sum();
            Cost::Known(price.most(bytes as u64, 0))
        })
    }

    async fn embed_batch(&self, texts: &[String], timeout: Duration) -> Result<wire::Embedded, ModelFailure> {
        let body = wire::embedding_body(&self.spec, texts);
        let answered = self.endpoint.post(&body, MAX_ANSWER_BYTES, timeout).await?;
        let embedded = wire::read_embeddings(self.spec.provider(), &answered.answer)
            .map_err(|reason| self.broken(reason, answered.retries))?;
        let is_whole = embedded.vectors.len() == texts.len()
            && embedded
                .vectors
                .iter()
                .all(|vector| !vector.is_empty() && vector.iter().all(|number| number.is_finite()));
        if !is_whole {
            let reason = format!("not one finite vector for each of {} texts", texts.len());
            return Err(self.broken(reason, answered.retries));
        }
        Ok(embedded)
    }

    fn broken(&self, reason: String, retries: u32) -> ModelFailure {
        ModelFailure {
            kind: ModelFailureKind::Broken,
            message: format!("{}: the answer holds no vectors for these texts", self.spec),
            said: Some(reason),
            retries,
        }
    }

    fn limits(&self) -> BatchLimits {
        let (texts, bytes) = match self.spec.provider() {
            Provider::OpenAi => (100, 256 * 1024),
            Provider::Google => (100, 64 * 1024),
            // 250 texts and 20,000 tokens, but one text where the model is a large one.
            Provider::Vertex if self.spec.model().starts_with("gemini-") => (1, 0),
            Provider::Vertex => (100, 20_000),
            Provider::Anthropic | Provider::Ollama => (50, 256 * 1024),
        };
        BatchLimits { texts, bytes }
    }
}

/// Tokens that a provider puts around a text: more than any of them documents.
const TEXT_OVERHEAD: usize = 16;

/// The texts in their order, cut so that each part keeps to the limits or holds one text.
fn batches<'a>(texts: &'a [String], limits: &BatchLimits) -> Vec<&'a [String]> {
    let mut batches = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (index, text) in texts.iter().enumerate() {
        let is_full = index - start == limits.texts || bytes + text.len() > limits.bytes;
        if is_full && index > start {
            batches.push(&texts[start..index]);
            (start, bytes) = (index, 0);
        }
        bytes += text.len();
    }
    if start < texts.len() {
        batches.push(&texts[start..]);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn batches_hold_every_text_once_and_keep_to_the_limits(
            lengths in proptest::collection::vec(0..30_usize, 0..40),
            most in 1..10_usize,
            bytes in 0..60_usize,
        ) {
            let texts: Vec<String> = lengths.into_iter().map(|length| "x".repeat(length)).collect();
            let limits = BatchLimits { texts: most, bytes };
            let batches = batches(&texts, &limits);
            proptest::prop_assert_eq!(&batches.concat(), &texts);
            for batch in batches {
                let sum: usize = batch.iter().map(String::len).sum();
                proptest::prop_assert!(batch.len() == 1 || (batch.len() <= most && sum <= bytes));
            }
        }
    }
}
