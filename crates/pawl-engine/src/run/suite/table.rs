//! CSV, TSV and their kin as a stream of rows (RFC 4180, with any of three delimiters).
//!
//! The `csv` crate takes a quote that is never closed for the rest of the file, without a word; for data that
//! somebody relies on, that must be an error. So the grammar is written out here.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::document::{self, BYTE_ORDER_MARK, HOLDS_NUL, display, invalid_utf8};
use super::error::{At, Place, SuiteError};

/// The longest row or line, in bytes.
pub(super) const MAX_RECORD: usize = 16 << 20;

/// The delimiters that are tried on the header; the first of those that are equally frequent is taken.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// A row: its cells, and where it starts.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<String>,
    /// The line on which it starts, from 1.
    pub(super) line: u64,
    /// From 1; the header is row 1.
    pub(super) number: u64,
}

/// A table with a header.
pub(super) struct Table<R> {
    input: R,
    file: Arc<str>,
    delimiter: u8,
    header: Arc<[Arc<str>]>,
    header_row: Row,
    line: u64,
    row: u64,
}

impl Table<BufReader<File>> {
    /// Opens a file and reads its header.
    pub(super) fn open(path: &Path) -> Result<Self, SuiteError> {
        let delimiter = (document::extension(path) == "tsv").then_some(b'\t');
        let input = BufReader::with_capacity(1 << 16, document::open(path)?);
        Table::new(input, display(path), delimiter)
    }
}

/// Where the reader is in the grammar.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    /// At the start of a cell.
    Start,
    /// In a cell without quotes.
    Plain,
    /// Between quotes.
    Quoted,
    /// After a quote inside quotes: the end, or the first half of a doubled one.
    Quote,
}

impl<R: BufRead> Table<R> {
    /// Reads the header.
    pub(super) fn new(mut input: R, file: Arc<str>, delimiter: Option<u8>) -> Result<Self, SuiteError> {
        let unreadable = |error| {
            SuiteError::new(Place::file(Arc::clone(&file)), "the file cannot be read").with_source(error)
        };
        let start = input.fill_buf().map_err(unreadable)?;
        if start.starts_with(BYTE_ORDER_MARK) {
            input.consume(BYTE_ORDER_MARK.len());
        }
        let start = input.fill_buf().map_err(unreadable)?;
        let mut table = Self {
            delimiter: delimiter.unwrap_or_else(|| sniff(start)),
            input,
            file,
            header: Arc::new([]),
            header_row: Row::default(),
            line: 1,
            row: 0,
        };
        let Some(row) = table.read()? else {
            return Err(SuiteError::new(Place::file(table.file), "the table is empty"));
        };
        table.header = row.cells.iter().map(|name| Arc::from(name.trim())).collect();
        table.header_row = row;
        table.check_header()?;
        Ok(table)
    }

    /// The names of the columns.
    pub(super) fn header(&self) -> &Arc<[Arc<str>]> {
        &self.header
    }

    /// The row of the header.
    pub(super) fn header_row(&self) -> &Row {
        &self.header_row
    }

    fn check_header(&self) -> Result<(), SuiteError> {
        for (column, name) in self.header.iter().enumerate() {
            if name.is_empty() {
                return Err(self.cell_error(&self.header_row, column, "this column has no name"));
            }
            if let Some(first) = self.header[..column].iter().position(|other| other == name) {
                let message = format!("column {} has the same name", first + 1);
                return Err(self.cell_error(&self.header_row, column, message));
            }
        }
        Ok(())
    }

    /// The next row that is not empty.
    pub(super) fn next_row(&mut self) -> Result<Option<Row>, SuiteError> {
        let Some(row) = self.read()? else {
            return Ok(None);
        };
        let (columns, cells) = (self.header.len(), row.cells.len());
        if cells < columns {
            let message = format!("the row ends after {cells} of {columns} cells");
            return Err(self.cell_error(&row, cells, message));
        }
        if cells > columns {
            let message = format!("the row has {cells} cells, but the header has {columns}");
            return Err(self.cell_error(&row, columns, message));
        }
        Ok(Some(row))
    }

    /// The place of a cell, by its column from 0.
    pub(super) fn cell(&self, row: &Row, column: usize) -> Place {
        Place {
            file: Arc::clone(&self.file),
            at: At::Cell {
                line: row.line,
                row: row.number,
                column: column as u64 + 1,
                name: self.header.get(column).cloned().unwrap_or_default(),
            },
        }
    }

    /// The place of a row.
    pub(super) fn place(&self, row: &Row) -> Place {
        Place {
            file: Arc::clone(&self.file),
            at: At::Row {
                line: row.line,
                row: row.number,
            },
        }
    }

    fn cell_error(&self, row: &Row, column: usize, message: impl Into<String>) -> SuiteError {
        SuiteError::new(self.cell(row, column), message)
    }

    /// Reads the next record that is not an empty line.
    fn read(&mut self) -> Result<Option<Row>, SuiteError> {
        loop {
            let mut cells = Cells::default();
            let row = Row {
                cells: Vec::new(),
                line: self.line,
                number: self.row + 1,
            };
            if !self.scan(&mut cells, &row)? {
                return Ok(None);
            }
            self.row += 1;
            if cells.is_empty_line() {
                continue;
            }
            return self.decode(&cells, row).map(Some);
        }
    }

    /// Reads the bytes of one record; false at the end of the file.
    fn scan(&mut self, cells: &mut Cells, row: &Row) -> Result<bool, SuiteError> {
        let mut inside = Inside::Start;
        let mut any = false;
        loop {
            let buffer = self.input.fill_buf().map_err(|error| {
                SuiteError::new(Place::file(Arc::clone(&self.file)), "the file cannot be read")
                    .with_source(error)
            })?;
            if buffer.is_empty() {
                if inside == Inside::Quoted {
                    return Err(self.cell_error(row, cells.ends.len(), "this cell's quote is never closed"));
                }
                if any {
                    cells.end_line(inside);
                }
                return Ok(any);
            }
            let mut used = 0;
            let mut ended = false;
            let mut fault = None;
            for &byte in buffer {
                used += 1;
                inside = match (inside, byte) {
                    (Inside::Quoted, b'"') => Inside::Quote,
                    (Inside::Quoted, _) => {
                        self.line += u64::from(byte == b'\n');
                        cells.bytes.push(byte);
                        Inside::Quoted
                    }
                    (Inside::Quote, b'"') => {
                        cells.bytes.push(b'"');
                        Inside::Quoted
                    }
                    (Inside::Start, b'"') => {
                        cells.quoted = true;
                        Inside::Quoted
                    }
                    (_, b'\n') => {
                        self.line += 1;
                        cells.end_line(inside);
                        ended = true;
                        break;
                    }
                    (_, _) if byte == self.delimiter => {
                        cells.end();
                        Inside::Start
                    }
                    // Half of a line break, or a stray carriage return that is dropped with it.
                    (Inside::Quote, b'\r') => Inside::Quote,
                    (Inside::Quote, _) => {
                        fault = Some("something follows the closing quote of this cell");
                        break;
                    }
                    (Inside::Start | Inside::Plain, _) => {
                        cells.bytes.push(byte);
                        Inside::Plain
                    }
                };
            }
            self.input.consume(used);
            any = true;
            if cells.bytes.len() > MAX_RECORD {
                fault = Some("the row is longer than 16 MiB");
            }
            if let Some(message) = fault {
                return Err(self.cell_error(row, cells.ends.len(), message));
            }
            if ended {
                return Ok(true);
            }
        }
    }

    fn decode(&self, cells: &Cells, mut row: Row) -> Result<Row, SuiteError> {
        let mut from = 0;
        for &end in &cells.ends {
            match std::str::from_utf8(&cells.bytes[from..end]) {
                Ok(text) if text.contains('\0') => {
                    return Err(self.cell_error(&row, row.cells.len(), HOLDS_NUL));
                }
                Ok(text) => row.cells.push(text.to_owned()),
                Err(error) => {
                    let message = format!("{} of this cell", invalid_utf8(error.valid_up_to() as u64));
                    return Err(self.cell_error(&row, row.cells.len(), message));
                }
            }
            from = end;
        }
        Ok(row)
    }
}

/// The cells of a record, one behind the other.
#[derive(Default)]
struct Cells {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    quoted: bool,
}

impl Cells {
    fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Ends the last cell of a line, which may end with CR LF.
    fn end_line(&mut self, inside: Inside) {
        if inside == Inside::Plain && self.bytes.last() == Some(&b'\r') {
            self.bytes.pop();
        }
        self.end();
    }

    fn is_empty_line(&self) -> bool {
        self.ends.len() == 1 && self.bytes.is_empty() && !self.quoted
    }
}

/// The most frequent delimiter of the header, outside quotes.
fn sniff(start: &[u8]) -> u8 {
    let mut counts = [0_usize; DELIMITERS.len()];
    let mut quoted = false;
    for &byte in start {
        match byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => break,
            _ if !quoted => {
                if let Some(which) = DELIMITERS.iter().position(|delimiter| *delimiter == byte) {
                    counts[which] += 1;
                }
            }
            _ => {}
        }
    }
    let most = counts.iter().copied().max().unwrap_or_default();
    let which = counts.iter().position(|count| *count == most).unwrap_or_default();
    DELIMITERS[which]
}
