//! What limits buy, before anything is spent.

use serde::{Deserialize, Serialize};

use crate::example::Task;
use crate::execute::asks;
use crate::rollout::{Cost, Spend};
use crate::settings::{ComponentChoice, Rules, Settings, Validation};

/// What limits buy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// Proposals when every one of them is tried and accepted, which takes most; none where nothing limits them.
    pub proposals_at_least: Option<u64>,
    /// Proposals when none gets beyond its minibatch.
    pub proposals_at_most: Option<u64>,
    /// What the seed's validation takes.
    pub seed: Spend,
    /// What is kept for the final choice.
    pub decision: Spend,
    /// What one proposal takes at most, without retries.
    pub proposal: Spend,
    /// What one metric call takes at most.
    pub metric_call: Spend,
    /// What one reflection takes at most.
    pub reflection: Spend,
}

impl Forecast {
    /// Reckons with the costs that calls take at most, a metric call and a reflection.
    #[must_use]
    pub fn new(task: &Task, settings: &Settings, metric_call: Cost, reflection: Cost) -> Self {
        let all = task.validation.len();
        let (seen, decision) = match settings.validation {
            Validation::Full => (all, 0),
            Validation::Growing(growth) => {
                let seen = growth.block.clamp(1, all);
                (seen, growth.finalists * (all - seen))
            }
        };
        let minibatch = settings.minibatch.clamp(1, task.train.len());
        let calls = |count: usize| Spend::metric_call(metric_call).times(count);
        let components = task.seed.components().len();
        let texts = match settings.components {
            ComponentChoice::RoundRobin => 1,
            ComponentChoice::All => components,
        };
        let spare = usize::from(has_spare(settings, components));
        let reflections = |count: usize| Spend::reflection(reflection).times(count);
        let (seed, decision) = (calls(seen), calls(decision));
        let most = reflections((texts + spare) * asks(settings.rules) as usize);
        let proposal = calls(2 * minibatch + seen) + most;
        let least = calls(minibatch) + reflections(texts);
        let count = |one: Spend| bought(settings, seed + decision, one);
        Self {
            proposals_at_least: count(proposal),
            proposals_at_most: count(least),
            seed,
            decision,
            proposal,
            metric_call: Spend::metric_call(metric_call),
            reflection: Spend::reflection(reflection),
        }
    }

    /// What seed, one proposal and the final choice take at most.
    #[must_use]
    pub fn one_proposal(&self) -> Spend {
        self.seed + self.proposal + self.decision
    }
}

/// Whether another component is asked for where nothing comes of the first one.
pub(crate) fn has_spare(settings: &Settings, components: usize) -> bool {
    components > 1 && settings.components == ComponentChoice::RoundRobin && settings.rules == Rules::Strict
}

/// How many of these the limits buy after something else, where they limit them at all.
fn bought(settings: &Settings, before: Spend, one: Spend) -> Option<u64> {
    let limits = &settings.limits;
    let count = |limit: Option<u64>, before: u64, one: u64| limit?.saturating_sub(before).checked_div(one);
    [
        count(limits.metric_calls, before.metric_calls, one.metric_calls),
        count(limits.reflections, before.reflections, one.reflections),
        count(limits.tokens, before.cost.tokens, one.cost.tokens),
        count(limits.usd_nanos, before.cost.usd_nanos, one.cost.usd_nanos),
    ]
    .into_iter()
    .flatten()
    .min()
}
