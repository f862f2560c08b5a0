//! A prompt that is evolved, and the gate: by a scripted model and by a rule, so that it needs neither a key nor a person.

use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::evolve::{
    Earlier, EvolveReport, EvolveRequest, Limits, PlannedEvolution, Settings, Weights,
};
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::run::RunRequest;
use pawl_engine::{Engine, ModelSettings, Models};
use pawl_model::{PromotionVerdict, PromptComponent, UserId};
use pawl_server::ScriptedModel;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::review::{MODEL, REVIEWER};
use crate::commands::evolve::until_stopped;
use crate::commands::{machine_time, prompt};
use crate::demo::story_agent::{self, FIRST_PROMPT};
use crate::output::counted;

/// The prompt of the demo.
const NAME: &str = "stories";
const CALLS: u64 = 600;
const WORKERS: usize = 4;

/// What came of it.
pub(super) struct Evolved {
    report: EvolveReport,
    verdict: Option<PromotionVerdict>,
}

/// Evolves the prompt of the story agent, and lets the gate decide on the best candidate.
pub(super) async fn run(
    engine: &Engine,
    user: UserId,
    stop: &CancellationToken,
    requests: impl Fn() -> anyhow::Result<RunRequest>,
) -> anyhow::Result<Evolved> {
    let seed = begin(engine, user).await?;
    let model = ScriptedModel::start(story_agent::propose).await?;
    let lookup = |name: &str| (name == "OLLAMA_HOST").then(|| model.url());
    let models = Models::new(ModelSettings::from_variables(lookup, machine_time)?);
    let request = EvolveRequest {
        user_id: user,
        name: NAME.to_owned(),
        seed,
        reflector: models.chat(&MODEL.parse()?)?,
        run: requests()?,
        settings: Settings {
            limits: Limits {
                metric_calls: Some(CALLS),
                ..Limits::default()
            },
            ..Settings::default()
        },
        weights: Weights::new(),
        earlier: Earlier::Ignore,
        workers: WORKERS,
        resume: None,
    };
    let planned = PlannedEvolution::plan(engine, request)?;
    let report = until_stopped(engine, planned, stop, &|_, _| {}).await?;
    let verdict = match &report.best {
        Some(best) if !stop.is_cancelled() => {
            let promotion = Promotion {
                user_id: user,
                candidate_id: &best.id,
                name: NAME,
                by: REVIEWER,
                reason: "the best that the search found",
                on_refusal: OnRefusal::Refuse,
                run: requests()?,
                weights: Weights::new(),
                workers: WORKERS,
            };
            Some(engine.promote(promotion).await?)
        }
        _ => None,
    };
    Ok(Evolved { report, verdict })
}

/// The first prompt, live: added, or back again where a demo before this one promoted another.
async fn begin(engine: &Engine, user: UserId) -> anyhow::Result<Vec<PromptComponent>> {
    let first = prompt::one_text(FIRST_PROMPT.to_owned());
    match engine.live_prompt(user, NAME).await? {
        None => {
            let new = NewPrompt {
                user_id: user,
                name: NAME,
                components: &first,
                by: REVIEWER,
            };
            engine.add_prompt(new).await?;
        }
        Some(live) if live.components != first => {
            engine
                .roll_back((user, NAME), Some(1), (REVIEWER, "the demo begins anew"))
                .await?;
        }
        Some(_) => {}
    }
    Ok(first)
}

impl Evolved {
    /// Says what came of it.
    pub(super) fn write(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let report = &self.report;
        writeln!(
            out,
            "The agent does what its prompt says; the model that proposes texts is scripted."
        )?;
        self.write_search(out)?;
        if let Some(best) = &report.best {
            for line in best.instructions.lines() {
                let mark = if line == FIRST_PROMPT { " " } else { "+" };
                writeln!(out, "  {mark} {line}")?;
            }
        }
        if let Some(verdict) = &self.verdict {
            let findings = verdict.findings.to_value();
            let difference = &findings["hold_out"]["comparison"]["scores"]["difference"];
            writeln!(
                out,
                "\n{:+.3} on {} that the search never saw, and on {}:",
                difference["mean"].as_f64().unwrap_or_default(),
                counted(findings["hold_out"]["examples"].as_u64().unwrap_or(0), "example"),
                counted(
                    findings["approved"]["tests"].as_u64().unwrap_or(0),
                    "approved test"
                ),
            )?;
            prompt::write_verdict(verdict, out)?;
        }
        Ok(())
    }

    fn write_search(&self, out: &mut impl Write) -> io::Result<()> {
        let report = &self.report;
        let counts = &report.report.counts;
        let spent = format!(
            "{} calls of the agent, {} of the model; {} candidates, {} proposals no better",
            report.report.spent.metric_calls,
            report.report.spent.reflections,
            counts.accepted,
            counts.rejected
        );
        let first = report.report.candidates.first();
        let first = first.and_then(|first| first.mean).unwrap_or_default();
        let best = report.run.best_score.unwrap_or_default();
        writeln!(out, "{first:.3} → {best:.3}  {}", spent.dimmed())
    }

    /// The same as a document.
    pub(super) fn document(&self) -> Value {
        json!({
            "model": MODEL, "run": self.report.run, "best": self.report.best, "counts": self.report.report.counts,
            "verdict": self.verdict,
        })
    }
}
