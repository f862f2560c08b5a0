//! Any file as a suite. The first line of the input is the file's extension, the rest its content.

#![no_main]

use std::fs;

use libfuzzer_sys::{Corpus, fuzz_target};
use pawl_engine::run::suite::{At, Place, Suite, SuiteError};
use tempfile::TempDir;

/// Those that decide how a file is read.
const EXTENSIONS: [&[u8]; 5] = [b"csv", b"json", b"jsonl", b"tsv", b"yaml"];

fuzz_target!(|input: &[u8]| -> Corpus {
    let Some(at) = input.iter().position(|byte| *byte == b'\n') else {
        return Corpus::Reject;
    };
    let (extension, content) = (&input[..at], &input[at + 1..]);
    if !EXTENSIONS.contains(&extension) {
        return Corpus::Reject;
    }
    let folder = TempDir::new().expect("a temporary folder");
    let path = folder
        .path()
        .join(["suite.", &String::from_utf8_lossy(extension)].concat());
    fs::write(&path, content).expect("the file is written");
    let name = path.to_string_lossy();
    if let Err(error) = Suite::load(&path, None).and_then(|suite| read_all(&suite)) {
        judge(&error, &name, content);
    }
    Corpus::Keep
});

/// What was counted comes out, for each prompt.
fn read_all(suite: &Suite) -> Result<(), SuiteError> {
    let dataset = suite.scan()?;
    for variant in suite.variants() {
        let mut cases = 0;
        for case in dataset.cases(&variant) {
            case.expect("a case that was read once can be read again");
            cases += 1;
        }
        assert_eq!(cases, dataset.cases, "as many cases as were counted");
    }
    Ok(())
}

/// An error speaks of the file, and of a line that it has.
fn judge(error: &SuiteError, name: &str, content: &[u8]) {
    let Place { file, at } = error.place();
    // A suite may refer to any file.
    if &**file != name {
        return;
    }
    assert!(!error.message().is_empty());
    // A line begins after each line break, of whatever kind.
    let lines = 1 + content
        .iter()
        .filter(|byte| matches!(byte, b'\n' | b'\r'))
        .count() as u64;
    match *at {
        At::File => {}
        At::Text { line, column } => {
            assert!((1..=lines).contains(&line), "{error}: the file has {lines} lines");
            assert!((1..=content.len() as u64 + 1).contains(&column), "{error}");
        }
        At::Row { line, row } | At::Cell { line, row, .. } => {
            assert!((1..=lines).contains(&line), "{error}: the file has {lines} lines");
            assert!((1..=line).contains(&row), "{error}: rows run behind lines");
        }
    }
}
