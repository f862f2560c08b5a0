//! Cases from the rows of a table, by promptfoo's names of columns.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::case_spec::{self, CaseSpec, Content, Defaults};
use super::check_list::{Assert, OwnChecks};
use super::cursor::Spot;
use super::document;
use super::error::SuiteError;
use super::expected;
use super::keys::did_you_mean;
use super::table::{Row, Table};

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// A variable; the column `id` gives the case its id as well.
    Variable,
    /// A check in one line.
    Expected,
    Description,
    Metric,
    Prefix,
    Suffix,
    Threshold,
}

const RESERVED: [(&str, Role); 6] = [
    ("__description", Role::Description),
    ("__expected", Role::Expected),
    ("__metric", Role::Metric),
    ("__prefix", Role::Prefix),
    ("__suffix", Role::Suffix),
    ("__threshold", Role::Threshold),
];

/// The cases of a table, one per row.
pub(super) struct TableCases {
    table: Table<BufReader<File>>,
    path: Arc<Path>,
    defaults: Arc<Defaults>,
    roles: Vec<Role>,
}

impl TableCases {
    pub(super) fn open(path: &Arc<Path>, defaults: &Arc<Defaults>) -> Result<Self, SuiteError> {
        let table = Table::open(path)?;
        let roles = table.header().iter().enumerate().map(|(column, name)| {
            role(name).map_err(|message| SuiteError::new(table.cell(table.header_row(), column), message))
        });
        Ok(Self {
            roles: roles.collect::<Result<_, _>>()?,
            path: Arc::clone(path),
            defaults: Arc::clone(defaults),
            table,
        })
    }

    fn case(&self, mut row: Row) -> Result<CaseSpec, SuiteError> {
        let mut vars = Map::new();
        let mut checks = OwnChecks::default();
        let (mut id, mut description, mut metric) = (None, None, None);
        let (mut prefix, mut suffix) = (None, None);
        let header = Arc::clone(self.table.header());
        let cells = std::mem::take(&mut row.cells);
        for (column, (cell, role)) in cells.into_iter().zip(&self.roles).enumerate() {
            let error = |message| SuiteError::new(self.table.cell(&row, column), message);
            match role {
                Role::Expected if cell.trim().is_empty() => {}
                Role::Expected => {
                    let entry = expected::entry(&cell).map_err(error)?;
                    checks
                        .asserts
                        .push(Assert::read(&entry, Spot::Place(self.table.cell(&row, column)))?);
                }
                Role::Description => description = Some(cell).filter(|text| !text.is_empty()),
                Role::Metric => metric = Some(cell).filter(|text| !text.is_empty()),
                Role::Prefix => prefix = Some(cell),
                Role::Suffix => suffix = Some(cell),
                Role::Threshold => checks.threshold = threshold(&cell).map_err(error)?,
                Role::Variable => {
                    let name = &header[column];
                    if &**name == "id" {
                        case_spec::check_id(&cell).map_err(error)?;
                        id = Some(cell.clone());
                    }
                    if &**name == "expected" && !cell.is_empty() {
                        let spot = Spot::Place(self.table.cell(&row, column));
                        checks.expected = Some(Assert::equals(cell.clone().into(), spot));
                    }
                    vars.insert(name.to_string(), self.variable(cell, &row, column)?);
                }
            }
        }
        for assert in &mut checks.asserts {
            assert.spec.metric.clone_from(&metric);
        }
        Ok(CaseSpec {
            spot: Spot::Place(self.table.place(&row)),
            id,
            content: Content::Vars {
                vars: self.defaults.with_vars(vars),
                input: None,
                description,
                metadata: self.defaults.metadata().clone(),
            },
            checks,
            affixes: self.defaults.affixes(prefix, suffix),
            expands: false,
        })
    }

    fn variable(&self, cell: String, row: &Row, column: usize) -> Result<Value, SuiteError> {
        let Some(reference) = cell.strip_prefix("file://") else {
            return Ok(Value::String(cell));
        };
        let error = |message| SuiteError::new(self.table.cell(row, column), message);
        let path = document::sibling(&self.path, reference);
        case_spec::check_file_var(&path).map_err(error)?;
        if !path.exists() {
            return Err(error(format!("there is no file `{reference}`")));
        }
        Ok(Value::String(document::read_text(&path)?.trim().to_owned()))
    }
}

impl Iterator for TableCases {
    type Item = Result<CaseSpec, SuiteError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.table.next_row().transpose()?;
        Some(row.and_then(|row| self.case(row)))
    }
}

fn role(name: &str) -> Result<Role, String> {
    if let Some((_, role)) = RESERVED.iter().find(|(reserved, _)| *reserved == name) {
        return Ok(*role);
    }
    let number = name.strip_prefix("__expected");
    if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok(Role::Expected);
    }
    if name.starts_with("__") {
        let guess = did_you_mean(name, RESERVED.iter().map(|(reserved, _)| *reserved));
        return Err(format!("the column `{name}` is not supported{guess}"));
    }
    let meant = RESERVED
        .iter()
        .find(|(reserved, _)| reserved.strip_prefix('_') == Some(name));
    match meant {
        Some((reserved, _)) => Err(format!("unknown column `{name}` (did you mean `{reserved}`?)")),
        None => Ok(Role::Variable),
    }
}

fn threshold(cell: &str) -> Result<Option<f64>, String> {
    if cell.trim().is_empty() {
        return Ok(None);
    }
    match cell.trim().parse() {
        Ok(threshold) if (0.0..=1.0).contains(&threshold) => Ok(Some(threshold)),
        _ => Err(format!("`{cell}` is not a score within 0 and 1")),
    }
}
