//! One module per command.

mod compare;
mod demo;
mod migrate;
mod run;
mod story_agent;

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pawl_engine::{Clock, Engine};
use tokio_util::sync::CancellationToken;

use crate::cli::{Cli, Command, DatabaseArgs};
use crate::exit::{Exit, Usage};

/// Does what the command line says; long work ends early when `stop` is cancelled.
pub(crate) async fn dispatch(cli: Cli, stop: &CancellationToken) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Run(args) => run::run(*args, stop).await,
        Command::Compare(args) => compare::compare(args).await,
        Command::Demo(args) => demo::demo(args, stop).await,
        Command::Migrate(args) => migrate::migrate(args).await,
        Command::StoryAgent(args) => story_agent::serve(&args),
    }
}

/// The machine's clock: the one place where it is read.
#[expect(clippy::disallowed_methods, reason = "the binary gives the engine its clock")]
fn machine_clock() -> Clock {
    Clock::new(time::OffsetDateTime::now_utc)
}

async fn open(database: &DatabaseArgs) -> anyhow::Result<Engine> {
    let url = database
        .database_url
        .clone()
        .or_else(|| std::env::var("DATABASE_URL").ok());
    // Only the embedded database needs the folder.
    let folder = if url.is_some() {
        PathBuf::new()
    } else {
        data_folder(database.data.as_deref())?
    };
    Ok(Engine::open(
        url.as_deref().filter(|url| !url.is_empty()),
        &folder,
        machine_clock(),
    )
    .await?)
}

/// The folder that was named, else the user's own for data of programs.
fn data_folder(named: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let variable = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let base = variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")));
    base.map(|base| base.join("pawl"))
        .ok_or_else(|| Usage("no home folder is known: name a folder by --data or PAWL_DATA_DIR".to_owned()))
        .context("cannot tell where the data is")
}
