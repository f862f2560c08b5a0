//! The journal of an optimisation in our tables: candidates, calls, and steps, each durable before it is relied on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use pawl_evolve::journal::{Answer, Call, Opened, Proposal, Purpose, Subject};
use pawl_evolve::{CandidateDigest, Commit, Cost, DECISION, Journal, Outcome, Rollout, Spend, Split};
use pawl_model::{CandidateStatus, Json, PromptCandidate, PromptComponent, PromptEvaluation, UserId};
use pawl_store::evolution::{self, CallAnswer, NewCall, RecalledCall, Scored};
use pawl_store::{Actor, Scope};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::trying::Trying;
use crate::worker::Work;
use crate::{Engine, EngineError};

/// Random letters of an id, in bytes before they are written: sixteen letters.
const ID_BYTES: usize = 12;
/// Letters of an example's id in its column.
const MAX_EXAMPLE_ID: usize = 255;
/// What is added to a trace beside what the target did, and taken out again where the trace is read back.
const OF_THE_RUN: &str = "evolution";
/// Whether an earlier run had the score.
const REUSED: &str = "reused";

/// Remembers one optimisation.
pub(crate) struct DatabaseJournal<'a> {
    engine: &'a Engine,
    user: UserId,
    run_id: &'a str,
    trying: &'a Trying,
    work: &'a Work,
    /// How many generations there are before each candidate.
    generations: Mutex<HashMap<CandidateDigest, i64>>,
}

/// An id of these letters, after its prefix.
pub(crate) fn id_of(prefix: &str, parts: &[&str]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    let digest = digest.finalize();
    format!("{prefix}_{}", BASE64_URL_SAFE_NO_PAD.encode(&digest[..ID_BYTES]))
}

impl<'a> DatabaseJournal<'a> {
    pub(crate) fn new(
        engine: &'a Engine,
        (user, run_id): (UserId, &'a str),
        (trying, work): (&'a Trying, &'a Work),
    ) -> Self {
        Self {
            engine,
            user,
            run_id,
            trying,
            work,
            generations: Mutex::default(),
        }
    }

    /// The id of a candidate of this run: the same for the same texts.
    pub(crate) fn candidate_id(&self, digest: &CandidateDigest) -> String {
        id_of("apc", &[self.run_id, digest.as_str()])
    }

    async fn write(&self) -> Result<Scope, EngineError> {
        self.work.begin(self.engine).await
    }

    fn generation(&self, digest: &CandidateDigest, parents: &[CandidateDigest]) -> i64 {
        let mut generations = self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        let before = parents.iter().filter_map(|parent| generations.get(parent)).max();
        let generation = before.map_or(0, |before| before + 1);
        *generations.entry(digest.clone()).or_insert(generation)
    }
}

/// The key of a call: the same text for the same call.
fn key(call: &Call) -> Result<String, EngineError> {
    serde_json::to_string(call).map_err(EngineError::JournalData)
}

fn document(value: &impl serde::Serialize) -> Result<Json, EngineError> {
    Json::from_serialize(value).map_err(EngineError::TraceData)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The one text, or all of them under headings.
pub(crate) fn instructions(components: &[PromptComponent]) -> String {
    match components {
        [only] => only.text.clone(),
        several => several
            .iter()
            .map(|component| format!("# {}\n\n{}\n", component.name, component.text))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

const fn split_name(split: Split) -> &'static str {
    match split {
        Split::Train => "train",
        Split::Validation => "validation",
    }
}

const fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Seed => "seed",
        Purpose::Parent => "parent",
        Purpose::Child => "child",
        Purpose::Screen => "screen",
        Purpose::Validation => "validation",
    }
}

impl Journal for DatabaseJournal<'_> {
    type Error = EngineError;

    async fn open(&self) -> Result<Opened, EngineError> {
        let mut scope = self.engine.store.read(Actor::Tenant(self.user)).await?;
        let (lost, committed) = evolution::opened(&mut scope, self.run_id, signed(DECISION)).await?;
        Ok(Opened {
            committed: unsigned(committed),
            lost: Spend {
                metric_calls: unsigned(lost.metric_calls),
                reflections: unsigned(lost.reflections),
                cost: Cost {
                    tokens: unsigned(lost.tokens),
                    usd_nanos: unsigned(lost.usd_nanos),
                },
            },
        })
    }

    async fn recall(&self, call: &Call) -> Result<Option<Answer>, EngineError> {
        let key = key(call)?;
        let mut scope = self.engine.store.read(Actor::Tenant(self.user)).await?;
        let recalled = evolution::recall(&mut scope, self.run_id, &key).await?;
        recalled.map(answer).transpose()
    }

    async fn propose(&self, proposal: &Proposal) -> Result<(), EngineError> {
        let digest = proposal.candidate.digest();
        let components: Vec<PromptComponent> = proposal
            .candidate
            .components()
            .iter()
            .map(|component| PromptComponent {
                name: component.name.clone(),
                text: component.text.clone(),
            })
            .collect();
        let candidate = PromptCandidate {
            id: self.candidate_id(&digest),
            run_id: self.run_id.to_owned(),
            instructions: instructions(&components),
            components,
            generation: self.generation(&digest, &proposal.parents),
            digest: digest.as_str().to_owned(),
            status: CandidateStatus::Proposed,
            parents: proposal
                .parents
                .iter()
                .map(|parent| self.candidate_id(parent))
                .collect(),
            edited: proposal.components.clone(),
            reason: None,
            step: signed(proposal.step),
            coverage: 0,
            avg_score: None,
            dimension_scores: Default::default(),
            created_at: self.engine.clock.now(),
        };
        let mut scope = self.write().await?;
        evolution::propose(&mut scope, self.user, &candidate).await?;
        Ok(scope.commit().await?)
    }

    async fn begin(&self, call: &Call, at_most: Cost) -> Result<(), EngineError> {
        let key = key(call)?;
        let mut scope = self.write().await?;
        let call = NewCall {
            user_id: self.user,
            run_id: self.run_id,
            call: &key,
            step: signed(call.step),
            is_reflection: matches!(call.subject, Subject::Reflection { .. }),
            at_most: (signed(at_most.tokens), signed(at_most.usd_nanos)),
        };
        evolution::begin(&mut scope, &call).await?;
        Ok(scope.commit().await?)
    }

    async fn finish(&self, call: &Call, answer: &Answer) -> Result<(), EngineError> {
        let key = key(call)?;
        let cost = answer.cost();
        let cost = (signed(cost.tokens), signed(cost.usd_nanos));
        let mut scope = self.write().await?;
        let named = (self.run_id, key.as_str());
        match (answer, &call.subject) {
            (
                Answer::Rollout(rollout),
                Subject::Rollout {
                    purpose,
                    candidate,
                    split,
                    example,
                    repetition,
                },
            ) => {
                let of_the_run = json!({
                    "run": self.run_id, "step": call.step, "purpose": purpose_name(*purpose),
                    "repetition": repetition, "attempt": call.attempt, "cost": rollout.cost, REUSED: rollout.reused,
                });
                let evaluation = PromptEvaluation {
                    id: id_of("ape", &[self.run_id, &key]),
                    candidate_id: self.candidate_id(candidate),
                    example_id: example_id(split_name(*split), example),
                    score: rollout.score,
                    feedback: Some(rollout.feedback.clone()),
                    trace: Some(document(&with_run(&rollout.trace, of_the_run))?),
                    dimension_scores: rollout.dimensions.clone(),
                    created_at: self.engine.clock.now(),
                };
                evolution::insert_evaluations(&mut scope, self.user, std::slice::from_ref(&evaluation))
                    .await?;
                let key = self.trying.reuse_key(candidate, (example, *repetition));
                let scored = CallAnswer::Scored {
                    evaluation_id: &evaluation.id,
                    reusable_as: key.as_deref(),
                };
                evolution::finish(&mut scope, named, cost, scored).await?;
            }
            _ => {
                let other = document(answer)?;
                evolution::finish(&mut scope, named, cost, CallAnswer::Other(&other)).await?;
            }
        }
        Ok(scope.commit().await?)
    }

    async fn commit(&self, commit: &Commit) -> Result<(), EngineError> {
        let decision = document(commit)?;
        let of = (self.user, self.run_id);
        let mut scope = self.write().await?;
        evolution::commit_step(&mut scope, of, signed(commit.step), &decision).await?;
        let decide = |digest: &CandidateDigest| digest.as_str().to_owned();
        match &commit.outcome {
            Outcome::Seeded(standing) | Outcome::Accepted { standing, .. } => {
                let digest = decide(&standing.candidate);
                let named = (self.run_id, digest.as_str());
                evolution::decide_candidate(&mut scope, named, CandidateStatus::Accepted, None).await?;
            }
            Outcome::Rejected {
                candidate, screen, ..
            } => {
                let mean = |sum: f64| sum / screen.examples.max(1) as f64;
                let reason = format!(
                    "on {} examples its mean is {:.3}, and its parent's {:.3}",
                    screen.examples,
                    mean(screen.after),
                    mean(screen.before)
                );
                let digest = decide(candidate);
                let named = (self.run_id, digest.as_str());
                let rejected = CandidateStatus::Rejected;
                evolution::decide_candidate(&mut scope, named, rejected, Some(&reason)).await?;
            }
            Outcome::Refused { refusal, .. } => {
                let components = vec![PromptComponent {
                    name: refusal.component.clone(),
                    text: refusal.text.clone(),
                }];
                let step = commit.step.to_string();
                let candidate = PromptCandidate {
                    id: id_of("apc", &[self.run_id, "refused", &step]),
                    run_id: self.run_id.to_owned(),
                    instructions: instructions(&components),
                    components,
                    digest: id_of("text", &[&refusal.text]),
                    status: CandidateStatus::Refused,
                    parents: Vec::new(),
                    edited: vec![refusal.component.clone()],
                    reason: Some(refusal.reason.to_string()),
                    step: signed(commit.step),
                    generation: 0,
                    coverage: 0,
                    avg_score: None,
                    dimension_scores: Default::default(),
                    created_at: self.engine.clock.now(),
                };
                evolution::propose(&mut scope, self.user, &candidate).await?;
            }
            Outcome::Skipped { .. }
            | Outcome::Failed { .. }
            | Outcome::Grown { .. }
            | Outcome::Decided { .. } => {}
        }
        Ok(scope.commit().await?)
    }
}

/// The id of an example as its column has it: with the part that it is of, and hashed where that is too long.
pub(crate) fn example_id(part: &str, id: &str) -> String {
    let whole = format!("{part}:{id}");
    match whole.chars().count() <= MAX_EXAMPLE_ID {
        true => whole,
        false => format!("{part}:{}", hex::encode(Sha256::digest(id))),
    }
}

/// A trace with what the run says of it.
pub(crate) fn with_run(trace: &Value, of_the_run: Value) -> Value {
    match trace {
        Value::Object(members) => {
            let mut members = members.clone();
            members.insert(OF_THE_RUN.to_owned(), of_the_run);
            Value::Object(members)
        }
        other => json!({"output": other, OF_THE_RUN: of_the_run}),
    }
}

/// A stored answer as it was given.
fn answer(recalled: RecalledCall) -> Result<Answer, EngineError> {
    if let Some(scored) = recalled.scored {
        return Ok(Answer::Rollout(Rollout {
            cost: Cost {
                tokens: unsigned(recalled.cost.0),
                usd_nanos: unsigned(recalled.cost.1),
            },
            ..rollout(scored)
        }));
    }
    let answer = recalled.answer.unwrap_or_else(Json::empty_object);
    serde_json::from_str(answer.as_str()).map_err(EngineError::JournalData)
}

/// A stored score, but for what it took.
pub(super) fn rollout(scored: Scored) -> Rollout {
    let mut trace = scored.trace.map_or(Value::Null, |trace| trace.to_value());
    let of_the_run = trace
        .as_object_mut()
        .and_then(|members| members.shift_remove(OF_THE_RUN));
    Rollout {
        score: scored.score,
        dimensions: scored.dimension_scores,
        feedback: scored.feedback.unwrap_or_default(),
        trace,
        cost: Cost::default(),
        reused: of_the_run.is_some_and(|of_the_run| of_the_run[REUSED] == true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_examples_fit_their_column_and_stay_apart() {
        assert_eq!(example_id("gate", "case-1"), "gate:case-1");
        let long = "ä".repeat(254);
        let ids = ["a", "b"].map(|last| example_id("validation", &[&long, last].concat()));
        assert!(
            ids.iter()
                .all(|id| id.starts_with("validation:") && id.len() <= MAX_EXAMPLE_ID)
        );
        assert_ne!(ids[0], ids[1]);
    }
}
