//! What follows from what a step came to.

use std::collections::HashMap;
use std::sync::Arc;

use super::Search;
use crate::commit::{Outcome, Screen};
use crate::execute::known;
use crate::ledger::Finish;
use crate::plan::{Child, Validation, Verdict};
use crate::pool::{Index, Newcomer};
use crate::refusal::{Refusal, RefusalReason};
use crate::report::Counts;
use crate::rollout::Rollout;
use crate::settings::Rules;
use crate::tried::Tried;

/// Where a proposal comes from.
pub(super) struct Descent {
    pub(super) step: u64,
    pub(super) parents: Vec<Index>,
    /// The component of it to write anew first.
    pub(super) next_component: usize,
}

/// Steps in a row that may fail, where nothing else is said.
const FAILED_STEPS: u32 = 10;

impl Search<'_> {
    /// Takes a proposal over, or what there is in place of one.
    pub(super) fn proposed(&mut self, descent: Descent, verdict: Verdict, tried: &Tried) -> Outcome {
        let Descent {
            step,
            parents,
            next_component,
        } = descent;
        let parent = parents[0];
        let in_vain = &mut self.pool.member_mut(parent).in_vain;
        *in_vain = if matches!(verdict, Verdict::Accepted { .. }) {
            0
        } else {
            *in_vain + 1
        };
        match verdict {
            Verdict::Skipped(reason) => Outcome::Skipped { parent, reason },
            Verdict::Failed(failure) => Outcome::Failed { parent, failure },
            Verdict::Refused(refusal) => {
                self.remember(parent, refusal.clone());
                Outcome::Refused { parent, refusal }
            }
            Verdict::Rejected(child, screen) => {
                tried.insert(child.digest.clone(), step);
                self.remember(parent, no_gain(&child, screen));
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

    pub(super) fn add_seed(&mut self) -> Index {
        self.pool.add(Newcomer {
            candidate: self.task.seed.clone(),
            parents: Vec::new(),
            step: 0,
            next_component: 0,
            train: HashMap::new(),
        })
    }

    /// Takes over what members did on validation.
    pub(super) fn validated(
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

    /// Counts, and ends the search where too much came to nothing.
    pub(super) fn count(&mut self, outcome: &Outcome) {
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

/// What is told of a child that was no better, when its parent is to be improved again.
fn no_gain(child: &Child, screen: Screen) -> Refusal {
    let component = child.components.first().cloned().unwrap_or_default();
    let count = screen.examples.max(1) as f64;
    Refusal {
        text: child.candidate.text(&component).unwrap_or_default().to_owned(),
        component,
        reason: RefusalReason::NoGain {
            before: screen.before / count,
            after: screen.after / count,
        },
    }
}
