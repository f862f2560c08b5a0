//! Rows in columns: texts to the left, numbers to the right.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr as _;

use super::text::pad;

/// Two blanks between columns.
const GAP: usize = 2;

/// Writes rows of equally many cells, each column as wide as its widest cell: the first one a text, numbers behind it.
pub(super) fn write(rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    write_with(rows, 1, out)
}

/// As [`write()`], with nothing but texts.
pub(super) fn write_texts(rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    write_with(rows, usize::MAX, out)
}

fn write_with(rows: &[Vec<String>], texts: usize, out: &mut dyn Write) -> io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let padding = width - cell.width();
            if column > 0 {
                line.push_str(&" ".repeat(GAP));
            }
            if column < texts {
                line.push_str(&pad(cell, *width));
            } else {
                line.push_str(&" ".repeat(padding));
                line.push_str(cell);
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["check", "passed"], ["名前", "1,000"]].map(|row| row.map(str::to_owned).to_vec());
        let mut out = Vec::new();
        write(&rows, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "check  passed\n名前    1,000\n");
    }
}
