use std::io;

use pawl_engine::Actor;
use serde_json::Value;

use super::super::{
    FinishedRun, Format, RowFormat, csv, github, json, junit, lines, markdown, table, write_runs,
};
use super::rig::{compared, finished, rows, written};

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}

/// Without the sequences that colour a terminal.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn with_rows(
    format: for<'a> fn(&'a mut dyn io::Write) -> Box<dyn RowFormat + 'a>,
    runs: &[FinishedRun],
) -> String {
    text(|out| written(format(out), runs))
}

#[test]
fn table_format() {
    let coloured = text(|out| table::write_runs(&[finished()], 80, out).unwrap());
    let text = plain(&coloured);
    assert_ne!(text, coloured, "a terminal gets colours");
    assert!(
        !text.contains(|character: char| character.is_control() && character != '\n'),
        "{text:?}"
    );
    let longest = text
        .lines()
        .skip_while(|line| *line != "did not pass")
        .map(|line| line.chars().count())
        .max();
    assert!(longest <= Some(80), "{longest:?}");
    insta::assert_snapshot!(text);
}

#[test]
fn json_format() {
    let text = with_rows(
        |out| Box::new(json::Document::new(out)),
        &[finished(), finished()],
    );
    let document: Value = serde_json::from_str(&text).unwrap();
    let runs = document["runs"].as_array().unwrap();
    assert_eq!((runs.len(), &runs[0]), (2, &runs[1]));
    assert_eq!(runs[0]["cases"], serde_json::to_value(rows()).unwrap());
    insta::assert_snapshot!(with_rows(|out| Box::new(json::Document::new(out)), &[finished()]));
}

#[test]
fn json_of_nothing_is_a_document_too() {
    let text = with_rows(|out| Box::new(json::Document::new(out)), &[]);
    assert_eq!(
        serde_json::from_str::<Value>(&text).unwrap(),
        serde_json::json!({ "runs": [] })
    );
}

#[test]
fn jsonl_format() {
    let text = with_rows(|out| Box::new(lines::Lines::new(out)), &[finished()]);
    assert_eq!(text.lines().count(), rows().len());
    for (line, row) in text.lines().zip(rows()) {
        assert_eq!(line, serde_json::to_string(&row).unwrap());
    }
}

#[test]
fn csv_format() {
    let text = with_rows(|out| Box::new(csv::Table::new(out)), &[finished()]);
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), rows().len());
    assert_eq!((&records[1][1], &records[1][9]), ("'@logout", "'-1"));
    assert!(text.lines().all(|line| !line.is_empty()), "no empty line");
    insta::assert_snapshot!(text.replace('\r', "␍"));
}

#[test]
fn junit_format() {
    insta::assert_snapshot!(with_rows(
        |out| Box::new(junit::Document::new(out)),
        &[finished()]
    ));
}

#[test]
fn markdown_format() {
    insta::assert_snapshot!(text(|out| markdown::write_runs(&[finished()], out).unwrap()));
}

#[test]
fn markdown_stays_short_and_says_so() {
    let runs: Vec<FinishedRun> = (0..300).map(|_| finished()).collect();
    let text = text(|out| markdown::write_runs(&runs, out).unwrap());
    assert!(text.len() <= 60 * 1024, "{}", text.len());
    assert!(
        text.trim_end().ends_with("left out to keep this summary short."),
        "{}",
        &text[text.len() - 200..]
    );
    let told: usize = text.matches("### ").count();
    assert!(
        text.contains(&format!("… and {} more runs", 300 - told)),
        "{told}"
    );
}

#[test]
fn github_format() {
    let text = text(|out| github::write_runs(&[finished()], out).unwrap());
    assert_eq!(
        text.lines().filter(|line| line.starts_with("::")).count(),
        text.lines().count()
    );
    insta::assert_snapshot!(text);
}

#[test]
fn github_gets_ten_annotations_in_all() {
    let runs: Vec<FinishedRun> = (0..4).map(|_| finished()).collect();
    let text = text(|out| github::write_runs(&runs, out).unwrap());
    let count = |level: &str| text.lines().filter(|line| line.starts_with(level)).count();
    assert_eq!(count("::error ") + count("::warning "), 10);
    assert_eq!(count("::notice "), 4);
}

#[tokio::test]
async fn rows_come_from_the_database_in_every_format() {
    let compared = compared(2).await;
    let runs = [compared.first, compared.second];
    let print = async |format: Format| {
        let mut out = Vec::new();
        write_runs(format, &compared.engine, Actor::Service, &runs, &mut out)
            .await
            .unwrap();
        String::from_utf8(out).unwrap()
    };
    let document: Value = serde_json::from_str(&print(Format::Json).await).unwrap();
    for (index, passed) in [(0, 37), (1, 38)] {
        let run = &document["runs"][index];
        assert_eq!(
            (run["cases"].as_array().unwrap().len(), &run["summary"]["passed"]),
            (40, &passed.into())
        );
    }
    assert_eq!(print(Format::Jsonl).await.lines().count(), 80);
    assert_eq!(print(Format::Csv).await.lines().count(), 81);
    assert_eq!(print(Format::Junit).await.matches("<testcase ").count(), 80);
    let table = plain(&print(Format::Table).await);
    assert!(
        table.contains(&format!(
            "pawl compare {} {}",
            runs[0].report.run.id, runs[1].report.run.id
        )),
        "{table}"
    );
    assert_eq!(print(Format::Markdown).await.matches("### ").count(), 2);
    assert_eq!(print(Format::Github).await.matches("::notice ").count(), 2);
}

#[tokio::test]
async fn a_closed_pipe_is_an_io_error_in_every_format() {
    struct Closed;
    impl io::Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let compared = compared(2).await;
    let runs = [compared.first];
    for format in <Format as clap::ValueEnum>::value_variants() {
        let error = write_runs(*format, &compared.engine, Actor::Service, &runs, &mut Closed)
            .await
            .unwrap_err();
        let kind = error
            .chain()
            .find_map(|cause| cause.downcast_ref::<io::Error>())
            .map(io::Error::kind);
        assert_eq!(kind, Some(io::ErrorKind::BrokenPipe), "{format:?}");
    }
}
