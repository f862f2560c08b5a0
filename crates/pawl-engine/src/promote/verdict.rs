//! Promotion: a candidate becomes live through the gate, or does not; both are recorded.

use std::sync::Arc;

use pawl_model::{
    Json, PromotionVerdict, PromptCandidate, PromptEvaluation, PromptVersion, UserId, VerdictKind,
};
use pawl_store::{Actor, evolution, prompts};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::gate::{self, Findings, Pair};
use super::verdict_id;
use crate::evolve::{Part, Trying, Weights, example_id, id_of, with_run};
use crate::review::approved::ApprovedTest;
use crate::run::{RunRequest, SuiteChoice};
use crate::worker::Work;
use crate::{Engine, EngineError};

/// Whether a refusal of the gate is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnRefusal {
    /// It is.
    Refuse,
    /// The candidate becomes live all the same.
    Override,
}

/// A candidate that is to become live.
pub struct Promotion<'a> {
    /// Whose.
    pub user_id: UserId,
    /// The candidate.
    pub candidate_id: &'a str,
    /// The prompt.
    pub name: &'a str,
    /// Who decides.
    pub by: &'a str,
    /// Why.
    pub reason: &'a str,
    /// Whether a refusal of the gate is final.
    pub on_refusal: OnRefusal,
    /// The suite and the target on which it is compared, as its optimisation had them.
    pub run: RunRequest,
    /// How much each kind of check counts, as its optimisation had it.
    pub weights: Weights,
    /// Calls that are made at once.
    pub workers: usize,
}

/// Healthy interactions on which an approved test is tried as well.
const CONTROLS_EACH: usize = 3;

impl Engine {
    /// Compares a candidate with the live prompt, and makes it live where it passes; records what was found either way.
    ///
    /// # Errors
    /// When there is no such candidate or prompt, nobody or no reason is named, or the comparison cannot be made.
    pub async fn promote(&self, promotion: Promotion<'_>) -> Result<PromotionVerdict, EngineError> {
        let work = Work::by_hand(CancellationToken::new());
        self.promote_within(promotion, (verdict_id(self), &work)).await
    }

    /// The same, with the last transaction of a job.
    pub(super) async fn promote_within(
        &self,
        promotion: Promotion<'_>,
        (verdict_id, work): (String, &Work),
    ) -> Result<PromotionVerdict, EngineError> {
        named(promotion.by, promotion.reason)?;
        let (user, name) = (promotion.user_id, promotion.name);
        let candidate = self
            .prompt_candidate(Actor::Tenant(user), promotion.candidate_id)
            .await?
            .ok_or_else(|| {
                EngineError::Prompt(format!("there is no candidate {}", promotion.candidate_id))
            })?;
        let live = self.live_prompt(user, name).await?;
        let live = live.ok_or_else(|| EngineError::Prompt(format!("there is no prompt `{name}`")))?;
        let (findings, tried) = self.findings(&promotion, &candidate, &live).await?;
        let kind = match (findings.objections.is_empty(), promotion.on_refusal) {
            (true, _) => VerdictKind::Promoted,
            (false, OnRefusal::Override) => VerdictKind::Overridden,
            (false, OnRefusal::Refuse) => VerdictKind::Refused,
        };
        let at = self.clock.now();
        let mut scope = work.begin(self).await?;
        let held = prompts::hold(&mut scope, user, name).await?;
        if held != Some(live.version) {
            return Err(EngineError::Prompt(format!(
                "`{name}` has another live version by now: compare with that one"
            )));
        }
        let to_version = match kind {
            VerdictKind::Refused => None,
            _ => {
                let texts = (candidate.components.as_slice(), Some(candidate.id.as_str()));
                let version = prompts::add_version(&mut scope, (user, name), texts, at).await?;
                prompts::set_live(&mut scope, (user, name), version, at).await?;
                Some(version)
            }
        };
        let evaluations = self.evaluations_of_gate((&verdict_id, &candidate), &tried)?;
        evolution::insert_evaluations(&mut scope, user, &evaluations).await?;
        let verdict = PromotionVerdict {
            id: verdict_id,
            name: name.to_owned(),
            kind,
            from_version: Some(live.version),
            to_version,
            candidate_id: Some(candidate.id),
            decided_by: promotion.by.to_owned(),
            reason: promotion.reason.to_owned(),
            findings: Json::from_serialize(&findings).map_err(EngineError::TraceData)?,
            created_at: at,
        };
        prompts::insert_verdict(&mut scope, user, &verdict).await?;
        work.finish(scope, at).await?;
        Ok(verdict)
    }

    /// Makes the version before the live one live again, or the one that is named.
    ///
    /// # Errors
    /// When there is no such prompt or version, nobody or no reason is named, or the database fails.
    pub async fn roll_back(
        &self,
        (user, name): (UserId, &str),
        to: Option<i64>,
        (by, reason): (&str, &str),
    ) -> Result<PromotionVerdict, EngineError> {
        named(by, reason)?;
        let detail = self.prompt(user, name).await?;
        let detail = detail.ok_or_else(|| EngineError::Prompt(format!("there is no prompt `{name}`")))?;
        let live = detail.live.version;
        let before = detail
            .verdicts
            .iter()
            .find(|verdict| verdict.to_version == Some(live))
            .and_then(|verdict| verdict.from_version);
        let to = to.or(before).ok_or_else(|| {
            EngineError::Prompt(format!(
                "version {live} of `{name}` is the first one: there is none to go back to"
            ))
        })?;
        if to == live || !detail.versions.iter().any(|version| version.version == to) {
            return Err(EngineError::Prompt(format!(
                "`{name}` has no version {to} to go back to"
            )));
        }
        let at = self.clock.now();
        let mut scope = self.store.write(Actor::Service).await?;
        if prompts::hold(&mut scope, user, name).await? != Some(live) {
            return Err(EngineError::Prompt(format!(
                "`{name}` has another live version by now"
            )));
        }
        prompts::set_live(&mut scope, (user, name), to, at).await?;
        let verdict = PromotionVerdict {
            id: verdict_id(self),
            name: name.to_owned(),
            kind: VerdictKind::RolledBack,
            from_version: Some(live),
            to_version: Some(to),
            candidate_id: None,
            decided_by: by.to_owned(),
            reason: reason.to_owned(),
            findings: Json::empty_object(),
            created_at: at,
        };
        prompts::insert_verdict(&mut scope, user, &verdict).await?;
        scope.commit().await?;
        Ok(verdict)
    }

    async fn findings(
        &self,
        promotion: &Promotion<'_>,
        candidate: &PromptCandidate,
        live: &PromptVersion,
    ) -> Result<(Findings, Vec<Tried>), EngineError> {
        let user = promotion.user_id;
        let texts = |components: &[pawl_model::PromptComponent]| {
            gate::candidate(components)
                .ok_or_else(|| EngineError::Prompt("a version without texts cannot be compared".to_owned()))
        };
        let sides = [texts(&live.components)?, texts(&candidate.components)?];
        let trying = Trying::plan(self, user, &promotion.run, &promotion.weights)?;
        let mut ids: Vec<String> = trying.cases.keys().cloned().collect();
        ids.sort();
        let is_control = |id: &String| {
            let case = trying.cases.get(id);
            case.is_some_and(|case| case.input_data.to_value()["metadata"]["control"] == json!(true))
        };
        let (controls, others): (Vec<String>, Vec<String>) = ids.into_iter().partition(is_control);
        let held_out: Vec<String> = others
            .into_iter()
            .filter(|id| Part::of(id) == Part::HoldOut)
            .collect();
        let hold_out = self.pairs(&trying, &sides, (held_out, promotion.workers)).await;
        let controls = self.pairs(&trying, &sides, (controls, promotion.workers)).await;
        let tests = self.approved_tests(Actor::Tenant(user)).await?;
        let neighbours = self.controls(user, &tests, CONTROLS_EACH).await?;
        let approved = self.tried(promotion, &sides, tests).await?;
        let neighbours = self.tried(promotion, &sides, neighbours).await?;
        let still_pass = |live_passes: bool| live_passes;
        let mut of_controls = gate::regression(&controls.pairs(), still_pass);
        of_controls += gate::regression(&neighbours.pairs(), still_pass);
        let mut findings = Findings {
            hold_out: gate::compare(&hold_out.pairs()),
            approved: gate::regression(&approved.pairs(), |_| true),
            controls: of_controls,
            objections: Vec::new(),
        };
        findings.objections = gate::objections(&findings);
        Ok((findings, vec![hold_out, controls, approved, neighbours]))
    }

    /// What the candidate answered at the gate, as rows beside those of the search.
    fn evaluations_of_gate(
        &self,
        (verdict, candidate): (&str, &PromptCandidate),
        tried: &[Tried],
    ) -> Result<Vec<PromptEvaluation>, EngineError> {
        let created_at = self.clock.now();
        let answered = tried
            .iter()
            .flat_map(|tried| tried.ids.iter().zip(&tried.candidate));
        answered
            .filter_map(|(id, attempt)| Some((id, &attempt.as_ref().ok()?.rollout)))
            .map(|(id, rollout)| {
                let of_the_gate = json!({
                    "run": candidate.run_id, "purpose": "gate", "verdict": verdict, "cost": rollout.cost,
                });
                let trace = with_run(&rollout.trace, of_the_gate);
                Ok(PromptEvaluation {
                    id: id_of("ape", &[verdict, id]),
                    candidate_id: candidate.id.clone(),
                    example_id: example_id("gate", id),
                    score: rollout.score,
                    feedback: Some(rollout.feedback.clone()),
                    trace: Some(Json::from_serialize(&trace).map_err(EngineError::TraceData)?),
                    dimension_scores: rollout.dimensions.clone(),
                    created_at,
                })
            })
            .collect()
    }

    /// Both sides on tests of which there may be none.
    async fn tried(
        &self,
        promotion: &Promotion<'_>,
        sides: &[pawl_evolve::Candidate; 2],
        tests: Vec<ApprovedTest>,
    ) -> Result<Tried, EngineError> {
        if tests.is_empty() {
            return Ok(Tried::default());
        }
        let run = RunRequest {
            suite: SuiteChoice::Approved(Arc::from(tests)),
            checks: None,
            ..promotion.run.clone()
        };
        let trying = Trying::plan(self, promotion.user_id, &run, &Weights::new())?;
        let mut ids: Vec<String> = trying.cases.keys().cloned().collect();
        ids.sort();
        Ok(self.pairs(&trying, sides, (ids, promotion.workers)).await)
    }

    /// Both sides on the same cases.
    async fn pairs(
        &self,
        trying: &Trying,
        [live, candidate]: &[pawl_evolve::Candidate; 2],
        (ids, workers): (Vec<String>, usize),
    ) -> Tried {
        Tried {
            live: trying.attempts(live, &ids, workers).await,
            candidate: trying.attempts(candidate, &ids, workers).await,
            ids,
        }
    }
}

/// Both sides on the same cases.
#[derive(Default)]
struct Tried {
    ids: Vec<String>,
    live: Vec<Result<crate::evolve::Attempt, pawl_evolve::Failure>>,
    candidate: Vec<Result<crate::evolve::Attempt, pawl_evolve::Failure>>,
}

impl Tried {
    fn pairs(&self) -> Vec<Pair<'_>> {
        let sides = self.live.iter().zip(&self.candidate);
        let pairs = self.ids.iter().zip(sides);
        pairs
            .map(|(id, (live, candidate))| (id.as_str(), [live, candidate]))
            .collect()
    }
}

pub(super) fn named(by: &str, reason: &str) -> Result<(), EngineError> {
    if by.trim().is_empty() || reason.trim().is_empty() {
        return Err(EngineError::Prompt(
            "a verdict needs the name of who decides, and a reason".to_owned(),
        ));
    }
    Ok(())
}
