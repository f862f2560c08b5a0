//! Places in lists, as clients carry them: opaque words.

use pawl_engine::run::list::RunPlace;
use pawl_model::{CaseId, RunId};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::problem::{ErrorCode, Problem};

/// A place in a list.
pub(crate) trait Cursor: Sized {
    /// Its word.
    fn write(&self) -> String;

    /// The place of a word, if it is one of ours.
    fn parse(word: &str) -> Option<Self>;

    /// The place of a word from outside.
    fn read(word: &str) -> Result<Self, Problem> {
        Self::parse(word).ok_or(Problem::new(ErrorCode::InvalidCursor))
    }
}

impl Cursor for RunPlace {
    fn write(&self) -> String {
        // Times are kept to the microsecond.
        let microseconds = self.created_at.unix_timestamp_nanos() / 1_000;
        [
            microseconds.to_string(),
            ".".to_owned(),
            self.id.0.simple().to_string(),
        ]
        .concat()
    }

    fn parse(word: &str) -> Option<Self> {
        let (microseconds, id) = word.split_once('.')?;
        let microseconds: i64 = microseconds.parse().ok()?;
        Some(Self {
            created_at: OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000).ok()?,
            id: RunId(Uuid::try_parse(id).ok()?),
        })
    }
}

impl Cursor for CaseId {
    fn write(&self) -> String {
        self.0.simple().to_string()
    }

    fn parse(word: &str) -> Option<Self> {
        Uuid::try_parse(word).ok().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_back_and_nothing_else_does() {
        let place = RunPlace {
            created_at: OffsetDateTime::UNIX_EPOCH + time::Duration::microseconds(1_234_567_890_123),
            id: RunId(Uuid::from_u128(7)),
        };
        assert_eq!(RunPlace::parse(&place.write()), Some(place));
        for odd in [
            "",
            ".",
            "1",
            "x.y",
            "99999999999999999999.7",
            "9223372036854775807.7",
            "1.7",
        ] {
            assert_eq!(RunPlace::parse(odd), None, "{odd}");
        }
    }
}
