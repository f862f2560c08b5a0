//! `pawl export`.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyhow::Context as _;
use pawl_engine::Actor;
use pawl_engine::intake::Zone;
use pawl_engine::intake::list::{InteractionFilter, search};

use crate::cli::{ExportCommand, ExportFormat, ExportInteractionsArgs};
use crate::exit::{Exit, Usage};
use crate::output::InteractionTable;

/// Writes what is stored.
pub(crate) async fn export(command: ExportCommand) -> anyhow::Result<Exit> {
    match command {
        ExportCommand::Interactions(args) => interactions(args).await,
        ExportCommand::Suite(args) => super::review::export(args).await,
    }
}

async fn interactions(args: ExportInteractionsArgs) -> anyhow::Result<Exit> {
    let (engine, user) = super::open_for(&args.tenant).await?;
    let policy = engine.policy_today(user).await?;
    let zone = Zone::named_or_utc(policy.as_ref().map_or("UTC", |today| &today.policy.timezone));
    let search = args.search.as_deref().map(search).unwrap_or_default();
    if args.search.is_some() {
        if search.is_empty() {
            return Err(Usage("--search has no word in it".to_owned()).into());
        }
        engine.catch_up().await?;
    }
    let filter = InteractionFilter {
        from: args.from.map(|day| zone.day_start(day)),
        until: args.until.map(|day| zone.next_midnight(zone.day_start(day))),
        any_flags: args.flags,
        least_score: args.min_score,
        most_score: args.max_score,
        search,
        ..InteractionFilter::default()
    };
    let out: Box<dyn Write + Send> = match &args.output {
        Some(path) => {
            Box::new(File::create(path).with_context(|| format!("cannot write {}", path.display()))?)
        }
        None => Box::new(io::stdout()),
    };
    let mut out = BufWriter::new(out);
    let mut count = 0_u64;
    let actor = Actor::Tenant(user);
    match args.format {
        ExportFormat::Jsonl => {
            engine
                .each_interaction(actor, user, &filter, |interaction| {
                    count += 1;
                    serde_json::to_writer(&mut out, &interaction)?;
                    out.write_all(b"\n")?;
                    Ok::<(), anyhow::Error>(())
                })
                .await?;
        }
        ExportFormat::Csv => {
            let mut table = InteractionTable::new(&mut out)?;
            engine
                .each_interaction(actor, user, &filter, |interaction| {
                    count += 1;
                    table.row(&interaction)
                })
                .await?;
            table.end()?;
        }
        ExportFormat::Otlp => {
            engine
                .each_interaction_as_otlp(actor, user, &filter, |document| {
                    count += 1;
                    writeln!(out, "{document}")?;
                    Ok::<(), anyhow::Error>(())
                })
                .await?;
        }
    }
    out.flush()?;
    engine.close().await;
    writeln!(anstream::stderr(), "{count} interactions")?;
    Ok(Exit::Passed)
}
