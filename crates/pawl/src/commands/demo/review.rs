//! Drafts, their proof, and review: by a scripted model and by a rule, so that it needs neither a key nor a person.

use std::collections::BTreeMap;
use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::draft::{DraftRequest, Overwrite};
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::mine::{MiningModels, Mode};
use pawl_engine::review::{Drafted, Review, Verdict};
use pawl_engine::{Engine, ModelSettings, Models};
use pawl_model::{DraftStatus, ProofVerdict, Suggestion, SuggestionStatus, SuggestionType, TriggeredBy};
use pawl_server::ScriptedModel;
use serde_json::{Value, json};

use super::scene::Scene;
use super::wave;
use crate::commands::machine_time;
use crate::demo::support_agent;

/// Whose name stands in the history for the rule.
pub(super) const REVIEWER: &str = "demo-reviewer";
/// The scripted model.
pub(super) const MODEL: &str = "ollama:scripted";
/// Suggestions among which those that the scripted model knows are looked for.
const LOOKED_AT: u32 = 2_000;

/// What came of it, as the database has it.
pub(super) struct Reviewed {
    drafts: Vec<Outcome>,
}

/// What became of a draft.
pub(super) struct Outcome {
    pub(super) suggestion_id: String,
    title: String,
    proof: String,
    /// Why it was not approved.
    pub(super) held_back: Option<&'static str>,
}

/// Has drafts made and proven, and approves those whose proof is green.
pub(super) async fn run(scene: &Scene) -> anyhow::Result<Reviewed> {
    draft(scene).await?;
    let (_, chosen) = known(scene).await?;
    let mut drafts = Vec::new();
    for suggestion in chosen.into_values() {
        let Some(Drafted { draft, proof }) = Drafted::of(&suggestion)? else {
            continue;
        };
        let verdict = proof.as_ref().map(|card| card.verdict);
        let held_back = match (draft.status, verdict) {
            (DraftStatus::NeedsHumanInput, _) => Some("a person has to finish it"),
            (DraftStatus::Draft, Some(ProofVerdict::Proven)) => None,
            (DraftStatus::Draft, _) => Some("its proof is not green"),
        };
        if held_back.is_none() && suggestion.status == SuggestionStatus::Pending {
            let review = Review {
                user_id: scene.user,
                suggestion_id: &suggestion.suggestion_id,
                by: REVIEWER,
            };
            let approve = Verdict::Approve { notes: None };
            scene.engine.decide(review, approve).await?;
        }
        drafts.push(Outcome {
            suggestion_id: suggestion.suggestion_id,
            title: draft.title,
            proof: proof.map(|card| card.summary).unwrap_or_default(),
            held_back,
        });
    }
    Ok(Reviewed { drafts })
}

/// Drafts what has no draft yet: the last failure without a model, which is what happens where none is configured, and the
/// others by the scripted one.
async fn draft(scene: &Scene) -> anyhow::Result<()> {
    let (_, chosen) = known(scene).await?;
    let mut undrafted = Vec::new();
    for (failure, suggestion) in chosen {
        if Drafted::of(&suggestion)?.is_none() {
            undrafted.push((failure, suggestion.suggestion_id));
        }
    }
    let is_last = |failure: &usize| failure + 1 == support_agent::known_failures();
    let (last, others): (Vec<_>, Vec<_>) = undrafted.into_iter().partition(|(failure, _)| is_last(failure));
    let ids = |those: Vec<(usize, String)>| those.into_iter().map(|(_, id)| id).collect();
    drafted(&scene.engine, scene, ids(last)).await?;
    let model = ScriptedModel::start(support_agent::write_test).await?;
    let lookup = |name: &str| (name == "OLLAMA_HOST").then(|| model.url());
    let models = Models::new(ModelSettings::from_variables(lookup, machine_time)?);
    let models = MiningModels::named(&models, Some(&MODEL.parse()?), None)?;
    let scripted = scene.engine.clone().with_mining_models(models);
    drafted(&scripted, scene, ids(others)).await
}

/// How many suggestions there are; and for each failure that the scripted model knows a test for the one that has a draft,
/// else the one that was seen most.
pub(super) async fn known(scene: &Scene) -> anyhow::Result<(usize, BTreeMap<usize, Suggestion>)> {
    let filter = Filter {
        suggestion_type: Some(SuggestionType::Eval),
        ..Filter::default()
    };
    let found = scene
        .engine
        .suggestions(scene.actor, &filter, LOOKED_AT)
        .await?
        .items;
    let count = found.len();
    let mut chosen: BTreeMap<usize, Suggestion> = BTreeMap::new();
    let rank = |suggestion: &Suggestion| {
        let has_draft = Drafted::of(suggestion).is_ok_and(|drafted| drafted.is_some());
        (
            has_draft,
            suggestion.recurrence_count,
            suggestion.suggestion_id.clone(),
        )
    };
    for suggestion in found {
        let Some(failure) = support_agent::known(&suggestion) else {
            continue;
        };
        let is_better = chosen
            .get(&failure)
            .is_none_or(|other| rank(&suggestion) > rank(other));
        if is_better {
            chosen.insert(failure, suggestion);
        }
    }
    Ok((count, chosen))
}

async fn drafted(engine: &Engine, scene: &Scene, ids: Vec<String>) -> anyhow::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let request = DraftRequest {
        user_id: scene.user,
        batch_size: u32::try_from(ids.len()).unwrap_or(1),
        suggestion_ids: Some(ids),
        overwrite: Overwrite::Keep,
        mode: Mode::Store,
        triggered_by: TriggeredBy::Manual,
    };
    engine.draft(&request).await?;
    Ok(())
}

impl Reviewed {
    pub(super) fn approved(&self) -> impl Iterator<Item = &Outcome> {
        self.drafts.iter().filter(|outcome| outcome.held_back.is_none())
    }

    /// How many failures of each wave are in the suggestions that are approved.
    pub(super) async fn alike(&self, scene: &Scene) -> anyhow::Result<[usize; 2]> {
        let mut alike = [0, 0];
        for outcome in self.approved() {
            let id = &outcome.suggestion_id;
            let detail = scene.engine.suggestion(scene.actor, id).await?;
            for trace in detail.iter().flat_map(|detail| &detail.source_traces) {
                for (wave, count) in [1, 2].into_iter().zip(&mut alike) {
                    *count += usize::from(trace.trace_id.starts_with(&wave::session(wave)));
                }
            }
        }
        Ok(alike)
    }

    pub(super) fn held_back(&self) -> impl Iterator<Item = &Outcome> {
        self.drafts.iter().filter(|outcome| outcome.held_back.is_some())
    }

    /// Says what came of it.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "The model is scripted and the reviewer is a rule: what is proven is approved by {REVIEWER}."
        )?;
        for outcome in &self.drafts {
            let mark = if outcome.held_back.is_none() { "✓" } else { "–" };
            write!(out, "  {mark} {}  {}", outcome.title, outcome.proof.dimmed())?;
            match outcome.held_back {
                Some(why) => writeln!(out, "  held back: {why}")?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        let drafts = self.drafts.iter().map(|outcome| {
            json!({
                "suggestion_id": outcome.suggestion_id, "title": outcome.title, "proof": outcome.proof,
                "approved": outcome.held_back.is_none(), "held_back": outcome.held_back,
            })
        });
        json!({"model": MODEL, "reviewer": REVIEWER, "drafts": drafts.collect::<Vec<_>>()})
    }
}
