//! `pawl doctor`.

mod examination;

use std::fmt::Display;
use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use pawl_engine::Provider;
use pawl_engine::auth::SecretString;
use serde::Serialize;

use self::examination::{Check, CheckState, examine};
use crate::cli::DoctorArgs;
use crate::config::{Setting, Settings};
use crate::exit::Exit;

/// Prints what is configured and how the database is; the exit code is that of the first thing that is wrong.
pub(crate) async fn doctor(args: DoctorArgs) -> anyhow::Result<Exit> {
    let settings = Settings::resolve(&args.database, None)?;
    let (checks, exit) = examine(&settings).await;
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        file: settings.file.as_ref().map(|path| path.display().to_string()),
        settings: [shown(&settings), shown_models()?].concat(),
        checks,
    };
    let mut stdout = anstream::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut stdout, &report).map_err(io::Error::from)?;
        writeln!(stdout)?;
    } else {
        report.write(&mut stdout)?;
    }
    stdout.flush()?;
    Ok(exit)
}

/// What was found.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    file: Option<String>,
    settings: Vec<Shown>,
    checks: Vec<Check>,
}

/// A setting, fit to be shown.
#[derive(Clone, Serialize)]
struct Shown {
    name: &'static str,
    value: String,
    origin: String,
}

impl Shown {
    fn new<T>(name: &'static str, setting: &Setting<T>, value: &dyn Display) -> Self {
        Self {
            name,
            value: value.to_string(),
            origin: setting.origin.to_string(),
        }
    }

    fn secret(name: &'static str, setting: &Setting<Option<SecretString>>) -> Self {
        let value = if setting.value.is_some() {
            "***"
        } else {
            "kept with the data"
        };
        Self::new(name, setting, &value)
    }
}

fn shown(settings: &Settings) -> Vec<Shown> {
    let url = match (&settings.database_url.value, settings.location()) {
        (None, _) => "none: the embedded database".to_owned(),
        (Some(_), Ok(location)) => location.to_string(),
        (Some(_), Err(_)) => "not a database URL".to_owned(),
    };
    let data = settings
        .data
        .value
        .as_ref()
        .map_or("none".into(), |path| path.display().to_string());
    let suites = settings.evolve_suites.value.as_ref();
    let suites = suites.map_or("none".into(), |path| path.display().to_string());
    let reached = settings.url.value.as_deref().unwrap_or("none");
    let sign_up = format!("{:?}", settings.sign_up.value).to_lowercase();
    let timeout = settings.request_timeout.value.as_secs();
    vec![
        Shown::new("data", &settings.data, &data),
        Shown::new("database_url", &settings.database_url, &url),
        Shown::new("server.listen", &settings.listen, &settings.listen.value),
        Shown::new("server.url", &settings.url, &reached),
        Shown::new(
            "server.body_limit",
            &settings.body_limit,
            &settings.body_limit.value,
        ),
        Shown::new("server.request_timeout_s", &settings.request_timeout, &timeout),
        Shown::new(
            "server.concurrency",
            &settings.concurrency,
            &settings.concurrency.value,
        ),
        Shown::new(
            "server.trusted_proxies",
            &settings.trusted_proxies,
            &settings.trusted_proxies.value,
        ),
        Shown::new("auth.sign_up", &settings.sign_up, &sign_up),
        Shown::secret("auth.jwt_secret", &settings.jwt_secret),
        Shown::secret("auth.ingestion_secret", &settings.ingestion_secret),
        Shown::new(
            "mining.model",
            &settings.mining_model,
            &named(&settings.mining_model, "none: rules"),
        ),
        Shown::new(
            "mining.embedding_model",
            &settings.embedding_model,
            &named(&settings.embedding_model, "none: words"),
        ),
        Shown::new(
            "mining.max_cost_usd",
            &settings.mining_max_cost,
            &named(&settings.mining_max_cost, "2"),
        ),
        Shown::new(
            "evolve.targets",
            &settings.evolve_targets,
            &named(&settings.evolve_targets, "none"),
        ),
        Shown::new("evolve.suites", &settings.evolve_suites, &suites),
        Shown::new(
            "suggestions.store",
            &settings.suggestions,
            &settings.suggestions.value,
        ),
        Shown::new(
            "suggestions.collection_prefix",
            &settings.collection_prefix,
            &named(&settings.collection_prefix, "none"),
        ),
    ]
}

/// The providers of models, which variables of the environment configure.
fn shown_models() -> anyhow::Result<Vec<Shown>> {
    let models = super::models()?;
    let shown = |(provider, name, variables): (Provider, &'static str, &str)| Shown {
        name,
        value: (models.settings().shown(provider)).unwrap_or_else(|| "not configured".to_owned()),
        origin: variables.to_owned(),
    };
    let providers = [
        (Provider::OpenAi, "models.openai", "OPENAI_…"),
        (Provider::Google, "models.google", "GEMINI_…"),
        (Provider::Vertex, "models.vertex", "GOOGLE_…, VERTEX_…"),
        (Provider::Anthropic, "models.anthropic", "ANTHROPIC_…"),
        (Provider::Ollama, "models.ollama", "OLLAMA_HOST"),
    ];
    Ok(providers.map(shown).into())
}

/// A setting that may be left out.
fn named<T: Display>(setting: &Setting<Option<T>>, otherwise: &str) -> String {
    setting
        .value
        .as_ref()
        .map_or_else(|| otherwise.to_owned(), ToString::to_string)
}

impl Report {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "pawl {}", self.version)?;
        writeln!(
            out,
            "configuration file: {}\n",
            self.file.as_deref().unwrap_or("none")
        )?;
        let widest = |text: fn(&Shown) -> &str| {
            self.settings
                .iter()
                .map(|shown| text(shown).chars().count())
                .max()
        };
        let name_width = widest(|shown| shown.name).unwrap_or(0);
        let value_width = widest(|shown| &shown.value).unwrap_or(0);
        for Shown { name, value, origin } in &self.settings {
            writeln!(
                out,
                "{name:name_width$}  {value:value_width$}  {}",
                origin.dimmed()
            )?;
        }
        writeln!(out)?;
        for Check { name, state, detail } in &self.checks {
            let mark = match state {
                CheckState::Passed => "ok".green().to_string(),
                CheckState::Warning => "warning".yellow().to_string(),
                CheckState::Failed => "failed".red().to_string(),
            };
            writeln!(out, "{name}: {mark}, {detail}")?;
        }
        Ok(())
    }
}
