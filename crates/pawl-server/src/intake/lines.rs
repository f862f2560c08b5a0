//! Bodies with an interaction in each line, read while they arrive.

use std::mem;

use axum::body::{Body, BodyDataStream, Bytes};
use futures::StreamExt as _;
use pawl_engine::intake::received::{self, MAX_BYTES, Unreadable};
use pawl_model::NewInteraction;
use tokio::time::{Instant, timeout_at};

use super::body::{broken, no_text, too_many};
use crate::problem::{ErrorCode, Problem};

/// Lines of one request, blank ones as well.
const MAX_LINES: usize = 100_000;
/// Bytes of one request, uncompressed.
const MAX_TOTAL: u64 = 256 * 1024 * 1024;
/// Interactions that are stored together.
const CHUNK_LINES: usize = 500;
/// Their bytes, but for those of the last one.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// An interaction, or why there is none in its line.
pub(super) type Read = Result<NewInteraction, Unreadable>;

/// The lines of a body.
pub(super) struct Lines {
    body: BodyDataStream,
    deadline: Instant,
    /// What arrived and was not looked at.
    frame: Bytes,
    /// The line so far, or the one that ended just now; nothing of one that is too long.
    line: Vec<u8>,
    /// How long it is.
    length: usize,
    /// How many lines there were.
    number: usize,
    /// How many bytes arrived.
    total: u64,
    ended: bool,
}

/// What is to be stored together.
pub(super) struct Chunk {
    /// In the order of the lines.
    pub(super) read: Vec<Read>,
    /// What comes behind.
    pub(super) end: End,
}

/// What comes behind a chunk.
#[derive(Debug)]
pub(super) enum End {
    /// Further ones.
    More,
    /// Nothing: that was all.
    Whole,
    /// More, and it cannot be read.
    Stopped(Problem),
}

impl Lines {
    /// Of this body, read until then.
    pub(super) fn of(body: Body, deadline: Instant) -> Self {
        Self {
            body: body.into_data_stream(),
            deadline,
            frame: Bytes::new(),
            line: Vec::new(),
            length: 0,
            number: 0,
            total: 0,
            ended: false,
        }
    }

    /// The next ones that are to be stored together.
    pub(super) async fn chunk(&mut self) -> Chunk {
        let mut read = Vec::new();
        let mut bytes = 0;
        while read.len() < CHUNK_LINES && bytes < CHUNK_BYTES {
            match self.next().await {
                Ok(Some(line)) => {
                    bytes += self.line.len();
                    read.push(line);
                }
                Ok(None) => {
                    return Chunk {
                        read,
                        end: End::Whole,
                    };
                }
                Err(problem) => {
                    let end = End::Stopped(problem);
                    return Chunk { read, end };
                }
            }
        }
        Chunk { read, end: End::More }
    }

    /// The next line that holds something.
    async fn next(&mut self) -> Result<Option<Read>, Problem> {
        loop {
            let newline = memchr::memchr(b'\n', &self.frame);
            let piece = self.frame.split_to(newline.unwrap_or(self.frame.len()));
            self.keep(&piece);
            if newline.is_some() {
                let _ = self.frame.split_to(1);
            } else if !self.ended {
                self.arrive().await?;
                continue;
            } else if self.length == 0 {
                return Ok(None);
            }
            if self.number == MAX_LINES {
                return Err(too_many("a request", MAX_LINES, "lines"));
            }
            if let Some(read) = self.end_line() {
                return Ok(Some(read));
            }
        }
    }

    /// Waits for more of the body.
    async fn arrive(&mut self) -> Result<(), Problem> {
        // What a small body inflates to is always there: others have to be let in.
        tokio::task::coop::consume_budget().await;
        if Instant::now() >= self.deadline {
            return Err(too_slow());
        }
        match timeout_at(self.deadline, self.body.next()).await {
            Err(_) => return Err(too_slow()),
            Ok(None) => self.ended = true,
            Ok(Some(Err(error))) => return Err(broken(&error)),
            Ok(Some(Ok(frame))) => {
                self.total += frame.len() as u64;
                if self.total > MAX_TOTAL {
                    let detail = format!("lines may have {MAX_TOTAL} bytes together, counted uncompressed");
                    return Err(Problem::new(ErrorCode::BodyTooLarge).because(detail));
                }
                self.frame = frame;
            }
        }
        Ok(())
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.length == 0 {
            self.line.clear();
        }
        self.length += piece.len();
        if self.length <= MAX_BYTES {
            self.line.extend_from_slice(piece);
        } else {
            self.line.clear();
        }
    }

    /// What the line that ends here holds; nothing where it is blank.
    fn end_line(&mut self) -> Option<Read> {
        self.number += 1;
        let bytes = mem::take(&mut self.length);
        if bytes > MAX_BYTES {
            return Some(Err(Unreadable::TooLarge { bytes }));
        }
        let is_blank = self.line.trim_ascii().is_empty();
        (!is_blank).then(|| read(&self.line, self.number))
    }

    /// Reads to the end, as far as there is time, and keeps nothing.
    pub(super) async fn pass_over_the_rest(&mut self) {
        while !self.ended && self.arrive().await.is_ok() {}
    }
}

/// Reads the line of this number, from 1.
fn read(line: &[u8], number: usize) -> Read {
    let text = std::str::from_utf8(line).map_err(|error| no_text(&line[..error.valid_up_to()], number))?;
    received::read(text).map_err(|unreadable| match unreadable {
        Unreadable::Malformed { problem, column, .. } => Unreadable::Malformed {
            problem,
            line: number,
            column,
        },
        other => other,
    })
}

fn too_slow() -> Problem {
    Problem::new(ErrorCode::RequestTimeout).because("the time for reading lines is over")
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::time::Duration;

    use futures::stream;
    use proptest::prelude::*;

    use super::*;

    /// All that is read of a body which arrives in these pieces.
    async fn read_all(
        pieces: impl Iterator<Item = Bytes> + Send + 'static,
    ) -> (Vec<Read>, Option<ErrorCode>) {
        let body = Body::from_stream(stream::iter(pieces.map(Ok::<_, Infallible>)));
        let mut lines = Lines::of(body, Instant::now() + Duration::from_secs(600));
        let mut all = Vec::new();
        loop {
            let chunk = lines.chunk().await;
            assert!(chunk.read.len() <= CHUNK_LINES && lines.line.capacity() <= 2 * MAX_BYTES);
            all.extend(chunk.read);
            match chunk.end {
                End::More => {}
                End::Whole => return (all, None),
                End::Stopped(problem) => return (all, Some(problem.code)),
            }
        }
    }

    #[tokio::test]
    async fn what_does_not_end_is_not_held() {
        let piece = Bytes::from(vec![b' '; 1024 * 1024]);
        let (read, problem) = read_all(std::iter::repeat(piece)).await;
        assert_eq!((read.len(), problem), (0, Some(ErrorCode::BodyTooLarge)));
        let (read, problem) = read_all(std::iter::repeat(Bytes::from_static(b"\n\n\n"))).await;
        assert_eq!((read.len(), problem), (0, Some(ErrorCode::BodyTooLarge)));
    }

    #[tokio::test]
    async fn long_lines_fill_a_chunk_before_many_do() {
        let line = Bytes::from([&vec![b' '; MAX_BYTES - 1][..], b"\n"].concat());
        let body = Body::from_stream(stream::iter(vec![Ok::<_, Infallible>(line); 9]));
        let mut lines = Lines::of(body, Instant::now() + Duration::from_secs(600));
        assert!(
            matches!(lines.chunk().await.end, End::Whole),
            "blank lines are nothing"
        );
        let line = Bytes::from(["0", &" ".repeat(MAX_BYTES - 1), "\n"].concat());
        let body = Body::from_stream(stream::iter(vec![Ok::<_, Infallible>(line); 9]));
        let mut lines = Lines::of(body, Instant::now() + Duration::from_secs(600));
        assert_eq!(lines.chunk().await.read.len(), 4);
    }

    /// Lines of every kind, with what comes of each.
    fn line() -> impl Strategy<Value = (Vec<u8>, Option<u16>)> {
        let good = br#"{"user_id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","interaction_id":"1","prompt":"","response":""}"#;
        prop_oneof![
            Just((good.to_vec(), Some(201))),
            Just((b"{}\r".to_vec(), Some(422))),
            Just((b"{\"a\":".to_vec(), Some(400))),
            Just((b"\xff".to_vec(), Some(400))),
            Just((vec![b'x'; MAX_BYTES + 1], Some(413))),
            Just((b" \t\r".to_vec(), None)),
            Just((Vec::new(), None)),
        ]
    }

    fn code(read: Read) -> u16 {
        match read {
            Ok(_) => 201,
            Err(unreadable) => Problem::from(unreadable).code.status().as_u16(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn lines_are_the_same_however_they_arrive(
            lines in prop::collection::vec(line(), 0..12),
            ends_with_newline: bool,
            sizes in prop::collection::vec(1..200_usize, 1..8),
        ) {
            let texts: Vec<&[u8]> = lines.iter().map(|(text, _)| &text[..]).collect();
            let mut body = texts.join(&b'\n');
            if ends_with_newline {
                body.push(b'\n');
            }
            let mut body = Bytes::from(body);
            // Small pieces up to the first long line, which comes in larger ones.
            let mut pieces = Vec::new();
            for size in sizes.iter().cycle() {
                if body.is_empty() {
                    break;
                }
                let size = if body.starts_with(b"xxx") { size * 1_000 } else { *size };
                pieces.push(body.split_to(size.min(body.len())));
            }
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
            let (read, problem) = runtime.block_on(read_all(pieces.into_iter()));
            let expected: Vec<u16> = lines.iter().filter_map(|(_, code)| *code).collect();
            prop_assert_eq!(problem, None);
            prop_assert_eq!(read.into_iter().map(code).collect::<Vec<_>>(), expected);
        }
    }
}
