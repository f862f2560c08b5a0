//! What of the interactions is looked at, as addresses have it.

use pawl_engine::intake::Zone;
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, InteractionPlace, search};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Date, OffsetDateTime};

use super::place;

/// Flags that one list can be restricted to.
const MOST_FLAGS: usize = 32;
/// The longest search, in bytes.
const LONGEST_SEARCH: usize = 400;

/// What of the interactions is looked at, as the address has it: nothing of it is checked yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListQuery {
    /// Words and phrases.
    pub(crate) search: String,
    /// Flags.
    pub(crate) flags: Vec<String>,
    /// `all` for all of the flags; else any of them will do.
    pub(crate) matching: String,
    /// The first day, or an instant.
    pub(crate) from: String,
    /// The last day, or the instant before which it ends.
    pub(crate) until: String,
    /// The least score.
    pub(crate) score_min: String,
    /// The most.
    pub(crate) score_max: String,
    /// The least milliseconds.
    pub(crate) latency_min: String,
    /// The most.
    pub(crate) latency_max: String,
    /// The order.
    pub(crate) sort: String,
    /// Behind what the page begins.
    pub(crate) after: String,
}

/// What of the interactions is looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) filter: InteractionFilter,
    pub(super) order: InteractionOrder,
    pub(super) after: Option<InteractionPlace>,
}

/// A field that says what it cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// What the address calls it.
    pub(super) field: &'static str,
    /// What is wrong with it.
    pub(super) message: &'static str,
}

/// The orders, as addresses name them.
const ORDERS: [(&str, InteractionOrder); 6] = [
    ("newest", InteractionOrder::Newest),
    ("oldest", InteractionOrder::Oldest),
    ("lowest-score", InteractionOrder::LowestScore),
    ("highest-score", InteractionOrder::HighestScore),
    ("slowest", InteractionOrder::Slowest),
    ("fastest", InteractionOrder::Fastest),
];

/// What addresses call an order.
pub(super) fn word_of(order: InteractionOrder) -> &'static str {
    let found = ORDERS.iter().find(|(_, known)| *known == order);
    found.map_or("newest", |(word, _)| word)
}

impl ListQuery {
    /// Reads the query of an address; what is not known is passed over.
    pub(crate) fn parse(query: &str) -> Self {
        let mut read = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value = value.trim().to_owned();
            match &*name {
                "flag" if !value.is_empty() && !read.flags.contains(&value) => read.flags.push(value),
                name => {
                    if let Some(field) = read.field(name) {
                        *field = value;
                    }
                }
            }
        }
        read
    }

    fn field(&mut self, name: &str) -> Option<&mut String> {
        Some(match name {
            "q" => &mut self.search,
            "match" => &mut self.matching,
            "from" => &mut self.from,
            "until" => &mut self.until,
            "score_min" => &mut self.score_min,
            "score_max" => &mut self.score_max,
            "latency_min" => &mut self.latency_min,
            "latency_max" => &mut self.latency_max,
            "sort" => &mut self.sort,
            "after" => &mut self.after,
            _ => return None,
        })
    }

    /// An address with this query.
    pub(crate) fn url(&self, path: &str) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        let flags = self.flags.iter().map(|flag| ("flag", flag));
        let single = [
            ("match", &self.matching),
            ("from", &self.from),
            ("until", &self.until),
            ("score_min", &self.score_min),
            ("score_max", &self.score_max),
            ("latency_min", &self.latency_min),
            ("latency_max", &self.latency_max),
            ("sort", &self.sort),
            ("after", &self.after),
        ];
        for (name, value) in [("q", &self.search)].into_iter().chain(flags).chain(single) {
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        let query = query.finish();
        if query.is_empty() {
            path.to_owned()
        } else {
            [path, "?", &query].concat()
        }
    }

    /// Whether anything restricts the list.
    pub(super) fn is_filtered(&self) -> bool {
        let unrestricted = Self {
            sort: self.sort.clone(),
            matching: self.matching.clone(),
            after: self.after.clone(),
            ..Self::default()
        };
        *self != unrestricted
    }

    /// The same list from its beginning, in this order.
    pub(super) fn sorted(&self, order: InteractionOrder) -> Self {
        let sort = match order {
            InteractionOrder::Newest => String::new(),
            order => word_of(order).to_owned(),
        };
        Self {
            sort,
            after: String::new(),
            ..self.clone()
        }
    }

    /// The page of the same list that begins behind this place.
    pub(super) fn behind(&self, place: Option<&InteractionPlace>) -> Self {
        Self {
            after: place.map(place::write).unwrap_or_default(),
            ..self.clone()
        }
    }

    /// What is looked at, in the tenant's days; or every field that says what it cannot.
    pub(super) fn wanted(&self, zone: &Zone) -> Result<Wanted, Vec<Problem>> {
        let mut problems = Vec::new();
        let day = "Enter a day, such as 2026-11-28.";
        let score = "Enter a number from 0 to 1.";
        let latency = "Enter whole milliseconds.";
        let mut check = |field, message, is_wrong: bool| {
            if is_wrong {
                problems.push(Problem { field, message });
            }
        };
        let from = read(&self.from, |text| moment(text, |date| zone.day_start(date)));
        let until = read(&self.until, |text| {
            moment(text, |date| zone.next_midnight(zone.day_start(date)))
        });
        check("from", day, from.is_err());
        check("until", day, until.is_err());
        let is_backwards = matches!((from, until), (Ok(Some(from)), Ok(Some(until))) if until <= from);
        check("until", "This is before the beginning.", is_backwards);
        let [score_min, score_max] = [&self.score_min, &self.score_max].map(|text| read(text, share));
        check("score_min", score, score_min.is_err());
        check("score_max", score, score_max.is_err());
        let [latency_min, latency_max] = [&self.latency_min, &self.latency_max].map(|text| read(text, whole));
        check("latency_min", latency, latency_min.is_err());
        check("latency_max", latency, latency_max.is_err());
        check("flag", "These are too many flags.", self.flags.len() > MOST_FLAGS);
        let search = search(&self.search);
        let is_long = self.search.len() > LONGEST_SEARCH;
        check("q", "Search for fewer words.", is_long);
        let is_empty = search.is_empty() && !self.search.is_empty();
        check("q", "Search for a word with a letter or digit in it.", is_empty);
        let order = ORDERS.iter().find(|(word, _)| *word == self.sort);
        let order = order.map_or(InteractionOrder::Newest, |(_, order)| *order);
        let after = read(&self.after, place::read);
        check(
            "after",
            "The page that this leads to is not known.",
            after.is_err(),
        );
        if !problems.is_empty() {
            return Err(problems);
        }
        let (any_flags, all_flags) = match self.matching.as_str() {
            "all" => (Vec::new(), self.flags.clone()),
            _ => (self.flags.clone(), Vec::new()),
        };
        Ok(Wanted {
            filter: InteractionFilter {
                from: from.ok().flatten(),
                until: until.ok().flatten(),
                any_flags,
                all_flags,
                least_score: score_min.ok().flatten(),
                most_score: score_max.ok().flatten(),
                least_latency_ms: latency_min.ok().flatten(),
                most_latency_ms: latency_max.ok().flatten(),
                search,
            },
            order,
            after: after.ok().flatten(),
        })
    }
}

/// A text that cannot be read as what it should be.
#[derive(Clone, Copy, Debug)]
struct Unreadable;

fn read<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, Unreadable> {
    if text.is_empty() {
        return Ok(None);
    }
    parse(text).map(Some).ok_or(Unreadable)
}

fn moment(text: &str, of_day: impl FnOnce(Date) -> OffsetDateTime) -> Option<OffsetDateTime> {
    match Date::parse(text, format_description!("[year]-[month]-[day]")) {
        Ok(date) => Some(of_day(date)),
        Err(_) => OffsetDateTime::parse(text, &Rfc3339).ok(),
    }
}

fn share(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number| (0.0..=1.0).contains(number))
}

fn whole(text: &str) -> Option<i32> {
    text.parse().ok().filter(|number| *number >= 0)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn berlin() -> Zone {
        Zone::named("Europe/Berlin").unwrap()
    }

    #[test]
    fn an_address_reads_back() {
        let address = "/interactions?q=order+%22a+b%22&flag=slow&flag=a%26b&match=all&from=2026-11-01&until=2026-11-28\
                       &score_min=0.1&score_max=0.5&latency_min=0&latency_max=900&sort=slowest";
        let query = ListQuery::parse(address.split_once('?').unwrap().1);
        assert_eq!(query.url("/interactions"), address);
        let wanted = query.wanted(&berlin()).unwrap();
        assert_eq!(wanted.filter.all_flags, ["slow", "a&b"]);
        assert_eq!(wanted.filter.search.phrases, ["a b"]);
        assert_eq!(wanted.filter.from, Some(datetime!(2026-10-31 23:00 UTC)));
        assert_eq!(wanted.filter.until, Some(datetime!(2026-11-28 23:00 UTC)));
        assert_eq!(wanted.order, InteractionOrder::Slowest);
        let plain = ListQuery::parse("q=&from=&sort=&odd=1&flag=");
        assert_eq!(
            (plain.url("/interactions"), plain.is_filtered()),
            ("/interactions".to_owned(), false)
        );
    }

    #[test]
    fn every_field_that_cannot_be_is_named() {
        let query = "q=--&from=yesterday&until=2026-13-01&score_min=2&score_max=NaN&latency_min=-1&latency_max=1e3&after=x";
        let problems = ListQuery::parse(query).wanted(&berlin()).unwrap_err();
        let fields: Vec<&str> = problems.iter().map(|problem| problem.field).collect();
        assert_eq!(
            fields,
            [
                "from",
                "until",
                "score_min",
                "score_max",
                "latency_min",
                "latency_max",
                "q",
                "after"
            ]
        );
        let backwards = ListQuery::parse("from=2026-11-28&until=2026-11-27").wanted(&berlin());
        assert_eq!(backwards.unwrap_err()[0].field, "until");
        let instants = "from=2026-11-28T05:00:00Z&until=2026-11-28T06:00:00Z";
        let hour = ListQuery::parse(instants).wanted(&berlin()).unwrap().filter;
        assert_eq!(hour.from, Some(datetime!(2026-11-28 05:00 UTC)));
    }
}
