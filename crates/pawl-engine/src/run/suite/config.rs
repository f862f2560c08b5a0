//! promptfoo's configuration file, and the files it refers to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::case_spec::{CaseSpec, Defaults, read_test};
use super::cursor::Cursor;
use super::document::{Document, display, extension};
use super::error::{Place, SuiteError};
use super::inputs;
use super::keys;
use super::prompt::{Prompt, read_prompts};
use super::provider::{Provider, read_providers};
use super::source::Source;

/// What a suite's file says, before its checks are compiled.
#[derive(Default)]
pub(super) struct Configuration {
    pub(super) description: Option<String>,
    pub(super) version: Option<String>,
    pub(super) prompts: Vec<Arc<Prompt>>,
    pub(super) providers: Vec<Provider>,
    pub(super) defaults: Arc<Defaults>,
    pub(super) sources: Vec<Source>,
}

impl Configuration {
    /// Reads a suite of any format, by the extension of its file and what is in it.
    pub(super) fn load(path: &Path) -> Result<Self, SuiteError> {
        let mut files = Files { chain: Vec::new() };
        match extension(path).as_str() {
            "yaml" | "yml" | "json" => {
                let document = Arc::new(files.enter(path)?);
                let value = document.parse()?;
                Self::read(&Cursor::root(&document, &value), &mut files)
            }
            _ => Ok(Self {
                sources: vec![Source::stream(path).ok_or_else(|| unknown_format(path))?],
                ..Self::default()
            }),
        }
    }

    fn read(root: &Cursor<'_>, files: &mut Files) -> Result<Self, SuiteError> {
        let mut read = Self::default();
        if root.value.is_null() {
            return Err(SuiteError::new(
                Place::file(display(root.document.path())),
                "the file is empty",
            ));
        }
        if root.value.is_array() {
            read_tests(root, &read.defaults, files, &mut read.sources)?;
            return Ok(read);
        }
        if !root.value.is_object() {
            return Err(root.wrong_type("an object or a list of tests"));
        }
        if inputs::recognise(root.value) {
            read.version = root
                .get("version")
                .map(|text| text.text().map(str::to_owned))
                .transpose()?;
            read.sources
                .push(Source::cases(inputs::read(root, &read.defaults)?));
            return Ok(read);
        }
        keys::CONFIGURATION.check(root)?;
        read.description = root
            .get("description")
            .map(|text| text.text().map(str::to_owned))
            .transpose()?;
        for key in ["evaluateOptions", "commandLineOptions"] {
            if let Some(options) = root.get(key) {
                keys::RUN_OPTIONS.check(&options)?;
            }
        }
        if let Some(prompts) = root.get("prompts") {
            read.prompts = read_prompts(&prompts)?;
        }
        read.providers = match (root.get("providers"), root.get("targets")) {
            (Some(_), Some(_)) => {
                return Err(root.key_error(
                    "targets",
                    "`targets` is the same as `providers`; give one of them",
                ));
            }
            (Some(providers), None) | (None, Some(providers)) => read_providers(&providers)?,
            (None, None) => Vec::new(),
        };
        if let Some(default_test) = root.get("defaultTest") {
            read.defaults = Arc::new(read_default_test(&default_test, files)?);
        }
        let Some(tests) = root.get("tests") else {
            return Err(root.error("the suite has no `tests`"));
        };
        read_tests(&tests, &read.defaults, files, &mut read.sources)?;
        Ok(read)
    }
}

fn unknown_format(path: &Path) -> SuiteError {
    let message = match extension(path).as_str() {
        "" => "a suite's file needs an extension that tells its format".to_owned(),
        extension => format!("suites in `.{extension}` files are not supported"),
    };
    SuiteError::new(Place::file(display(path)), message)
        .with_help("supported are .yaml, .yml, .json, .jsonl, .csv and .tsv")
}

/// The documents that are being read, each because the one before refers to it.
struct Files {
    chain: Vec<PathBuf>,
}

impl Files {
    fn enter(&mut self, path: &Path) -> Result<Document, SuiteError> {
        let document = Document::read(path)?;
        self.chain.push(path.to_owned());
        Ok(document)
    }

    /// Reads a document that `reference` names, and hands it on.
    fn follow<T>(
        &mut self,
        reference: &Cursor<'_>,
        path: &Path,
        read: impl FnOnce(&Cursor<'_>, &mut Self) -> Result<T, SuiteError>,
    ) -> Result<T, SuiteError> {
        let same = |other: &PathBuf| match (other.canonicalize(), path.canonicalize()) {
            (Ok(other), Ok(path)) => other == path,
            _ => other == path,
        };
        if self.chain.iter().any(same) {
            let chain = self.chain.iter().map(PathBuf::as_path).chain([path]);
            let chain: Vec<_> = chain.map(|path| path.to_string_lossy()).collect();
            return Err(reference.error(format!(
                "the files refer to each other in a circle: {}",
                chain.join(" -> ")
            )));
        }
        let document = Arc::new(self.enter(path)?);
        let value = document.parse()?;
        let result = read(&Cursor::root(&document, &value), self);
        self.chain.pop();
        result
    }
}

fn read_default_test(default_test: &Cursor<'_>, files: &mut Files) -> Result<Defaults, SuiteError> {
    let Value::String(reference) = default_test.value else {
        return Defaults::read(default_test);
    };
    let path = referenced(default_test, reference)?;
    files.follow(default_test, &path, |root, _| Defaults::read(root))
}

/// Reads `tests`: a list of test cases and files, or one file.
fn read_tests(
    tests: &Cursor<'_>,
    defaults: &Arc<Defaults>,
    files: &mut Files,
    sources: &mut Vec<Source>,
) -> Result<(), SuiteError> {
    if tests.value.is_string() {
        return read_tests_file(tests, defaults, files, sources);
    }
    let mut cases: Vec<CaseSpec> = Vec::new();
    for item in tests.items()? {
        if item.value.is_string() {
            if !cases.is_empty() {
                sources.push(Source::cases(std::mem::take(&mut cases)));
            }
            read_tests_file(&item, defaults, files, sources)?;
        } else if item.value.is_object() {
            cases.push(read_test(&item, &keys::TEST, defaults)?);
        } else {
            return Err(item.wrong_type("a test case or the name of a file"));
        }
    }
    if !cases.is_empty() {
        sources.push(Source::cases(cases));
    }
    Ok(())
}

fn read_tests_file(
    reference: &Cursor<'_>,
    defaults: &Arc<Defaults>,
    files: &mut Files,
    sources: &mut Vec<Source>,
) -> Result<(), SuiteError> {
    let path = referenced(reference, reference.text()?)?;
    if let Some(source) = Source::stream(&path) {
        sources.push(source);
        return Ok(());
    }
    let extension = extension(&path);
    if !matches!(extension.as_str(), "yaml" | "yml" | "json") {
        return Err(reference.error(format!("tests from `.{extension}` files are not supported yet")));
    }
    files.follow(reference, &path, |root, files| {
        if inputs::recognise(root.value) {
            sources.push(Source::cases(inputs::read(root, defaults)?));
            return Ok(());
        }
        if root.value.is_object() {
            sources.push(Source::cases(vec![read_test(root, &keys::TEST, defaults)?]));
            return Ok(());
        }
        read_tests(root, defaults, files, sources)
    })
}

/// The path of the file that a value names.
fn referenced(cursor: &Cursor<'_>, reference: &str) -> Result<PathBuf, SuiteError> {
    let name = reference.strip_prefix("file://").unwrap_or(reference);
    if let Some((scheme, _)) = name.split_once("://") {
        return Err(cursor.error(format!("tests from `{scheme}://` are not supported yet")));
    }
    if name.contains(['*', '?', '[', '{']) {
        return Err(cursor
            .error("patterns of file names are not supported yet")
            .with_help("name each file"));
    }
    let path = cursor.document.sibling(name);
    if !path.exists() {
        return Err(cursor.error(format!("there is no file `{name}`")));
    }
    Ok(path)
}
