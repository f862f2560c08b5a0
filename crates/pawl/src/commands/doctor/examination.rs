//! How the database is, and what it stands on.

use std::path::Path;

use pawl_engine::worker::QueueCounts;
use pawl_engine::{DatabaseStatus, Engine, Location};
use serde::Serialize;

use crate::config::Settings;
use crate::exit::{self, Exit};

/// Free bytes below which a database may run out of space before anybody looks.
const LITTLE_SPACE: u64 = 1 << 30;

/// Something that was looked at.
#[derive(Serialize)]
pub(super) struct Check {
    pub(super) name: &'static str,
    pub(super) state: CheckState,
    pub(super) detail: String,
}

/// How it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum CheckState {
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

/// Looks at the database and what it stands on.
pub(super) async fn examine(settings: &Settings) -> (Vec<Check>, Exit) {
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
    if let Err(error) = super::super::suggestion_store(settings) {
        checks.push(Check::failed("suggestions", &error));
        return (checks, exit::of(&error));
    }
    let engine = match super::super::open_configured(settings).await {
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
