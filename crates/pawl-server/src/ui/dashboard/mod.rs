//! `/dashboard`: what a tenant's interactions came to.

pub(in crate::ui) mod chart;
mod figure;
mod links;
pub(crate) mod live;
mod range;

use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, ListRequest};
use pawl_engine::intake::overview::{Overview, Today};
use time::{Date, OffsetDateTime};

use self::chart::Chart;
use self::figure::Figure;
use self::links::Links;
use self::range::{Range, RangeQuery};
use super::choice::Choice;
use super::moment::{Moment, Moments};
use super::number::count;
use super::page::{Page, refused};
use super::rate;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::problem::Problem;

/// Flags that are listed.
const FLAGS: usize = 10;

#[derive(Template)]
#[template(path = "dashboard.html")]
struct DashboardPage {
    shell: Shell,
    user: String,
    range: RangeForm,
    today: TodayLine,
    /// What the days came to; none where nothing happened in them.
    summary: Option<Summary>,
    /// When the last interaction happened, of any time; none where there is none.
    latest: Option<Latest>,
}

/// The days, and others to choose.
struct RangeForm {
    name: String,
    /// Whether today is one of them.
    has_today: bool,
    before: String,
    zone: String,
    from: String,
    until: String,
    choices: Vec<Choice>,
    steps: Vec<Choice>,
    refusal: Option<String>,
}

/// What arrived today.
struct TodayLine {
    stored: String,
    cap: String,
}

/// The last interaction.
struct Latest {
    moment: Moment,
    /// The days up to it.
    href: String,
}

struct Summary {
    figures: Vec<Figure>,
    charts: Vec<Chart>,
    flags: Vec<Flag>,
    /// How many other flags there are.
    more_flags: usize,
}

/// A flag, and how many interactions have it.
struct Flag {
    name: String,
    href: String,
    /// Whether it makes an interaction a failing one.
    is_failure: bool,
    count: String,
    /// Of all interactions.
    share: String,
    /// Of the most frequent flag, in percent: the length of its bar.
    length: String,
    was: String,
}

/// What it came to.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Query(query): Query<RangeQuery>,
) -> Result<Response, Problem> {
    let (actor, user) = (visitor.actor(), visitor.user());
    let moments = Moments::of(&state, &visitor).await?;
    let today = moments.zone().day(state.engine.now());
    let (range, refusal) = match Range::read(&query, today) {
        Ok(range) => (range, None),
        Err(refusal) => (Range::usual(today), Some(refusal)),
    };
    let overview = state.engine.overview(actor, user, range.days, range.step).await?;
    let latest = latest(&state, &visitor).await?;
    let status = match refusal {
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
        None => StatusCode::OK,
    };
    let page = DashboardPage {
        shell: visitor.shell(Section::Dashboard, "Dashboard"),
        user: user.to_string(),
        range: RangeForm {
            refusal,
            ..RangeForm::of(range, &overview, today)
        },
        today: state.engine.today(actor, user).await?.into(),
        latest: latest.map(|at| Latest::of(at, &moments)),
        summary: Summary::of(range, &overview),
    };
    Ok(match status {
        StatusCode::OK => Page(page).into_response(),
        status => refused(status, page),
    })
}

async fn latest(state: &AppState, visitor: &Visitor) -> Result<Option<OffsetDateTime>, Problem> {
    let request = ListRequest {
        user_id: visitor.user(),
        filter: &InteractionFilter::default(),
        order: InteractionOrder::Newest,
        after: None,
        limit: 1,
    };
    let page = state.engine.interactions(visitor.actor(), &request).await?;
    Ok(page.items.first().map(|latest| latest.created_at))
}

impl RangeForm {
    fn of(range: Range, overview: &Overview, today: Date) -> Self {
        let [from, until] = range.ends();
        Self {
            name: range.name(),
            has_today: range.has(today),
            before: range.name_of_before(),
            zone: overview.policy.timezone.clone(),
            from,
            until,
            choices: range.choices(),
            steps: range.steps(),
            refusal: None,
        }
    }
}

impl From<Today> for TodayLine {
    fn from(today: Today) -> Self {
        Self {
            stored: count(today.stored),
            cap: count(today.cap.into()),
        }
    }
}

impl Latest {
    fn of(at: OffsetDateTime, moments: &Moments) -> Self {
        let [from, until] = Range::usual(moments.zone().day(at)).ends();
        Self {
            moment: moments.show(at),
            href: ["/dashboard?from=", &from, "&until=", &until].concat(),
        }
    }
}

impl Summary {
    fn of(range: Range, overview: &Overview) -> Option<Self> {
        let happened = |overview: &Overview| overview.series.iter().any(|piece| piece.rollup.is_some());
        if !happened(overview) {
            return None;
        }
        let links = Links::of_days(range.ends());
        let ranked = chart::ranked(&overview.total);
        let most = ranked.first().map_or(1, |(_, count)| *count);
        let all = overview.total.interactions();
        let flag = |(name, number): &(&str, u64)| Flag {
            name: (*name).to_owned(),
            href: links.flag(name),
            is_failure: overview.policy.failure_flags.iter().any(|flag| flag == name),
            count: count(*number),
            share: rate::percent(*number as f64 / all.max(1) as f64),
            length: format!("{:.1}", *number as f64 / most as f64 * 100.0),
            was: count(was(overview, name)),
        };
        Some(Self {
            figures: figure::figures(overview, &links),
            charts: chart::charts(overview, range.step, &links),
            flags: ranked.iter().take(FLAGS).map(flag).collect(),
            more_flags: ranked.len().saturating_sub(FLAGS),
        })
    }
}

/// How many interactions had a flag in the days before.
fn was(overview: &Overview, flag: &str) -> u64 {
    let mut flags = overview.before.flags().iter();
    flags
        .find(|(name, _)| *name == flag)
        .map_or(0, |(_, count)| count)
}
