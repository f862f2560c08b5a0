//! Reads the samples; `README.md` beside this file describes them.

use std::ops::Range;

use serde::Deserialize;

/// The name of a kind, and a place in bytes.
pub(super) type Piece = (String, Range<usize>);

/// A text and the personal data in it.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) text: String,
    pub(super) expected: Vec<Piece>,
}

impl Sample {
    fn read(marked: &str) -> Self {
        let marked = marked.replace('‸', "");
        let (mut text, mut expected) = (String::new(), Vec::new());
        let mut rest = marked.as_str();
        while let Some((before, behind)) = rest.split_once('⟦') {
            text.push_str(before);
            let (kind, behind) = behind.split_once(':').unwrap();
            let (piece, behind) = behind.split_once('⟧').unwrap();
            expected.push((kind.to_owned(), text.len()..text.len() + piece.len()));
            text.push_str(piece);
            rest = behind;
        }
        text.push_str(rest);
        Self { text, expected }
    }
}

#[derive(Deserialize)]
struct Line {
    text: String,
}

fn read(files: [&str; 2]) -> Vec<Sample> {
    files
        .into_iter()
        .flat_map(str::lines)
        .map(|line| Sample::read(&serde_json::from_str::<Line>(line).unwrap().text))
        .collect()
}

/// What the detectors were tuned on.
pub(super) fn tuning() -> Vec<Sample> {
    read([include_str!("positives.jsonl"), include_str!("negatives.jsonl")])
}

/// What was not looked at meanwhile.
pub(super) fn held_out() -> Vec<Sample> {
    read([
        include_str!("held_out/positives.jsonl"),
        include_str!("held_out/negatives.jsonl"),
    ])
}
