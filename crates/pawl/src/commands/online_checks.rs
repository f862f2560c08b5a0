//! `pawl online-checks`.

use std::io::Write as _;

use pawl_engine::EngineError;

use crate::cli::{OnlineChecksArgs, OnlineChecksCommand, OnlineChecksSetArgs};
use crate::exit::{Exit, Usage};

/// Sets, shows and clears what scores arriving traces.
pub(crate) async fn online_checks(command: OnlineChecksCommand) -> anyhow::Result<Exit> {
    match command {
        OnlineChecksCommand::Set(args) => set(args).await,
        OnlineChecksCommand::Show(args) => show(args).await,
        OnlineChecksCommand::Clear(args) => clear(args).await,
    }
}

async fn set(args: OnlineChecksSetArgs) -> anyhow::Result<Exit> {
    let file = args.file.display();
    let text =
        std::fs::read_to_string(&args.file).map_err(|error| Usage(format!("cannot read {file}: {error}")))?;
    let (engine, user) = super::open_for(&args.tenant).await?;
    match engine.set_online_checks(user, Some(text)).await {
        // The text is kept without the name of its file.
        Err(EngineError::Policy { problem }) => {
            let problem = problem.replacen("online checks", &file.to_string(), 1);
            return Err(Usage(problem).into());
        }
        set => set?,
    }
    engine.close().await;
    writeln!(
        anstream::stderr(),
        "traces that arrive from now on are scored by {file}"
    )?;
    Ok(Exit::Passed)
}

async fn show(args: OnlineChecksArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let today = engine.policy_today(user).await?;
    engine.close().await;
    match today.and_then(|today| today.policy.online_checks) {
        Some(checks) => write!(anstream::stdout(), "{checks}")?,
        None => writeln!(anstream::stderr(), "there are none: no trace is scored")?,
    }
    Ok(Exit::Passed)
}

async fn clear(args: OnlineChecksArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    engine.set_online_checks(user, None).await?;
    engine.close().await;
    writeln!(anstream::stderr(), "no trace that arrives from now on is scored")?;
    Ok(Exit::Passed)
}
