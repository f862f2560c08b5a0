//! What an optimisation may take, before it begins.

use pawl_evolve::{Control, NoJournal, Reflect as _, Run, Spend};
use serde::Serialize;

use super::PlannedEvolution;
use crate::{Engine, EngineError};

/// What an optimisation may take at most, and what it may try for that.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// Cases to learn from.
    pub train: usize,
    /// Cases to compare candidates on.
    pub validation: usize,
    /// Cases that the search never sees.
    pub hold_out: usize,
    /// Proposals when every one is tried on all there is.
    pub proposals_at_least: Option<u64>,
    /// Proposals when none gets beyond its first cases.
    pub proposals_at_most: Option<u64>,
    /// Calls of the target.
    pub metric_calls: Option<u64>,
    /// Calls of the model that proposes texts.
    pub reflections: Option<u64>,
    /// Its tokens; none where nothing bounds them.
    pub tokens: Option<u64>,
    /// Its US dollars; none where the model has no price that is known.
    pub cost_usd: Option<f64>,
    /// Calls of the target, and of the model, that a proposal takes at most.
    pub of_a_proposal: [u64; 2],
}

impl PlannedEvolution {
    /// What it may take.
    #[must_use]
    pub fn quote(&self) -> Quote {
        let forecast = self.forecast();
        let limits = &self.request.settings.limits;
        let (train, validation) = self.examples();
        let least = |bound: Option<u64>, limit: Option<u64>| match (bound, limit) {
            (Some(bound), Some(limit)) => Some(bound.min(limit)),
            (bound, limit) => bound.or(limit),
        };
        let reflections = forecast
            .proposals_at_most
            .map(|proposals| proposals.saturating_mul(forecast.proposal.reflections));
        let reflections = least(reflections, limits.reflections);
        let times = |one: u64| reflections.map(|count| count.saturating_mul(one));
        let is_priced = self.reflecting.at_most().is_some();
        let Spend { cost, .. } = forecast.reflection;
        let of_calls = limits
            .metric_calls
            .unwrap_or(0)
            .saturating_mul(forecast.metric_call.cost.usd_nanos);
        let usd_nanos = times(cost.usd_nanos).map(|nanos| nanos.saturating_add(of_calls));
        let usd_nanos = least(usd_nanos, limits.usd_nanos).filter(|_| is_priced);
        Quote {
            train,
            validation,
            hold_out: self.hold_out,
            proposals_at_least: forecast.proposals_at_least,
            proposals_at_most: forecast.proposals_at_most,
            metric_calls: limits.metric_calls,
            reflections,
            tokens: least(times(cost.tokens), limits.tokens).filter(|_| is_priced),
            cost_usd: usd_nanos.map(|nanos| nanos as f64 / 1e9),
            of_a_proposal: [forecast.proposal.metric_calls, forecast.proposal.reflections],
        }
    }

    /// Refuses what its beginning would refuse.
    ///
    /// # Errors
    /// When the limits buy nothing, or cannot be kept.
    pub(crate) fn check(&self, engine: &Engine) -> Result<(), EngineError> {
        let evaluate = self.remembering(engine);
        let run = Run {
            task: &self.task,
            settings: &self.request.settings,
            evaluate: &evaluate,
            reflect: &self.reflecting,
            journal: &NoJournal,
            control: Control::with_workers(self.request.workers),
        };
        run.check()
            .map_err(|error| EngineError::Evolution(error.to_string()))
    }
}
