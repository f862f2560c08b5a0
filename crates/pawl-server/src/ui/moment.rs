//! Points in time as people read them: how long ago, and on hovering exactly when, on the clocks of the tenant's zone.

use askama::Template;
use askama::filters::HtmlSafe;
use pawl_engine::intake::Zone;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{Duration, OffsetDateTime, UtcOffset};

use super::session::Visitor;
use crate::AppState;
use crate::problem::Problem;

/// Shows points in time to a tenant.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    zone: Zone,
    zone_name: String,
    now: OffsetDateTime,
}

impl Moments {
    /// On the clocks of a visitor's zone.
    pub(crate) async fn of(state: &AppState, visitor: &Visitor) -> Result<Self, Problem> {
        let policy = state.engine.policy_today(visitor.user()).await?;
        let zone = policy.map_or_else(|| "UTC".to_owned(), |today| today.policy.timezone);
        Ok(Self::new(&zone, state.engine.now()))
    }

    /// On the clocks of this zone.
    pub(crate) fn new(zone_name: &str, now: OffsetDateTime) -> Self {
        Self {
            zone: Zone::named_or_utc(zone_name),
            zone_name: zone_name.to_owned(),
            now,
        }
    }

    /// The zone on whose clocks they are.
    pub(crate) const fn zone(&self) -> &Zone {
        &self.zone
    }

    /// A point in time.
    pub(crate) fn show(&self, at: OffsetDateTime) -> Moment {
        let local = self.zone.local(at);
        Moment {
            machine: at.to_offset(UtcOffset::UTC).format(&Rfc3339).unwrap_or_default(),
            exact: [&exact(local), " ", &self.zone_name].concat(),
            relative: relative(local, self.zone.local(self.now)),
        }
    }
}

/// A point in time, as an element of HTML.
#[derive(Clone, Debug, PartialEq, Eq, Template)]
#[template(
    source = r#"<time datetime="{{ machine }}" title="{{ exact }}">{{ relative }}</time>"#,
    ext = "html"
)]
pub(crate) struct Moment {
    machine: String,
    exact: String,
    relative: String,
}

impl Moment {
    /// How long ago it was, where there is no place for more.
    pub(crate) fn relative(&self) -> &str {
        &self.relative
    }
}

/// It is a template, which has escaped what stands in it.
impl HtmlSafe for Moment {}

fn exact(local: OffsetDateTime) -> String {
    let format = format_description!(
        "[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3] [offset_hour sign:mandatory]:[offset_minute]"
    );
    local.format(format).unwrap_or_default()
}

fn relative(at: OffsetDateTime, now: OffsetDateTime) -> String {
    let passed = now - at;
    let length = passed.abs();
    let (number, unit) = match length {
        _ if length < Duration::seconds(45) => return "just now".to_owned(),
        _ if length < Duration::minutes(59) => ((length.whole_seconds() + 30) / 60, "min"),
        _ if length < Duration::hours(24) => ((length.whole_minutes() + 30) / 60, "h"),
        _ if length < Duration::days(7) => (length.whole_days(), "d"),
        _ if at.year() == now.year() => {
            return at
                .format(format_description!("[day padding:none] [month repr:short]"))
                .unwrap_or_default();
        }
        _ => {
            return at
                .format(format_description!(
                    "[day padding:none] [month repr:short] [year]"
                ))
                .unwrap_or_default();
        }
    };
    let number = number.to_string();
    if passed.is_negative() {
        ["in ", &number, " ", unit].concat()
    } else {
        [&number, " ", unit, " ago"].concat()
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-28 12:00 UTC);

    #[test]
    fn times_are_relative_for_a_week() {
        for (at, shown) in [
            (NOW, "just now"),
            (NOW - Duration::seconds(50), "1 min ago"),
            (NOW - Duration::minutes(58), "58 min ago"),
            (NOW - Duration::minutes(59), "1 h ago"),
            (NOW - Duration::hours(23), "23 h ago"),
            (NOW - Duration::hours(24), "1 d ago"),
            (NOW - Duration::days(6), "6 d ago"),
            (NOW - Duration::days(14), "14 Nov"),
            (NOW - Duration::days(365), "28 Nov 2025"),
            (NOW + Duration::hours(3), "in 3 h"),
        ] {
            assert_eq!(relative(at, NOW), shown, "{at}");
        }
    }

    #[test]
    fn the_exact_time_is_on_the_clocks_of_the_zone() {
        let shown = Moments::new("Europe/Berlin", NOW).show(datetime!(2026-11-28 11:59:59.5 UTC));
        assert_eq!(
            shown.to_string(),
            "<time datetime=\"2026-11-28T11:59:59.5Z\" title=\"2026-11-28 12:59:59.500 +01:00 Europe/Berlin\">\
             just now</time>"
        );
    }
}
