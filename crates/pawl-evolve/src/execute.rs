//! The execution of a step: all of its calls, and what follows from their answers.

mod mutate;

pub(crate) use mutate::{asks, known};

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::try_join_all;

use crate::call::{Batch, Caller, Halt, Tally};
use crate::candidate::CandidateDigest;
use crate::commit::{Screen, SkipReason};
use crate::evaluate::Evaluate;
use crate::example::Split;
use crate::journal::{Journal, Proposal, Purpose};
use crate::plan::{Child, Executed, Findings, Merging, Plan, Validation, Verdict, Work};
use crate::reflect::Reflect;
use crate::rollout::{Failure, FailureKind, Rollout, Spend};
use crate::settings::Rules;

impl<E: Evaluate, R: Reflect, J: Journal> Caller<'_, E, R, J> {
    /// Does what was planned.
    pub(crate) async fn execute(&self, plan: Plan) -> Result<Executed, Halt<J::Error>> {
        let mut tally = Tally::new(plan.step, plan.retries);
        let findings = match plan.work {
            Work::Validate(validations) => self.validate(validations, &mut tally).await?,
            Work::Mutate(mutation) => self.mutate(&mutation, plan.knows, &mut tally).await?,
            Work::Merge(merging) => {
                let verdict = self.merge(&merging, plan.knows, &mut tally).await?;
                let parents = merging.parents;
                Findings::Merged { parents, verdict }
            }
        };
        Ok(Executed {
            step: plan.step,
            held: plan.held,
            spend: tally.spend,
            findings,
        })
    }

    /// Tries members, all at once; each has its share of the retries, so that none depends on what another one met with.
    async fn validate(
        &self,
        validations: Vec<Validation>,
        tally: &mut Tally,
    ) -> Result<Findings, Halt<J::Error>> {
        let (step, retries) = (tally.step, tally.retries / validations.len().max(1));
        if let (0, [seed]) = (step, &validations[..]) {
            let seed = Child {
                candidate: seed.candidate.clone(),
                digest: seed.digest.clone(),
                components: Vec::new(),
                train: HashMap::new(),
            };
            self.propose(&seed, Vec::new(), step).await?;
        }
        let each = validations
            .iter()
            .map(|validation| self.validate_one(validation, Tally::new(step, retries)));
        let mut rollouts = Vec::new();
        for (one, spend) in try_join_all(each).await? {
            tally.spend += spend;
            rollouts.push(one);
        }
        Ok(Findings::Validated {
            validations,
            rollouts,
        })
    }

    async fn validate_one(
        &self,
        validation: &Validation,
        mut tally: Tally,
    ) -> Result<(Vec<Option<Arc<Rollout>>>, Spend), Halt<J::Error>> {
        let Validation {
            candidate,
            digest,
            examples,
            ..
        } = validation;
        let examples = self.tried.count(digest, Split::Validation, examples);
        let is_seed = tally.step == 0;
        let batch = |examples| Batch {
            purpose: if is_seed {
                Purpose::Seed
            } else {
                Purpose::Validation
            },
            candidate,
            digest,
            split: Split::Validation,
            examples,
        };
        // One call tells whether there is any sense in the others.
        let (first, others) = examples.split_at(usize::from(is_seed && self.settings.rules == Rules::Strict));
        let mut rollouts = self.rollouts(&batch(first), &mut tally).await?;
        if let [None] = rollouts[..] {
            return Err(Halt::Preflight(cause(&tally)));
        }
        rollouts.extend(self.rollouts(&batch(others), &mut tally).await?);
        Ok((rollouts, tally.spend))
    }

    async fn merge(
        &self,
        merging: &Merging,
        knows: u64,
        tally: &mut Tally,
    ) -> Result<Verdict, Halt<J::Error>> {
        let digest = merging.candidate.digest();
        if self.settings.rules == Rules::Strict && self.tried.contains(&digest, knows) {
            return Ok(Verdict::Skipped(SkipReason::KnownMerge));
        }
        let child = Child {
            candidate: merging.candidate.clone(),
            digest,
            components: merging.components.clone(),
            train: HashMap::new(),
        };
        self.propose(&child, merging.digests.to_vec(), tally.step).await?;
        let seen = self
            .on_validation(Purpose::Screen, &child, &merging.screen, tally)
            .await?;
        let screen = Screen {
            examples: seen.iter().flatten().count(),
            before: merging.before,
            after: seen.iter().flatten().map(|rollout| rollout.score).sum(),
            dimensions: 0.0,
        };
        // What is not known is not worse than before: sums would compare different examples.
        if let (true, Some(failure)) = (screen.examples < merging.screen.len(), &tally.last_failure) {
            return Ok(Verdict::Failed(failure.clone()));
        }
        let better = match self.settings.rules {
            Rules::Strict => screen.after > screen.before,
            Rules::Reference => screen.after >= screen.before,
        };
        if !better {
            return Ok(Verdict::Rejected(child, screen));
        }
        // Only the reference tries the examples of the screen again.
        let known: HashMap<usize, Arc<Rollout>> = match self.settings.rules {
            Rules::Strict => merging
                .screen
                .iter()
                .copied()
                .zip(seen.into_iter().flatten())
                .collect(),
            Rules::Reference => HashMap::new(),
        };
        let rest: Vec<usize> = merging
            .validation
            .iter()
            .copied()
            .filter(|example| !known.contains_key(example))
            .collect();
        let mut others = self
            .on_validation(Purpose::Validation, &child, &rest, tally)
            .await?
            .into_iter();
        let validation = merging.validation.iter().map(|example| match known.get(example) {
            Some(rollout) => Some(rollout.clone()),
            None => others.next().flatten(),
        });
        Ok(Verdict::Accepted {
            validation: validation.collect(),
            child,
            screen,
        })
    }

    /// Tries a child on examples of validation.
    async fn on_validation(
        &self,
        purpose: Purpose,
        child: &Child,
        examples: &[usize],
        tally: &mut Tally,
    ) -> Result<Vec<Option<Arc<Rollout>>>, Halt<J::Error>> {
        let batch = Batch {
            purpose,
            candidate: &child.candidate,
            digest: &child.digest,
            split: Split::Validation,
            examples: &self.tried.count(&child.digest, Split::Validation, examples),
        };
        self.rollouts(&batch, tally).await
    }

    /// Lets the journal know of a candidate, before it is tried.
    async fn propose(
        &self,
        child: &Child,
        parents: Vec<CandidateDigest>,
        step: u64,
    ) -> Result<(), Halt<J::Error>> {
        let proposal = Proposal {
            step,
            candidate: child.candidate.clone(),
            parents,
            components: child.components.clone(),
        };
        self.journal.propose(&proposal).await.map_err(Halt::Journal)
    }
}

/// What a step failed of, where every call that mattered did.
fn cause(tally: &Tally) -> Failure {
    tally
        .last_failure
        .clone()
        .unwrap_or_else(|| Failure::new(FailureKind::Infra, "no call had a result"))
}
