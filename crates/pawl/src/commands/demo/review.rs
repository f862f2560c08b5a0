//! Drafts, their proof, and review: by a scripted model and by a rule, so that it needs neither a key nor a person.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::draft::{DraftReport, DraftRequest, Overwrite};
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::mine::{MiningModels, Mode};
use pawl_engine::review::{Review, Verdict};
use pawl_engine::{Actor, Engine, ModelSettings, Models};
use pawl_model::{DraftStatus, ProofVerdict, SuggestionStatus, SuggestionType, TriggeredBy, UserId};
use pawl_server::ScriptedModel;
use serde_json::{Value, json};

use crate::commands::machine_time;
use crate::demo::support_agent;
use crate::output::counted;

/// Whose name stands in the history for the rule.
pub(super) const REVIEWER: &str = "demo-reviewer";
/// The scripted model.
pub(super) const MODEL: &str = "ollama:scripted";
/// Suggestions among which those that the scripted model knows are looked for.
const LOOKED_AT: u32 = 2_000;

/// What came of it.
pub(super) struct Reviewed {
    drafts: Vec<Outcome>,
    /// Tests that are approved by now, those of earlier demos included.
    pub(super) approved: usize,
}

/// What became of a draft.
struct Outcome {
    title: String,
    proof: String,
    /// Why it was not approved.
    held_back: Option<&'static str>,
}

/// Has drafts made and proven, and approves those whose proof is green.
pub(super) async fn run(engine: &Engine, user: UserId) -> anyhow::Result<Reviewed> {
    let mut ids = undrafted(engine, user).await?;
    let mut drafts = Vec::new();
    // One of them without a model, which is what happens where none is configured.
    if let Some(without_model) = ids.pop() {
        drafts.extend(drafted(engine, user, vec![without_model]).await?.drafts);
    }
    if !ids.is_empty() {
        let model = ScriptedModel::start(support_agent::write_test).await?;
        let lookup = |name: &str| (name == "OLLAMA_HOST").then(|| model.url());
        let models = Models::new(ModelSettings::from_variables(lookup, machine_time)?);
        let spec = MODEL.parse()?;
        let models = MiningModels::named(&models, Some(&spec), None)?;
        let scripted = engine.clone().with_mining_models(models);
        drafts.extend(drafted(&scripted, user, ids).await?.drafts);
    }
    let mut outcomes = Vec::new();
    for (draft, card) in drafts {
        let held_back = match (draft.status, card.verdict) {
            (DraftStatus::NeedsHumanInput, _) => Some("a person has to finish it"),
            (DraftStatus::Draft, ProofVerdict::Proven) => None,
            (DraftStatus::Draft, _) => Some("its proof is not green"),
        };
        if held_back.is_none() {
            let review = Review {
                user_id: user,
                suggestion_id: &draft.source.suggestion_id,
                by: REVIEWER,
            };
            engine.decide(review, Verdict::Approve { notes: None }).await?;
        }
        outcomes.push(Outcome {
            title: draft.title,
            proof: card.summary,
            held_back,
        });
    }
    Ok(Reviewed {
        drafts: outcomes,
        approved: engine.approved_tests(Actor::Tenant(user)).await?.len(),
    })
}

/// A suggestion of each failure that the scripted model knows a test for.
async fn undrafted(engine: &Engine, user: UserId) -> anyhow::Result<Vec<String>> {
    let filter = Filter {
        status: Some(SuggestionStatus::Pending),
        suggestion_type: Some(SuggestionType::Eval),
        ..Filter::default()
    };
    let actor = Actor::Tenant(user);
    let mut found: Vec<(usize, u64, String)> = engine
        .suggestions(actor, &filter, LOOKED_AT)
        .await?
        .items
        .into_iter()
        .filter(|suggestion| {
            suggestion
                .suggestion_content
                .to_value()
                .get("eval_test")
                .is_none()
        })
        .filter_map(|suggestion| {
            let known = support_agent::known(&suggestion)?;
            Some((known, suggestion.recurrence_count, suggestion.suggestion_id))
        })
        .collect();
    // Of each failure that which was seen most.
    found.sort_by_key(|(known, seen, _)| (*known, std::cmp::Reverse(*seen)));
    found.dedup_by_key(|(known, ..)| *known);
    Ok(found.into_iter().map(|(.., id)| id).collect())
}

async fn drafted(engine: &Engine, user: UserId, ids: Vec<String>) -> anyhow::Result<DraftReport> {
    let request = DraftRequest {
        user_id: user,
        batch_size: u32::try_from(ids.len()).unwrap_or(1),
        suggestion_ids: Some(ids),
        overwrite: Overwrite::Keep,
        mode: Mode::Store,
        triggered_by: TriggeredBy::Manual,
    };
    Ok(engine.draft(&request).await?)
}

impl Reviewed {
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
        writeln!(out, "{} by now", counted(self.approved as u64, "approved test"))
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        let drafts = self.drafts.iter().map(|outcome| {
            json!({
                "title": outcome.title, "proof": outcome.proof, "approved": outcome.held_back.is_none(),
                "held_back": outcome.held_back,
            })
        });
        json!({"model": MODEL, "reviewer": REVIEWER, "drafts": drafts.collect::<Value>(), "approved": self.approved})
    }
}
