//! Many cases.

use super::*;
use std::fmt::Write as _;

const CASES: usize = 100_000;

fn generated(row: impl Fn(usize) -> String) -> String {
    (0..CASES).fold(String::new(), |mut text, index| {
        writeln!(text, "{}", row(index)).unwrap();
        text
    })
}

#[test]
fn a_hundred_thousand_lines_stream_through() {
    let lines = generated(|index| {
        format!("{{\"id\": \"case-{index}\", \"input\": \"question {index}\", \"expected\": \"x\"}}")
    });
    let folder = Folder::of(&[("cases.jsonl", &lines)]);
    let (suite, dataset) = folder.load("cases.jsonl", None).unwrap();
    assert_eq!(dataset.cases, CASES as u64);
    let mut count = 0;
    for case in dataset.cases(&suite.variants()[0]) {
        let case = case.unwrap();
        assert_eq!((case.ordinal as usize, case.id), (count, format!("case-{count}")));
        count += 1;
    }
    assert_eq!(count, CASES);
}

#[test]
fn one_duplicate_among_many_rows_is_found_with_both_places() {
    let rows = generated(|index| format!("{},question", if index == 90_000 { 17 } else { index }));
    let folder = Folder::of(&[("cases.csv", &format!("id,input\n{rows}"))]);
    assert_eq!(
        folder.error("cases.csv", None),
        "cases.csv:90002: row 90002: duplicate case id `17`, first at cases.csv:19: row 19"
    );
}

#[test]
fn a_stream_ends_after_an_error() {
    let folder = Folder::of(&[("cases.jsonl", "{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}\n")]);
    let (suite, dataset) = folder.load("cases.jsonl", None).unwrap();
    fs::write(folder.path("cases.jsonl"), "{\"id\": 1}\nnot json\n{\"id\": 3}\n").unwrap();
    let cases: Vec<_> = dataset.cases(&suite.variants()[0]).collect();
    assert_eq!(cases.len(), 2);
    assert!(cases[0].is_ok() && cases[1].is_err());
}

#[test]
fn single_cases_and_whole_documents_have_a_limit() {
    let long = "x".repeat(17 << 20);
    for (name, content, expected) in [
        (
            "c.jsonl",
            format!("{{\"a\": 1}}\n{{\"a\": \"{long}\"}}\n"),
            "c.jsonl:2:1: the line is longer than 16 MiB",
        ),
        (
            "c.csv",
            format!("a,b\n1,{long}\n"),
            "c.csv:2: row 2, column 2 (`b`): the row is longer than 16 MiB",
        ),
        (
            "c.csv",
            format!("a,b\n1,\"{long}"),
            "c.csv:2: row 2, column 2 (`b`): the row is longer than 16 MiB",
        ),
    ] {
        assert_eq!(Folder::of(&[(name, &content)]).error(name, None), expected);
    }
    let folder = Folder::of(&[("s.yaml", "")]);
    fs::File::options()
        .write(true)
        .open(folder.path("s.yaml"))
        .unwrap()
        .set_len((64 << 20) + 1)
        .unwrap();
    assert_eq!(
        folder.error("s.yaml", None),
        "s.yaml: the file is larger than 64 MiB [cases in JSON Lines or CSV may be of any number]"
    );
}

#[cfg(unix)]
#[test]
fn a_device_is_no_suite() {
    let folder = Folder::of(&[]);
    std::os::unix::fs::symlink("/dev/null", folder.path("c.jsonl")).unwrap();
    assert_eq!(
        folder.error("c.jsonl", None),
        "c.jsonl: is not a regular file, and a suite is read more than once [write it to a file first]"
    );
}
