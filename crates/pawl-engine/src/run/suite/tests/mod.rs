//! Suites as files: what is read, what is refused and where, and what holds for any input.

mod cases;
mod models;
mod promptfoo;
mod properties;
mod refusals;
mod refusals_data;
mod stream;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{Case, Dataset, Suite, SuiteError, Variant};

/// A folder with some files, gone after the test.
struct Folder(TempDir);

impl Folder {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().unwrap();
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn load(&self, name: &str, checks: Option<&str>) -> Result<(Suite, Dataset), SuiteError> {
        let suite = Suite::load(&self.path(name), checks)?;
        let dataset = suite.scan()?;
        Ok((suite, dataset))
    }

    /// The error of loading and scanning, with the folder's name taken out.
    fn error(&self, name: &str, checks: Option<&str>) -> String {
        let error = self.load(name, checks).map(|_| ()).unwrap_err();
        let help = error.help().map(|help| format!(" [{help}]")).unwrap_or_default();
        let folder = format!("{}/", self.0.path().display());
        format!("{error}{help}").replace(&folder, "")
    }
}

/// The cases of a suite in one file, for its first variant.
fn cases_of(name: &str, content: &str) -> Vec<Case> {
    let folder = Folder::of(&[(name, content)]);
    let (suite, dataset) = folder.load(name, None).unwrap();
    all(&dataset, &suite.variants()[0])
}

fn all(dataset: &Dataset, variant: &Variant) -> Vec<Case> {
    let cases: Vec<_> = dataset.cases(variant).collect::<Result<_, _>>().unwrap();
    assert_eq!(cases.len() as u64, dataset.cases);
    cases
}

fn ids(cases: &[Case]) -> Vec<&str> {
    cases.iter().map(|case| case.id.as_str()).collect()
}

/// The names of the checks that judge a case.
fn checks(case: &Case) -> Vec<&str> {
    case.grading
        .checks()
        .iter()
        .map(pawl_checks::Check::name)
        .collect()
}

/// Whether an output passes a case.
fn passes(case: &Case, output: &str) -> bool {
    let output = Value::from(output);
    case.grading.judge(&pawl_checks::Subject::new(&output)).state == pawl_model::State::Passed
}

fn stored(case: &Case) -> Value {
    serde_json::from_str(case.input_data.as_str()).unwrap()
}
