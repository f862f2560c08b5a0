//! What may be named from outside: no caller says what is run, which host is asked, or which file is read.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use pawl_model::{Optimization, OptimizationStatus, UserId};
use pawl_providers::{ModelSpec, Models, TargetSpec};
use pawl_store::Actor;
use serde_json::Value;

use crate::run::{CacheMode, Labels, RunRequest, SuiteChoice, TargetChoice};
use crate::{Engine, EngineError};

/// Calls at once.
pub(super) const WORKERS: NonZeroUsize = NonZeroUsize::new(8).expect("8 is not 0");
/// How long a target may take for a case.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What may be named from outside, and what each name stands for.
#[derive(Clone, Debug, Default)]
pub struct Named {
    targets: BTreeMap<String, String>,
    suites: Option<PathBuf>,
    models: Option<Models>,
}

impl Named {
    /// With these targets, by name.
    ///
    /// # Errors
    /// When a name is none, or what it stands for is no target.
    pub fn new(
        targets: BTreeMap<String, String>,
        suites: Option<PathBuf>,
        models: Models,
    ) -> Result<Self, EngineError> {
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        for (name, target) in &targets {
            if name.is_empty() || name.len() > 100 || !name.chars().all(is_name) {
                return Err(refused(format!(
                    "`{name}` is no name for a target: up to 100 letters, digits, `.`, `_` and `-`"
                )));
            }
            TargetSpec::parse(target)?;
        }
        Ok(Self {
            targets,
            suites,
            models: Some(models),
        })
    }

    /// The names of targets.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.targets.keys().map(String::as_str)
    }

    /// Whether suites besides the approved tests may be named.
    #[must_use]
    pub const fn has_suites(&self) -> bool {
        self.suites.is_some()
    }

    /// The model that proposes texts where nobody says.
    #[must_use]
    pub fn default_reflector(&self) -> Option<ModelSpec> {
        self.models.as_ref()?.settings().default_chat()
    }

    pub(super) fn models(&self) -> Result<&Models, EngineError> {
        let models = self.models.as_ref();
        models.ok_or_else(|| {
            refused("this server has no target to try candidates with: PAWL_EVOLVE_TARGETS names them")
        })
    }

    /// The name of a target: the one that is given, or the only one.
    pub(super) fn target_name(&self, given: Option<&str>) -> Result<String, EngineError> {
        self.models()?;
        let known = || self.targets().collect::<Vec<_>>().join(", ");
        match given {
            Some(name) if self.targets.contains_key(name) => Ok(name.to_owned()),
            Some(name) => Err(refused(format!(
                "this server knows no target `{name}`; it knows {}",
                known()
            ))),
            None => match self.targets.len() {
                1 => Ok(self.targets().collect()),
                _ => Err(refused(format!("name a target: this server knows {}", known()))),
            },
        }
    }

    /// What a name stands for.
    pub(super) fn target(&self, name: &str) -> Result<TargetChoice, EngineError> {
        let name = self.target_name(Some(name))?;
        Ok(TargetChoice::Named(self.targets[&name].clone()))
    }

    /// The name by which a target is known that stands in a run of the command line.
    pub(super) fn name_of(&self, shown: &str) -> Option<&str> {
        let is_it = |target: &str| TargetSpec::parse(target).is_ok_and(|spec| spec.to_string() == shown);
        let found = self.targets.iter().find(|(_, target)| is_it(target));
        found.map(|(name, _)| name.as_str())
    }

    /// The file that a suite's name stands for: one below the folder, wherever links lead.
    pub(super) fn suite(&self, name: &str) -> Result<PathBuf, EngineError> {
        let unknown = || {
            refused(match self.suites {
                Some(_) => format!(
                    "there is no suite `{name}`: `approved`, or a file of the server's folder of suites"
                ),
                None => format!(
                    "there is no suite `{name}`: this server has the approved tests alone, as `approved`"
                ),
            })
        };
        let folder = self.suites.as_ref().ok_or_else(unknown)?;
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if name.is_empty() || name.contains('\0') || !Path::new(name).components().all(is_plain) {
            return Err(unknown());
        }
        let folder = folder.canonicalize().map_err(|_| unknown())?;
        let file = folder.join(name).canonicalize().map_err(|_| unknown())?;
        match file.starts_with(&folder) && file.is_file() {
            true => Ok(file),
            false => Err(unknown()),
        }
    }

    /// The name of a suite that a run of the command line had, where it is below the folder.
    pub(super) fn suite_name(&self, shown: &str) -> Option<String> {
        let folder = self.suites.as_ref()?.canonicalize().ok()?;
        let file = Path::new(shown).canonicalize().ok()?;
        Some(file.strip_prefix(folder).ok()?.to_str()?.to_owned())
    }

    /// An error without where the folder of suites is.
    pub(crate) fn told(&self, error: EngineError) -> EngineError {
        let folder = self.suites.as_ref().and_then(|folder| folder.canonicalize().ok());
        match (error, folder) {
            (error @ EngineError::Store(_), _) => error,
            (error, None) => refused(error.to_string()),
            (error, Some(folder)) => {
                refused(error.to_string().replace(&format!("{}/", folder.display()), ""))
            }
        }
    }
}

/// Whether an optimisation was begun by names, from outside.
pub(super) fn is_named(run: &Optimization) -> bool {
    run.config.to_value()["named"] == Value::Bool(true)
}

/// Whether somebody can have an optimisation go on from outside, when whoever stopped it is done.
#[must_use]
pub fn goes_on(run: &Optimization) -> bool {
    run.status == OptimizationStatus::Cancelled && is_named(run)
}

pub(super) fn refused(message: impl Into<String>) -> EngineError {
    EngineError::Evolution(message.into())
}

impl Engine {
    /// With what may be named from outside.
    #[must_use]
    pub fn with_named(mut self, named: Named) -> Self {
        self.named = Arc::new(named);
        self
    }

    /// What may be named from outside.
    #[must_use]
    pub fn named(&self) -> &Named {
        &self.named
    }

    /// What is run, of names.
    pub(crate) async fn named_run(
        &self,
        user: UserId,
        (target, suite): (&str, &str),
    ) -> Result<RunRequest, EngineError> {
        let suite = match suite {
            SuiteChoice::APPROVED => {
                let tests = self.approved_tests(Actor::Tenant(user)).await?;
                if tests.is_empty() {
                    return Err(refused("no test is approved yet"));
                }
                SuiteChoice::Approved(Arc::from(tests))
            }
            name => SuiteChoice::File(self.named.suite(name)?),
        };
        Ok(RunRequest {
            suite,
            checks: None,
            target: self.named.target(target)?,
            trials: 1,
            concurrency: Some(WORKERS),
            timeout: TIMEOUT,
            judge: None,
            embedder: None,
            models: self.named.models()?.clone(),
            cache: CacheMode::Off,
            labels: Labels::default(),
            resume: None,
        })
    }

    /// The names by which an optimisation is tried again, where its target and its suite have some: those that it has, and
    /// those that are given.
    pub(crate) fn names_of(
        &self,
        run: &Optimization,
        (target, suite): (Option<&str>, Option<&str>),
    ) -> Result<(String, String), EngineError> {
        let config = run.config.to_value();
        let is_named = is_named(run);
        let was = |member: &str| config[member].as_str().unwrap_or_default();
        let target = match (target, is_named) {
            (Some(name), _) => name.to_owned(),
            (None, true) => was("target").to_owned(),
            (None, false) => match self.named.name_of(was("target")) {
                Some(name) => name.to_owned(),
                None => {
                    return Err(refused(
                        "its optimisation had a target that this server has no name for: name one",
                    ));
                }
            },
        };
        let suite = match (suite, was("suite")) {
            (Some(name), _) => name.to_owned(),
            (None, name) if is_named || name == SuiteChoice::APPROVED => name.to_owned(),
            (None, shown) => self.named.suite_name(shown).ok_or_else(|| {
                refused(
                    "its optimisation had a suite that is not in this server's folder of suites: name one",
                )
            })?,
        };
        if !is_named && !config["checks"].is_null() {
            return Err(refused(
                "its optimisation had further checks: `pawl promote` compares with them",
            ));
        }
        Ok((self.named.target_name(Some(&target))?, suite))
    }

    /// What an optimisation ran that was started from outside; none of one that was not.
    ///
    /// # Errors
    /// When its names stand for nothing any more, or the database fails.
    pub async fn as_begun(
        &self,
        user: UserId,
        run: &Optimization,
    ) -> Result<Option<RunRequest>, EngineError> {
        if !is_named(run) {
            return Ok(None);
        }
        let (target, suite) = self.names_of(run, (None, None))?;
        self.named_run(user, (&target, &suite)).await.map(Some)
    }
}
