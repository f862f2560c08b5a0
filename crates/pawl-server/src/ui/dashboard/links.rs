//! Where the rows behind a number are.

use time::OffsetDateTime;
use time::UtcOffset;
use time::format_description::well_known::Rfc3339;

/// Links to the interactions of a stretch of time.
#[derive(Clone, Debug)]
pub(super) struct Links {
    from: String,
    until: String,
}

impl Links {
    /// To those of these days: the first and the last one, as addresses have them.
    pub(super) fn of_days([from, until]: [String; 2]) -> Self {
        Self { from, until }
    }

    /// To those from one instant on and before another.
    pub(super) fn between(from: OffsetDateTime, until: OffsetDateTime) -> Self {
        let [from, until] =
            [from, until].map(|at| at.to_offset(UtcOffset::UTC).format(&Rfc3339).unwrap_or_default());
        Self { from, until }
    }

    /// All of them.
    pub(super) fn all(&self) -> String {
        self.with(&[])
    }

    /// All of them, in this order.
    pub(super) fn sorted(&self, order: &str) -> String {
        self.with(&[("sort", order)])
    }

    /// Those with a flag.
    pub(super) fn flag(&self, flag: &str) -> String {
        self.with(&[("flag", flag)])
    }

    /// Those whose score reached these whole percents.
    pub(super) fn scores(&self, from_pct: Option<u8>, to_pct: Option<u8>) -> String {
        let least = from_pct
            .filter(|pct| *pct > 0)
            .map(|pct| format!("{:.2}", f64::from(pct) / 100.0));
        // A score belongs to the percent that it reached: 29 % is every score below 0.30.
        let most = to_pct
            .filter(|pct| *pct < 100)
            .map(|pct| format!("{:.2}9999", f64::from(pct) / 100.0));
        let least = least.as_deref().map(|least| ("score_min", least));
        let most = most.as_deref().map(|most| ("score_max", most));
        self.with(&least.into_iter().chain(most).collect::<Vec<_>>())
    }

    fn with(&self, more: &[(&str, &str)]) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("from", &self.from), ("until", &self.until)])
            .extend_pairs(more)
            .finish();
        ["/interactions?", &query].concat()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn links_say_what_is_behind_a_number() {
        let links = Links::of_days(["2026-11-21".to_owned(), "2026-11-27".to_owned()]);
        let days = "/interactions?from=2026-11-21&until=2026-11-27";
        assert_eq!(links.all(), days);
        assert_eq!(links.flag("a&b"), [days, "&flag=a%26b"].concat());
        assert_eq!(
            links.scores(Some(20), Some(29)),
            [days, "&score_min=0.20&score_max=0.299999"].concat()
        );
        assert_eq!(
            links.scores(Some(0), Some(9)),
            [days, "&score_max=0.099999"].concat()
        );
        assert_eq!(
            links.scores(Some(90), Some(100)),
            [days, "&score_min=0.90"].concat()
        );
        let hour = Links::between(datetime!(2026-11-21 13:00 +1), datetime!(2026-11-21 14:00 +1));
        assert_eq!(
            hour.all(),
            "/interactions?from=2026-11-21T12%3A00%3A00Z&until=2026-11-21T13%3A00%3A00Z"
        );
    }
}
