//! `pawl prompt`, `pawl promote` and `pawl rollback`.

use std::io::{Read as _, Write as _};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use pawl_engine::evolve::Weights;
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::run::{CacheMode, Labels, RunRequest, SuiteChoice, TargetChoice};
use pawl_engine::{Actor, Engine};
use pawl_model::{PromotionVerdict, PromptComponent, UserId, VerdictKind};

use crate::cli::{PromoteArgs, PromptAddArgs, PromptCommand, PromptListArgs, PromptShowArgs, RollbackArgs};
use crate::exit::{Exit, Usage};
use crate::output;

/// How long a target may take for a case at the gate.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The component of a prompt that has one text.
const ONLY: &str = "prompt";

/// Adds, lists and shows prompts.
pub(crate) async fn prompt(command: PromptCommand) -> anyhow::Result<Exit> {
    match command {
        PromptCommand::Add(args) => add(args).await,
        PromptCommand::List(args) => list(args).await,
        PromptCommand::Show(args) => show(args).await,
    }
}

/// The text of a file.
pub(super) fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    if path.as_os_str() == "-" {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(path)
            .map_err(|error| Usage(format!("cannot read {}: {error}", path.display())))?;
    }
    Ok(text.trim_end().to_owned())
}

/// A prompt of one text.
pub(super) fn one_text(text: String) -> Vec<PromptComponent> {
    vec![PromptComponent {
        name: ONLY.to_owned(),
        text,
    }]
}

async fn add(args: PromptAddArgs) -> anyhow::Result<Exit> {
    let components = one_text(read(&args.file)?);
    let (engine, user) = super::open_for(&args.tenant).await?;
    let account = engine.account(user).await?;
    let by = account.email.unwrap_or_else(|| user.to_string());
    let new = NewPrompt {
        user_id: user,
        name: &args.name,
        components: &components,
        by: &by,
    };
    let version = engine.add_prompt(new).await?;
    engine.close().await;
    writeln!(
        anstream::stdout(),
        "{} is live, version {}",
        version.name,
        version.version
    )?;
    Ok(Exit::Passed)
}

async fn list(args: PromptListArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let prompts = engine.prompts(user).await?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    for prompt in &prompts {
        if args.json {
            writeln!(stdout, "{}", serde_json::to_string(prompt)?)?;
        } else {
            let candidate = prompt.candidate_id.as_deref().unwrap_or("by hand");
            writeln!(stdout, "{}  version {}  {candidate}", prompt.name, prompt.version)?;
        }
    }
    if prompts.is_empty() && !args.json {
        writeln!(stdout, "no prompt yet; `pawl prompt add NAME FILE` adds one")?;
    }
    Ok(Exit::Passed)
}

async fn show(args: PromptShowArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let detail = engine.prompt(user, &args.name).await?;
    engine.close().await;
    let detail = detail.ok_or_else(|| Usage(format!("there is no prompt `{}`", args.name)))?;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        let document = serde_json::json!({
            "live": detail.live, "versions": detail.versions, "verdicts": detail.verdicts,
        });
        output::write_json(&document, &mut stdout)?;
        return Ok(Exit::Passed);
    }
    for component in &detail.live.components {
        writeln!(stdout, "{}\n", component.text)?;
    }
    for verdict in &detail.verdicts {
        write_verdict(verdict, &mut stdout)?;
    }
    Ok(Exit::Passed)
}

/// What was decided and found, by whom and why.
pub(super) fn write_verdict(
    verdict: &PromotionVerdict,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let version =
        |version: Option<i64>| version.map_or_else(|| "–".to_owned(), |version| version.to_string());
    writeln!(
        out,
        "{}  {} → {}  by {}: {}",
        verdict.kind,
        version(verdict.from_version),
        version(verdict.to_version),
        verdict.decided_by,
        verdict.reason
    )?;
    let findings = verdict.findings.to_value();
    for objection in findings["objections"].as_array().into_iter().flatten() {
        writeln!(out, "  ✕ {}", objection.as_str().unwrap_or_default())?;
    }
    Ok(())
}

/// Compares a candidate with the live prompt, and makes it live where it passes.
pub(crate) async fn promote(args: PromoteArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let (run, weights) = as_evolved(&engine, user, &args.candidate, args.workers).await?;
    let promotion = Promotion {
        user_id: user,
        candidate_id: &args.candidate,
        name: &args.prompt,
        by: &args.by,
        reason: &args.reason,
        on_refusal: match args.r#override {
            true => OnRefusal::Override,
            false => OnRefusal::Refuse,
        },
        run,
        weights,
        workers: args.workers.get(),
    };
    let verdict = engine.promote(promotion).await?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&serde_json::to_value(&verdict)?, &mut stdout)?;
    } else {
        write_verdict(&verdict, &mut stdout)?;
    }
    Ok(match verdict.kind {
        VerdictKind::Refused => Exit::GateFailed,
        _ => Exit::Passed,
    })
}

/// The suite and the target of a candidate's optimisation, and its weights.
async fn as_evolved(
    engine: &Engine,
    user: UserId,
    candidate: &str,
    workers: NonZeroUsize,
) -> anyhow::Result<(RunRequest, Weights)> {
    let actor = Actor::Tenant(user);
    let unknown = || {
        Usage(format!(
            "there is no candidate {candidate}: `pawl evolve` shows the best one"
        ))
    };
    let found = engine
        .prompt_candidate(actor, candidate)
        .await?
        .ok_or_else(unknown)?;
    let optimization = engine
        .optimization(actor, &found.run_id)
        .await?
        .ok_or_else(unknown)?;
    let weights = serde_json::from_value(optimization.dimension_weights.to_value())?;
    if let Some(run) = engine.as_begun(user, &optimization).await? {
        return Ok((run, weights));
    }
    let config = optimization.config.to_value();
    let text = |member: &str| config[member].as_str().map(str::to_owned);
    let (Some(suite), Some(target)) = (text("suite"), text("target")) else {
        return Err(Usage(format!(
            "{} does not say what it was compared on",
            optimization.id
        ))
        .into());
    };
    let path = Path::new(&suite);
    let run = RunRequest {
        suite: match super::run::is_approved(path) {
            true => SuiteChoice::Approved(super::run::approved(engine, actor).await?),
            false => SuiteChoice::File(path.to_owned()),
        },
        checks: text("checks"),
        target: TargetChoice::Named(target),
        trials: 1,
        concurrency: Some(workers),
        timeout: TIMEOUT,
        judge: None,
        embedder: None,
        models: super::models()?,
        cache: CacheMode::Off,
        labels: Labels::default(),
        resume: None,
    };
    Ok((run, weights))
}

/// Makes an earlier version live again.
pub(crate) async fn rollback(args: RollbackArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let verdict = engine
        .roll_back((user, &args.prompt), args.to, (&args.by, &args.reason))
        .await?;
    engine.close().await;
    write_verdict(&verdict, &mut anstream::stdout().lock())?;
    Ok(Exit::Passed)
}
