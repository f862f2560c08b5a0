//! Pages of lists: how many, and from which place on. Clients carry places as opaque words.

use pawl_engine::run::list::RunPlace;
use pawl_model::{CaseId, RunId};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::problem::{ErrorCode, Problem};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

/// Which page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// How many, at most: 1 to 200 [default: 50].
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// Where to go on: `next_cursor` of the page before.
    cursor: Option<String>,
}

impl PageQuery {
    pub(crate) fn limit(&self) -> Result<u32, Problem> {
        match self.limit.unwrap_or(DEFAULT_LIMIT) {
            limit @ 1..=MAX_LIMIT => Ok(limit),
            _ => Err(Problem::new(ErrorCode::InvalidParameter).because("`limit` is a number from 1 to 200")),
        }
    }

    /// The place that the cursor stands for; none on the first page.
    pub(crate) fn after<C: Cursor>(&self) -> Result<Option<C>, Problem> {
        self.cursor.as_deref().map(C::read).transpose()
    }
}

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

/// When a suggestion was made, and its id.
impl Cursor for (OffsetDateTime, String) {
    fn write(&self) -> String {
        let microseconds = self.0.unix_timestamp_nanos() / 1_000;
        [&microseconds.to_string(), ".", &self.1].concat()
    }

    fn parse(word: &str) -> Option<Self> {
        let (microseconds, id) = word.split_once('.')?;
        let microseconds: i64 = microseconds.parse().ok()?;
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000).ok()?;
        let is_id = !id.is_empty()
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_id.then(|| (at, id.to_owned()))
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
