//! Points in time as texts.

use time::{Date, Duration, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

/// Why a text is no point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MomentProblem {
    /// It does not look like one.
    Syntax,
    /// A field of it is out of its range.
    Range,
}

/// Reads RFC 3339, also with a blank for the `T`, without seconds, without an offset (then UTC), or a date alone.
pub(super) fn parse(text: &str) -> Result<OffsetDateTime, MomentProblem> {
    use MomentProblem::{Range, Syntax};
    let mut reader = Reader { rest: text.trim() };
    let year = reader.digits(4).ok_or(Syntax)?;
    reader.expect('-')?;
    let month = reader.digits(2).ok_or(Syntax)?;
    reader.expect('-')?;
    let day = reader.digits(2).ok_or(Syntax)?;
    let month = u8::try_from(month)
        .ok()
        .and_then(|month| Month::try_from(month).ok())
        .ok_or(Range)?;
    let date = Date::from_calendar_date(i32::try_from(year).map_err(|_| Range)?, month, small(day)?)
        .map_err(|_| Range)?;
    if reader.rest.is_empty() {
        return Ok(date.midnight().assume_utc());
    }
    if !(reader.take('T') || reader.take('t') || reader.take(' ')) {
        return Err(Syntax);
    }
    let hour = reader.digits(2).ok_or(Syntax)?;
    reader.expect(':')?;
    let minute = reader.digits(2).ok_or(Syntax)?;
    let (mut second, mut microseconds) = (0, 0);
    if reader.take(':') {
        second = reader.digits(2).ok_or(Syntax)?;
        if reader.take('.') {
            microseconds = reader.fraction().ok_or(Syntax)?;
        }
    }
    let time = Time::from_hms(small(hour)?, small(minute)?, small(second)?).map_err(|_| Range)?;
    let offset = reader.offset()?;
    PrimitiveDateTime::new(date, time)
        .assume_offset(offset)
        .checked_add(Duration::microseconds(microseconds))
        .and_then(|moment| moment.checked_to_offset(UtcOffset::UTC))
        .ok_or(Range)
}

fn small(number: u32) -> Result<u8, MomentProblem> {
    u8::try_from(number).map_err(|_| MomentProblem::Range)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn take(&mut self, character: char) -> bool {
        match self.rest.strip_prefix(character) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, character: char) -> Result<(), MomentProblem> {
        if self.take(character) {
            Ok(())
        } else {
            Err(MomentProblem::Syntax)
        }
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest.get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        self.rest = &self.rest[count..];
        digits.parse().ok()
    }

    /// Microseconds from up to nine digits, rounded.
    fn fraction(&mut self) -> Option<i64> {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 || count > 9 {
            return None;
        }
        let nanoseconds = i64::from(self.digits(count)?) * 10_i64.pow(9 - u32::try_from(count).ok()?);
        Some((nanoseconds + 500) / 1_000)
    }

    fn offset(&mut self) -> Result<UtcOffset, MomentProblem> {
        self.rest = self.rest.trim_start();
        if self.rest.is_empty() || matches!(self.rest, "Z" | "z") {
            return Ok(UtcOffset::UTC);
        }
        let sign = match (self.take('+'), self.take('-')) {
            (true, _) => 1,
            (_, true) => -1,
            _ => return Err(MomentProblem::Syntax),
        };
        let hours = self.digits(2).ok_or(MomentProblem::Syntax)?;
        let minutes = if self.rest.is_empty() {
            0
        } else {
            self.take(':');
            self.digits(2).ok_or(MomentProblem::Syntax)?
        };
        if !self.rest.is_empty() {
            return Err(MomentProblem::Syntax);
        }
        if hours > 15 || minutes > 59 {
            return Err(MomentProblem::Range);
        }
        let seconds = sign * i32::try_from(hours * 3_600 + minutes * 60).map_err(|_| MomentProblem::Range)?;
        UtcOffset::from_whole_seconds(seconds).map_err(|_| MomentProblem::Range)
    }
}

/// The parts of a point in time as PostgreSQL prints them: the fraction without zeros at its end.
pub(super) struct Printed {
    pub date: String,
    pub time: String,
}

pub(super) fn print(moment: OffsetDateTime) -> Printed {
    let moment = moment.to_offset(UtcOffset::UTC);
    let (hour, minute, second, microsecond) = moment.to_hms_micro();
    let mut time = format!("{hour:02}:{minute:02}:{second:02}");
    if microsecond > 0 {
        let fraction = format!(".{microsecond:06}");
        time.push_str(fraction.trim_end_matches('0'));
    }
    Printed {
        date: format!(
            "{:04}-{:02}-{:02}",
            moment.year(),
            u8::from(moment.month()),
            moment.day()
        ),
        time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<String, MomentProblem> {
        parse(text)
            .map(print)
            .map(|parts| format!("{} {}", parts.date, parts.time))
    }

    #[test]
    fn the_usual_forms_are_read() {
        for (text, expected) in [
            ("2026-11-27", "2026-11-27 00:00:00"),
            ("2026-11-27T23:30:20Z", "2026-11-27 23:30:20"),
            ("2026-11-27t23:30:20.120z", "2026-11-27 23:30:20.12"),
            ("2026-11-27 23:30", "2026-11-27 23:30:00"),
            ("2026-11-27T23:30:20.123456+00:00", "2026-11-27 23:30:20.123456"),
            ("2026-11-27T23:30:20.1234567+00", "2026-11-27 23:30:20.123457"),
            ("2026-11-27T23:30:20.9999999-0130", "2026-11-28 01:00:21"),
            ("2026-01-01 00:30:00 +02:00", "2025-12-31 22:30:00"),
            ("0001-01-01", "0001-01-01 00:00:00"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn others_are_refused() {
        use MomentProblem::{Range, Syntax};
        for (text, problem) in [
            ("", Syntax),
            ("yesterday", Syntax),
            ("2026-11", Syntax),
            ("2026-1-2", Syntax),
            ("2026-11-27T", Syntax),
            ("2026-11-27X10:00", Syntax),
            ("2026-11-27T10", Syntax),
            ("2026-11-27T10:00:00.", Syntax),
            ("2026-11-27T10:00:00.1234567890", Syntax),
            ("2026-11-27T10:00:00+1", Syntax),
            ("2026-11-27T10:00:00 00:00", Syntax),
            ("2026-11-27T10:00:00Zulu", Syntax),
            ("２026-11-27", Syntax),
            ("2026-13-01", Range),
            ("2026-02-29", Range),
            ("2026-11-27T24:00:00", Range),
            ("2026-11-27T10:61", Range),
            ("2026-11-27T10:00:60", Range),
            ("2026-11-27T10:00:00+23:00", Range),
            ("9999-12-31T23:59:59.9999999Z", Range),
            ("9999-12-31T23:59:59-10:00", Range),
            ("infinity", Syntax),
        ] {
            assert_eq!(parse(text), Err(problem), "{text}");
        }
    }
}
