//! What is to be run: everything that can be refused is refused here, before a row is written.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use pawl_model::{Json, Run, RunId, RunStatus};
use pawl_providers::{CommandContract, ModelOptions, Models, Target, TargetSettings, TargetSpec};
use serde_json::{Value, json};

use super::cache::CacheMode;
use super::judge::Judges;
use super::outputs::RecordedOutputs;
use super::suite::{ContentDigest, Dataset, Suite, SuiteError, Variant, approved};
use crate::review::approved::ApprovedTest;
use crate::{Clock, EngineError};

/// Rows of a run are counted in a 32-bit column.
const MAX_ROWS: u64 = i32::MAX as u64;

/// What somebody wants to run.
#[derive(Clone, Debug)]
pub struct RunRequest {
    /// The suite.
    pub suite: SuiteChoice,
    /// Checks for every case besides those of the suite: a preset or a file.
    pub checks: Option<String>,
    /// What produces the outputs.
    pub target: TargetChoice,
    /// How often each case is run.
    pub trials: u16,
    /// How many cases are under way at once; absent: 8 for targets that are waited for, more for those that are not.
    pub concurrency: Option<NonZeroUsize>,
    /// How long a target may take for one case.
    pub timeout: Duration,
    /// The model that judges where a check names none, in place of what the suite names.
    pub judge: Option<String>,
    /// The model that turns texts into vectors where neither a check nor the suite names one.
    pub embedder: Option<String>,
    /// How models are reached.
    pub models: Models,
    /// Whether what models and endpoints answered before is used.
    pub cache: CacheMode,
    /// What the run says of itself.
    pub labels: Labels,
    /// The run to go on with.
    pub resume: Option<RunId>,
}

/// Where a suite comes from.
#[derive(Clone, Debug)]
pub enum SuiteChoice {
    /// A file.
    File(PathBuf),
    /// The tests that were approved.
    Approved(Arc<[ApprovedTest]>),
}

impl From<PathBuf> for SuiteChoice {
    fn from(file: PathBuf) -> Self {
        Self::File(file)
    }
}

impl SuiteChoice {
    /// What it is named by where no file has that name: the tests that were approved.
    pub const APPROVED: &str = approved::NAME;

    /// As it is named.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Approved(_) => Self::APPROVED.to_owned(),
        }
    }

    pub(crate) fn load(&self, checks: Option<&str>) -> Result<Suite, SuiteError> {
        match self {
            Self::File(path) => Suite::load(path, checks),
            Self::Approved(tests) => Suite::approved(tests, checks),
        }
    }

    /// Where commands that it names run, as promptfoo has it: where the file is.
    fn folder(&self) -> Option<&Path> {
        let Self::File(path) = self else { return None };
        path.parent().filter(|folder| !folder.as_os_str().is_empty())
    }
}

/// What produces the outputs.
#[derive(Clone, Debug)]
pub enum TargetChoice {
    /// What the suite names.
    OfSuite,
    /// A target in place of what the suite names.
    Named(String),
    /// A command in place of what the suite names, whose processes live on from case to case.
    Persistent(String),
    /// Outputs that were recorded before.
    Recorded(PathBuf),
}

/// What a run says of itself.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    /// `run_name`; absent: the suite's name.
    pub name: Option<String>,
    /// `dataset_version`; absent: the suite's version, else the start of its data set's hash.
    pub dataset_version: Option<String>,
    /// `model`.
    pub model: Option<String>,
    /// `prompt_version`; absent: the label of the suite's prompt.
    pub prompt_version: Option<String>,
}

/// One run, ready to start.
pub struct PlannedRun {
    pub(crate) suite: Arc<Suite>,
    pub(crate) variant: Variant,
    pub(crate) dataset: Dataset,
    pub(crate) source: Source,
    pub(crate) judges: Arc<Judges>,
    pub(crate) target: String,
    /// The model that is the target.
    pub(crate) model: Option<String>,
    pub(crate) cache: CacheMode,
    /// What answers of the target depend on beside the request; none where they are not kept.
    pub(crate) basis: Option<ContentDigest>,
    pub(crate) trials: u16,
    pub(crate) concurrency: usize,
    pub(crate) timeout: Duration,
    pub(crate) labels: Labels,
    pub(crate) resume: Option<RunId>,
}

/// Where outputs come from.
pub(crate) enum Source {
    Target(Arc<Target>),
    Recorded(Box<RecordedOutputs>),
}

impl PlannedRun {
    /// Loads a suite, reads all of it once, and makes its targets: one planned run for each pair of prompt and target
    /// that it names.
    ///
    /// # Errors
    /// Naming the first thing that is wrong, with its place.
    pub fn plan(request: &RunRequest) -> Result<Vec<Self>, EngineError> {
        let suite = Arc::new(request.suite.load(request.checks.as_deref())?);
        // Cases and outputs are all read once before anything is run, side by side.
        let (dataset, outputs) = thread::scope(|scope| {
            let outputs = match &request.target {
                TargetChoice::Recorded(path) => Some(scope.spawn(|| RecordedOutputs::check(path))),
                _ => None,
            };
            (suite.scan(), outputs.map(thread::ScopedJoinHandle::join))
        });
        let dataset = dataset?;
        outputs.map_or(Ok(()), |checked| {
            checked.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        if dataset.cases.saturating_mul(u64::from(request.trials)) > MAX_ROWS {
            return Err(EngineError::TooManyRows {
                cases: dataset.cases,
                trials: request.trials,
                limit: MAX_ROWS,
            });
        }
        let judges = Arc::new(Judges::find(request, &suite, &dataset.needs)?);
        let variants = match &request.target {
            TargetChoice::OfSuite => suite.variants(),
            _ => suite.variants_without_targets(),
        };
        if request.resume.is_some() && variants.len() > 1 {
            return Err(EngineError::ResumeOfSeveral {
                suite: suite.name().to_owned(),
                count: variants.len(),
            });
        }
        variants
            .into_iter()
            .map(|variant| {
                let found = FoundSource::of(request, &suite, &variant)?;
                Ok(Self {
                    suite: Arc::clone(&suite),
                    dataset: dataset.clone(),
                    source: found.source,
                    judges: Arc::clone(&judges),
                    target: found.shown,
                    model: found.model,
                    cache: request.cache,
                    basis: found.basis,
                    trials: request.trials,
                    concurrency: request.concurrency.unwrap_or(found.concurrency).get(),
                    timeout: request.timeout,
                    labels: request.labels.clone(),
                    resume: request.resume,
                    variant,
                })
            })
            .collect()
    }

    /// The run's row as it starts.
    pub(crate) fn describe(&self, id: RunId, clock: &Clock) -> Run {
        let labels = &self.labels;
        Run {
            id,
            created_at: clock.now(),
            run_name: labels.name.clone().or_else(|| Some(self.suite.name().to_owned())),
            dataset_version: self.dataset_version(),
            model: labels.model.clone().or_else(|| self.model.clone()),
            prompt_version: labels
                .prompt_version
                .clone()
                .or_else(|| self.variant.prompt_label()),
            total_cases: 0,
            passed_cases: 0,
            failed_cases: 0,
            status: RunStatus::Running,
            completed_at: None,
            error: None,
            user_id: None,
            suite: Some(self.suite.name().to_owned()),
            target: Some(self.target.clone()),
            suite_hash: Some(self.suite.hash().to_owned()),
            dataset_hash: Some(self.dataset.hash.clone()),
            settings: Json::from_serialize(&self.settings()).ok(),
        }
    }

    fn settings(&self) -> Value {
        let mut settings = json!({
            "trials": self.trials,
            "concurrency": self.concurrency,
            "timeout_s": self.timeout.as_secs_f64(),
        });
        let judges = self.judges.names();
        if !judges.is_empty() {
            settings["judges"] = json!(judges);
        }
        if self.cache != CacheMode::Off {
            settings["cache"] = json!(self.cache.as_str());
        }
        settings
    }

    fn dataset_version(&self) -> String {
        let version = self
            .labels
            .dataset_version
            .as_deref()
            .or_else(|| self.suite.version());
        version.unwrap_or(&self.dataset.hash[..12]).to_owned()
    }

    /// Refuses to go on with a run under anything that would make its rows mean something else.
    pub(crate) fn refuse_if_different(&self, run: &Run, clock: &Clock) -> Result<(), EngineError> {
        let planned = self.describe(run.id, clock);
        let trials = |settings: &Option<Json>| {
            settings
                .as_ref()
                .and_then(|json| json.to_value().get("trials").map(ToString::to_string))
        };
        let short = |hash: Option<String>| hash.map(|hash| hash.chars().take(12).collect::<String>());
        for (what, was, is) in [
            (
                "data set",
                short(run.dataset_hash.clone()),
                short(planned.dataset_hash),
            ),
            ("suite", short(run.suite_hash.clone()), short(planned.suite_hash)),
            ("target", run.target.clone(), planned.target),
            (
                "number of trials",
                trials(&run.settings),
                trials(&planned.settings),
            ),
        ] {
            if was != is {
                let shown = |side: Option<String>| side.unwrap_or_else(|| "none".to_owned());
                return Err(EngineError::ResumeDiffers {
                    id: run.id,
                    what,
                    was: shown(was),
                    is: shown(is),
                });
            }
        }
        Ok(())
    }

    /// How many rows the run will have.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.dataset.cases * self.trials as u64
    }
}

/// Targets that are waited for: a person's machine and most endpoints take this without complaint.
const WAITED_FOR: NonZeroUsize = NonZeroUsize::new(8).expect("8 is not 0");
/// Targets that answer at once: as many as two commits take.
const AT_ONCE: NonZeroUsize = NonZeroUsize::new(2_048).expect("2,048 is not 0");

/// Where the outputs of one variant come from.
pub(crate) struct FoundSource {
    pub(crate) source: Source,
    pub(crate) shown: String,
    model: Option<String>,
    basis: Option<ContentDigest>,
    /// How many cases are under way at once where nobody says.
    concurrency: NonZeroUsize,
}

impl FoundSource {
    pub(crate) fn of(request: &RunRequest, suite: &Suite, variant: &Variant) -> Result<Self, EngineError> {
        let (text, contract, directory) = match &request.target {
            TargetChoice::Recorded(path) => {
                let outputs = RecordedOutputs::open(path)?;
                return Ok(Self {
                    source: Source::Recorded(Box::new(outputs)),
                    shown: format!("outputs:{}", path.display()),
                    model: None,
                    basis: None,
                    concurrency: AT_ONCE,
                });
            }
            TargetChoice::Named(text) => (text.clone(), CommandContract::PerCase, None),
            TargetChoice::Persistent(text) => (text.clone(), CommandContract::Persistent, None),
            TargetChoice::OfSuite => match &variant.target {
                Some(provider) => {
                    let folder = request.suite.folder();
                    let contract = CommandContract::Promptfoo {
                        options: provider.options.clone(),
                    };
                    (provider.id.clone(), contract, folder.map(Path::to_owned))
                }
                None => {
                    return Err(EngineError::NoTarget {
                        suite: suite.name().to_owned(),
                    });
                }
            },
        };
        let spec = TargetSpec::parse(&text)?;
        let concurrency = if spec.answers_at_once() {
            AT_ONCE
        } else {
            WAITED_FOR
        };
        let of_suite = variant.target.as_ref();
        let settings = TargetSettings {
            timeout: request.timeout,
            concurrency: request.concurrency.unwrap_or(concurrency),
            contract,
            directory,
            models: request.models.clone(),
            model: of_suite.map_or_else(ModelOptions::default, |provider| provider.model.clone()),
        };
        let target = Target::new(&spec, &settings)?;
        Ok(Self {
            source: Source::Target(Arc::new(target)),
            shown: spec.to_string(),
            model: spec.model().map(ToString::to_string),
            basis: spec.is_cacheable().then(|| basis(&spec, &settings)),
            concurrency,
        })
    }
}

/// The target as far as its answers depend on it.
fn basis(spec: &TargetSpec, settings: &TargetSettings) -> ContentDigest {
    let mut digest = ContentDigest::default();
    digest.text("target");
    digest.text(&spec.to_string());
    let address = spec
        .model()
        .map(|model| settings.models.settings().address(model.provider()));
    digest.maybe_text(address.as_deref());
    let ModelOptions {
        temperature,
        max_output_tokens,
        schema,
        base_url,
    } = &settings.model;
    digest.maybe_number(*temperature);
    digest.maybe_number(max_output_tokens.map(f64::from));
    digest.value(schema.as_ref().map_or(&Value::Null, |schema| &schema.schema));
    digest.maybe_text(base_url.as_deref());
    digest
}
