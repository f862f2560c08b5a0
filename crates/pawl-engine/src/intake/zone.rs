//! A tenant's time zone: their days and hours. Days of 23 and 25 hours are days like others.

use jiff::tz::TimeZone;
use jiff::{Timestamp, Unit, ZonedDateTime};
use time::{Date, OffsetDateTime, UtcOffset};

/// An IANA time zone.
#[derive(Clone, Debug)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of this name, such as `Europe/Berlin`; none where there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TimeZone::get(name).ok().map(Self)
    }

    /// The zone of this name; UTC where there is none, as in a row that was written without us.
    #[must_use]
    pub fn named_or_utc(name: &str) -> Self {
        Self::named(name).unwrap_or(Self(TimeZone::UTC))
    }

    /// An instant as clocks in the zone show it.
    #[must_use]
    pub fn local(&self, at: OffsetDateTime) -> OffsetDateTime {
        let offset = UtcOffset::from_whole_seconds(self.zoned(at).offset().seconds());
        at.to_offset(offset.unwrap_or(UtcOffset::UTC))
    }

    fn zoned(&self, at: OffsetDateTime) -> ZonedDateTime {
        // The years of `OffsetDateTime` are those of `Timestamp`, but for a few hours at either end.
        let at = Timestamp::from_microsecond(microseconds(at)).unwrap_or_default();
        at.to_zoned_datetime(self.0.clone())
    }

    /// The day of an instant.
    #[must_use]
    pub fn day(&self, at: OffsetDateTime) -> Date {
        let day = self.zoned(at).date();
        date(day)
    }

    /// When the hour of an instant begins. It never begins before its day, so that hours add up to days.
    #[must_use]
    pub fn hour_start(&self, at: OffsetDateTime) -> OffsetDateTime {
        let local = self.zoned(at);
        let past = i64::from(local.minute()) * 60 + i64::from(local.second());
        let start = local.timestamp().as_second() - past;
        let day_start = local
            .start_of_day()
            .map_or(i64::MIN, |start| start.timestamp().as_second());
        instant(start.max(day_start))
    }

    /// When the hour of an instant ends, which is when the next one begins.
    #[must_use]
    pub fn hour_end(&self, at: OffsetDateTime) -> OffsetDateTime {
        let start = self.hour_start(at);
        // Offsets change by multiples of a quarter of an hour.
        (1..=8)
            .map(|quarters| start + time::Duration::minutes(15 * quarters))
            .find(|end| self.hour_start(*end) > start)
            .unwrap_or(start + time::Duration::HOUR)
    }

    /// When a day begins: the first instant of it.
    #[must_use]
    pub fn day_start(&self, day: Date) -> OffsetDateTime {
        let start = civil(day).and_then(|day| day.to_zoned_datetime(self.0.clone()).ok());
        start.map_or(OffsetDateTime::UNIX_EPOCH, |start| {
            instant(start.timestamp().as_second())
        })
    }

    /// When the day of an instant ends, which is when the next one begins.
    #[must_use]
    pub fn next_midnight(&self, at: OffsetDateTime) -> OffsetDateTime {
        let next = self.zoned(at).tomorrow().and_then(|next| next.start_of_day());
        next.map_or(at, |next| instant(next.timestamp().as_second()))
    }

    /// How many hours a day has, rounded to whole ones.
    #[must_use]
    pub fn hours_of(&self, day: Date) -> u8 {
        let start = self.zoned(self.day_start(day));
        let end = self.zoned(self.next_midnight(self.day_start(day)));
        let hours = start
            .until((Unit::Hour, &end))
            .map_or(24, |span| span.get_hours());
        u8::try_from(hours).unwrap_or(24)
    }
}

fn microseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos().div_euclid(1_000)).unwrap_or(0)
}

fn instant(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn date(day: jiff::civil::Date) -> Date {
    let month = u8::try_from(day.month())
        .ok()
        .and_then(|month| time::Month::try_from(month).ok());
    month
        .zip(u8::try_from(day.day()).ok())
        .and_then(|(month, number)| Date::from_calendar_date(i32::from(day.year()), month, number).ok())
        .unwrap_or(Date::MIN)
}

fn civil(day: Date) -> Option<jiff::civil::Date> {
    let year = i16::try_from(day.year()).ok()?;
    let month = i8::try_from(u8::from(day.month())).ok()?;
    jiff::civil::Date::new(year, month, i8::try_from(day.day()).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::{date, datetime};

    #[test]
    fn days_of_23_and_25_hours() {
        let berlin = Zone::named("Europe/Berlin").unwrap();
        for (day, start, hours) in [
            (date!(2026 - 03 - 29), datetime!(2026-03-28 23:00 UTC), 23),
            (date!(2026 - 03 - 30), datetime!(2026-03-29 22:00 UTC), 24),
            (date!(2026 - 10 - 25), datetime!(2026-10-24 22:00 UTC), 25),
        ] {
            assert_eq!((berlin.day_start(day), berlin.hours_of(day)), (start, hours));
            assert_eq!(berlin.day(start), day);
            assert_eq!(
                berlin.next_midnight(start) - start,
                time::Duration::hours(hours.into())
            );
        }
        // Both hours called two o'clock.
        for (at, hour) in [
            (
                datetime!(2026-10-25 00:59:59 UTC),
                datetime!(2026-10-25 00:00 UTC),
            ),
            (datetime!(2026-10-25 01:30 UTC), datetime!(2026-10-25 01:00 UTC)),
        ] {
            assert_eq!(berlin.hour_start(at), hour);
        }
    }

    #[test]
    fn hours_of_half_hour_zones_begin_at_the_local_hour() {
        let india = Zone::named("Asia/Kolkata").unwrap();
        let at = datetime!(2026-11-28 10:40:00 UTC);
        assert_eq!(india.hour_start(at), datetime!(2026-11-28 10:30 UTC));
        assert_eq!(india.day(datetime!(2026-11-28 18:30 UTC)), date!(2026 - 11 - 29));
        assert_eq!(india.local(at).to_hms(), (16, 10, 0));
        assert_eq!(india.local(at), at);
        assert!(Zone::named("Mars/Olympus").is_none());
        assert_eq!(Zone::named_or_utc("").day(at), date!(2026 - 11 - 28));
    }

    proptest! {
        #[test]
        fn hours_add_up_to_days(
            seconds in 0_i64..4_000_000_000,
            name in prop::sample::select(vec!["UTC", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu",
                "America/Havana", "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo"]),
        ) {
            let zone = Zone::named(name).unwrap();
            let at = instant(seconds);
            let hour = zone.hour_start(at);
            prop_assert!(hour <= at && at - hour < time::Duration::minutes(91));
            prop_assert_eq!(zone.day(hour), zone.day(at));
            prop_assert_eq!(zone.hour_start(hour), hour);
            let end = zone.hour_end(at);
            prop_assert!(end > at && zone.hour_start(end) == end && end <= zone.next_midnight(at));
            let midnight = zone.next_midnight(at);
            prop_assert!(midnight > at && zone.day(midnight) > zone.day(at));
            prop_assert_eq!(zone.day_start(zone.day(midnight)), midnight);
        }
    }
}
