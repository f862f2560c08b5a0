//! The models that mining asks, where there are some.

use std::time::Duration;

use pawl_checks::similarity::{Failure, lexical, scale};
use pawl_model::{Budget, BudgetError, Cap, Cost, FailurePattern, FailureType, SuggestedPattern, Usd};
use pawl_providers::{ChatModel, ChatRequest, Embedder, Message, ModelError, ModelSpec, Models};

use super::rules::{Failed, RULES};
use crate::EngineError;

/// What makes vectors where no model does.
const LEXICAL: &str = "lexical";
/// What a run may cost where nobody says.
const DEFAULT_CAP: Usd = Usd::from_nanos(2_000_000_000);
/// How long vectors of one batch may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Models that mining asks. Without them rules make patterns, and words vectors.
#[derive(Clone, Default)]
pub struct MiningModels {
    /// Makes patterns.
    pub extractor: Option<ChatModel>,
    /// Makes vectors.
    pub embedder: Option<Embedder>,
    /// What a run may cost; two US dollars where nobody says.
    pub max_cost: Option<Usd>,
}

impl MiningModels {
    /// Those that are named, where they are named.
    ///
    /// # Errors
    /// When something is missing to reach one; the error names the variable.
    pub fn named(
        models: &Models,
        extractor: Option<&ModelSpec>,
        embedder: Option<&ModelSpec>,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            extractor: extractor.map(|spec| models.chat(spec)).transpose()?,
            embedder: embedder.map(|spec| models.embedder(spec)).transpose()?,
            max_cost: None,
        })
    }

    /// What makes patterns.
    pub(super) fn extracted_by(&self) -> String {
        let model = self.extractor.as_ref();
        model.map_or_else(|| RULES.to_owned(), |model| model.spec().to_string())
    }

    /// What makes vectors: those of one cannot be compared with those of another.
    pub(super) fn embedded_by(&self) -> String {
        let model = self.embedder.as_ref();
        model.map_or_else(|| LEXICAL.to_owned(), |model| model.spec().to_string())
    }

    /// Whether the models that are asked have no price that is known, so that the flat charge stands for it.
    ///
    /// # Errors
    /// Under a cap that a person set, since it could not be kept.
    pub(super) fn has_no_price(&self) -> Result<bool, BudgetError> {
        let a_word = ChatRequest {
            max_output_tokens: Some(1),
            ..ChatRequest::new(vec![Message::user("?")], Duration::ZERO)
        };
        let extractor = self.extractor.as_ref();
        let embedder = self.embedder.as_ref();
        let is_unknown = [
            extractor.map(|model| model.upper_cost(&a_word)),
            embedder.map(|model| model.upper_cost(&["?".to_owned()])),
        ]
        .contains(&Some(Cost::Unknown));
        if is_unknown {
            match self.budget(Usd::ZERO).reserve(Cost::Unknown) {
                Ok(reserved) => reserved.release(),
                Err(error @ BudgetError::UnknownPrice { .. }) => return Err(error),
                Err(BudgetError::Exceeded { .. }) => {}
            }
        }
        Ok(is_unknown)
    }

    /// What a run may still cost that has cost so much.
    pub(super) fn budget(&self, spent: Usd) -> Budget {
        Budget::new(match self.max_cost {
            Some(limit) => Cap::User(limit.less(spent)),
            None => Cap::Default(DEFAULT_CAP.less(spent)),
        })
    }

    /// The vectors of patterns, and of what they were made of, each of length 1.
    pub(super) async fn vectors(
        &self,
        patterns: &[FailurePattern],
        failed: &[Failed],
        budget: &Budget,
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        let Some(embedder) = &self.embedder else {
            let both = patterns.iter().zip(failed);
            return Ok(both.map(|(pattern, failed)| words_of(pattern, failed)).collect());
        };
        let texts = patterns
            .iter()
            .map(|pattern| text(pattern.failure_type, &pattern.trigger_condition, &pattern.summary));
        embed(embedder, &texts.collect::<Vec<_>>(), budget).await
    }

    /// The vectors of suggestions that another model made before.
    pub(super) async fn vectors_again(
        &self,
        suggested: &[SuggestedPattern],
        budget: &Budget,
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        let Some(embedder) = &self.embedder else {
            let again = suggested.iter().map(|pattern| {
                lexical(&Failure {
                    kind: place(pattern.failure_type),
                    asked: &pattern.trigger_condition,
                    answered: &pattern.summary,
                    ..Failure::default()
                })
            });
            return Ok(again.collect());
        };
        let texts = suggested
            .iter()
            .map(|pattern| text(pattern.failure_type, &pattern.trigger_condition, &pattern.summary));
        embed(embedder, &texts.collect::<Vec<_>>(), budget).await
    }
}

/// What a model is given of a pattern.
fn text(kind: FailureType, trigger: &str, summary: &str) -> String {
    format!("{kind}: {trigger}\n{summary}")
}

fn words_of(pattern: &FailurePattern, failed: &Failed) -> Vec<f32> {
    let errors: Vec<String> = failed
        .observed
        .errors
        .iter()
        .map(|error| error.message.clone())
        .collect();
    lexical(&Failure {
        kind: place(pattern.failure_type),
        asked: &failed.candidate.prompt,
        answered: &failed.candidate.response,
        tools: &failed.observed.tools,
        errors: &errors,
    })
}

fn place(kind: FailureType) -> usize {
    FailureType::ALL
        .iter()
        .position(|one| *one == kind)
        .unwrap_or_default()
}

async fn embed(embedder: &Embedder, texts: &[String], budget: &Budget) -> Result<Vec<Vec<f32>>, EngineError> {
    if texts.is_empty() {
        return Ok(Vec::new());
    }
    let reserved = budget.reserve(embedder.upper_cost(texts))?;
    let mut reply = embedder.embed(texts, TIMEOUT).await?;
    reserved.settle(reply.cost);
    for vector in &mut reply.vectors {
        scale(vector, 1.0);
    }
    Ok(reply.vectors)
}
