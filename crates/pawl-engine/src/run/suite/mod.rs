//! Suites: what a run executes. A file goes in, cases come out, one at a time.
//!
//! [`Suite::load`] reads the file's settings, [`Suite::scan`] reads all cases once and refuses the suite if one of
//! them is bad, and [`Dataset::cases`] hands them out. Nothing but documents of YAML and JSON is held in memory; JSON
//! Lines and tables may be of any length. The formats are described in `docs/SUITES.md`.

pub(crate) mod approved;
mod case_spec;
mod check_list;
mod combinations;
mod config;
mod cursor;
mod dataset;
mod digest;
mod document;
mod error;
mod expected;
mod identity;
mod inputs;
mod json;
mod judges;
mod keys;
mod lines;
mod prompt;
mod provider;
mod rows;
mod source;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod yaml;

use std::path::Path;
use std::sync::Arc;

use pawl_checks::Grading;

use check_list::{Assert, PRESETS, SharedChecks};
use config::Configuration;
use cursor::{Cursor, Spot};
use dataset::Parts;
use document::{Document, display};
use source::Source;
use template::Templates;

use crate::review::approved::ApprovedTest;

pub use dataset::{Case, Cases, Dataset};
pub(crate) use digest::ContentDigest;
pub use error::{At, Place, SuiteError};
pub(crate) use judges::{NamedJudges, Need, Needs, Skill};
pub use prompt::{Prompt, Variant};
pub use provider::Provider;

/// A suite whose settings are read; its cases are still in their files.
pub struct Suite {
    name: String,
    version: Option<String>,
    hash: String,
    prompts: Vec<Arc<Prompt>>,
    providers: Vec<Provider>,
    file: Place,
    parts: Arc<Parts>,
}

impl Suite {
    /// Reads a suite. `checks` names further checks for every case: a preset, or a file with a list of checks.
    ///
    /// # Errors
    /// When a file cannot be read, is malformed, or asks for something that is not supported; the error names the
    /// place. Files of cases (JSON Lines, CSV) are not opened yet.
    pub fn load(path: &Path, checks: Option<&str>) -> Result<Self, SuiteError> {
        let configuration = Configuration::load(path)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        Self::of(configuration, (&stem, Place::file(display(path))), checks)
    }

    /// The approved tests as a suite.
    ///
    /// # Errors
    /// When `checks` cannot be read.
    pub fn approved(tests: &[ApprovedTest], checks: Option<&str>) -> Result<Self, SuiteError> {
        let configuration = Configuration {
            sources: vec![Source::cases(approved::cases(tests))],
            ..Configuration::default()
        };
        Self::of(
            configuration,
            (approved::NAME, Place::file(approved::NAME)),
            checks,
        )
    }

    fn of(
        configuration: Configuration,
        (name, file): (&str, Place),
        checks: Option<&str>,
    ) -> Result<Self, SuiteError> {
        let extra = checks.map_or_else(|| Ok(Vec::new()), load_checks)?;
        let mut templates = Templates::new();
        for prompt in &configuration.prompts {
            prompt.add_to(&mut templates)?;
        }
        let defaults = configuration.defaults;
        let checks = SharedChecks::new(
            defaults.asserts.clone(),
            defaults.threshold,
            extra,
            &mut templates,
        )?;
        let mut digest = ContentDigest::default();
        digest.count(configuration.prompts.len());
        configuration
            .prompts
            .iter()
            .for_each(|prompt| prompt.digest(&mut digest));
        checks.digest(&mut digest);
        let description = configuration
            .description
            .map(|description| description.trim().to_owned());
        Ok(Self {
            name: description
                .filter(|description| !description.is_empty())
                .unwrap_or_else(|| name.to_owned()),
            version: configuration.version,
            hash: digest.finish_hex(),
            prompts: configuration.prompts,
            providers: configuration.providers,
            file,
            parts: Arc::new(Parts {
                sources: configuration.sources.into(),
                defaults,
                checks,
                templates,
            }),
        })
    }

    /// The description, else the file's name without extension.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version that a file of inputs gives itself.
    #[must_use]
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// SHA-256, in hexadecimal, of what is the same for all cases: the prompts and the shared checks.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The runs that it makes, at least one: each prompt with each target, those of a target together.
    #[must_use]
    pub fn variants(&self) -> Vec<Variant> {
        if self.providers.is_empty() {
            return self.variants_without_targets();
        }
        let with_target = |target: &Provider| {
            let target = Some(target.clone());
            self.variants_without_targets()
                .into_iter()
                .map(move |variant| Variant {
                    target: target.clone(),
                    ..variant
                })
        };
        self.providers.iter().flat_map(with_target).collect()
    }

    /// The runs that it makes with a target from elsewhere: one for each prompt, at least one.
    #[must_use]
    pub fn variants_without_targets(&self) -> Vec<Variant> {
        let prompts: Vec<_> = match &self.prompts[..] {
            [] => vec![None],
            prompts => prompts.iter().cloned().map(Some).collect(),
        };
        prompts
            .into_iter()
            .map(|prompt| Variant { prompt, target: None })
            .collect()
    }

    /// Whom it names to judge.
    pub(crate) fn judges(&self) -> &NamedJudges {
        &self.parts.defaults.judges
    }

    /// Reads all cases once: counts and hashes them, and finds the first fault in any of them.
    ///
    /// # Errors
    /// When a case is bad, two have the same id, or there is none.
    pub fn scan(&self) -> Result<Dataset, SuiteError> {
        Dataset::scan(&self.parts, &self.prompts, self.file.clone())
    }
}

/// The checks of a preset, or of a file with a list of checks, as such or under `assert`.
fn load_checks(name: &str) -> Result<Vec<Assert>, SuiteError> {
    if let Some(spec) = check_list::preset(name) {
        let spot = Spot::Place(Place::file(name));
        return Ok(vec![Assert { spec, spot }]);
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(
            SuiteError::new(Place::file(name), "there is no preset and no file of this name")
                .with_help(format!("the presets are: {}", PRESETS.join(", "))),
        );
    }
    let document = Arc::new(Document::read(path)?);
    let checks = read_checks(&document)?;
    if checks.is_empty() {
        return Err(SuiteError::new(
            Place::file(name),
            "there are no checks in this file",
        ));
    }
    Ok(checks)
}

fn read_checks(document: &Arc<Document>) -> Result<Vec<Assert>, SuiteError> {
    let value = document.parse()?;
    let root = Cursor::root(document, &value);
    if root.value.is_object() {
        keys::CHECKS_FILE.check(&root)?;
        case_spec::read_asserts(&root)
    } else {
        check_list::read_list(&root)
    }
}

/// Checks of a text of YAML, compiled: without cases they can have no templates. Errors name the text by `name`.
///
/// # Errors
/// When there is none, one is malformed, or one cannot be made; the error names the place.
pub(crate) fn grading(name: &str, text: &str) -> Result<Grading, SuiteError> {
    let checks = read_checks(&Arc::new(Document::inline(name, text)))?;
    if checks.is_empty() {
        return Err(SuiteError::new(Place::file(name), "there are no checks in it"));
    }
    check_list::compile_all(&checks)
}
