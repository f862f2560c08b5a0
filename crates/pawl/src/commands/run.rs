//! `pawl run`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use pawl_engine::review::approved::ApprovedTest;
use pawl_engine::run::compare::Comparison;
use pawl_engine::run::{
    Gate, GateOutcome, Labels, PlannedRun, RunReport, RunRequest, SuiteChoice, TargetChoice,
};
use pawl_engine::{Actor, Engine};
use tokio_util::sync::CancellationToken;

use crate::cli::{Baseline, RunArgs};
use crate::config::Settings;
use crate::exit::{Exit, Usage};
use crate::output::{self, FinishedRun, Format};
use crate::progress::Progress;

/// Executes the suites, one run after the other, and gates on all of them.
pub(crate) async fn run(args: RunArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    refuse_odd_suites(&args)?;
    // A suite that is wrong is told before there is a database; but the approved tests are in it.
    let opened = match args.suites.iter().any(|suite| is_approved(suite)) {
        true => Some(open(&args).await?),
        false => None,
    };
    let approved = match &opened {
        Some((engine, actor)) => Some(approved(engine, *actor).await?),
        None => None,
    };
    let planned = plan(&args, approved).await?;
    let file = args.output.as_deref().map(open_output).transpose()?;
    let (engine, actor) = match opened {
        Some(opened) => opened,
        None => open(&args).await?,
    };
    let session = Session {
        engine: &engine,
        actor,
        args: &args,
        stop,
    };
    session.refuse_unknown_baseline().await?;

    let mut finished = Vec::new();
    for planned in planned {
        if stop.is_cancelled() {
            break;
        }
        finished.push(session.execute(planned).await?);
    }
    session.print(file, &finished).await?;
    engine.close().await;
    Ok(finished
        .iter()
        .map(|run| exit_of(&run.gate))
        .max()
        .unwrap_or(Exit::Infrastructure))
}

fn refuse_odd_suites(args: &RunArgs) -> anyhow::Result<()> {
    if args.resume.is_some() && args.suites.len() > 1 {
        return Err(Usage("--resume goes with one suite".to_owned()).into());
    }
    Ok(())
}

async fn open(args: &RunArgs) -> anyhow::Result<(Engine, Actor)> {
    let engine = super::open(&args.tenant.database).await?;
    let actor = engine.actor(args.tenant.user.as_deref()).await?;
    Ok((engine, actor))
}

/// Whether a suite is that of the approved tests: a file of the name comes first.
pub(super) fn is_approved(suite: &Path) -> bool {
    suite.as_os_str() == SuiteChoice::APPROVED && !suite.exists()
}

pub(super) async fn approved(engine: &Engine, actor: Actor) -> anyhow::Result<Arc<[ApprovedTest]>> {
    let tests = engine.approved_tests(actor).await?;
    if tests.is_empty() {
        let message = "no test is approved yet: `pawl review list` shows what waits for it";
        return Err(Usage(message.to_owned()).into());
    }
    Ok(tests.into())
}

/// Reads every suite before anything is written.
async fn plan(args: &RunArgs, approved: Option<Arc<[ApprovedTest]>>) -> anyhow::Result<Vec<PlannedRun>> {
    let target = match (&args.outputs, &args.target) {
        (Some(outputs), _) => TargetChoice::Recorded(outputs.clone()),
        (None, Some(target)) if args.persistent => TargetChoice::Persistent(target.clone()),
        (None, Some(target)) => TargetChoice::Named(target.clone()),
        (None, None) => TargetChoice::OfSuite,
    };
    let models = super::models()?;
    let settings = Settings::resolve(&args.tenant.database, None)?;
    let embedder = settings.embedding_model.value.map(|model| model.to_string());
    let mut planned = Vec::new();
    for suite in &args.suites {
        let request = RunRequest {
            suite: match &approved {
                Some(tests) if is_approved(suite) => SuiteChoice::Approved(Arc::clone(tests)),
                _ => SuiteChoice::File(suite.clone()),
            },
            checks: args.checks.clone(),
            target: target.clone(),
            trials: args.trials,
            concurrency: args.concurrency,
            timeout: args.timeout,
            judge: args.judge.clone(),
            embedder: embedder.clone(),
            models: models.clone(),
            cache: args.cache.into(),
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

/// One command: whose data, and what was asked.
struct Session<'a> {
    engine: &'a Engine,
    actor: Actor,
    args: &'a RunArgs,
    stop: &'a CancellationToken,
}

impl Session<'_> {
    /// A baseline that is named must be there before the run starts.
    async fn refuse_unknown_baseline(&self) -> anyhow::Result<()> {
        if let Some(Baseline::Run(id)) = self.args.baseline {
            self.engine
                .run(self.actor, id)
                .await
                .context("cannot compare with the baseline")?;
        }
        Ok(())
    }

    async fn execute(&self, planned: PlannedRun) -> anyhow::Result<FinishedRun> {
        let progress = Progress::new();
        let report = self
            .engine
            .execute(self.actor, planned, self.stop, &|event| progress.show(event))
            .await;
        progress.clear();
        let report = report?;
        let baseline = self.compare(&report).await?;
        let gate = Gate {
            min_pass_rate: self.args.min_pass_rate,
            min_coverage: self.args.min_coverage,
        };
        let gate = gate.judge(&report, baseline.as_ref());
        Ok(FinishedRun {
            report,
            gate,
            baseline,
        })
    }

    async fn compare(&self, report: &RunReport) -> anyhow::Result<Option<Comparison>> {
        let baseline = match self.args.baseline {
            None => return Ok(None),
            Some(Baseline::Run(id)) => id,
            Some(Baseline::Latest) => match self.engine.latest_run(self.actor, &report.run).await? {
                Some(id) => id,
                None => {
                    let suite = report.run.suite.as_deref().unwrap_or_default();
                    writeln!(
                        anstream::stderr(),
                        "no earlier completed run of {suite}: this is the first baseline"
                    )?;
                    return Ok(None);
                }
            },
        };
        Ok(Some(
            self.engine.compare(self.actor, baseline, report.run.id).await?,
        ))
    }

    /// The result goes where it was asked for; what a person wants to see of it goes to the terminal in any case.
    async fn print(&self, file: Option<File>, finished: &[FinishedRun]) -> anyhow::Result<()> {
        let format = match file {
            Some(file) => {
                let mut file = anstream::StripStream::new(file);
                output::write_runs(self.args.format, self.engine, self.actor, finished, &mut file).await?;
                Format::Table
            }
            None => self.args.format,
        };
        let mut stdout = anstream::stdout().lock();
        output::write_runs(format, self.engine, self.actor, finished, &mut stdout).await?;
        stdout.flush()?;
        Ok(())
    }
}

fn open_output(path: &Path) -> anyhow::Result<File> {
    File::create(path).map_err(|error| Usage(format!("cannot write {}: {error}", path.display())).into())
}

const fn exit_of(gate: &GateOutcome) -> Exit {
    match gate {
        GateOutcome::Passed => Exit::Passed,
        GateOutcome::Failed(_) => Exit::GateFailed,
        GateOutcome::Uncovered(_) => Exit::Infrastructure,
    }
}
