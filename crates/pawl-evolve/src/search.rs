//! The state of a search: what is planned next, and what follows from what was executed.

mod decide;
mod plan_next;

use std::collections::HashMap;
use std::sync::Arc;

use crate::commit::{Commit, Outcome, SkipReason};
use crate::draw::Draws;
use crate::event::{StepKind, View};
use crate::example::{Split, Task};
use crate::execute::known;
use crate::forecast::Forecast;
use crate::ledger::{Finish, Ledger};
use crate::merge::Merges;
use crate::plan::{Child, Executed, Findings, Plan, Validation, Verdict, Work};
use crate::pool::{Index, Newcomer, Pool};
use crate::refusal::{Refusal, RefusalReason};
use crate::report::{Counts, Report, reported};
use crate::rollout::{Rollout, Spend};
use crate::settings::{Frontier, Pick, Rules, Settings};
use crate::tried::Tried;

/// How a search stands.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    task: &'a Task,
    settings: &'a Settings,
    draws: Draws,
    pool: Pool,
    ledger: Ledger,
    merges: Merges,
    counts: Counts,
    /// Places of the examples of validation in the order in which the search sees them.
    order: Vec<usize>,
    /// The same in the order of their ids, as places in `order`.
    by_id: Vec<usize>,
    /// How many of them it sees.
    seen: usize,
    /// What one metric call and one reflection take at most.
    metric_call: Spend,
    reflection: Spend,
    /// Steps that were planned, and mutations and merges among them.
    steps: u64,
    iterations: u64,
    /// Mutations under way, by parent.
    under_way: HashMap<Index, usize>,
    /// Steps in a row that brought no candidate, and that failed.
    idle: u32,
    failed: u32,
    finish: Option<Finish>,
    decided: bool,
}

impl<'a> Search<'a> {
    pub(crate) fn new(task: &'a Task, settings: &'a Settings, forecast: &Forecast, lost: Spend) -> Self {
        let draws = Draws::new(settings.seed);
        let order = decide::order(task, settings, draws);
        let mut by_id: Vec<usize> = (0..order.len()).collect();
        by_id.sort_by_key(|place| &task.validation[order[*place]].id);
        let cartesian = settings
            .parents
            .iter()
            .any(|source| source.pick == Pick::Front(Frontier::Cartesian));
        let mut search = Self {
            task,
            settings,
            draws,
            pool: Pool::new(cartesian),
            ledger: Ledger::new(settings.limits, lost),
            merges: Merges::default(),
            counts: Counts::default(),
            by_id,
            seen: forecast.seed.metric_calls as usize,
            order,
            metric_call: forecast.metric_call,
            reflection: forecast.reflection,
            steps: 0,
            iterations: 0,
            under_way: HashMap::new(),
            idle: 0,
            failed: 0,
            finish: None,
            decided: false,
        };
        search.set_aside();
        search
    }

    pub(crate) fn lose(&mut self, lost: Spend) {
        self.ledger.lose(lost);
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            pool: &self.pool,
            spent: self.ledger.spent(),
            lost: self.ledger.lost(),
        }
    }

    /// What a plan does, for who watches.
    pub(crate) fn kind(&self, plan: &Plan) -> StepKind {
        match &plan.work {
            Work::Validate(_) if plan.step == 0 => StepKind::Seed,
            Work::Validate(_) if self.decided => StepKind::Decide,
            Work::Validate(_) => StepKind::Grow,
            Work::Merge(merging) => StepKind::Merge {
                parents: merging.parents,
            },
            Work::Mutate(mutation) => {
                let train = self.task.examples(Split::Train);
                StepKind::Mutate {
                    parent: mutation.parent,
                    minibatch: mutation
                        .minibatch
                        .iter()
                        .map(|place| train[*place].id.clone())
                        .collect(),
                }
            }
        }
    }

    /// Why it ended; asked when nothing is left to do.
    pub(crate) fn finish(&self) -> Finish {
        self.finish.clone().unwrap_or(Finish::Idle)
    }

    pub(crate) fn report(mut self, finish: Finish) -> Report {
        if self.pool.len() == 0 {
            self.add_seed();
        }
        Report {
            candidates: reported(&self.pool),
            winner: self.winner(),
            finish,
            spent: self.ledger.spent(),
            lost: self.ledger.lost(),
            counts: self.counts,
        }
    }

    /// Takes over what a step came to.
    pub(crate) fn commit(&mut self, executed: Executed, tried: &Tried) -> Commit {
        let Executed {
            plan,
            spend,
            findings,
        } = executed;
        self.ledger.settle(plan.held, spend);
        let step = plan.step;
        let outcome = match (findings, plan.work) {
            (Findings::Validated(rollouts), Work::Validate(validations)) => {
                self.validated(step, &validations, &rollouts, tried)
            }
            (
                Findings::Proposed {
                    parent_rollouts,
                    reflected,
                    verdict,
                },
                Work::Mutate(mutation),
            ) => {
                let parent = mutation.parent;
                if let Some(count) = self.under_way.get_mut(&parent) {
                    *count -= 1;
                }
                let components = self.task.seed.components().len();
                let member = self.pool.member_mut(parent);
                member.train.extend(parent_rollouts);
                if reflected {
                    member.next_component = (member.next_component + 1) % components;
                }
                let next_component = member.next_component;
                let parents = vec![parent];
                self.proposed(
                    Descent {
                        step,
                        parents,
                        next_component,
                    },
                    verdict,
                    tried,
                )
            }
            (Findings::Proposed { verdict, .. }, Work::Merge(merging)) => {
                let next = |index: Index| self.pool.member(index).next_component;
                let next_component = next(merging.parents[0]).max(next(merging.parents[1]));
                let parents = merging.parents.to_vec();
                self.proposed(
                    Descent {
                        step,
                        parents,
                        next_component,
                    },
                    verdict,
                    tried,
                )
            }
            // A plan and its findings are of one kind.
            (Findings::Validated(_), _) | (Findings::Proposed { .. }, Work::Validate(_)) => {
                Outcome::Skipped {
                    parent: 0,
                    reason: SkipReason::NoPartners,
                }
            }
        };
        self.count(&outcome);
        self.set_aside();
        Commit { step, outcome, spend }
    }

    fn proposed(&mut self, descent: Descent, verdict: Verdict, tried: &Tried) -> Outcome {
        let Descent {
            step,
            parents,
            next_component,
        } = descent;
        let parent = parents[0];
        match verdict {
            Verdict::Skipped(reason) => Outcome::Skipped { parent, reason },
            Verdict::Failed(failure) => Outcome::Failed { parent, failure },
            Verdict::Refused(refusal) => {
                self.remember(parent, refusal.clone());
                Outcome::Refused { parent, refusal }
            }
            Verdict::Rejected(child, screen) => {
                tried.insert(child.digest.clone(), step);
                let component = child.components.first().cloned().unwrap_or_default();
                let count = screen.examples.max(1) as f64;
                let refusal = Refusal {
                    text: child.candidate.text(&component).unwrap_or_default().to_owned(),
                    component,
                    reason: RefusalReason::NoGain {
                        before: screen.before / count,
                        after: screen.after / count,
                    },
                };
                self.remember(parent, refusal);
                Outcome::Rejected {
                    candidate: child.digest,
                    parents,
                    components: child.components,
                    screen,
                }
            }
            // Two steps that were under way together may have had the same idea.
            Verdict::Accepted { child, .. }
                if self.settings.rules == Rules::Strict && self.pool.find(&child.digest).is_some() =>
            {
                let refusal = known(&child);
                Outcome::Refused { parent, refusal }
            }
            Verdict::Accepted {
                child,
                screen,
                validation,
            } => {
                tried.insert(child.digest.clone(), step);
                let Child {
                    candidate,
                    components,
                    train,
                    ..
                } = child;
                let index = self.pool.add(Newcomer {
                    candidate,
                    parents: parents.clone(),
                    step,
                    next_component,
                    train,
                });
                self.pool.score(index, &validation);
                Outcome::Accepted {
                    standing: self.pool.standing(index),
                    parents,
                    components,
                    screen,
                }
            }
        }
    }

    /// Keeps a refusal to be shown with the next proposal for the same parent.
    fn remember(&mut self, parent: Index, refusal: Refusal) {
        let refusals = &mut self.pool.member_mut(parent).refusals;
        refusals.push(refusal);
        let over = refusals.len().saturating_sub(self.settings.refusals_shown);
        refusals.drain(..over);
    }

    fn add_seed(&mut self) -> Index {
        self.pool.add(Newcomer {
            candidate: self.task.seed.clone(),
            parents: Vec::new(),
            step: 0,
            next_component: 0,
            train: HashMap::new(),
        })
    }

    fn validated(
        &mut self,
        step: u64,
        validations: &[Validation],
        rollouts: &[Vec<Option<Arc<Rollout>>>],
        tried: &Tried,
    ) -> Outcome {
        if step == 0 {
            tried.insert(self.task.seed.digest(), step);
            let seed = self.add_seed();
            self.pool.score(seed, &rollouts.concat());
            return Outcome::Seeded(self.pool.standing(seed));
        }
        let candidates: Vec<Index> = validations.iter().map(|validation| validation.member).collect();
        for (member, rollouts) in candidates.iter().zip(rollouts) {
            self.pool.score(*member, rollouts);
        }
        if self.decided {
            let mut candidates = candidates;
            let winner = self.winner();
            candidates.sort_by(|a, b| {
                let mean = |index: &Index| self.pool.member(*index).mean();
                (*b == winner)
                    .cmp(&(*a == winner))
                    .then(mean(b).total_cmp(&mean(a)))
                    .then(a.cmp(b))
            });
            return Outcome::Decided { candidates };
        }
        self.leave_behind(&candidates);
        Outcome::Grown {
            examples: self.seen,
            candidates,
        }
    }

    fn count(&mut self, outcome: &Outcome) {
        let Counts {
            steps,
            accepted,
            rejected,
            refused,
            skipped,
            failed,
        } = &mut self.counts;
        *steps += 1;
        self.idle += 1;
        let mut has_failed = false;
        let mut mutated = false;
        match outcome {
            Outcome::Accepted { parents, .. } => {
                *accepted += 1;
                self.idle = 0;
                match parents.len() {
                    1 => mutated = true,
                    _ => self.merges.merge_accepted(),
                }
            }
            Outcome::Rejected { .. } => *rejected += 1,
            Outcome::Refused { refusal, .. } => {
                *refused += 1;
                has_failed = refusal.reason.is_of_form();
            }
            Outcome::Skipped { .. } => *skipped += 1,
            Outcome::Failed { .. } => {
                *failed += 1;
                has_failed = true;
            }
            Outcome::Seeded(_) | Outcome::Grown { .. } | Outcome::Decided { .. } => self.idle = 0,
        }
        self.failed = if has_failed { self.failed + 1 } else { 0 };
        if mutated {
            self.merges.mutation_accepted(self.settings.merge);
        } else {
            self.merges.other_outcome();
        }
        let cause = match outcome {
            Outcome::Failed { failure, .. } => failure.to_string(),
            Outcome::Refused { refusal, .. } => refusal.reason.to_string(),
            _ => return,
        };
        let bound = match self.settings.limits.failed_steps {
            0 => FAILED_STEPS,
            bound => bound,
        };
        if self.failed >= bound {
            self.finish.get_or_insert(Finish::Failures(cause));
        }
    }
}

/// Where a proposal comes from.
struct Descent {
    step: u64,
    parents: Vec<Index>,
    /// The component of it to write anew first.
    next_component: usize,
}

/// Steps in a row that may fail, where nothing else is said.
const FAILED_STEPS: u32 = 10;
