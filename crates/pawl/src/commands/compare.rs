//! `pawl compare`.

use std::io::Write as _;

use crate::cli::CompareArgs;
use crate::exit::Exit;
use crate::output::{self, ComparisonFormat};

/// Prints how two runs differ.
pub(crate) async fn compare(args: CompareArgs) -> anyhow::Result<Exit> {
    let engine = super::open(&args.tenant.database).await?;
    let actor = engine.actor(args.tenant.user.as_deref()).await?;
    let comparison = engine.compare(actor, args.a, args.b).await?;
    engine.close().await;
    let format = if args.json {
        ComparisonFormat::Json
    } else {
        ComparisonFormat::Table
    };
    let mut stdout = anstream::stdout().lock();
    output::write_comparison(format, &comparison, &mut stdout)?;
    stdout.flush()?;
    Ok(Exit::Passed)
}
