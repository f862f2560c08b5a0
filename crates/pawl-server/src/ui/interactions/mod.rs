//! `/interactions`: what agents did, and each of it with all that is known of it.

mod detail;
mod export;
mod place;
mod query;
mod row;
mod trace;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use pawl_engine::Actor;
use pawl_engine::intake::Zone;
use pawl_engine::intake::list::{InteractionOrder, InteractionPage, ListRequest};
use pawl_engine::intake::overview::{Days, Step};
use pawl_model::{Policy, UserId};

pub(super) use self::detail::show as show_one;
pub(super) use self::export::download;
use self::query::{ListQuery, Problem as FieldProblem, Wanted};
use self::row::Row;
use super::marked::Marker;
use super::moment::{Moment, Moments};
use super::page::{Page, refused};
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::problem::{ErrorCode, Problem};

/// Rows of a page.
const ROWS: u32 = 50;
/// Flags that are offered, the most frequent of this many days.
const OFFERED: usize = 14;
const OFFERED_OF_DAYS: i64 = 30;

#[derive(Template)]
#[template(path = "interactions.html")]
struct ListPage {
    shell: Shell,
    query: ListQuery,
    flags: Vec<FlagChoice>,
    problems: Vec<FieldProblem>,
    rows: Vec<Row>,
    columns: Vec<Column>,
    /// In which order, for people.
    order: &'static str,
    next: Option<String>,
    first: Option<String>,
    /// Up to when words were looked for, where that is not up to now.
    searched_until: Option<Moment>,
    user: UserId,
}

/// A flag to restrict the list to.
struct FlagChoice {
    name: String,
    is_chosen: bool,
}

/// The head of a column by which rows can be sorted.
struct Column {
    name: &'static str,
    class: &'static str,
    url: String,
    /// As `aria-sort` says it.
    sorted: &'static str,
}

impl ListPage {
    /// What is wrong with a field of the form.
    fn is_wrong(&self, field: &str) -> bool {
        self.problems.iter().any(|problem| problem.field == field)
    }

    fn matches_all(&self) -> bool {
        self.query.matching == "all"
    }

    fn download(&self, format: &str) -> String {
        let query = ListQuery {
            after: String::new(),
            ..self.query.clone()
        };
        query.url(&["/interactions/export/", format].concat())
    }
}

/// The list.
pub(super) async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let query = ListQuery::parse(&query.unwrap_or_default());
    let policy = policy(&state, visitor.user()).await?;
    let zone = Zone::named_or_utc(&policy.timezone);
    let flags = flag_choices(&state, &visitor, &zone, &query).await?;
    let page = |query, wanted: &Wanted| ListPage {
        shell: visitor.shell(Section::Interactions, "Interactions"),
        columns: columns(&query, wanted.order),
        order: order_in_words(wanted.order),
        query,
        flags,
        problems: Vec::new(),
        rows: Vec::new(),
        next: None,
        first: None,
        searched_until: None,
        user: visitor.user(),
    };
    match query.wanted(&zone) {
        Err(problems) => {
            let page = ListPage {
                problems,
                ..page(query, &Wanted::default())
            };
            Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page))
        }
        Ok(wanted) => {
            let found = interactions(&state, (visitor.actor(), visitor.user()), &wanted).await?;
            let moments = Moments::new(&policy.timezone, state.engine.now());
            let marker = Marker::new(&query.search);
            let rows = found
                .items
                .iter()
                .map(|interaction| Row::new(interaction, &query, (&policy, &moments, &marker)));
            let rows = rows.collect();
            let first = ListQuery {
                after: String::new(),
                ..query.clone()
            };
            let is_behind = found.searched_until.filter(|until| *until < state.engine.now());
            let page = ListPage {
                rows,
                next: found
                    .next
                    .as_ref()
                    .map(|next| query.behind(Some(next)).url("/interactions")),
                first: wanted.after.as_ref().map(|_| first.url("/interactions")),
                searched_until: is_behind.map(|until| moments.show(until)),
                ..page(query, &wanted)
            };
            Ok(Page(page).into_response())
        }
    }
}

/// A page of the list.
async fn interactions(
    state: &AppState,
    (actor, user_id): (Actor, UserId),
    wanted: &Wanted,
) -> Result<InteractionPage, Problem> {
    let request = ListRequest {
        user_id,
        filter: &wanted.filter,
        order: wanted.order,
        after: wanted.after.as_ref(),
        limit: ROWS,
    };
    Ok(state.engine.interactions(actor, &request).await?)
}

/// The visitor's policy, which says what is failing and whose clocks count.
async fn policy(state: &AppState, user: UserId) -> Result<Policy, Problem> {
    let today = state.engine.policy_today(user).await?;
    today
        .map(|today| today.policy)
        .ok_or(Problem::new(ErrorCode::NotFound))
}

/// The most frequent flags of late, and those that are chosen.
async fn flag_choices(
    state: &AppState,
    visitor: &Visitor,
    zone: &Zone,
    query: &ListQuery,
) -> Result<Vec<FlagChoice>, Problem> {
    let last = zone.day(state.engine.now());
    let days = Days {
        first: last - time::Duration::days(OFFERED_OF_DAYS - 1),
        last,
    };
    let overview = state
        .engine
        .overview(visitor.actor(), visitor.user(), days, Step::Day)
        .await?;
    let mut counted: Vec<(&str, u64)> = overview.total.flags().iter().collect();
    counted.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let mut names: Vec<String> = counted
        .into_iter()
        .take(OFFERED)
        .map(|(name, _)| name.to_owned())
        .collect();
    for chosen in &query.flags {
        if !names.contains(chosen) {
            names.push(chosen.clone());
        }
    }
    let choice = |name: String| FlagChoice {
        is_chosen: query.flags.contains(&name),
        name,
    };
    Ok(names.into_iter().map(choice).collect())
}

/// The heads of the columns: each leads to its order, or to that from the other end.
fn columns(query: &ListQuery, order: InteractionOrder) -> Vec<Column> {
    use InteractionOrder::{LowestScore, Newest, Slowest};
    [
        ("When", "when", Newest),
        ("Score", "number", LowestScore),
        ("Latency, ms", "number", Slowest),
    ]
    .into_iter()
    .map(|(name, class, usual)| {
        let (sorted, to) = match order {
            order if order == usual => (Some(order), order.reversed()),
            order if order == usual.reversed() => (Some(order), usual),
            _ => (None, usual),
        };
        Column {
            name,
            class,
            url: query.sorted(to).url("/interactions"),
            sorted: match sorted {
                None => "none",
                Some(InteractionOrder::Oldest | LowestScore | InteractionOrder::Fastest) => "ascending",
                Some(_) => "descending",
            },
        }
    })
    .collect()
}

const fn order_in_words(order: InteractionOrder) -> &'static str {
    match order {
        InteractionOrder::Newest => "newest first",
        InteractionOrder::Oldest => "oldest first",
        InteractionOrder::LowestScore => "lowest score first",
        InteractionOrder::HighestScore => "highest score first",
        InteractionOrder::Slowest => "slowest first",
        InteractionOrder::Fastest => "fastest first",
    }
}
