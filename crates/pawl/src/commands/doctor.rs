//! `pawl doctor`.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use owo_colors::OwoColorize as _;
use pawl_engine::auth::SecretString;
use pawl_engine::worker::QueueCounts;
use pawl_engine::{DatabaseStatus, Engine, Location, Provider};
use serde::Serialize;

use crate::cli::DoctorArgs;
use crate::config::{Setting, Settings};
use crate::exit::{self, Exit};

/// Free bytes below which a database may run out of space before anybody looks.
const LITTLE_SPACE: u64 = 1 << 30;

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

/// Something that was looked at.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    state: CheckState,
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum CheckState {
    Passed,
    Warning,
    Failed,
}

impl Check {
    fn new(name: &'static str, state: CheckState, detail: impl Into<String>) -> Self {
        Self {
            name,
            state,
            detail: detail.into(),
        }
    }

    fn passed(name: &'static str, detail: impl Into<String>) -> Self {
        Self::new(name, CheckState::Passed, detail)
    }

    fn failed(name: &'static str, error: &anyhow::Error) -> Self {
        Self::new(name, CheckState::Failed, exit::told(error).join(": "))
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

/// Looks at the database and what it stands on.
async fn examine(settings: &Settings) -> (Vec<Check>, Exit) {
    let mut checks = Vec::new();
    if let Ok(Location::Sqlite(path)) = settings.location()
        && !path.exists()
    {
        let detail = format!(
            "there is none at {} yet: `pawl serve` and `pawl run` make it",
            path.display()
        );
        checks.push(Check::new("database", CheckState::Warning, detail));
        return (checks, Exit::Passed);
    }
    if let Err(error) = super::suggestion_store(settings) {
        checks.push(Check::failed("suggestions", &error));
        return (checks, exit::of(&error));
    }
    let engine = match super::open_configured(settings).await {
        Ok(engine) => engine,
        Err(error) => {
            checks.push(Check::failed("database", &error));
            return (checks, exit::of(&error));
        }
    };
    let mut worst = Exit::Passed;
    match examine_database(&engine).await {
        Ok(found) => checks.extend(found),
        Err(error) => {
            worst = exit::of(&error);
            checks.push(Check::failed("database", &error));
        }
    }
    checks.push(suggestions(&engine).await);
    engine.close().await;
    if let Ok(Location::Sqlite(path)) = settings.location() {
        checks.extend(path.parent().and_then(free_space));
    }
    if checks.iter().any(|check| check.state == CheckState::Failed) {
        worst = worst.max(Exit::Infrastructure);
    }
    (checks, worst)
}

async fn examine_database(engine: &Engine) -> anyhow::Result<Vec<Check>> {
    let status = engine.database_status().await?;
    let mut checks = vec![
        Check::passed(
            "database",
            format!("{} {}, {}", status.kind, status.version, bytes(status.size)),
        ),
        Check::passed("schema", format!("version {}", status.schema)),
    ];
    checks.extend(row_level_security(&status));
    engine.keys().await?;
    checks.push(Check::passed(
        "keys",
        "the instance has its secrets; `pawl keys` prints its keys",
    ));
    checks.push(jobs(&engine.job_counts().await?));
    Ok(checks)
}

/// Where suggestions are, and whether that answers.
async fn suggestions(engine: &Engine) -> Check {
    match engine.ping_suggestions().await {
        Ok(place) => Check::passed("suggestions", place),
        Err(error) => Check::failed("suggestions", &error.into()),
    }
}

/// Jobs that were given up wait for a person.
fn jobs(counts: &QueueCounts) -> Check {
    let QueueCounts {
        queued,
        running,
        dead,
        ..
    } = counts;
    let detail = format!("{queued} wait, {running} are under way, {dead} were given up");
    match dead {
        0 => Check::passed("jobs", detail),
        _ => Check::new(
            "jobs",
            CheckState::Warning,
            format!("{detail}: `pawl jobs list --state dead` says why"),
        ),
    }
}

/// A role that could see past row level security is refused when the database is opened; tables can still lack it.
fn row_level_security(status: &DatabaseStatus) -> Option<Check> {
    let role = status.role.as_ref()?;
    Some(match &status.unprotected {
        None => Check::passed(
            "row level security",
            format!("holds for every table that `{role}` can read"),
        ),
        Some(tables) => Check::new(
            "row level security",
            CheckState::Failed,
            format!(
                "is off or not forced for {tables}: alter each table … enable row level security, force it too"
            ),
        ),
    })
}

#[cfg(unix)]
fn free_space(folder: &Path) -> Option<Check> {
    let about = rustix::fs::statvfs(folder).ok()?;
    let free = about.f_bavail.saturating_mul(about.f_frsize);
    let state = if free < LITTLE_SPACE {
        CheckState::Warning
    } else {
        CheckState::Passed
    };
    let free = bytes(i64::try_from(free).unwrap_or(i64::MAX));
    Some(Check::new(
        "free space",
        state,
        format!("{free} for {}", folder.display()),
    ))
}

#[cfg(not(unix))]
fn free_space(_: &Path) -> Option<Check> {
    None
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn bytes(count: i64) -> String {
    let mut size = count as f64;
    for unit in ["bytes", "KiB", "MiB", "GiB"] {
        if size < 1_024.0 {
            let places = usize::from(unit != "bytes");
            return format!("{size:.places$} {unit}");
        }
        size /= 1_024.0;
    }
    format!("{size:.1} TiB")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_were_given_up_are_a_warning() {
        let mut counts = QueueCounts {
            queued: 2,
            ..QueueCounts::default()
        };
        assert_eq!(jobs(&counts).state, CheckState::Passed);
        counts.dead = 1;
        let check = jobs(&counts);
        assert_eq!(check.state, CheckState::Warning);
        assert!(
            check
                .detail
                .contains("1 were given up: `pawl jobs list --state dead`"),
            "{}",
            check.detail
        );
    }

    #[test]
    fn sizes_are_shown_with_their_unit() {
        assert_eq!(bytes(1_023), "1023 bytes");
        assert_eq!(bytes(1_536), "1.5 KiB");
        assert_eq!(bytes(5 << 40), "5.0 TiB");
    }

    #[test]
    fn a_table_without_row_level_security_fails_the_check() {
        let mut status = DatabaseStatus {
            kind: "PostgreSQL",
            version: "15".to_owned(),
            schema: 2,
            size: 0,
            role: Some("pawl_app".to_owned()),
            unprotected: None,
        };
        assert!(row_level_security(&status).is_some_and(|check| check.state == CheckState::Passed));
        status.unprotected = Some("sb_eval_runs".to_owned());
        let check = row_level_security(&status).unwrap();
        assert!(check.state == CheckState::Failed && check.detail.contains("sb_eval_runs"));
        status.role = None;
        assert!(row_level_security(&status).is_none(), "SQLite has none");
    }
}
