//! The lines of recorded outputs: what may stand in one, and reading them.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::OutputsError;

/// How long a line may be.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// The line of a file: other keys than these are let be, so that logs can be graded as they are. `P` is what becomes of
/// its payloads: `Value` where they are wanted, `IgnoredAny` where the line only has to be valid.
#[derive(Deserialize)]
pub(super) struct Line<P> {
    #[serde(deserialize_with = "id")]
    pub(super) id: String,
    #[serde(default = "first_trial")]
    pub(super) trial: u16,
    #[serde(default)]
    pub(super) error: Option<String>,
    #[serde(default)]
    pub(super) latency_ms: Option<u64>,
    #[serde(default)]
    pub(super) output: P,
    #[serde(default)]
    pub(super) tool_calls: Option<P>,
    #[serde(default)]
    pub(super) tokens: Option<P>,
    #[serde(default)]
    pub(super) cost_usd: Option<f64>,
    #[serde(default)]
    pub(super) reasoning: Option<P>,
}

/// A text or a whole number.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Id;

    impl Visitor<'_> for Id {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an id, which is a text or a whole number")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
            Ok(text.to_owned())
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<String, E> {
            Ok(number.to_string())
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<String, E> {
            Ok(number.to_string())
        }
    }

    deserializer.deserialize_any(Id)
}

const fn first_trial() -> u16 {
    1
}

/// The lines of a file, one after the other or from an offset on.
pub(super) struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    pub(super) number: u64,
    offset: u64,
    buffer: Vec<u8>,
}

impl Lines {
    pub(super) fn open(path: &Path) -> Result<Self, OutputsError> {
        let file = File::open(path).map_err(|source| OutputsError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let reader = BufReader::with_capacity(256 * 1024, file);
        Ok(Self {
            path: path.to_owned(),
            reader,
            number: 0,
            offset: 0,
            buffer: Vec::new(),
        })
    }

    /// The next line that is not blank, with its offset.
    pub(super) fn read<P: DeserializeOwned + Default>(
        &mut self,
    ) -> Result<Option<(Line<P>, u64)>, OutputsError> {
        loop {
            let offset = self.offset;
            self.buffer.clear();
            let mut bounded = io::Read::take(&mut self.reader, MAX_LINE_BYTES + 1);
            let length =
                bounded
                    .read_until(b'\n', &mut self.buffer)
                    .map_err(|source| OutputsError::Unreadable {
                        path: self.path.clone(),
                        source,
                    })?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            self.offset += length as u64;
            if length as u64 > MAX_LINE_BYTES {
                return Err(self.problem(format!("a line is longer than {MAX_LINE_BYTES} bytes")));
            }
            let line = if offset == 0 {
                self.buffer.strip_prefix(b"\xef\xbb\xbf")
            } else {
                None
            };
            let line = line.unwrap_or(&self.buffer).trim_ascii();
            if line.is_empty() {
                continue;
            }
            return match serde_json::from_slice::<Line<P>>(line) {
                Ok(line) => match line.cost_usd {
                    Some(cost) if cost < 0.0 => Err(self.problem("`cost_usd` must be 0 or more".to_owned())),
                    _ => Ok(Some((line, offset))),
                },
                Err(error) => Err(self.problem(error.to_string().replace(" at line 1 column", ", column"))),
            };
        }
    }

    fn problem(&self, problem: String) -> OutputsError {
        OutputsError::Line {
            path: self.path.clone(),
            line: self.number,
            problem,
        }
    }

    pub(super) fn rewind(&mut self) -> Result<(), OutputsError> {
        self.seek(0)?;
        self.number = 0;
        Ok(())
    }

    pub(super) fn seek(&mut self, offset: u64) -> Result<(), OutputsError> {
        let by = i64::try_from(offset).unwrap_or(i64::MAX) - i64::try_from(self.offset).unwrap_or(i64::MAX);
        // Within the buffer where the line is near.
        self.reader
            .seek_relative(by)
            .or_else(|_| self.reader.seek(SeekFrom::Start(offset)).map(drop))
            .map_err(|source| OutputsError::Unreadable {
                path: self.path.clone(),
                source,
            })?;
        self.offset = offset;
        Ok(())
    }
}
