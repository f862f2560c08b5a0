//! `/runs`: what suites found, one run of them, and how two of them differ.

mod case;
mod compare;
mod matrix;
mod show;

use askama::Template;
use axum::extract::State;
use pawl_checks::stats::{Probability, wilson};
use pawl_engine::run::list::{RunFilter, RunPlace};
use pawl_model::{Run, RunStatus, Tally};
use serde::Deserialize;
use time::OffsetDateTime;

pub(super) use self::compare::{choose as choose_comparison, show as compare};
pub(super) use self::show::{progress, show as show_one};
use super::choice::Choice;
use super::moment::{Moment, Moments};
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use super::{duration, rate};
use crate::AppState;
use crate::paging::Cursor as _;
use crate::parameters::Query;
use crate::problem::Problem;

/// Runs of a page.
const ROWS: u32 = 50;

/// Which runs.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    status: Option<String>,
    suite: Option<String>,
    after: Option<String>,
}

#[derive(Template)]
#[template(path = "runs.html")]
pub(super) struct ListPage {
    shell: Shell,
    statuses: Vec<Choice>,
    suite: Option<String>,
    /// The list without a restriction to the suite.
    all_suites: String,
    is_filtered: bool,
    rows: Vec<Row>,
    first: Option<String>,
    next: Option<String>,
}

/// A run in the list.
struct Row {
    href: String,
    name: String,
    suite: Option<(String, String)>,
    target: String,
    status: Status,
    result: Option<Share>,
    started: Moment,
    took: Option<String>,
}

/// How far a run is, with its shape.
struct Status {
    word: String,
    class: &'static str,
}

/// How many rows of a run passed.
struct Share {
    /// The rate with its interval, and what it is of.
    rate: String,
    /// What could be judged.
    coverage: String,
    bar: Bar,
}

/// The states of rows as parts of a bar, in percent: where each begins, and how long it is.
struct Bar {
    parts: Vec<(&'static str, String, String)>,
    title: String,
}

/// The list.
pub(super) async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    Query(query): Query<ListQuery>,
) -> Result<Page<ListPage>, Problem> {
    let query = query.cleaned();
    let after = query.after.as_deref().map(RunPlace::read).transpose()?;
    let filter = RunFilter {
        status: query.status.as_deref(),
        suite: query.suite.as_deref(),
    };
    let runs = state
        .engine
        .list_runs(visitor.actor(), &filter, after, ROWS)
        .await?;
    let next = runs.items.last().filter(|_| runs.more).map(|last| ListQuery {
        after: Some(
            RunPlace {
                created_at: last.created_at,
                id: last.id,
            }
            .write(),
        ),
        ..query.clone()
    });
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(ListPage {
        shell: visitor.shell(Section::Runs, "Runs"),
        statuses: query.statuses(),
        all_suites: ListQuery {
            suite: None,
            after: None,
            ..query.clone()
        }
        .url(),
        is_filtered: query.status.is_some() || query.suite.is_some(),
        rows: runs
            .items
            .iter()
            .map(|run| Row::of(run, &query, &moments))
            .collect(),
        first: after.map(|_| {
            ListQuery {
                after: None,
                ..query.clone()
            }
            .url()
        }),
        next: next.map(|next| next.url()),
        suite: query.suite,
    }))
}

impl ListQuery {
    /// Without what nobody filled in.
    fn cleaned(self) -> Self {
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            status: filled(self.status),
            suite: filled(self.suite),
            after: filled(self.after),
        }
    }

    fn url(&self) -> String {
        address(
            "/runs",
            [
                ("status", &self.status),
                ("suite", &self.suite),
                ("after", &self.after),
            ],
        )
    }

    fn statuses(&self) -> Vec<Choice> {
        let choice = |(name, status): (&'static str, Option<RunStatus>)| {
            let status = status.map(|status| status.as_str().to_owned());
            Choice {
                name: name.to_owned(),
                is_chosen: self.status == status,
                href: Self {
                    status,
                    after: None,
                    ..self.clone()
                }
                .url(),
            }
        };
        [
            ("All", None),
            ("Running", Some(RunStatus::Running)),
            ("Completed", Some(RunStatus::Completed)),
            ("Failed", Some(RunStatus::Failed)),
        ]
        .map(choice)
        .into()
    }
}

/// An address with what of its query there is.
fn address<const N: usize>(path: &str, query: [(&str, &Option<String>); N]) -> String {
    let mut written = form_urlencoded::Serializer::new(String::new());
    for (name, value) in query {
        if let Some(value) = value {
            written.append_pair(name, value);
        }
    }
    match written.finish() {
        query if query.is_empty() => path.to_owned(),
        query => [path, "?", &query].concat(),
    }
}

impl Row {
    fn of(run: &Run, query: &ListQuery, moments: &Moments) -> Self {
        let suite = run.suite.clone().map(|suite| {
            let of_suite = ListQuery {
                suite: Some(suite.clone()),
                after: None,
                ..query.clone()
            };
            (suite, of_suite.url())
        });
        Self {
            href: ["/runs/", &run.id.to_string()].concat(),
            name: name(run),
            suite,
            target: run
                .model
                .clone()
                .or_else(|| run.target.clone())
                .unwrap_or_default(),
            status: Status::of(run),
            result: stored_result(run),
            started: moments.show(run.created_at),
            took: took(run, run.completed_at),
        }
    }
}

/// What a run is called.
fn name(run: &Run) -> String {
    let name = run.run_name.clone().filter(|name| !name.trim().is_empty());
    name.or_else(|| run.suite.clone())
        .unwrap_or_else(|| run.id.to_string())
}

/// What the totals come to that the end of a run wrote: what neither passed nor failed is an error, or was skipped.
fn stored_result(run: &Run) -> Option<Share> {
    let count = |number: i32| u64::try_from(number).unwrap_or_default();
    let [total, passed, failed] = [run.total_cases, run.passed_cases, run.failed_cases].map(count);
    if run.status == RunStatus::Running || total == 0 {
        return None;
    }
    let tally = Tally {
        passed,
        failed,
        error: total.saturating_sub(passed + failed),
        skipped: 0,
    };
    let mut share = Share::of(&tally);
    if tally.error > 0 {
        share.bar.title += " or skipped";
    }
    Some(share)
}

fn took(run: &Run, until: Option<OffsetDateTime>) -> Option<String> {
    let length = until? - run.created_at;
    Some(duration::milliseconds(length.as_seconds_f64().max(0.0) * 1_000.0))
}

impl Status {
    fn of(run: &Run) -> Self {
        Self {
            word: run.status.to_string(),
            class: match run.status {
                RunStatus::Running => "running",
                RunStatus::Completed => "completed",
                RunStatus::Failed => "failed",
                RunStatus::Other(_) => "other",
            },
        }
    }
}

impl Share {
    fn of(tally: &Tally) -> Self {
        let (passed, total) = (tally.passed, tally.total());
        let interval = wilson(passed, total, Probability::P95);
        Self {
            rate: rate::rate(tally.pass_rate().unwrap_or_default(), interval, (passed, total)),
            coverage: rate::percent(tally.coverage().unwrap_or_default()),
            bar: Bar::of(tally),
        }
    }
}

impl Bar {
    fn of(tally: &Tally) -> Self {
        let total = tally.total().max(1) as f64;
        let mut begins = 0.0;
        let mut parts = Vec::new();
        for state in pawl_model::State::ALL {
            let length = tally.of(state) as f64 / total * 100.0;
            if length > 0.0 {
                parts.push((state.as_str(), format!("{begins:.2}"), format!("{length:.2}")));
                begins += length;
            }
        }
        Self {
            parts,
            title: counts(tally),
        }
    }
}

/// How many of each state there are: `48 passed, 2 failed`.
fn counts(tally: &Tally) -> String {
    let states = pawl_model::State::ALL
        .into_iter()
        .filter(|state| tally.of(*state) > 0);
    let counts: Vec<_> = states
        .map(|state| [&super::number::count(tally.of(state)), " ", state.as_str()].concat())
        .collect();
    counts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_a_part_for_each_state_that_there_is() {
        let tally = Tally {
            passed: 3,
            failed: 0,
            error: 1,
            skipped: 0,
        };
        let bar = Bar::of(&tally);
        assert_eq!(bar.title, "3 passed, 1 error");
        let parts: Vec<_> = bar
            .parts
            .iter()
            .map(|(state, from, length)| (*state, &**from, &**length))
            .collect();
        assert_eq!(parts, [("passed", "0.00", "75.00"), ("error", "75.00", "25.00")]);
    }

    #[test]
    fn addresses_hold_what_restricts_the_list() {
        let query = ListQuery {
            suite: Some("a&b".into()),
            status: Some(String::new()),
            after: None,
        };
        let query = query.cleaned();
        assert_eq!(query.url(), "/runs?suite=a%26b");
        let hrefs: Vec<_> = query.statuses().into_iter().map(|choice| choice.href).collect();
        assert_eq!(hrefs[1], "/runs?status=running&suite=a%26b");
    }
}
