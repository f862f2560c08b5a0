//! `pawl draft`.

use pawl_engine::Actor;
use pawl_engine::draft::{DraftRequest, Overwrite};
use pawl_engine::mine::Mode;
use pawl_model::TriggeredBy;

use crate::cli::DraftArgs;
use crate::exit::{Exit, Usage};
use crate::output;

/// Makes drafts, and says what came of them. An error of one is told and ends nothing.
pub(crate) async fn draft(args: DraftArgs) -> anyhow::Result<Exit> {
    let named = args.suggestions.len();
    if named > args.batch_size as usize {
        let size = args.batch_size;
        return Err(Usage(format!(
            "{named} suggestions are named, and --batch-size is {size}"
        ))
        .into());
    }
    let (engine, user_id) = super::open_for(&args.tenant).await?;
    // A batch passes over what is gone; what somebody names has to be there.
    for id in &args.suggestions {
        super::review::found(&engine, Actor::Tenant(user_id), id).await?;
    }
    let request = DraftRequest {
        user_id,
        suggestion_ids: Some(args.suggestions).filter(|ids| !ids.is_empty()),
        batch_size: args.batch_size,
        overwrite: match args.force_overwrite {
            true => Overwrite::Force,
            false => Overwrite::Keep,
        },
        mode: match args.dry_run {
            true => Mode::DryRun,
            false => Mode::Store,
        },
        triggered_by: TriggeredBy::Manual,
    };
    let report = engine.draft(&request).await?;
    engine.close().await;
    let mut stdout = anstream::stdout().lock();
    if args.json {
        output::write_json(&output::drafts_document(&report), &mut stdout)?;
    } else {
        output::write_drafts(&report, &mut stdout)?;
    }
    Ok(match report.run.error_count {
        0 => Exit::Passed,
        _ => Exit::Infrastructure,
    })
}
