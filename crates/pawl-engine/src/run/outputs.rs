//! Recorded outputs: a file of JSON lines, one per case and trial.

mod lines;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};

use pawl_model::{TargetFailure, TargetFailureKind, TargetOutput};
use serde::de::IgnoredAny;
use serde_json::Value;

use self::lines::{Line, Lines};

/// Why a file of recorded outputs cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputsError {
    /// It cannot be read.
    #[error("cannot read the recorded outputs {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A line is not what it should be.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// Two lines are of the same case and trial.
    #[error("{}:{second}: `{id}`, trial {trial}, stands already on line {first}", path.display())]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// The case.
        id: String,
        /// The trial.
        trial: u16,
        /// Its first line.
        first: u64,
        /// Its second line.
        second: u64,
    },
}

/// One recorded output, with what was measured then.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedOutput {
    /// What the target answered.
    pub output: TargetOutput,
    /// How long it took, if that was recorded.
    pub latency_ms: Option<u64>,
}

/// A file of recorded outputs. Lines in the order of the cases are read one after the other; at the first that is not,
/// an index of the file is made.
pub struct RecordedOutputs {
    lines: Lines,
    next: Option<(Line<Value>, u64)>,
    index: Option<Vec<(u64, u64)>>,
}

impl RecordedOutputs {
    /// Reads a file once: every line is valid, and no case and trial stands twice.
    ///
    /// # Errors
    /// Naming the first line that is wrong.
    pub fn check(path: &Path) -> Result<(), OutputsError> {
        let mut lines = Lines::open(path)?;
        let mut keys = Vec::new();
        while let Some((line, _)) = lines.read::<IgnoredAny>()? {
            keys.push(key(&line.id, line.trial));
        }
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            refuse_duplicate(path)?;
        }
        Ok(())
    }

    /// Opens a file, which [`RecordedOutputs::check`] finds good.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(path: &Path) -> Result<Self, OutputsError> {
        Ok(Self {
            lines: Lines::open(path)?,
            next: None,
            index: None,
        })
    }

    /// The output of a case in a trial.
    ///
    /// # Errors
    /// The inner one when nothing was recorded, or a failure was; the outer one when the file cannot be read anymore.
    pub fn take(
        &mut self,
        id: &str,
        trial: u16,
    ) -> Result<Result<RecordedOutput, TargetFailure>, OutputsError> {
        if self.index.is_none() {
            if self.next.is_none() {
                self.next = self.lines.read()?;
            }
            match self.next.take() {
                Some((line, _)) if line.trial == trial && line.id == id => return Ok(recorded(line)),
                _ => self.index = Some(self.make_index()?),
            }
        }
        let key = key(id, trial);
        let index = self.index.as_deref().unwrap_or_default();
        let start = index.partition_point(|(known, _)| *known < key);
        let candidates: Vec<u64> = index[start..]
            .iter()
            .take_while(|(known, _)| *known == key)
            .map(|(_, offset)| *offset)
            .collect();
        for offset in candidates {
            self.lines.seek(offset)?;
            if let Some((line, _)) = self.lines.read()?
                && line.trial == trial
                && line.id == id
            {
                return Ok(recorded(line));
            }
        }
        Ok(Err(TargetFailure::new(
            TargetFailureKind::Broken,
            "no output was recorded for this case",
        )))
    }

    fn make_index(&mut self) -> Result<Vec<(u64, u64)>, OutputsError> {
        self.lines.rewind()?;
        let mut index = Vec::new();
        while let Some((line, offset)) = self.lines.read::<IgnoredAny>()? {
            index.push((key(&line.id, line.trial), offset));
        }
        index.sort_unstable();
        Ok(index)
    }
}

fn recorded(line: Line<Value>) -> Result<RecordedOutput, TargetFailure> {
    match line.error {
        Some(error) => Err(TargetFailure::new(TargetFailureKind::Broken, error)),
        None => Ok(RecordedOutput {
            output: TargetOutput {
                output: line.output,
                tool_calls: line.tool_calls,
                tokens: line.tokens,
                cost_usd: line.cost_usd,
                reasoning: line.reasoning,
            },
            latency_ms: line.latency_ms,
        }),
    }
}

fn key(id: &str, trial: u16) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, trial).hash(&mut hasher);
    hasher.finish()
}

/// Two keys were equal: finds the lines, unless it was the hash alone that was.
fn refuse_duplicate(path: &Path) -> Result<(), OutputsError> {
    let mut lines = Lines::open(path)?;
    let mut seen = std::collections::HashMap::new();
    while let Some((Line { id, trial, .. }, _)) = lines.read::<IgnoredAny>()? {
        if let Some(first) = seen.insert((id.clone(), trial), lines.number) {
            return Err(OutputsError::Duplicate {
                path: path.to_owned(),
                id,
                trial,
                first,
                second: lines.number,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    fn output(outputs: &mut RecordedOutputs, id: &str, trial: u16) -> serde_json::Value {
        outputs.take(id, trial).unwrap().unwrap().output.output
    }

    #[test]
    fn lines_are_found_in_any_order() {
        let file = file(
            "\u{feff}{\"id\":\"a\",\"output\":\"A\",\"latency_ms\":7,\"model\":\"x\"}\r\n\n{\"id\":2,\"output\":{\"n\":2}}\n\
             {\"id\":\"a\",\"trial\":2,\"output\":\"A2\"}\n{\"id\":\"z\",\"error\":\"it broke\"}",
        );
        let mut outputs = RecordedOutputs::open(file.path()).unwrap();
        let first = outputs.take("a", 1).unwrap().unwrap();
        assert_eq!((first.output.output, first.latency_ms), (json!("A"), Some(7)));
        assert_eq!(output(&mut outputs, "2", 1), json!({"n": 2}));
        assert!(outputs.index.is_none(), "in order so far");
        assert_eq!(outputs.take("z", 1).unwrap().unwrap_err().message, "it broke");
        assert_eq!(output(&mut outputs, "a", 2), json!("A2"));
        assert_eq!(output(&mut outputs, "a", 1), json!("A"));
        assert_eq!(
            outputs.take("nope", 1).unwrap().unwrap_err().message,
            "no output was recorded for this case"
        );
    }

    #[test]
    fn a_bad_line_is_named() {
        for (text, told) in [
            (
                "{\"id\":\"a\",\"output\":1}\n{\"id\":\"b\"",
                ":2: EOF while parsing an object, column 9",
            ),
            ("{\"output\":1}", ":1: missing field `id`, column 12"),
            ("{\"id\":\"a\",\"output\":NaN}", ":1: expected value, column 20"),
            (
                "{\"id\":\"a\",\"output\":1,\"cost_usd\":-1}",
                ":1: `cost_usd` must be 0 or more",
            ),
            (
                "{\"id\":\"a\",\"output\":1}\n\n{\"id\":\"a\",\"output\":2}",
                ":3: `a`, trial 1, stands already on line 1",
            ),
        ] {
            let file = file(text);
            let error = RecordedOutputs::check(file.path()).err().unwrap().to_string();
            assert_eq!(error, format!("{}{told}", file.path().display()));
        }
        let missing = RecordedOutputs::open(Path::new("/nowhere.jsonl")).err().unwrap();
        assert_eq!(
            missing.to_string(),
            "cannot read the recorded outputs /nowhere.jsonl"
        );
    }
}
