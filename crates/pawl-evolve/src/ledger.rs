//! What may still be spent.

use serde::{Deserialize, Serialize};

use crate::rollout::{Cost, Failure, Spend};
use crate::settings::Limits;

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// What is left of the metric calls buys no further step.
    MetricCalls,
    /// Nobody may be asked for a text any more.
    Reflections,
    /// What is left of the tokens buys no further step.
    Tokens,
    /// What is left of the dollars buys no further step.
    Dollars,
    /// Time is up.
    Time,
    /// A candidate is as good as was asked for, on all examples.
    Score,
    /// A candidate is perfect, on all examples: there is nothing left to learn.
    Perfect,
    /// The pool is as large as was asked for.
    Candidates,
    /// No step of many in a row brought a new candidate.
    Idle,
    /// Steps in a row came to nothing because of this.
    Failures(String),
    /// More calls of a batch failed than not: nothing can be said about candidates. The run can be resumed when what
    /// failed works again.
    Paused(Failure),
    /// The caller wanted no more of it. The run can be resumed.
    Cancelled,
}

impl Finish {
    /// Whether it ended in the middle of something, so that nothing further may be called.
    pub(crate) fn at_once(&self) -> bool {
        matches!(self, Self::Time | Self::Paused(_) | Self::Cancelled)
    }
}

/// Limits, and what was taken of them.
#[derive(Debug)]
pub(crate) struct Ledger {
    limits: Limits,
    /// By steps that are committed.
    spent: Spend,
    /// By steps under way, at most.
    held: Spend,
    /// By calls that have no answer, in this session and before.
    lost: Spend,
    /// For the final choice.
    aside: Spend,
    /// Whether steps are planned that are committed already: these fitted, before anything was lost.
    replays: bool,
}

impl Ledger {
    pub(crate) fn new(limits: Limits, lost: Spend) -> Self {
        Self {
            limits,
            spent: Spend::default(),
            held: Spend::default(),
            lost,
            aside: Spend::default(),
            replays: false,
        }
    }

    pub(crate) fn spent(&self) -> Spend {
        self.spent
    }

    pub(crate) fn lost(&self) -> Spend {
        self.lost
    }

    /// What was and may be taken, without what is set aside.
    fn taken(&self) -> Spend {
        let taken = self.spent + self.held;
        if self.replays { taken } else { taken + self.lost }
    }

    /// Whether the next step is committed already.
    pub(crate) fn replay(&mut self, replays: bool) {
        self.replays = replays;
    }

    /// How many metric calls are neither taken nor set aside, where they are limited.
    pub(crate) fn metric_calls_left(&self) -> Option<u64> {
        let taken = (self.taken() + self.aside).metric_calls;
        self.limits.metric_calls.map(|limit| limit.saturating_sub(taken))
    }

    /// The limit that does not allow for this, if there is one.
    pub(crate) fn refusal(&self, need: Spend) -> Option<Finish> {
        let after = self.taken() + self.aside + need;
        let over =
            |limit: Option<u64>, after: u64, need: u64| need > 0 && limit.is_some_and(|limit| after > limit);
        let Cost { tokens, usd_nanos } = after.cost;
        if over(self.limits.metric_calls, after.metric_calls, need.metric_calls) {
            Some(Finish::MetricCalls)
        } else if over(self.limits.reflections, after.reflections, need.reflections) {
            Some(Finish::Reflections)
        } else if over(self.limits.tokens, tokens, need.cost.tokens) {
            Some(Finish::Tokens)
        } else if over(self.limits.usd_nanos, usd_nanos, need.cost.usd_nanos) {
            Some(Finish::Dollars)
        } else {
            None
        }
    }

    /// The limit that is reached: the reference looks at them between steps only.
    pub(crate) fn reached(&self) -> Option<Finish> {
        let reached = |limit: Option<u64>, spent: u64| limit.is_some_and(|limit| spent >= limit);
        let Cost { tokens, usd_nanos } = self.spent.cost;
        if reached(self.limits.metric_calls, self.spent.metric_calls) {
            Some(Finish::MetricCalls)
        } else if reached(self.limits.reflections, self.spent.reflections) {
            Some(Finish::Reflections)
        } else if reached(self.limits.tokens, tokens) {
            Some(Finish::Tokens)
        } else if reached(self.limits.usd_nanos, usd_nanos) {
            Some(Finish::Dollars)
        } else {
            None
        }
    }

    /// Sets so much aside, in place of what was.
    pub(crate) fn set_aside(&mut self, aside: Spend) {
        self.aside = aside;
    }

    pub(crate) fn hold(&mut self, need: Spend) {
        self.held += need;
    }

    /// A step that had so much held for it took this.
    pub(crate) fn settle(&mut self, held: Spend, took: Spend) {
        self.held = self.held - held;
        self.spent += took;
    }

    /// Calls had failed before this session, and were made again.
    pub(crate) fn lose(&mut self, lost: Spend) {
        self.lost += lost;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_lost_or_set_aside_cannot_be_spent() {
        let calls = |count| Spend::metric_call(Cost::default()).times(count);
        let mut ledger = Ledger::new(Limits::metric_calls(10), calls(1));
        ledger.set_aside(calls(2));
        ledger.hold(calls(4));
        assert_eq!(ledger.metric_calls_left(), Some(3));
        assert_eq!(ledger.refusal(calls(3)), None);
        assert_eq!(ledger.refusal(calls(4)), Some(Finish::MetricCalls));
        ledger.settle(calls(4), calls(1));
        assert_eq!(ledger.refusal(calls(6)), None);
        assert_eq!(ledger.refusal(calls(7)), Some(Finish::MetricCalls));
    }

    #[test]
    fn a_limit_that_is_not_needed_does_not_bind() {
        let limits = Limits {
            tokens: Some(100),
            ..Limits::default()
        };
        let cost = Cost {
            tokens: 101,
            usd_nanos: 0,
        };
        let ledger = Ledger::new(limits, Spend::default());
        assert_eq!(ledger.refusal(Spend::reflection(cost)), Some(Finish::Tokens));
        assert_eq!(ledger.refusal(Spend::reflection(Cost::default())), None);
    }
}
