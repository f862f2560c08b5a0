//! One module per command.

mod agents;
mod compare;
mod completions;
mod demo;
mod doctor;
mod draft;
mod evolve;
mod export;
mod import;
mod jobs;
mod key;
mod keys;
mod lineage;
mod man;
mod migrate;
mod mine;
mod online_checks;
mod prompt;
mod reference;
mod review;
mod run;
mod seed;
mod serve;
mod simulate;
mod user;
mod work;

use std::path::PathBuf;

use pawl_engine::evolve::Named;
use pawl_engine::mine::MiningModels;
use pawl_engine::{Clock, Engine, ModelSettings, Models, SuggestionStore};
use pawl_model::UserId;
use pawl_server::LogFormat;
use tokio_util::sync::CancellationToken;

use crate::cli::{Cli, Command, DatabaseArgs, TenantArgs};
use crate::config::{KeptIn, Settings};
use crate::exit::{Exit, Usage};

/// Does what the command line says; long work ends early when `stop` is cancelled.
pub(crate) async fn dispatch(cli: Cli, stop: &CancellationToken) -> anyhow::Result<Exit> {
    match cli.command {
        Command::Run(args) => run::run(*args, stop).await,
        Command::Compare(args) => compare::compare(args).await,
        Command::Demo(args) => demo::demo(args, stop).await,
        Command::Serve(args) => serve::serve(args, stop).await,
        Command::Work(args) => work::work(args, stop).await,
        Command::Jobs(command) => jobs::jobs(command).await,
        Command::Draft(args) => draft::draft(args).await,
        Command::Review(command) => review::review(command).await,
        Command::Evolve(args) => evolve::evolve(*args, stop).await,
        Command::Prompt(command) => prompt::prompt(command).await,
        Command::Promote(args) => prompt::promote(args).await,
        Command::Rollback(args) => prompt::rollback(args).await,
        Command::Lineage(args) => lineage::lineage(args).await,
        Command::Verify(args) => lineage::verify(args).await,
        Command::Mine(args) => mine::mine(args, stop).await,
        Command::Seed(args) => seed::seed(args, stop).await,
        Command::Simulate(args) => simulate::simulate(args, stop).await,
        Command::Export(command) => export::export(command).await,
        Command::Import(command) => import::import(command).await,
        Command::OnlineChecks(command) => online_checks::online_checks(command).await,
        Command::Doctor(args) => doctor::doctor(args).await,
        Command::Keys(args) => keys::keys(args).await,
        Command::User(command) => user::user(command).await,
        Command::Key(command) => key::key(command).await,
        Command::Migrate(args) => migrate::migrate(args).await,
        Command::Completions(args) => completions::completions(&args),
        Command::Man(args) => man::man(&args),
        Command::Reference(args) => reference::reference(&args),
        Command::StoryAgent(args) => agents::stories(&args),
        Command::SupportAgent(args) => agents::support(&args),
    }
}

/// The machine's clock: the one place where it is read.
fn machine_clock() -> Clock {
    Clock::new(machine_time)
}

#[expect(clippy::disallowed_methods, reason = "the binary gives the engine its clock")]
fn machine_time() -> time::OffsetDateTime {
    time::OffsetDateTime::now_utc()
}

/// Starts the log of a process that nobody watches, as `PAWL_LOG` and `RUST_LOG` have it.
fn start_logging() -> anyhow::Result<()> {
    let format = match std::env::var("PAWL_LOG").as_deref() {
        Ok("json") => LogFormat::Json,
        Err(_) | Ok("") => LogFormat::Text,
        Ok(other) => return Err(Usage(format!("PAWL_LOG={other}: only `json` is known")).into()),
    };
    pawl_server::start_logging(format).map_err(|error| Usage(format!("RUST_LOG: {error}")).into())
}

/// Models as the environment configures them.
pub(crate) fn models() -> anyhow::Result<Models> {
    let variable = |name: &str| std::env::var(name).ok();
    let settings = ModelSettings::from_variables(variable, machine_time);
    Ok(Models::new(settings.map_err(|error| Usage(error.to_string()))?))
}

/// The engine over the database that is configured.
async fn open(database: &DatabaseArgs) -> anyhow::Result<Engine> {
    open_configured(&Settings::resolve(database, None)?).await
}

async fn open_configured(settings: &Settings) -> anyhow::Result<Engine> {
    let url = settings.database_url.value.as_deref();
    // Only the embedded database needs the folder.
    let folder = if url.is_some() {
        PathBuf::new()
    } else {
        settings.data_folder()?
    };
    let suggestions = suggestion_store(settings)?;
    let engine = Engine::open(url, &folder, machine_clock()).await?;
    let models = mining_models(settings)?;
    engine
        .with_named(named(settings)?)
        .with_suggestions(suggestions)
        .with_mining_models(models)
        .with_auth(settings.auth())
        .map_err(|error| Usage(error.to_string()).into())
}

/// Where suggestions are kept, as it is configured.
fn suggestion_store(settings: &Settings) -> anyhow::Result<SuggestionStore> {
    match settings.suggestions.value {
        KeptIn::Database => Ok(SuggestionStore::Database),
        KeptIn::Firestore => {
            let variable = |name: &str| match name {
                "FIRESTORE_COLLECTION_PREFIX" => settings.collection_prefix.value.clone(),
                _ => std::env::var(name).ok(),
            };
            let store = SuggestionStore::in_firestore(variable, models()?.settings());
            store.map_err(|error| Usage(format!("{error} (suggestions.store = firestore)")).into())
        }
    }
}

/// What optimisations may name which are started from outside.
fn named(settings: &Settings) -> anyhow::Result<Named> {
    let Some(targets) = settings
        .evolve_targets
        .value
        .clone()
        .filter(|targets| !targets.0.is_empty())
    else {
        return Ok(Named::default());
    };
    let suites = settings.evolve_suites.value.clone();
    let named = Named::new(targets.0, suites, models()?);
    named.map_err(|error| Usage(format!("{error} (evolve.targets)")).into())
}

/// The models that mining asks, as they are configured.
fn mining_models(settings: &Settings) -> anyhow::Result<MiningModels> {
    let extractor = settings.mining_model.value.as_ref();
    let embedder = settings.embedding_model.value.as_ref();
    if extractor.or(embedder).is_none() {
        return Ok(MiningModels::default());
    }
    let models = models()?;
    let named = MiningModels::named(&models, extractor, embedder);
    Ok(MiningModels {
        max_cost: settings.mining_max_cost.value,
        ..named.map_err(|error| Usage(error.to_string()))?
    })
}

/// Opens the database, and looks up whose data is meant.
async fn open_for(args: &TenantArgs) -> anyhow::Result<(Engine, UserId)> {
    let engine = open(&args.database).await?;
    let user = tenant(&engine, args).await?;
    Ok((engine, user))
}

/// Whose data is meant; before there is a user there is none.
async fn tenant(engine: &Engine, args: &TenantArgs) -> anyhow::Result<UserId> {
    match engine.actor(args.user.as_deref()).await?.tenant() {
        Some(user) => Ok(user),
        None => Err(Usage("there is no user yet: add one by `pawl user add EMAIL`".to_owned()).into()),
    }
}
