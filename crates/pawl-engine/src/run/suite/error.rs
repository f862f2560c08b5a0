//! What is wrong with a suite, and where.

use std::fmt;
use std::sync::Arc;

/// A place in a file of a suite. It prints as editors understand it: `suite.yaml:12:7`, and for tables with the row
/// as spreadsheets number it: ``cases.csv:5: row 3, column 2 (`answer`)``.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named.
    pub file: Arc<str>,
    /// Where in it.
    pub at: At,
}

/// A position in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// The file as a whole.
    File,
    /// A position in a text.
    Text {
        /// From 1.
        line: u64,
        /// In characters, from 1.
        column: u64,
    },
    /// A row of a table.
    Row {
        /// The line on which the row starts, from 1; it runs ahead of the row where cells hold line breaks.
        line: u64,
        /// The row, from 1; the header is row 1.
        row: u64,
    },
    /// A cell of a table.
    Cell {
        /// As in [`At::Row`].
        line: u64,
        /// As in [`At::Row`].
        row: u64,
        /// The column, from 1.
        column: u64,
        /// The column's name.
        name: Arc<str>,
    },
}

impl Place {
    /// The whole file.
    #[must_use]
    pub fn file(file: impl Into<Arc<str>>) -> Self {
        Self {
            file: file.into(),
            at: At::File,
        }
    }

    /// A position in a text.
    #[must_use]
    pub fn text(file: impl Into<Arc<str>>, line: u64, column: u64) -> Self {
        Self {
            file: file.into(),
            at: At::Text { line, column },
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        match &self.at {
            At::File => Ok(()),
            At::Text { line, column } => write!(f, ":{line}:{column}"),
            At::Row { line, row } => write!(f, ":{line}: row {row}"),
            At::Cell {
                line,
                row,
                column,
                name,
            } => {
                write!(f, ":{line}: row {row}, column {column}")?;
                if name.is_empty() {
                    return Ok(());
                }
                write!(f, " (`{name}`)")
            }
        }
    }
}

/// Why a suite cannot be used: one fault with its place. A problem of the operating system is the error's source.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct SuiteError {
    place: Box<Place>,
    message: Box<str>,
    help: Option<Box<str>>,
    source: Option<std::io::Error>,
}

impl SuiteError {
    pub(super) fn new(place: Place, message: impl Into<String>) -> Self {
        Self {
            place: Box::new(place),
            message: message.into().into_boxed_str(),
            help: None,
            source: None,
        }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into().into_boxed_str());
        self
    }

    pub(super) fn with_source(mut self, source: std::io::Error) -> Self {
        self.source = Some(source);
        self
    }

    /// Where the fault is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it, where there is a better answer than the message itself.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}
