//! The words by which an optimisation is begun from outside: read, kept in its row, and made a plan of.

use pawl_evolve::{Limits, Settings};
use pawl_model::{FLAT_CHARGE, Json, Optimization, PromptComponent, UserId};
use pawl_providers::ModelSpec;
use serde_json::{Value, json};

use super::named::{WORKERS, refused};
use super::{Earlier, EvolveRequest, NewOptimization, PlannedEvolution, Weights};
use crate::{Engine, EngineError};

/// Calls of the target that one optimisation may ask for.
pub const MOST_METRIC_CALLS: u64 = 10_000;
/// Steps that may be under way at once.
pub const MOST_LOOK_AHEAD: usize = 16;

/// The words by which an optimisation was begun; its row holds them.
pub(super) struct Words {
    user: UserId,
    prompt: String,
    seed: Vec<PromptComponent>,
    target: String,
    suite: String,
    reflector: ModelSpec,
    settings: Settings,
    weights: Weights,
    earlier: Earlier,
}

impl Engine {
    pub(super) async fn words(&self, new: &NewOptimization) -> Result<Words, EngineError> {
        let live = self.live_prompt(new.user_id, &new.prompt).await?;
        let live = live.ok_or_else(|| refused(format!("there is no prompt `{}`", new.prompt)))?;
        let reflector = new.reflector.clone().or_else(|| self.named.default_reflector());
        let words = Words {
            user: new.user_id,
            prompt: live.name,
            seed: live.components,
            target: self.named.target_name(new.target.as_deref())?,
            suite: new.suite.clone(),
            reflector: reflector
                .ok_or_else(|| refused("no model proposes texts: name one, or set the key of a provider"))?,
            settings: Settings {
                seed: new.seed,
                look_ahead: new.look_ahead,
                limits: Limits {
                    usd_nanos: new.usd_nanos,
                    ..Limits::metric_calls(new.metric_calls)
                },
                ..Settings::default()
            },
            weights: new.weights.clone(),
            earlier: new.earlier,
        };
        check(&words.settings)?;
        Ok(words)
    }

    pub(super) async fn planned(&self, words: &Words) -> Result<PlannedEvolution, EngineError> {
        let run = self.named_run(words.user, (&words.target, &words.suite)).await?;
        let reflector = run
            .models
            .chat(&words.reflector)
            .map_err(|error| refused(error.to_string()))?;
        let request = EvolveRequest {
            user_id: words.user,
            name: words.prompt.clone(),
            seed: words.seed.clone(),
            run,
            reflector,
            settings: words.settings.clone(),
            weights: words.weights.clone(),
            earlier: words.earlier,
            call_at_most: FLAT_CHARGE,
            workers: WORKERS.get(),
            resume: None,
        };
        let engine = self.clone();
        // A suite is read whole.
        let planned = tokio::task::spawn_blocking(move || PlannedEvolution::plan(&engine, request)).await;
        let planned = planned
            .map_err(EngineError::Worker)?
            .map_err(|error| self.named.told(error))?;
        planned.check(self)?;
        Ok(planned)
    }
}

/// Refuses what one caller may not have.
fn check(settings: &Settings) -> Result<(), EngineError> {
    let calls = settings.limits.metric_calls;
    if !calls.is_some_and(|calls| (1..=MOST_METRIC_CALLS).contains(&calls)) {
        return Err(refused(format!(
            "an optimisation may have 1 to {MOST_METRIC_CALLS} calls of the target"
        )));
    }
    match (1..=MOST_LOOK_AHEAD).contains(&settings.look_ahead) {
        true => Ok(()),
        false => Err(refused(format!("the look-ahead is 1 to {MOST_LOOK_AHEAD}"))),
    }
}

impl Words {
    /// As the row holds them: names, and not what they stand for.
    pub(super) fn config(&self) -> Result<Json, EngineError> {
        let config = json!({
            "named": true, "settings": self.settings, "target": self.target, "suite": self.suite, "checks": null,
            "reflector": self.reflector.to_string(), "workers": WORKERS, "seed": self.seed,
            "fresh": self.earlier == Earlier::Ignore,
        });
        Json::from_serialize(&config).map_err(EngineError::TraceData)
    }

    pub(super) fn of(user: UserId, run: &Optimization) -> Result<Self, EngineError> {
        let config = run.config.to_value();
        let unreadable = || refused("what it was asked to do cannot be read");
        let text = |member: &str| config[member].as_str().map(str::to_owned).ok_or_else(unreadable);
        let words = Self {
            user,
            prompt: run.name.clone(),
            seed: serde_json::from_value(config["seed"].clone()).map_err(|_| unreadable())?,
            target: text("target")?,
            suite: text("suite")?,
            reflector: text("reflector")?.parse().map_err(|_| unreadable())?,
            settings: serde_json::from_value(config["settings"].clone()).map_err(|_| unreadable())?,
            weights: serde_json::from_value(run.dimension_weights.to_value()).map_err(|_| unreadable())?,
            earlier: match config["fresh"] == Value::Bool(true) {
                true => Earlier::Ignore,
                false => Earlier::Reuse,
            },
        };
        // Rows may be changed by whose they are.
        check(&words.settings)?;
        Ok(words)
    }
}
