//! `pawl mine`.

use pawl_engine::mine::{MineRequest, Mode};
use pawl_model::TriggeredBy;
use tokio_util::sync::CancellationToken;

use crate::cli::{MineArgs, Since};
use crate::config::Settings;
use crate::exit::Exit;
use crate::output;
use crate::progress::Counter;

/// Mines what is failing, and says what came of it.
pub(crate) async fn mine(args: MineArgs, stop: &CancellationToken) -> anyhow::Result<Exit> {
    let mut settings = Settings::resolve(&args.tenant.database, None)?;
    settings.mining_model.or_given(args.model);
    settings.embedding_model.or_given(args.embedding_model);
    settings.mining_max_cost.or_given(args.max_cost);
    let engine = super::open_configured(&settings).await?;
    let request = MineRequest {
        user_id: super::tenant(&engine, &args.tenant).await?,
        since: match args.since {
            Since::Ago(ago) => super::machine_clock().now() - ago,
            Since::At(at) => at,
        },
        triggered_by: TriggeredBy::Manual,
        mode: match args.dry_run {
            true => Mode::DryRun,
            false => Mode::Store,
        },
    };
    let counter = Counter::new("failing interactions", None);
    let report = engine
        .mine(request, stop, |counts| counter.reach(counts.picked_up))
        .await;
    counter.clear();
    let report = report?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&serde_json::to_value(&report)?, &mut stdout)?;
    } else {
        output::write_mined(&report, &mut stdout)?;
    }
    Ok(match report.is_complete {
        true => Exit::Passed,
        false => Exit::Infrastructure,
    })
}
