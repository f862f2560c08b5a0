//! One line of JSON per row.

use std::io::{self, Write};

use pawl_model::CaseRecord;

use super::RowFormat;

/// Lines under way.
pub(super) struct Lines<'a> {
    out: &'a mut dyn Write,
}

impl<'a> Lines<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> Self {
        Self { out }
    }
}

impl RowFormat for Lines<'_> {
    fn row(&mut self, case: &CaseRecord) -> anyhow::Result<()> {
        serde_json::to_writer(&mut *self.out, case).map_err(io::Error::from)?;
        writeln!(self.out)?;
        Ok(())
    }
}
