//! Trying candidates: the target is asked with the candidate's texts, and the case's checks score what it answers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use futures::StreamExt as _;
use pawl_checks::Subject;
use pawl_evolve::{Candidate, CandidateDigest, Cost, Failure, FailureKind, Rollout};
use pawl_model::{EvalResults, State, TargetFailureKind, TargetOutput, TargetRequest, UserId};
use pawl_providers::Target;
use pawl_store::Actor;
use serde_json::{Map, Value, json};

use crate::run::RunRequest;
use crate::run::cache::{Cache, CacheMode};
use crate::run::judge::{About, Judges};
use crate::run::plan::{FoundSource, Source};
use crate::run::suite::{Case, ContentDigest, Suite};
use crate::{Engine, EngineError};

/// Names of checks that an error names.
const MAX_NAMED: usize = 20;

/// How much each kind of check counts, by its name; nothing where the suite's own weights decide.
pub type Weights = BTreeMap<String, f64>;

/// Who tries candidates.
pub(crate) struct Trying {
    target: Arc<Target>,
    judges: Arc<Judges>,
    cache: Cache,
    pub(crate) cases: HashMap<String, Case>,
    weights: Weights,
    /// What answers and scores depend on beside candidate and case, and what they do of each case.
    basis: ContentDigest,
    digests: HashMap<String, [u8; 32]>,
}

/// A candidate tried on a case.
pub(crate) struct Attempt {
    /// Whether the case passed.
    pub(crate) passed: bool,
    pub(crate) latency_ms: u64,
    pub(crate) rollout: Rollout,
}

/// The texts of a candidate as targets are given them.
pub(crate) fn texts(candidate: &Candidate) -> Map<String, Value> {
    let components = candidate.components().iter();
    components
        .map(|component| (component.name.clone(), Value::from(component.text.as_str())))
        .collect()
}

impl Trying {
    /// Reads all cases of a suite, and makes its target and judges.
    pub(crate) fn plan(
        engine: &Engine,
        user: UserId,
        run: &RunRequest,
        weights: &Weights,
    ) -> Result<Self, EngineError> {
        let suite = run.suite.load(run.checks.as_deref())?;
        Ok(Self::over(engine, user, run, (&suite, weights))?.0)
    }

    /// The same of a suite that is read, with how the target is shown.
    pub(crate) fn over(
        engine: &Engine,
        user: UserId,
        run: &RunRequest,
        (suite, weights): (&Suite, &Weights),
    ) -> Result<(Self, String), EngineError> {
        let variant = suite.variants().swap_remove(0);
        let found = FoundSource::of(run, suite, &variant)?;
        let Source::Target(target) = found.source else {
            return Err(EngineError::NoTarget {
                suite: suite.name().to_owned(),
            });
        };
        let dataset = suite.scan()?;
        let judges = Arc::new(Judges::find(run, suite, &dataset.needs)?);
        let variant = suite.variants_without_targets().swap_remove(0);
        let cases: Result<HashMap<String, Case>, EngineError> = dataset
            .cases(&variant)
            .map(|case| {
                let case = case?;
                Ok((case.id.clone(), case))
            })
            .collect();
        let cases = cases?;
        check_weights(weights, &cases)?;
        let mut basis = ContentDigest::default();
        basis.text(&found.shown);
        basis.text(suite.hash());
        judges.names().iter().for_each(|judge| basis.text(judge));
        for (name, weight) in weights {
            basis.text(name);
            basis.maybe_number(Some(*weight));
        }
        let trying = Self {
            target,
            judges,
            cache: engine.cache(CacheMode::Off, Actor::Tenant(user), Some(user)),
            cases,
            weights: weights.clone(),
            basis,
            digests: dataset.digests()?,
        };
        Ok((trying, found.shown))
    }

    /// The answer to a case, with how it was judged.
    pub(crate) async fn attempt(
        &self,
        candidate: &Candidate,
        (example, trial): (&str, u16),
    ) -> Result<Attempt, Failure> {
        let case = self.cases.get(example).ok_or_else(|| {
            Failure::new(
                FailureKind::Infra,
                format!("the suite has no case `{example}` any more"),
            )
        })?;
        let request = TargetRequest {
            id: case.id.clone(),
            input: case.input().clone(),
            vars: case.vars().clone(),
            trial,
            prompt: Some(texts(candidate)),
        };
        let reply = self.target.call(&request).await.map_err(|failure| {
            let kind = match failure.kind {
                TargetFailureKind::Timeout => FailureKind::Timeout,
                TargetFailureKind::Malformed => FailureKind::Parse,
                _ => FailureKind::Infra,
            };
            Failure::new(kind, failure.message)
        })?;
        let about = About {
            case,
            trial,
            output: &reply.output,
        };
        let judgement = self.judges.judge(about, &self.cache).await;
        let latency_ms = u64::try_from(reply.latency.as_millis()).unwrap_or(u64::MAX);
        let subject = Subject::new(&reply.output.output)
            .with_latency_ms(Some(latency_ms))
            .with_cost_usd(reply.output.cost_usd)
            .with_tool_calls(reply.output.tool_calls.as_ref())
            .with_opinions(&judgement.opinions);
        let grade = case.grading.judge(&subject);
        let cost = cost(&reply.output);
        if grade.state == State::Error {
            let message = grade
                .reason()
                .unwrap_or_else(|| "it could not be judged".to_owned());
            return Err(Failure {
                cost,
                ..Failure::new(FailureKind::Judge, message)
            });
        }
        let dimensions = dimensions(&grade.results);
        let Some(score) = weighted(&dimensions, &self.weights).or(grade.score) else {
            return Err(Failure {
                cost,
                ..Failure::new(FailureKind::Judge, "none of its checks could be judged")
            });
        };
        Ok(Attempt {
            passed: grade.state == State::Passed,
            latency_ms,
            rollout: Rollout {
                score,
                dimensions,
                feedback: feedback(&grade.results),
                trace: trace(case, &reply.output, latency_ms),
                cost,
                reused: false,
            },
        })
    }
}

impl Trying {
    /// A candidate tried on cases, so many at once; in the order of the cases.
    pub(crate) async fn attempts(
        &self,
        candidate: &Candidate,
        cases: &[String],
        workers: usize,
    ) -> Vec<Result<Attempt, Failure>> {
        let tried: Vec<_> = cases.iter().map(|id| self.attempt(candidate, (id, 1))).collect();
        futures::stream::iter(tried)
            .buffered(workers.max(1))
            .collect()
            .await
    }
}

impl Trying {
    /// What a score is a function of, as far as it is one: a later run that asks the same may have the answer.
    pub(crate) fn reuse_key(
        &self,
        candidate: &CandidateDigest,
        (example, repetition): (&str, u32),
    ) -> Option<String> {
        let mut digest = self.basis.clone();
        digest.text(candidate.as_str());
        digest.text(&hex::encode(self.digests.get(example)?));
        digest.count(usize::try_from(repetition).ok()?);
        Some(digest.finish_hex())
    }
}

/// Names nobody's checks have would count for nothing.
fn check_weights(weights: &Weights, cases: &HashMap<String, Case>) -> Result<(), EngineError> {
    let known: BTreeSet<&str> = cases
        .values()
        .flat_map(|case| case.grading.checks())
        .map(|check| check.metric().unwrap_or_else(|| check.name()))
        .collect();
    for (name, weight) in weights {
        if !weight.is_finite() || *weight < 0.0 {
            return Err(EngineError::Evolution(format!(
                "the weight of {name} must be a number from 0 on"
            )));
        }
        if !known.contains(name.as_str()) {
            let known: Vec<&str> = known.iter().copied().take(MAX_NAMED).collect();
            return Err(EngineError::Evolution(format!(
                "no check of the suite is called `{name}`; there are {}",
                known.join(", ")
            )));
        }
    }
    Ok(())
}

/// The weighted mean of the dimensions that have a weight; none where none has.
fn weighted(dimensions: &BTreeMap<String, f64>, weights: &Weights) -> Option<f64> {
    let both = dimensions
        .iter()
        .filter_map(|(name, score)| Some((score, weights.get(name)?)));
    let (sum, weight) = both.fold((0.0, 0.0), |(sum, of), (score, weight)| {
        (sum + score * weight, of + weight)
    });
    (weight > 0.0).then(|| sum / weight)
}

/// What an answer took, as far as the target says.
fn cost(output: &TargetOutput) -> Cost {
    let tokens = match &output.tokens {
        Some(Value::Number(number)) => number.as_u64(),
        Some(tokens) => tokens["total"].as_u64().or_else(|| {
            let part = |name: &str| tokens[name].as_u64();
            Some(part("input")? + part("output")?)
        }),
        None => None,
    };
    Cost {
        tokens: tokens.unwrap_or(0),
        usd_nanos: output
            .cost_usd
            .map_or(0, |usd| (usd * 1e9).round().max(0.0) as u64),
    }
}

/// The mean score of each kind of check, by its metric where it has one, else by its type.
fn dimensions(results: &EvalResults) -> BTreeMap<String, f64> {
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for check in &results.checks {
        if let Some(score) = check.effective_score() {
            let name = check.metric.clone().unwrap_or_else(|| check.name.to_string());
            let (sum, weight) = sums.entry(name).or_default();
            *sum += score * check.weight;
            *weight += check.weight;
        }
    }
    let means = sums.into_iter().filter(|(_, (_, weight))| *weight > 0.0);
    means.map(|(name, (sum, weight))| (name, sum / weight)).collect()
}

/// What went wrong, and so what has to change: the reasons of the checks that failed.
fn feedback(results: &EvalResults) -> String {
    let failed = results.checks.iter().filter(|check| check.state == State::Failed);
    let lines: Vec<String> = failed
        .map(|check| {
            let reason = check.message.as_deref().unwrap_or("failed");
            format!(
                "- {}: {reason}. The text should say what keeps this from happening.",
                check.name
            )
        })
        .collect();
    match lines.is_empty() {
        true => "Every check passed: keep what made it so.".to_owned(),
        false => format!(
            "{} of {} checks failed:\n{}",
            lines.len(),
            results.checks.len(),
            lines.join("\n")
        ),
    }
}

/// What happened, in the form of the table.
fn trace(case: &Case, output: &TargetOutput, latency_ms: u64) -> Value {
    let list = |value: &Option<Value>| match value {
        Some(list @ Value::Array(_)) => list.clone(),
        Some(other) => json!([other]),
        None => json!([]),
    };
    json!({
        "input": case.input(),
        "reasoning": list(&output.reasoning),
        "tool_calls": list(&output.tool_calls),
        "output": output.output,
        "expected": null,
        "latency_ms": latency_ms,
        "tokens_used": cost(output).tokens,
    })
}
