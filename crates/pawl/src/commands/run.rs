//! `pawl run`.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::PathBuf;

use anyhow::Context as _;
use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{Gate, GateOutcome, Labels, PlannedRun, RunReport, RunRequest, TargetChoice};
use pawl_engine::{Actor, Engine};
use tokio_util::sync::CancellationToken;

use crate::cli::{Baseline, RunArgs};
use crate::exit::{Exit, Usage};
use crate::output::{self, FinishedRun, Format};
use crate::progress::Progress;

/// Executes the suites, one run after the other, and gates on all of them.
pub async fn run(args: RunArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    refuse_odd_suites(&args)?;
    let planned = plan(&args).await?;
    let file = args.output.as_ref().map(|path| open_output(path)).transpose()?;
    let engine = super::open(&args.database).await?;
    let actor = engine.actor(args.user.user.as_deref()).await?;
    let baseline = known_baseline(&engine, actor, args.baseline).await?;

    let mut finished = Vec::new();
    for planned in planned {
        if stop.is_cancelled() {
            break;
        }
        finished.push(execute(&engine, actor, &args, planned, stop, baseline).await?);
    }
    print(&engine, actor, &args, file, &finished).await?;
    engine.close().await;
    Ok(finished.iter().map(|run| exit_of(&run.gate)).max().unwrap_or(Exit::Infrastructure))
}

fn refuse_odd_suites(args: &RunArgs) -> anyhow::Result<()> {
    if args.suites.iter().any(|suite| suite.as_os_str() == "approved" && !suite.exists()) {
        return Err(Usage("the suite `approved` is not available yet: name a file".to_owned()).into());
    }
    if args.resume.is_some() && args.suites.len() > 1 {
        return Err(Usage("--resume goes with one suite".to_owned()).into());
    }
    Ok(())
}

/// Reads every suite before anything is written.
async fn plan(args: &RunArgs) -> anyhow::Result<Vec<PlannedRun>> {
    let target = match (&args.outputs, &args.target) {
        (Some(outputs), _) => TargetChoice::Recorded(outputs.clone()),
        (None, Some(target)) if args.persistent => TargetChoice::Persistent(target.clone()),
        (None, Some(target)) => TargetChoice::Named(target.clone()),
        (None, None) => TargetChoice::OfSuite,
    };
    let mut planned = Vec::new();
    for suite in &args.suites {
        let request = RunRequest {
            suite: suite.clone(),
            checks: args.checks.clone(),
            target: target.clone(),
            trials: args.trials,
            concurrency: args.concurrency,
            timeout: args.timeout,
            labels: Labels {
                name: args.name.clone(),
                dataset_version: args.dataset_version.clone(),
                model: args.model.clone(),
                prompt_version: args.prompt_version.clone(),
            },
            resume: args.resume,
        };
        planned.extend(tokio::task::spawn_blocking(move || PlannedRun::plan(&request)).await??);
    }
    Ok(planned)
}

/// A baseline that is named must be there before the run starts.
async fn known_baseline(
    engine: &Engine,
    actor: Actor,
    baseline: Option<Baseline>,
) -> anyhow::Result<Option<Baseline>> {
    if let Some(Baseline::Run(id)) = baseline {
        engine.run(actor, id).await.context("cannot compare with the baseline")?;
    }
    Ok(baseline)
}

async fn execute(
    engine: &Engine,
    actor: Actor,
    args: &RunArgs,
    planned: PlannedRun,
    stop: &CancellationToken,
    baseline: Option<Baseline>,
) -> anyhow::Result<FinishedRun> {
    let progress = Progress::new();
    let report = engine.execute(actor, planned, stop, &|event| progress.show(event)).await;
    progress.clear();
    let report = report?;
    let baseline = compare(engine, actor, &report, baseline).await?;
    let gate = Gate { min_pass_rate: args.min_pass_rate, min_coverage: args.min_coverage };
    let gate = gate.judge(&report, baseline.as_ref());
    Ok(FinishedRun { report, gate, baseline })
}

async fn compare(
    engine: &Engine,
    actor: Actor,
    report: &RunReport,
    baseline: Option<Baseline>,
) -> anyhow::Result<Option<Comparison>> {
    let baseline = match baseline {
        None => return Ok(None),
        Some(Baseline::Run(id)) => id,
        Some(Baseline::Latest) => match engine.latest_run(actor, &report.run).await? {
            Some(id) => id,
            None => {
                let suite = report.run.suite.as_deref().unwrap_or_default();
                let _ = writeln!(anstream::stderr(), "no earlier completed run of {suite}: this is the first baseline");
                return Ok(None);
            }
        },
    };
    Ok(Some(engine.compare(actor, baseline, report.run.id).await?))
}

fn open_output(path: &PathBuf) -> anyhow::Result<File> {
    File::create(path).map_err(|error| Usage(format!("cannot write {}: {error}", path.display())).into())
}

/// The result goes where it was asked for; what a person wants to see of it goes to the terminal in any case.
async fn print(
    engine: &Engine,
    actor: Actor,
    args: &RunArgs,
    file: Option<File>,
    finished: &[FinishedRun],
) -> anyhow::Result<()> {
    let mut stdout = anstream::stdout().lock();
    match file {
        Some(file) => {
            let mut writer = BufWriter::new(anstream::StripStream::new(file));
            output::write_runs(args.format, engine, actor, finished, &mut writer).await?;
            writer.flush()?;
            output::write_runs(Format::Table, engine, actor, finished, &mut stdout).await?;
        }
        None => output::write_runs(args.format, engine, actor, finished, &mut stdout).await?,
    }
    stdout.flush()?;
    Ok(())
}

const fn exit_of(gate: &GateOutcome) -> Exit {
    match gate {
        GateOutcome::Passed => Exit::Passed,
        GateOutcome::Failed(_) => Exit::GateFailed,
        GateOutcome::Uncovered(_) => Exit::Infrastructure,
    }
}
