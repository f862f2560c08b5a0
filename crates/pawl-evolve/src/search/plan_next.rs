//! What is planned next.

use super::Search;
use crate::commit::DECISION;
use crate::execute::asks;
use crate::forecast::has_spare;
use crate::ledger::Finish;
use crate::parent::Parents;
use crate::plan::{Mutation, Plan, Validation, Work};
use crate::pool::Index;
use crate::rollout::Spend;
use crate::sampler::Minibatch;
use crate::settings::{ComponentChoice, Rules};

/// Steps in a row without a new candidate, where nothing else is said.
const IDLE_STEPS: u32 = 100;

impl Search<'_> {
    /// The next step, or none as long as others are under way; and none at all when the run is over.
    pub(crate) fn next(&mut self, under_way: usize, stopped: Option<Finish>) -> Option<Plan> {
        let replays = self.steps < self.committed;
        self.ledger.replay(replays);
        if self.steps == 0 {
            return self.seed();
        }
        // The seed is what everything else is planned from.
        if self.pool.len() == 0 {
            return None;
        }
        if let (Some(finish), false) = (stopped, replays) {
            self.finish.get_or_insert(finish);
        }
        if self.finish.is_none() {
            self.finish = self.ended();
        }
        match &self.finish {
            Some(_) if under_way > 0 => None,
            Some(finish) if finish.at_once() => None,
            Some(_) => self.decide(),
            None => self.search(under_way),
        }
    }

    fn seed(&mut self) -> Option<Plan> {
        let validation = Validation {
            member: 0,
            candidate: self.task.seed.clone(),
            digest: self.task.seed.digest(),
            examples: self.order[..self.seen].to_vec(),
        };
        let need = self.metric_call.times(self.seen);
        if self.settings.rules == Rules::Strict {
            self.finish = self.ledger.refusal(need);
        }
        self.finish
            .is_none()
            .then(|| self.plan(Work::Validate(vec![validation]), need))
    }

    /// A step of the search itself.
    fn search(&mut self, under_way: usize) -> Option<Plan> {
        if self.is_due_to_grow() {
            return if under_way > 0 { None } else { self.grow() };
        }
        let work = self.merge().or_else(|| self.mutation())?;
        let need = self.need(&work);
        let refusal = match self.settings.rules {
            Rules::Strict => self.ledger.refusal(need),
            Rules::Reference => None,
        };
        if let Some(finish) = refusal {
            // What is held for others may come back.
            if under_way == 0 {
                self.finish = Some(finish);
                return self.decide();
            }
            return None;
        }
        self.iterations += 1;
        if let Work::Mutate(mutation) = &work {
            *self.under_way.entry(mutation.parent).or_default() += 1;
        }
        Some(self.plan(work, need))
    }

    /// Holds what a step takes at most, and as many retries as there may be.
    pub(super) fn plan(&mut self, work: Work, need: Spend) -> Plan {
        let with = |retries: usize| need + self.metric_call.times(retries);
        let affordable = |retries: &usize| self.ledger.refusal(with(*retries)).is_none();
        let retries = (1..=self.settings.retries).rev().find(affordable).unwrap_or(0);
        let held = with(retries);
        self.ledger.hold(held);
        let step = if self.decided { DECISION } else { self.steps };
        self.steps += u64::from(!self.decided);
        Plan {
            step,
            held,
            retries,
            knows: self.counts.steps,
            work,
        }
    }

    fn merge(&mut self) -> Option<Work> {
        let merge = self.settings.merge?;
        let mut merging = self.merges.plan(&self.pool, merge, self.draws, self.iterations)?;
        let place = |example: &usize| self.order[*example];
        merging.screen = merging.screen.iter().map(place).collect();
        merging.validation = self.order[..self.seen].to_vec();
        Some(Work::Merge(merging))
    }

    fn mutation(&mut self) -> Option<Work> {
        let iteration = self.iterations;
        let parents = Parents {
            pool: &self.pool,
            sources: &self.settings.parents,
            by_id: &self.by_id,
            patience: self.settings.patience,
            draws: self.draws,
        };
        let parent = parents.pick(iteration);
        let minibatch = Minibatch {
            pool: &self.pool,
            train: &self.task.train,
            sampler: self.settings.sampler,
            size: self.settings.minibatch,
            perfect: self.settings.perfect_score,
            draws: self.draws,
        };
        let minibatch = minibatch.draw(parent, iteration);
        let used = &mut self.pool.member_mut(parent).used;
        minibatch
            .iter()
            .for_each(|place| *used.entry(*place).or_default() += 1);
        let member = self.pool.member(parent);
        let known = minibatch
            .iter()
            .filter_map(|place| Some((*place, member.train.get(place)?.clone())));
        Some(Work::Mutate(Mutation {
            parent,
            candidate: member.candidate.clone(),
            digest: member.digest.clone(),
            known: match self.settings.rules {
                Rules::Strict => known.collect(),
                Rules::Reference => Default::default(),
            },
            components: self.components(parent),
            spare: self.spare(parent),
            refusals: member.refusals.clone(),
            validation: self.order[..self.seen].to_vec(),
            minibatch,
        }))
    }

    /// The components to write anew: another one for each step with the same parent that is under way.
    fn components(&self, parent: Index) -> Vec<usize> {
        let count = self.task.seed.components().len();
        let under_way = self.under_way.get(&parent).copied().unwrap_or_default();
        match self.settings.components {
            ComponentChoice::All => (0..count).collect(),
            ComponentChoice::RoundRobin => {
                vec![(self.pool.member(parent).next_component + under_way) % count]
            }
        }
    }

    /// The component after the one to write anew, if there is another one.
    fn spare(&self, parent: Index) -> Option<usize> {
        let count = self.task.seed.components().len();
        let one = *self.components(parent).first()?;
        has_spare(self.settings, count).then_some((one + 1) % count)
    }

    /// What a step takes at most.
    fn need(&self, work: &Work) -> Spend {
        let (calls, reflections) = match work {
            Work::Mutate(mutation) => {
                let unknown = mutation.minibatch.len() - mutation.known.len();
                let calls = unknown + mutation.minibatch.len() + mutation.validation.len();
                let texts = mutation.components.len() + usize::from(mutation.spare.is_some());
                (calls, texts * asks(self.settings.rules) as usize)
            }
            Work::Merge(merging) => (merging.screen.len() + merging.validation.len(), 0),
            Work::Validate(validations) => (validations.iter().map(|one| one.examples.len()).sum(), 0),
        };
        self.metric_call.times(calls) + self.reflection.times(reflections)
    }

    /// Why the search is over, apart from what a next step would take.
    fn ended(&self) -> Option<Finish> {
        let limits = &self.settings.limits;
        let best = self.pool.member(self.pool.best());
        let all = best.tried() == self.order.len();
        if self.settings.rules == Rules::Reference {
            let full = limits.candidates.is_some_and(|limit| self.pool.len() >= limit);
            return self
                .ledger
                .reached()
                .or_else(|| full.then_some(Finish::Candidates));
        }
        let idle = match limits.idle_steps {
            0 => IDLE_STEPS,
            steps => steps,
        };
        if all && self.settings.is_perfect(best.mean()) {
            Some(Finish::Perfect)
        } else if all && limits.score.is_some_and(|score| best.mean() >= score) {
            Some(Finish::Score)
        } else if limits.candidates.is_some_and(|limit| self.pool.len() >= limit) {
            Some(Finish::Candidates)
        } else if self.idle >= idle {
            Some(Finish::Idle)
        } else {
            None
        }
    }
}
