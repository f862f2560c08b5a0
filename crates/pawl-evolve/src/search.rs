//! The state of a search: what is planned next, and what follows from what was executed.

mod decide;
mod outcome;
mod plan_next;

use std::collections::HashMap;

use outcome::Descent;

use crate::commit::Commit;
use crate::draw::Draws;
use crate::event::{StepKind, View};
use crate::example::{Split, Task};
use crate::forecast::Forecast;
use crate::journal::Opened;
use crate::ledger::{Finish, Ledger};
use crate::merge::Merges;
use crate::plan::{Executed, Findings, Plan, Work};
use crate::pool::{Index, Pool};
use crate::report::{Counts, Report, reported};
use crate::rollout::Spend;
use crate::settings::{Frontier, Pick, Settings};
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
    /// Steps that the journal had when the run began.
    committed: u64,
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
    pub(crate) fn new(task: &'a Task, settings: &'a Settings, forecast: &Forecast, opened: Opened) -> Self {
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
            ledger: Ledger::new(settings.limits, opened.lost),
            merges: Merges::default(),
            counts: Counts::default(),
            by_id,
            seen: forecast.seed.metric_calls as usize,
            order,
            metric_call: forecast.metric_call,
            reflection: forecast.reflection,
            committed: opened.committed,
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
            step,
            held,
            spend,
            findings,
        } = executed;
        self.ledger.settle(held, spend);
        let outcome = match findings {
            Findings::Validated {
                validations,
                rollouts,
            } => self.validated(step, &validations, &rollouts, tried),
            Findings::Mutated {
                parent,
                parent_rollouts,
                reflected,
                verdict,
            } => {
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
            Findings::Merged { parents, verdict } => {
                let next_component = parents.map(|index| self.pool.member(index).next_component);
                let next_component = next_component[0].max(next_component[1]);
                let parents = parents.to_vec();
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
        };
        self.count(&outcome);
        self.set_aside();
        Commit { step, outcome, spend }
    }
}
