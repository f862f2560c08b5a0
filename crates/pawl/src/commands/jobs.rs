//! `pawl jobs`.

use std::io::Write as _;

use pawl_engine::Actor;
use pawl_engine::worker::ScheduleChange;

use crate::cli::{JobsCommand, JobsListArgs, JobsRetryArgs, ScheduleArgs, SchedulesArgs};
use crate::exit::{Exit, Usage};
use crate::output;

/// Shows the queue, and what a person may do about it.
pub(crate) async fn jobs(command: JobsCommand) -> anyhow::Result<Exit> {
    match command {
        JobsCommand::List(args) => list(args).await,
        JobsCommand::Retry(args) => retry(args).await,
        JobsCommand::Schedules(args) => schedules(args).await,
        JobsCommand::Schedule(args) => schedule(args).await,
    }
}

async fn list(args: JobsListArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let jobs = engine.jobs(Actor::Service, args.state, args.limit).await?;
    engine.close().await;
    output::write_jobs(&jobs, args.json, &mut anstream::stdout().lock())?;
    Ok(Exit::Passed)
}

async fn retry(args: JobsRetryArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let revived = engine.revive_job(args.id).await?;
    engine.close().await;
    if !revived {
        let message = format!(
            "there is no dead job {}, or one like it waits: `pawl jobs list --state dead` shows them",
            args.id
        );
        return Err(Usage(message).into());
    }
    writeln!(anstream::stderr(), "job {} is queued again", args.id)?;
    Ok(Exit::Passed)
}

async fn schedules(args: SchedulesArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.database).await?;
    let schedules = engine.schedules().await?;
    engine.close().await;
    output::write_schedules(&schedules, args.json, &mut anstream::stdout().lock())?;
    Ok(Exit::Passed)
}

async fn schedule(args: ScheduleArgs) -> anyhow::Result<Exit> {
    let change = ScheduleChange {
        enabled: match (args.on, args.off) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        every_seconds: args.every,
    };
    if change == ScheduleChange::default() {
        return Err(Usage("say what is to change: --every SECONDS, --on or --off".to_owned()).into());
    }
    let engine = super::open(&args.database).await?;
    let changed = engine.change_schedule(&args.name, change).await?;
    engine.close().await;
    if !changed {
        let message = format!(
            "there is no schedule `{}`: `pawl jobs schedules` shows them",
            args.name
        );
        return Err(Usage(message).into());
    }
    writeln!(anstream::stderr(), "schedule {} is changed", args.name)?;
    Ok(Exit::Passed)
}
