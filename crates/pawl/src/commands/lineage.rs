//! `pawl lineage` and `pawl verify`.

use crate::cli::{LineageArgs, VerifyArgs};
use crate::exit::{Exit, Usage};
use crate::output;

/// Shows what led to something, and what it led to.
pub(crate) async fn lineage(args: LineageArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let lineage = engine.lineage(user, &args.id).await?;
    engine.close().await;
    let lineage = lineage.ok_or_else(|| {
        Usage(format!(
            "`{}` has no place in the lineage: interactions enter when a pattern cites them, runs when they are finished, \
             candidates when they are decided about",
            args.id
        ))
    })?;
    let mut out = anstream::stdout().lock();
    match args.json {
        true => output::write_json(&serde_json::to_value(&lineage)?, &mut out)?,
        false => output::write_lineage(&lineage, args.all, &mut out)?,
    }
    Ok(Exit::Passed)
}

/// Verifies the chain, and the rows that it names.
pub(crate) async fn verify(args: VerifyArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let verified = engine.verify_lineage(user).await?;
    engine.close().await;
    let mut out = anstream::stdout().lock();
    match args.json {
        true => output::write_json(&serde_json::to_value(&verified)?, &mut out)?,
        false => output::write_verification(&verified, &mut out)?,
    }
    Ok(match verified.is_whole {
        true => Exit::Passed,
        false => Exit::GateFailed,
    })
}
