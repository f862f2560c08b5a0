//! A prompt that is evolved, and the gate: by a scripted model and by a rule, so that it needs neither a key nor a person.

use std::io::Write;

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pawl_engine::evolve::{Earlier, Event, EvolveRequest, Limits, PlannedEvolution, Settings, Weights};
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::run::SuiteChoice;
use pawl_model::{
    CandidateStatus, FLAT_CHARGE, Optimization, OptimizationStatus, PromotionVerdict, PromptCandidate,
    PromptComponent,
};
use serde_json::{Value, json};

use super::review::{MODEL, REVIEWER};
use super::scene::Scene;
use crate::commands::evolve::until_stopped;
use crate::commands::prompt;
use crate::demo::support_agent::{self, FIRST_PROMPT, SHORT_CUT};
use crate::progress::Counter;

/// The prompt of the demo.
pub(super) const NAME: &str = "support";
/// The file with its first text.
pub(super) const FIRST_TEXT: &str = "prompt-1.txt";
const CALLS: u64 = 1_000;
const WORKERS: usize = 4;
/// Optimisations among which that of an earlier demo is looked for.
const LOOKED_AT: u32 = 100;

/// What came of it.
pub(super) struct Evolved {
    pub(super) run: Optimization,
    pub(super) candidates: Vec<PromptCandidate>,
}

/// What the gate decided.
pub(super) struct Decided {
    /// On the short cut.
    pub(super) refused: Option<PromotionVerdict>,
    /// On the best candidate.
    pub(super) best: Option<PromotionVerdict>,
}

/// Adds the first prompt, where there is none yet.
pub(super) async fn begin(scene: &Scene) -> anyhow::Result<()> {
    if scene.engine.live_prompt(scene.user, NAME).await?.is_none() {
        let new = NewPrompt {
            user_id: scene.user,
            name: NAME,
            components: &prompt::one_text(FIRST_PROMPT.to_owned()),
            by: REVIEWER,
        };
        scene.engine.add_prompt(new).await?;
    }
    Ok(())
}

/// What a version of the prompt says.
pub(super) async fn texts(scene: &Scene, version: i64) -> anyhow::Result<String> {
    let detail = scene.engine.prompt(scene.user, NAME).await?;
    let versions = detail.map(|detail| detail.versions).unwrap_or_default();
    let found = versions.into_iter().find(|known| known.version == version);
    let components: Vec<PromptComponent> = found
        .context("the demo's prompt is not there any more")?
        .components;
    Ok(components.into_iter().map(|one| one.text).collect())
}

/// Evolves the first prompt of the agent; goes on with what an earlier demo left.
pub(super) async fn run(scene: &Scene) -> anyhow::Result<Evolved> {
    let earlier = scene.engine.optimizations(scene.actor, LOOKED_AT).await?;
    let earlier = earlier.into_iter().find(|run| run.name == NAME);
    let is_done = |run: &Optimization| run.status == OptimizationStatus::Completed;
    let run = match earlier {
        Some(done) if is_done(&done) => done,
        unfinished => search(scene, unfinished.map(|run| run.id)).await?,
    };
    Ok(Evolved {
        candidates: scene.engine.prompt_candidates(scene.actor, &run.id).await?,
        run,
    })
}

async fn search(scene: &Scene, resume: Option<String>) -> anyhow::Result<Optimization> {
    let request = EvolveRequest {
        user_id: scene.user,
        name: NAME.to_owned(),
        seed: prompt::one_text(FIRST_PROMPT.to_owned()),
        reflector: scene.models.chat(&MODEL.parse()?)?,
        run: scene.request(suite(scene)?, &scene.file(FIRST_TEXT, FIRST_PROMPT)?)?,
        settings: Settings {
            limits: Limits {
                metric_calls: Some(CALLS),
                ..Limits::default()
            },
            ..Settings::default()
        },
        weights: Weights::new(),
        earlier: Earlier::Reuse,
        call_at_most: FLAT_CHARGE,
        workers: WORKERS,
        resume,
    };
    let planned = PlannedEvolution::plan(&scene.engine, request)?;
    let counter = Counter::new("calls of the agent", None);
    let report = until_stopped(&scene.engine, planned, &scene.stop, &|_, event| {
        if let Event::Committed { view, .. } = event {
            counter.reach(view.spent().metric_calls);
        }
    })
    .await;
    counter.clear();
    Ok(report?.run)
}

fn suite(scene: &Scene) -> anyhow::Result<SuiteChoice> {
    let text = support_agent::suite().to_string();
    Ok(SuiteChoice::File(scene.file("support-questions.json", &text)?))
}

/// Lets the gate decide on the short cut, and on the best candidate.
pub(super) async fn gate(scene: &Scene, evolved: &Evolved) -> anyhow::Result<Decided> {
    let short_cut = evolved.short_cut().map(|candidate| candidate.id.clone());
    let best = evolved.run.best_candidate_id.clone();
    Ok(Decided {
        refused: decide(scene, short_cut, "it never says anything wrong").await?,
        best: decide(scene, best, "the best that the search found").await?,
    })
}

/// A verdict on a candidate; that of an earlier demo where there is one.
async fn decide(
    scene: &Scene,
    candidate: Option<String>,
    reason: &str,
) -> anyhow::Result<Option<PromotionVerdict>> {
    let Some(candidate) = candidate.filter(|_| !scene.stop.is_cancelled()) else {
        return Ok(None);
    };
    let detail = scene.engine.prompt(scene.user, NAME).await?;
    let verdicts = detail.map(|detail| detail.verdicts).unwrap_or_default();
    let is_of = |verdict: &PromotionVerdict| verdict.candidate_id.as_deref() == Some(candidate.as_str());
    if let Some(known) = verdicts.into_iter().find(is_of) {
        return Ok(Some(known));
    }
    let promotion = Promotion {
        user_id: scene.user,
        candidate_id: &candidate,
        name: NAME,
        by: REVIEWER,
        reason,
        on_refusal: OnRefusal::Refuse,
        run: scene.request(suite(scene)?, &scene.file(FIRST_TEXT, FIRST_PROMPT)?)?,
        weights: Weights::new(),
        workers: WORKERS,
    };
    Ok(Some(scene.engine.promote(promotion).await?))
}

impl Evolved {
    /// The candidate that says nothing wrong any more, and nothing right.
    fn short_cut(&self) -> Option<&PromptCandidate> {
        let mut tried = self.candidates.iter();
        tried.find(|one| one.instructions.contains(SHORT_CUT) && one.status != CandidateStatus::Refused)
    }

    pub(super) fn best(&self) -> Option<&PromptCandidate> {
        let id = self.run.best_candidate_id.as_deref()?;
        self.candidates.iter().find(|one| one.id == id)
    }

    /// Mean scores of the first text and of the best.
    pub(super) fn scores(&self) -> [Option<f64>; 2] {
        let first = self.candidates.iter().find(|one| one.parents.is_empty());
        [first.and_then(|one| one.avg_score), self.run.best_score]
    }

    pub(super) fn count(&self, status: CandidateStatus) -> usize {
        self.candidates.iter().filter(|one| one.status == status).count()
    }

    /// Says what came of it.
    pub(super) fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        writeln!(
            out,
            "The agent does what its prompt says; the model that proposes texts is scripted."
        )?;
        let [first, best] = self.scores().map(Option::unwrap_or_default);
        let spent = format!(
            "{} steps: {} candidates taken over, {} no better, {} refused",
            self.run.iterations,
            self.count(CandidateStatus::Accepted),
            self.count(CandidateStatus::Rejected),
            self.count(CandidateStatus::Refused),
        );
        writeln!(out, "{first:.3} → {best:.3}  {}", spent.dimmed())?;
        if let Some(best) = self.best() {
            for line in best.instructions.lines() {
                let mark = if line == FIRST_PROMPT { " " } else { "+" };
                writeln!(out, "  {mark} {line}")?;
            }
        }
        Ok(())
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        let [first, best] = self.scores();
        json!({
            "model": MODEL, "run": self.run, "first_score": first, "best_score": best, "best": self.best(),
            "accepted": self.count(CandidateStatus::Accepted), "rejected": self.count(CandidateStatus::Rejected),
            "refused": self.count(CandidateStatus::Refused),
        })
    }
}

impl Decided {
    /// Says what was decided, and on what.
    pub(super) fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        for (what, verdict) in [
            (format!("A short cut, “{SHORT_CUT}”"), &self.refused),
            ("The best candidate".to_owned(), &self.best),
        ] {
            let Some(verdict) = verdict else { continue };
            let findings = verdict.findings.to_value();
            let count = |pointer: &str| findings.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
            let mean = findings.pointer("/hold_out/comparison/scores/difference/mean");
            writeln!(
                out,
                "{what}: {:+.3} on {} questions that the search never saw, {} approved tests, {} controls",
                mean.and_then(Value::as_f64).unwrap_or_default(),
                count("/hold_out/examples"),
                count("/approved/tests"),
                count("/controls/tests"),
            )?;
            prompt::write_verdict(verdict, out)?;
        }
        Ok(())
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        json!({"short_cut": self.refused, "best": self.best})
    }
}
