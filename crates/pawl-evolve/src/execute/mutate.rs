//! A member, improved.

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::try_join_all;

use super::cause;
use crate::call::{Batch, Caller, Halt, Tally};
use crate::candidate::Candidate;
use crate::commit::{Screen, SkipReason};
use crate::evaluate::Evaluate;
use crate::example::{Example, Split};
use crate::extract::proposed_text;
use crate::journal::{Journal, Purpose};
use crate::plan::{Child, Findings, Mutation, Verdict};
use crate::reflect::{Record, Reflect, Reflection};
use crate::refusal::{Refusal, RefusalReason, objection};
use crate::rollout::{Failure, Rollout, Spend};
use crate::settings::{Acceptance, Rules};

/// What a reflection came to.
enum Proposed {
    Text(String),
    Refused(Refusal),
    Failed(Failure),
}

impl<E: Evaluate, R: Reflect, J: Journal> Caller<'_, E, R, J> {
    pub(super) async fn mutate(
        &self,
        mutation: &Mutation,
        knows: u64,
        tally: &mut Tally,
    ) -> Result<Findings, Halt<J::Error>> {
        let before = self.parent_rollouts(mutation, tally).await?;
        let parent_rollouts: Vec<(usize, Arc<Rollout>)> = before
            .iter()
            .filter(|(example, _)| !mutation.known.contains_key(example))
            .map(|(example, rollout)| (*example, rollout.clone()))
            .collect();
        let findings = |reflected, verdict| Findings::Mutated {
            parent: mutation.parent,
            parent_rollouts,
            reflected,
            verdict,
        };
        if before.is_empty() {
            return Ok(findings(false, Verdict::Failed(cause(tally))));
        }
        if before
            .iter()
            .all(|(_, rollout)| self.settings.is_perfect(rollout.score))
        {
            return Ok(findings(false, Verdict::Skipped(SkipReason::Perfect)));
        }
        let mut child = match self.successor(mutation, &before, knows, tally).await? {
            Ok(child) => child,
            Err(Nothing::Refused(refusal)) => return Ok(findings(true, Verdict::Refused(refusal))),
            Err(Nothing::Failed(failure)) => return Ok(findings(true, Verdict::Failed(failure))),
        };
        self.propose(&child, vec![mutation.digest.clone()], tally.step)
            .await?;
        let verdict = self.screened(&before, &mut child, tally).await?;
        let verdict = match verdict {
            Screened::Failed => Verdict::Failed(cause(tally)),
            Screened::Worse(screen) => Verdict::Rejected(child, screen),
            Screened::Better(screen) => {
                let examples = &mutation.validation;
                let validation = self
                    .on_validation(Purpose::Validation, &child, examples, tally)
                    .await?;
                Verdict::Accepted {
                    child,
                    screen,
                    validation,
                }
            }
        };
        Ok(findings(true, verdict))
    }

    /// What the parent did on the minibatch: what is known, and what it is tried on now. Without those that failed.
    async fn parent_rollouts(
        &self,
        mutation: &Mutation,
        tally: &mut Tally,
    ) -> Result<Vec<(usize, Arc<Rollout>)>, Halt<J::Error>> {
        let unknown: Vec<usize> = mutation
            .minibatch
            .iter()
            .copied()
            .filter(|place| !mutation.known.contains_key(place))
            .collect();
        let batch = Batch {
            purpose: Purpose::Parent,
            candidate: &mutation.candidate,
            digest: &mutation.digest,
            split: Split::Train,
            examples: &self.tried.count(&mutation.digest, Split::Train, &unknown),
        };
        let mut fresh: HashMap<usize, Option<Arc<Rollout>>> = unknown
            .iter()
            .copied()
            .zip(self.rollouts(&batch, tally).await?)
            .collect();
        let all = mutation.minibatch.iter().filter_map(|place| {
            let rollout = match mutation.known.get(place) {
                Some(rollout) => rollout.clone(),
                None => fresh.remove(place)??,
            };
            Some((*place, rollout))
        });
        Ok(all.collect())
    }

    /// The candidate with texts written anew that was not tried yet, or what came instead. Where nothing comes of the first
    /// component, what the parent did is not wasted: the spare one is asked for.
    async fn successor(
        &self,
        mutation: &Mutation,
        before: &[(usize, Arc<Rollout>)],
        knows: u64,
        tally: &mut Tally,
    ) -> Result<Result<Child, Nothing>, Halt<J::Error>> {
        let first = self.edited(mutation, &mutation.components, before, tally).await?;
        let first = first.and_then(|child| self.unknown(child, knows));
        let (Err(Nothing::Refused(_)), Some(spare)) = (&first, mutation.spare) else {
            return Ok(first);
        };
        let second = self.edited(mutation, &[spare], before, tally).await?;
        Ok(second.and_then(|child| self.unknown(child, knows)))
    }

    /// A child, unless it was tried before.
    fn unknown(&self, child: Child, knows: u64) -> Result<Child, Nothing> {
        if self.settings.rules == Rules::Strict && self.tried.contains(&child.digest, knows) {
            return Err(Nothing::Refused(known(&child)));
        }
        Ok(child)
    }

    /// The candidate with these texts written anew, or what came instead.
    async fn edited(
        &self,
        mutation: &Mutation,
        places: &[usize],
        before: &[(usize, Arc<Rollout>)],
        tally: &mut Tally,
    ) -> Result<Result<Child, Nothing>, Halt<J::Error>> {
        let step = tally.step;
        let asked = places
            .iter()
            .map(|place| self.text(mutation, before, *place, step));
        let mut candidate: Candidate = mutation.candidate.clone();
        let mut components = Vec::new();
        let mut instead = None;
        let proposals = try_join_all(asked).await?;
        for (place, (proposed, spend)) in places.iter().zip(proposals) {
            tally.spend += spend;
            match proposed {
                Proposed::Text(text) => {
                    components.push(candidate.components()[*place].name.clone());
                    candidate = candidate.with(*place, text);
                }
                Proposed::Refused(refusal) => instead = Some(Nothing::Refused(refusal)),
                Proposed::Failed(failure) => instead = Some(Nothing::Failed(failure)),
            }
        }
        if let (true, Some(nothing)) = (components.is_empty(), instead) {
            return Ok(Err(nothing));
        }
        Ok(Ok(Child {
            digest: candidate.digest(),
            candidate,
            components,
            train: HashMap::new(),
        }))
    }

    /// Asks for one text, and once more where the reply could not be read.
    async fn text(
        &self,
        mutation: &Mutation,
        before: &[(usize, Arc<Rollout>)],
        place: usize,
        step: u64,
    ) -> Result<(Proposed, Spend), Halt<J::Error>> {
        let current = &mutation.candidate.components()[place];
        let examples: Vec<&Example> = before
            .iter()
            .map(|(example, _)| &self.task.examples(Split::Train)[*example])
            .collect();
        let records: Vec<Record<'_>> = examples
            .iter()
            .zip(before)
            .map(|(example, (_, rollout))| Record { example, rollout })
            .collect();
        let mut spend = Spend::default();
        let mut proposed = None;
        for attempt in 0..asks(self.settings.rules) {
            let reflection = Reflection {
                candidate: &mutation.candidate,
                component: &current.name,
                records: &records,
                refusals: &mutation.refusals,
                attempt,
            };
            let reply = match self.reply(reflection, &mutation.digest, step).await? {
                Ok(reply) => reply,
                Err(failure) => {
                    spend += Spend::reflection(failure.cost);
                    proposed = Some(Proposed::Failed(failure));
                    continue;
                }
            };
            spend += Spend::reflection(reply.cost);
            let text = proposed_text(&reply, self.settings.rules);
            let reason = match text {
                Ok(text) => {
                    let objection = match self.settings.rules {
                        Rules::Strict => objection(current, &text, &examples, &self.settings.hygiene),
                        Rules::Reference => None,
                    };
                    let Some(reason) = objection else {
                        return Ok((Proposed::Text(text), spend));
                    };
                    reason
                }
                Err(reason) => reason,
            };
            let again = reason.is_of_form();
            let component = current.name.clone();
            let text = reply.text;
            proposed = Some(Proposed::Refused(Refusal {
                component,
                reason,
                text,
            }));
            if !again {
                break;
            }
        }
        let none = || Proposed::Failed(Failure::new(crate::FailureKind::Parse, "no text was asked for"));
        Ok((proposed.unwrap_or_else(none), spend))
    }

    /// How a child does on the parent's minibatch.
    async fn screened(
        &self,
        before: &[(usize, Arc<Rollout>)],
        child: &mut Child,
        tally: &mut Tally,
    ) -> Result<Screened, Halt<J::Error>> {
        let examples: Vec<usize> = before.iter().map(|(example, _)| *example).collect();
        let batch = Batch {
            purpose: Purpose::Child,
            candidate: &child.candidate,
            digest: &child.digest,
            split: Split::Train,
            examples: &self.tried.count(&child.digest, Split::Train, &examples),
        };
        let after = self.rollouts(&batch, tally).await?;
        let mut screen = Screen::default();
        for ((example, before), after) in before.iter().zip(after) {
            let Some(after) = after else { continue };
            screen.examples += 1;
            screen.before += before.score;
            screen.after += after.score;
            screen.dimensions += after.dimensions_above(before);
            child.train.insert(*example, after);
        }
        let better = match self.settings.acceptance {
            Acceptance::Better => screen.after > screen.before,
            Acceptance::NotWorse => screen.after >= screen.before,
            Acceptance::BetterByDimensions => {
                screen.after > screen.before || screen.after == screen.before && screen.dimensions > 0.0
            }
        };
        Ok(match screen.examples {
            0 => Screened::Failed,
            _ if better => Screened::Better(screen),
            _ => Screened::Worse(screen),
        })
    }
}

/// What there is in place of a child.
enum Nothing {
    Refused(Refusal),
    Failed(Failure),
}

/// How a child did where its parent was tried as well.
enum Screened {
    Failed,
    Worse(Screen),
    Better(Screen),
}

/// How often a text is asked for, where replies cannot be read.
pub(crate) fn asks(rules: Rules) -> u32 {
    match rules {
        Rules::Strict => 2,
        Rules::Reference => 1,
    }
}

/// The refusal of a child that was tried before.
pub(crate) fn known(child: &Child) -> Refusal {
    let component = child.components.first().cloned().unwrap_or_default();
    Refusal {
        reason: RefusalReason::Known,
        text: child.candidate.text(&component).unwrap_or_default().to_owned(),
        component,
    }
}
