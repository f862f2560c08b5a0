//! Where the cases of a suite come from, as streams that can be read again.

use std::path::Path;
use std::sync::Arc;

use super::case_spec::{CaseSpec, Defaults};
use super::combinations::Combinations;
use super::document::extension;
use super::error::SuiteError;
use super::lines::LineCases;
use super::rows::TableCases;

/// A part of a suite's cases.
#[derive(Clone)]
pub(super) enum Source {
    /// Cases that stand in a document.
    Cases(Arc<[CaseSpec]>),
    /// A JSON Lines file.
    Lines(Arc<Path>),
    /// A CSV or TSV file.
    Table(Arc<Path>),
}

/// A stream of cases.
pub(super) type CaseSpecs = Box<dyn Iterator<Item = Result<CaseSpec, SuiteError>> + Send>;

impl Source {
    pub(super) fn cases(cases: Vec<CaseSpec>) -> Self {
        Self::Cases(cases.into())
    }

    /// The source for a file that is read one case at a time; none for other files.
    pub(super) fn stream(path: &Path) -> Option<Self> {
        match extension(path).as_str() {
            "jsonl" | "ndjson" => Some(Self::Lines(path.into())),
            "csv" | "tsv" => Some(Self::Table(path.into())),
            _ => None,
        }
    }

    fn open(&self, defaults: &Arc<Defaults>) -> CaseSpecs {
        match self {
            Self::Cases(cases) => {
                let cases = Arc::clone(cases);
                Box::new((0..cases.len()).map(move |index| Ok(cases[index].clone())))
            }
            Self::Lines(path) => stream(LineCases::open(path, defaults)),
            Self::Table(path) => stream(TableCases::open(path, defaults)),
        }
    }
}

fn stream(
    opened: Result<impl Iterator<Item = Result<CaseSpec, SuiteError>> + Send + 'static, SuiteError>,
) -> CaseSpecs {
    match opened {
        Ok(cases) => Box::new(cases),
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// All cases of the sources, in order; a test with lists of variables as the cases it stands for.
pub(super) fn all(sources: &Arc<[Source]>, defaults: &Arc<Defaults>) -> CaseSpecs {
    let (sources, defaults) = (Arc::clone(sources), Arc::clone(defaults));
    let specs = (0..sources.len()).flat_map(move |index| sources[index].open(&defaults));
    Box::new(specs.flat_map(|spec| stream(spec.and_then(Combinations::of).map(|cases| cases.map(Ok)))))
}
