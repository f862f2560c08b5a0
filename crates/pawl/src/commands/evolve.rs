//! `pawl evolve`.

use std::io::Write as _;
use std::path::Path;

use pawl_engine::evolve::{
    Cancel, Earlier, Event, EvolveReport, EvolveRequest, Limits, PlannedEvolution, Settings,
};
use pawl_engine::run::{CacheMode, Labels, RunRequest, SuiteChoice, TargetChoice};
use pawl_engine::{Actor, Engine, EngineError};

use pawl_model::{Optimization, PromptComponent, UserId};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::cli::EvolveArgs;
use crate::exit::{Exit, Usage};
use crate::output::{self, counted};
use crate::progress::SearchProgress;

/// Evolves a prompt, and says what came of it.
pub(crate) async fn evolve(args: EvolveArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let (name, seed) = seed(&engine, user, &args.prompt).await?;
    let models = super::models()?;
    let reflector = args
        .reflector
        .clone()
        .or_else(|| models.settings().default_chat())
        .ok_or_else(|| {
            let keys = "OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY";
            Usage(format!(
                "no model proposes texts: name one by --reflector, or set {keys}"
            ))
        })?;
    let reflector = models
        .chat(&reflector)
        .map_err(|error| Usage(error.to_string()))?;
    let suite = match super::run::is_approved(&args.suite) {
        true => SuiteChoice::Approved(super::run::approved(&engine, Actor::Tenant(user)).await?),
        false => SuiteChoice::File(args.suite.clone()),
    };
    let request = EvolveRequest {
        user_id: user,
        name,
        seed,
        reflector,
        run: RunRequest {
            suite,
            checks: args.checks.clone(),
            target: TargetChoice::Named(args.target.clone()),
            trials: 1,
            concurrency: Some(args.workers),
            timeout: args.timeout,
            judge: None,
            embedder: None,
            models,
            cache: CacheMode::Off,
            labels: Labels::default(),
            resume: None,
        },
        settings: Settings {
            seed: args.seed,
            look_ahead: args.look_ahead.get(),
            limits: Limits {
                metric_calls: Some(args.max_metric_calls),
                usd_nanos: args.max_cost.map(pawl_model::Usd::nanos),
                ..Limits::default()
            },
            ..Settings::default()
        },
        weights: args.weights.iter().cloned().collect(),
        earlier: match args.fresh {
            true => Earlier::Ignore,
            false => Earlier::Reuse,
        },
        call_at_most: args.max_call_cost,
        workers: args.workers.get(),
        resume: args.resume.clone(),
    };
    let planned = PlannedEvolution::plan(&engine, request)?;
    quote(&planned)?;
    let watched = SearchProgress::new(args.max_metric_calls, args.max_cost);
    let report = until_stopped(&engine, planned, stop, &|run, event| watched.show(run, event)).await;
    watched.clear();
    let report = report?;
    engine.close().await;
    print(&args, &report)?;
    Ok(match report.run.completed_at {
        Some(_) => Exit::Passed,
        None => Exit::Infrastructure,
    })
}

/// Evolves until there is nothing left to do, or the program is to stop.
pub(super) async fn until_stopped(
    engine: &Engine,
    planned: PlannedEvolution,
    stop: &CancellationToken,
    observer: &(dyn Fn(&Optimization, &Event<'_>) + Sync),
) -> Result<EvolveReport, EngineError> {
    let cancel = Cancel::new();
    let watching = {
        let (cancel, stop) = (cancel.clone(), stop.clone());
        tokio::spawn(async move {
            stop.cancelled().await;
            cancel.cancel();
        })
    };
    let report = engine.evolve(planned, &cancel, observer).await;
    watching.abort();
    report
}

/// The texts to begin with: those of a file, or of a prompt that is live.
async fn seed(engine: &Engine, user: UserId, given: &str) -> anyhow::Result<(String, Vec<PromptComponent>)> {
    let path = Path::new(given);
    if path.is_file() {
        let text = super::prompt::read(path)?;
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        return Ok((stem, super::prompt::one_text(text)));
    }
    let live = engine.live_prompt(user, given).await?;
    let live = live.ok_or_else(|| Usage(format!("there is neither a file nor a prompt `{given}`")))?;
    Ok((live.name, live.components))
}

/// What the limits buy and may cost, before anything is spent.
fn quote(planned: &PlannedEvolution) -> anyhow::Result<()> {
    let quote = planned.quote();
    let proposals = match (quote.proposals_at_least, quote.proposals_at_most) {
        (Some(least), Some(most)) => format!("{least} to {most} proposals"),
        _ => "as many proposals as it takes".to_owned(),
    };
    let [calls, reflections] = quote.of_a_proposal;
    let mut at_most = Vec::new();
    if let Some(count) = quote.metric_calls {
        at_most.push(format!("{} of the target", counted(count, "call")));
    }
    if let Some(count) = quote.reflections {
        at_most.push(format!("{} of the model", counted(count, "call")));
    }
    if let Some(count) = quote.tokens {
        at_most.push(counted(count, "token"));
    }
    at_most.push(match quote.cost_usd {
        Some(cost) => format!("${cost:.2} for them"),
        None => "a price of the model that is not known".to_owned(),
    });
    writeln!(
        anstream::stderr(),
        "{} cases to learn from, {} to compare on, {} for the gate; the limits buy {proposals}, each {calls} calls of the \
         target and {reflections} of the model\nat most {}, and what the target takes itself",
        quote.train,
        quote.validation,
        quote.hold_out,
        at_most.join(", "),
    )?;
    Ok(())
}

fn print(args: &EvolveArgs, report: &EvolveReport) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    let best = report.best.as_ref();
    if args.json {
        let document = json!({
            "run": report.run, "best": best, "counts": report.report.counts, "spent": report.report.spent,
            "lost": report.report.lost,
        });
        output::write_json(&document, &mut stdout)?;
        return Ok(());
    }
    let counts = &report.report.counts;
    let spent = report.report.spent;
    writeln!(
        stdout,
        "{} · {}",
        report.run.id,
        report.run.finish.as_deref().unwrap_or_default()
    )?;
    writeln!(
        stdout,
        "{}: {} new candidates, {} no better, {} refused, {} skipped, {} failed",
        counted(counts.steps, "step"),
        counts.accepted,
        counts.rejected,
        counts.refused,
        counts.skipped,
        counts.failed
    )?;
    writeln!(
        stdout,
        "{} of the target, {} of the model, {} tokens, ${:.4}",
        counted(spent.metric_calls, "call"),
        spent.reflections,
        spent.cost.tokens,
        spent.cost.usd_nanos as f64 / 1e9
    )?;
    if let (Some(best), Some(first)) = (best, report.report.candidates.first()) {
        writeln!(
            stdout,
            "best {} at {:.3}, the first at {:.3}\n\n{}\n",
            best.id,
            report.run.best_score.unwrap_or_default(),
            first.mean.unwrap_or_default(),
            best.instructions
        )?;
        writeln!(
            stdout,
            "next  pawl promote {} --prompt {} --by YOU --reason WHY",
            best.id, report.run.name
        )?;
    }
    if report.run.completed_at.is_none() {
        writeln!(stdout, "go on by --resume {}", report.run.id)?;
    }
    Ok(())
}
