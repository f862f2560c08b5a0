//! What holds for any file.

use std::sync::Arc;

use super::super::table::Table;
use super::*;
use proptest::prelude::*;

fn table(bytes: &[u8], delimiter: Option<u8>) -> Result<Vec<Vec<String>>, SuiteError> {
    let mut table = Table::new(bytes, Arc::from("t.csv"), delimiter)?;
    let header = table.header().iter().map(ToString::to_string).collect();
    let mut rows = vec![header];
    while let Some(row) = table.next_row()? {
        rows.push(row.cells);
    }
    Ok(rows)
}

proptest! {
    #[test]
    fn what_the_csv_crate_writes_reads_back(
        rows in prop::collection::vec(prop::collection::vec("[a-z,;\t\"\n\r é]{0,6}", 3), 1..6),
        delimiter in prop::sample::select(vec![b',', b';', b'\t']),
        crlf in any::<bool>(),
        quoted in any::<bool>(),
    ) {
        let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
        let style = if quoted { csv::QuoteStyle::Always } else { csv::QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new()
            .delimiter(delimiter)
            .terminator(terminator)
            .quote_style(style)
            .from_writer(Vec::new());
        let header: Vec<String> = ["one", "two", "three"].map(str::to_owned).to_vec();
        for row in std::iter::once(&header).chain(&rows) {
            writer.write_record(row).unwrap();
        }
        let written = writer.into_inner().unwrap();
        let read = table(&written, None).unwrap();
        prop_assert_eq!(&read[0], &header);
        prop_assert_eq!(&read[1..], &rows[..]);
    }

    #[test]
    fn loading_never_panics(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        extension in prop::sample::select(vec!["yaml", "json", "jsonl", "csv", "tsv"]),
    ) {
        let name = format!("suite.{extension}");
        let folder = Folder::of(&[]);
        fs::write(folder.path(&name), &bytes).unwrap();
        if let Err(error) = folder.load(&name, None) {
            prop_assert!(error.to_string().contains(&name));
        }
    }

    #[test]
    fn yaml_like_text_never_panics(text in "([a-c]|: |- |\n|  |\\{|\\}|\\[|\\]|,|&a |\\*a|<<: |'|\"|#|\\||>|!!str |\\? |---|[0-9.]){0,40}") {
        let folder = Folder::of(&[("suite.yaml", text.as_str())]);
        if let Err(error) = folder.load("suite.yaml", None) {
            prop_assert!(error.to_string().contains("suite.yaml"));
        }
    }

    #[test]
    fn cases_come_in_order_with_unique_ids(values in prop::collection::vec(0..5_u8, 1..30)) {
        let text: String = values.iter().map(|value| format!("{{\"n\": {value}}}\n")).collect();
        let cases = cases_of("cases.jsonl", &text);
        let read: Vec<_> = cases.iter().map(|case| case.vars()["n"].as_u64().unwrap()).collect();
        prop_assert_eq!(read, values.iter().map(|value| u64::from(*value)).collect::<Vec<_>>());
        let mut ids = ids(&cases);
        ids.sort_unstable();
        ids.dedup();
        prop_assert_eq!(ids.len(), cases.len());
    }
}
