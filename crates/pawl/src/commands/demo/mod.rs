//! `pawl demo`: every stage of the loop that there is, on bundled data.

mod evolve;
mod intake;
mod review;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use owo_colors::OwoColorize as _;
use pawl_engine::mine::{MineReport, MineRequest, Mode};
use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{CacheMode, Gate, Labels, PlannedRun, RunRequest, SuiteChoice, TargetChoice};
use pawl_engine::simulation::HistoryPlan;
use pawl_engine::{Actor, Engine};
use pawl_model::{TriggeredBy, UserId};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use self::evolve::Evolved;
use self::intake::Intake;
use self::review::Reviewed;
use crate::cli::{DatabaseArgs, DemoArgs};
use crate::config::Settings;
use crate::demo;
use crate::exit::{Exit, Usage};
use crate::output::{self, ComparisonFormat, FinishedRun, Format};
use crate::progress::Progress;

const GATE: Gate = Gate {
    min_pass_rate: 1.0,
    min_coverage: 1.0,
};

/// Has agents hand interactions in, and mines what they failed at; runs the bundled inputs through a flawed and a fixed story agent, and compares the
/// two runs; evolves the prompt of the flawed one.
pub(crate) async fn demo(args: DemoArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let folder = match &args.data {
        Some(folder) => folder.clone(),
        None => Settings::resolve(&DatabaseArgs::default(), None)?
            .data_folder()?
            .join("demo"),
    };
    std::fs::create_dir_all(&folder)
        .map_err(|error| Usage(format!("cannot make the folder {}: {error}", folder.display())))?;
    let suite = folder.join("stories.json");
    std::fs::write(&suite, demo::INPUTS).with_context(|| format!("cannot write {}", suite.display()))?;
    let engine = Engine::open(None, &folder, super::machine_clock()).await?;
    let user = intake::owner(&engine).await?;
    let actor = Actor::Tenant(user);

    let mut out = anstream::stdout();
    let stages = Stages {
        engine: &engine,
        actor,
        suite,
        stop,
    };
    if !args.json {
        writeln!(
            out,
            "{}",
            "1 · Agents hand interactions in, under a policy".bold()
        )?;
    }
    intake::set_policy(&engine, user).await?;
    let intake = intake::run(&engine, user, stop).await?;
    if !args.json {
        intake.write(&mut out)?;
        writeln!(
            out,
            "\n{}",
            "2 · What failed in a month becomes patterns, and what is alike one suggestion".bold()
        )?;
    }
    let mined = mine(&engine, user, stop).await?;
    if !args.json {
        output::write_mined(&mined, &mut out)?;
        writeln!(
            out,
            "\n{}",
            "3 · Suggestions get tests, tried on what failed and what did not, and reviewed".bold()
        )?;
    }
    let reviewed = review::run(&engine, user).await?;
    if !args.json {
        reviewed.write(&mut out)?;
        writeln!(
            out,
            "\n{}",
            "4 · The approved tests against the agent as it was, and as it was fixed".bold()
        )?;
    }
    let mut approved = Vec::new();
    if reviewed.approved > 0 {
        for agent in ["support-agent --flawed", "support-agent"] {
            approved.push(stages.run_approved(agent).await?);
        }
    }
    if !args.json {
        output::write_runs(Format::Table, &engine, actor, &approved, &mut out).await?;
        writeln!(
            out,
            "\n{}",
            "5 · A suite of your own against an agent that is flawed on purpose".bold()
        )?;
    }
    let flawed = stages.run("story-agent --flawed").await?;
    if !args.json {
        output::write_runs(
            Format::Table,
            &engine,
            actor,
            std::slice::from_ref(&flawed),
            &mut out,
        )
        .await?;
        writeln!(
            out,
            "\n{}",
            "6 · The same suite against the agent that was fixed".bold()
        )?;
    }
    let fixed = stages.run("story-agent").await?;
    if !args.json {
        output::write_runs(
            Format::Table,
            &engine,
            actor,
            std::slice::from_ref(&fixed),
            &mut out,
        )
        .await?;
        writeln!(out, "\n{}", "7 · Did it get better, or was it chance?".bold())?;
    }
    let comparison = engine
        .compare(actor, flawed.report.run.id, fixed.report.run.id)
        .await?;
    if !args.json {
        output::write_comparison(ComparisonFormat::Table, &comparison, &mut out)?;
        writeln!(
            out,
            "\n{}",
            "8 · The prompt of the flawed agent is evolved, and a gate decides what becomes live".bold()
        )?;
    }
    let sizes = folder.join("stories-in-three-sizes.json");
    std::fs::write(&sizes, demo::in_three_sizes()?.to_string())
        .with_context(|| format!("cannot write {}", sizes.display()))?;
    let evolved = evolve::run(&engine, user, stop, || {
        request(
            SuiteChoice::File(sizes.clone()),
            Some("user-story"),
            ("story-agent --flawed", "story-template"),
        )
    })
    .await?;
    let account = engine.account(user).await?;
    engine.close().await;
    if args.json {
        writeln!(
            out,
            "{}",
            summary(
                &intake,
                &mined,
                (&reviewed, &approved),
                (&flawed, &fixed, &comparison),
                &evolved,
            )?
        )?;
    } else {
        evolved.write(&mut out)?;
        let whose = account.email.unwrap_or_else(|| user.to_string());
        write_next_steps(&mut out, &folder, &comparison, &whose)?;
    }
    Ok(if stop.is_cancelled() {
        Exit::Infrastructure
    } else {
        Exit::Passed
    })
}

/// Mines what the agents failed at, and what one did in the month before, by rules.
async fn mine(engine: &Engine, user: UserId, stop: &CancellationToken) -> anyhow::Result<MineReport> {
    let month = HistoryPlan {
        user,
        rows: 5_000,
        days: 30,
        until: None,
        random_seed: 0,
    };
    engine.write_history(month, stop, &|_| {}).await?;
    let request = MineRequest {
        user_id: user,
        since: time::OffsetDateTime::UNIX_EPOCH,
        triggered_by: TriggeredBy::Manual,
        mode: Mode::Store,
    };
    Ok(engine.mine(request, stop, |_| {}).await?)
}

struct Stages<'a> {
    engine: &'a Engine,
    actor: Actor,
    suite: PathBuf,
    stop: &'a CancellationToken,
}

impl Stages<'_> {
    /// The bundled stories against an agent of ours.
    async fn run(&self, agent: &str) -> anyhow::Result<FinishedRun> {
        let suite = SuiteChoice::File(self.suite.clone());
        self.execute(suite, Some("user-story"), (agent, "story-template"))
            .await
    }

    /// The approved tests against an agent of ours.
    async fn run_approved(&self, agent: &str) -> anyhow::Result<FinishedRun> {
        let tests = self.engine.approved_tests(self.actor).await?;
        let suite = SuiteChoice::Approved(tests.into());
        self.execute(suite, None, (agent, "support-script")).await
    }

    async fn execute(
        &self,
        suite: SuiteChoice,
        checks: Option<&str>,
        (agent, model): (&str, &str),
    ) -> anyhow::Result<FinishedRun> {
        let request = request(suite, checks, (agent, model))?;
        let planned = tokio::task::spawn_blocking(move || PlannedRun::plan(&request)).await??;
        let planned = planned
            .into_iter()
            .next()
            .context("the bundled suite makes one run")?;
        let progress = Progress::new();
        let report = self
            .engine
            .execute(self.actor, planned, self.stop, &|event| progress.show(event))
            .await;
        progress.clear();
        let report = report?;
        let gate = GATE.judge(&report, None);
        Ok(FinishedRun {
            report,
            gate,
            baseline: None,
        })
    }
}

/// A suite against an agent of ours.
fn request(
    suite: SuiteChoice,
    checks: Option<&str>,
    (agent, model): (&str, &str),
) -> anyhow::Result<RunRequest> {
    let ourselves = std::env::current_exe().context("cannot tell where this program is")?;
    Ok(RunRequest {
        suite,
        checks: checks.map(str::to_owned),
        target: TargetChoice::Persistent(format!("exec:{} {agent}", quoted(&ourselves))),
        trials: 1,
        concurrency: None,
        timeout: Duration::from_secs(10),
        judge: None,
        embedder: None,
        models: super::models()?,
        cache: CacheMode::Off,
        labels: Labels {
            name: Some(agent.to_owned()),
            model: Some(model.to_owned()),
            ..Labels::default()
        },
        resume: None,
    })
}

/// One word of a command line.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

fn summary(
    intake: &Intake,
    mined: &MineReport,
    (reviewed, approved): (&Reviewed, &[FinishedRun]),
    (flawed, fixed, comparison): (&FinishedRun, &FinishedRun, &Comparison),
    evolved: &Evolved,
) -> anyhow::Result<String> {
    let run = |finished: &FinishedRun| {
        let (tally, run) = (finished.report.tally, &finished.report.run);
        json!({ "id": run.id, "name": run.run_name, "tally": tally, "pass_rate": tally.pass_rate() })
    };
    let document = json!({
        "intake": intake.document(),
        "mining": mined,
        "review": reviewed.document(),
        "approved_runs": approved.iter().map(run).collect::<Vec<_>>(),
        "runs": [run(flawed), run(fixed)],
        "comparison": comparison,
        "evolution": evolved.document(),
    });
    Ok(serde_json::to_string_pretty(&document)?)
}

fn write_next_steps(
    out: &mut impl std::io::Write,
    folder: &Path,
    comparison: &Comparison,
    whose: &str,
) -> anyhow::Result<()> {
    let data = quoted(folder);
    writeln!(out, "\n{}", "Where to look next".bold())?;
    writeln!(
        out,
        "  pawl compare {} {} --data {data}",
        comparison.a.id, comparison.b.id
    )?;
    writeln!(
        out,
        "  pawl run {} --target 'exec:python3 your_agent.py' --checks user-story --baseline latest --data {data}",
        quoted(&folder.join("stories.json"))
    )?;
    writeln!(
        out,
        "  pawl user passwd {whose} --data {data}; pawl serve --data {data}    # all of it in a browser"
    )?;
    Ok(())
}
