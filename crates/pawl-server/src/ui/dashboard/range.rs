//! Which days the dashboard sums up, as its address says: `days=7`, or `from=…&until=…`; and in which steps.

use pawl_engine::intake::overview::{Days, Step};
use serde::Deserialize;
use time::macros::format_description;
use time::{Date, Duration};

use crate::ui::choice::Choice;

/// How many days there are to choose from with a click.
const CHOICES: [u16; 2] = [7, 30];
/// How many days it is unless the address says otherwise.
const DEFAULT_DAYS: u16 = 7;
/// So many days are shown by the hour at most: more points than that are no chart to read.
const MOST_BY_HOUR: i64 = 7;
/// So many are, unless the address says otherwise.
const BY_HOUR: i64 = 2;

/// The range as the address has it: nothing of it is checked yet.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::ui) struct RangeQuery {
    #[serde(default)]
    days: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    until: String,
    #[serde(default)]
    step: String,
}

/// The days that are summed up, and in which steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) days: Days,
    pub(super) step: Step,
    /// How many days up to today, where that is how the range was chosen.
    up_to_today: Option<u16>,
}

impl Range {
    /// So many days up to today, as where nothing was asked for.
    pub(super) fn usual(today: Date) -> Self {
        Self::up_to(today, DEFAULT_DAYS)
    }

    fn up_to(today: Date, days: u16) -> Self {
        let first = today.saturating_sub(Duration::days(i64::from(days) - 1));
        Self {
            up_to_today: Some(days),
            ..Self::of(Days { first, last: today })
        }
    }

    fn of(days: Days) -> Self {
        Self {
            days,
            step: if days.count() <= BY_HOUR {
                Step::Hour
            } else {
                Step::Day
            },
            up_to_today: None,
        }
    }

    /// The range that an address asks for, or what is wrong with it.
    pub(super) fn read(query: &RangeQuery, today: Date) -> Result<Self, String> {
        let range = match (query.from.trim(), query.until.trim()) {
            ("", "") if query.days.is_empty() => Self::usual(today),
            ("", "") => Self::up_to(today, read_count(&query.days)?),
            (from, until) => {
                let days = Days {
                    first: read_date(from)?,
                    last: read_date(until)?,
                };
                Self::of(checked(days)?)
            }
        };
        Ok(match query.step.as_str() {
            "hour" if range.may_be_by_hour() => Self {
                step: Step::Hour,
                ..range
            },
            "day" => Self {
                step: Step::Day,
                ..range
            },
            _ => range,
        })
    }

    fn may_be_by_hour(self) -> bool {
        self.days.count() <= MOST_BY_HOUR
    }

    /// The ranges that there are to choose from with a click.
    pub(super) fn choices(self) -> Vec<Choice> {
        let choice = |days: u16| Choice {
            name: [&days.to_string(), " days"].concat(),
            href: ["/dashboard?days=", &days.to_string()].concat(),
            is_chosen: self.up_to_today == Some(days),
        };
        CHOICES.map(choice).into()
    }

    /// The steps that there are to choose from: none where there is no choice.
    pub(super) fn steps(self) -> Vec<Choice> {
        if !self.may_be_by_hour() {
            return Vec::new();
        }
        let choice = |(name, word, step): (&str, &str, Step)| Choice {
            name: name.to_owned(),
            href: [&self.url(), "&step=", word].concat(),
            is_chosen: self.step == step,
        };
        [("Days", "day", Step::Day), ("Hours", "hour", Step::Hour)]
            .map(choice)
            .into()
    }

    fn url(self) -> String {
        match self.up_to_today {
            Some(days) => ["/dashboard?days=", &days.to_string()].concat(),
            None => {
                let [from, until] = self.ends();
                ["/dashboard?from=", &from, "&until=", &until].concat()
            }
        }
    }

    /// The first and the last day, as addresses have them.
    pub(super) fn ends(self) -> [String; 2] {
        [self.days.first, self.days.last].map(iso)
    }

    /// The days in words: `21–27 Nov 2026`.
    pub(super) fn name(self) -> String {
        name(self.days)
    }

    /// Whether the last day is not over yet.
    pub(super) fn has(self, today: Date) -> bool {
        self.days.first <= today && today <= self.days.last
    }

    /// As many days before them, in words.
    pub(super) fn name_of_before(self) -> String {
        self.days.before().map(name).unwrap_or_default()
    }
}

fn checked(days: Days) -> Result<Days, String> {
    match days.count() {
        1..=Days::MOST => Ok(days),
        ..=0 => Err("The first day is behind the last one.".to_owned()),
        _ => Err("Choose at most 400 days.".to_owned()),
    }
}

fn read_count(text: &str) -> Result<u16, String> {
    let days = text
        .parse()
        .ok()
        .filter(|days| (1..=Days::MOST).contains(&i64::from(*days)));
    days.ok_or_else(|| "Choose 1 to 400 days.".to_owned())
}

fn read_date(text: &str) -> Result<Date, String> {
    let day = Date::parse(text, format_description!("[year]-[month]-[day]")).ok();
    // Nothing is older than the clocks that we count by.
    let day = day.filter(|day| day.year() >= 1970);
    day.ok_or_else(|| "Enter both days, such as 2026-11-28.".to_owned())
}

/// A day as addresses have it.
pub(super) fn iso(day: Date) -> String {
    day.format(format_description!("[year]-[month]-[day]"))
        .unwrap_or_default()
}

fn name(days: Days) -> String {
    let whole = |day: Date| {
        day.format(format_description!(
            "[day padding:none] [month repr:short] [year]"
        ))
        .unwrap_or_default()
    };
    let Days { first, last } = days;
    let shared = match (first.year() == last.year(), first.month() == last.month()) {
        (true, true) => first.format(format_description!("[day padding:none]")),
        (true, false) => first.format(format_description!("[day padding:none] [month repr:short]")),
        _ => Ok(whole(first)),
    };
    if first == last {
        return whole(last);
    }
    [&shared.unwrap_or_default(), "–", &whole(last)].concat()
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    const TODAY: Date = date!(2026 - 11 - 28);

    fn read(text: &str) -> Result<Range, String> {
        let mut query = RangeQuery::default();
        for (name, value) in form_urlencoded::parse(text.as_bytes()) {
            let field = match &*name {
                "days" => &mut query.days,
                "from" => &mut query.from,
                "until" => &mut query.until,
                _ => &mut query.step,
            };
            *field = value.into_owned();
        }
        Range::read(&query, TODAY)
    }

    #[test]
    fn ranges_are_read_from_addresses() {
        for (query, first, last, step) in [
            ("", date!(2026 - 11 - 22), TODAY, Step::Day),
            ("step=hour", date!(2026 - 11 - 22), TODAY, Step::Hour),
            ("days=30&step=hour", date!(2026 - 10 - 30), TODAY, Step::Day),
            ("days=1", TODAY, TODAY, Step::Hour),
            (
                "from=2026-11-01&until=2026-11-02",
                date!(2026 - 11 - 01),
                date!(2026 - 11 - 02),
                Step::Hour,
            ),
            (
                "from=2025-11-01&until=2026-11-02&step=x",
                date!(2025 - 11 - 01),
                date!(2026 - 11 - 02),
                Step::Day,
            ),
        ] {
            let range = read(query).unwrap();
            assert_eq!((range.days, range.step), (Days { first, last }, step), "{query}");
        }
    }

    #[test]
    fn what_is_no_range_says_why() {
        for (query, problem) in [
            ("days=0", "1 to 400"),
            ("days=401", "1 to 400"),
            ("days=week", "1 to 400"),
            ("from=2026-11-28", "both days"),
            ("from=-2026-11-28&until=2026-11-28", "both days"),
            ("from=28.11.2026&until=2026-11-28", "both days"),
            ("from=2026-11-28&until=2026-11-27", "behind"),
            ("from=2020-01-01&until=2026-11-27", "at most 400"),
        ] {
            let refusal = read(query).unwrap_err();
            assert!(refusal.contains(problem), "{query}: {refusal}");
        }
    }

    #[test]
    fn a_range_names_itself_and_what_it_is_compared_with() {
        for (query, name, before) in [
            ("", "22–28 Nov 2026", "15–21 Nov 2026"),
            ("days=30", "30 Oct–28 Nov 2026", "30 Sep–29 Oct 2026"),
            ("from=2026-01-01&until=2026-01-01", "1 Jan 2026", "31 Dec 2025"),
            (
                "from=2025-12-31&until=2026-01-01",
                "31 Dec 2025–1 Jan 2026",
                "29–30 Dec 2025",
            ),
        ] {
            let range = read(query).unwrap();
            assert_eq!(
                (range.name(), range.name_of_before()),
                (name.to_owned(), before.to_owned())
            );
        }
    }

    #[test]
    fn choices_lead_to_what_they_say() {
        let range = read("days=7").unwrap();
        let chosen: Vec<_> = range
            .choices()
            .into_iter()
            .filter(|choice| choice.is_chosen)
            .collect();
        assert_eq!(chosen.len(), 1);
        for choice in range.choices().iter().chain(&range.steps()) {
            let (_, query) = choice.href.split_once('?').unwrap();
            let read = read(query).unwrap();
            let again = read.choices().into_iter().chain(read.steps());
            assert!(
                again
                    .filter(|other| other.name == choice.name)
                    .all(|other| other.is_chosen)
            );
        }
        assert!(read("days=30").unwrap().steps().is_empty());
    }
}
