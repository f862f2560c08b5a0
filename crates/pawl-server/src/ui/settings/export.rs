//! Everything that is kept of a tenant, as lines of JSON: which table, and the row.

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures::{Stream, TryStreamExt as _, stream};
use pawl_engine::data::{Count, DataError};
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, InteractionPlace, ListRequest};
use pawl_engine::mine::suggestions::Filter as SuggestionFilter;
use pawl_engine::{Actor, Engine};
use pawl_model::query::{Cell, Comparison, Direction, Field, Filter, Form, Item, Nulls, Order, Select};
use pawl_model::table::{Column, Datum, TABLES, Table, Verb};
use pawl_model::{Account, FailurePattern, UserId};
use serde::Serialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::AppState;
use crate::problem::Problem;
use crate::ui::session::Visitor;

/// Rows that are read at a time.
const ROWS: u32 = 500;
/// The table of interactions.
const INTERACTIONS: &str = "evaluations";
/// Traces that are read at a time: one may have many spans.
const TRACES: u32 = 20;

/// Everything that is kept of the visitor, but for what proves who they are.
pub(in crate::ui) async fn everything(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let user = line("auth.users", &user(&visitor.session.account));
    let export = Export {
        engine: state.engine.clone(),
        actor: visitor.actor(),
        user_id: visitor.user(),
    };
    let first = stream::iter([Ok(Bytes::from(user))]);
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/x-ndjson"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment; filename=\"pawl-data.jsonl\""),
        ),
    ];
    let body = Body::from_stream(futures::StreamExt::chain(first, export.rows()));
    Ok((headers, body).into_response())
}

/// A file under way.
struct Export {
    engine: Engine,
    actor: Actor,
    user_id: UserId,
}

/// Where a file goes on.
enum Next {
    /// At the rows of the first of these tables that come behind one with this key.
    Rows(&'static [Table], Option<Vec<Datum>>),
    /// At the interactions behind one.
    Interactions(Option<InteractionPlace>),
    /// At the traces behind one.
    Traces(String),
    /// At the patterns behind one.
    Patterns(String),
    /// At the suggestions behind one.
    Suggestions(Option<(OffsetDateTime, String)>),
}

impl Export {
    fn rows(self) -> impl Stream<Item = Result<Bytes, BoxError>> {
        let beginning = Some(Next::Rows(TABLES, None));
        stream::try_unfold((self, beginning), async |(export, next)| {
            let Some(next) = next else { return Ok(None) };
            let (lines, next) = export.page(next).await?;
            Ok(Some((Bytes::from(lines), (export, next))))
        })
        .inspect_err(|error: &BoxError| {
            tracing::error!(
                error = &**error as &dyn std::error::Error,
                "a download was cut off"
            );
        })
    }

    async fn page(&self, next: Next) -> Result<(String, Option<Next>), BoxError> {
        let (tables, after) = match next {
            Next::Rows(tables, after) => (tables, after),
            Next::Interactions(after) => return self.interactions(after.as_ref()).await,
            Next::Traces(after) => return self.traces(&after).await,
            Next::Patterns(after) => return self.patterns(&after).await,
            Next::Suggestions(after) => return self.suggestions(after).await,
        };
        let Some((table, others)) = tables.split_first() else {
            return Ok((String::new(), Some(Next::Interactions(None))));
        };
        // Interactions are read as they are shown: without personal data that was stored before it was masked.
        if table.name == INTERACTIONS || !table.user_may.contains(&Verb::Select) {
            return Ok((String::new(), Some(Next::Rows(others, None))));
        }
        let mut select = Select {
            table,
            items: table.columns.iter().map(column).collect(),
            filter: after.map_or(Filter::EVERY, |key| behind(table, &key)),
            order: key_columns(table).map(|(_, column)| ascending(column)).collect(),
            offset: 0,
            limit: ROWS.into(),
        };
        // Fewer at a time where so many are too large together.
        let records = loop {
            match self.engine.select_rows(self.actor, &select, Count::Skip).await {
                Ok(page) => break page.records,
                Err(DataError::Refused(_)) if select.limit > 1 => select.limit /= 2,
                Err(error) => return Err(error.into()),
            }
        };
        let last = records.last().filter(|_| records.len() as u64 == select.limit);
        let next = match last {
            Some(record) => Next::Rows(tables, Some(key(table, record))),
            None => Next::Rows(others, None),
        };
        let mut lines = String::new();
        for record in &records {
            lines.extend([
                "{\"table\":\"",
                table.name,
                "\",\"row\":",
                &select.json_object(record),
                "}\n",
            ]);
        }
        Ok((lines, Some(next)))
    }

    async fn interactions(
        &self,
        after: Option<&InteractionPlace>,
    ) -> Result<(String, Option<Next>), BoxError> {
        let request = ListRequest {
            user_id: self.user_id,
            filter: &InteractionFilter::default(),
            order: InteractionOrder::Oldest,
            after,
            limit: ROWS,
        };
        let page = self.engine.interactions(self.actor, &request).await?;
        let lines = page.items.iter().map(|row| line(INTERACTIONS, row)).collect();
        let next = match page.next {
            Some(place) => Next::Interactions(Some(place)),
            None => Next::Traces(String::new()),
        };
        Ok((lines, Some(next)))
    }

    async fn traces(&self, after: &str) -> Result<(String, Option<Next>), BoxError> {
        let page = self
            .engine
            .traces(self.actor, self.user_id, after, TRACES)
            .await?;
        let lines = page
            .iter()
            .map(|trace| line("interaction_traces", trace))
            .collect();
        let next = match page.last() {
            Some(last) => Next::Traces(last.trace_id.clone()),
            None => Next::Patterns(String::new()),
        };
        Ok((lines, Some(next)))
    }

    async fn patterns(&self, after: &str) -> Result<(String, Option<Next>), BoxError> {
        #[derive(Serialize)]
        struct PatternRow<'a> {
            #[serde(flatten)]
            pattern: &'a FailurePattern,
            suggestion_id: &'a str,
        }
        let page = self.engine.patterns(self.actor, after, ROWS).await?;
        let mut lines = String::new();
        for (pattern, suggestion_id) in &page {
            let row = PatternRow {
                pattern,
                suggestion_id,
            };
            lines += &line("failure_patterns", &row);
        }
        let next = match page.last() {
            Some((last, _)) => Next::Patterns(last.pattern_id.clone()),
            None => Next::Suggestions(None),
        };
        Ok((lines, Some(next)))
    }

    async fn suggestions(
        &self,
        after: Option<(OffsetDateTime, String)>,
    ) -> Result<(String, Option<Next>), BoxError> {
        let filter = SuggestionFilter {
            after,
            ..SuggestionFilter::default()
        };
        let page = self.engine.suggestions(self.actor, &filter, ROWS).await?;
        let lines = page.items.iter().map(|row| line("suggestions", row)).collect();
        Ok((lines, page.next.map(|place| Next::Suggestions(Some(place)))))
    }
}

/// A column as it is.
fn column(column: &'static Column) -> Item {
    Item::Field {
        name: column.name.to_owned(),
        field: Field::of(column),
        form: Form::Plain,
    }
}

/// As comparisons have it: texts by bytes, which is not what every database sorts a key by.
const fn ascending(column: &'static Column) -> Order {
    Order {
        field: Field::of(column),
        direction: Direction::Ascending,
        nulls: Nulls::Last,
    }
}

/// The columns of a primary key in its order, each with its place among all.
fn key_columns(table: &'static Table) -> impl Iterator<Item = (usize, &'static Column)> {
    let columns = || table.columns.iter().enumerate();
    let named = move |name: &&str| columns().find(|(_, column)| column.name == *name);
    table.primary_key.iter().filter_map(named)
}

/// The primary key of a row of which every column was read.
fn key(table: &'static Table, record: &[Cell]) -> Vec<Datum> {
    let value = |(place, _)| match record.get(place) {
        Some(Cell::Value(value)) => value.clone(),
        _ => Datum::Null,
    };
    key_columns(table).map(value).collect()
}

/// Rows that come behind one, in the order of the primary key.
fn behind(table: &'static Table, key: &[Datum]) -> Filter {
    let compare =
        |column, comparison, value: &Datum| Filter::Compare(Field::of(column), comparison, value.clone());
    let mut same = Vec::new();
    let mut any = Vec::new();
    for ((_, column), value) in key_columns(table).zip(key) {
        let mut all = same.clone();
        all.push(compare(column, Comparison::Greater, value));
        any.push(Filter::All(all));
        same.push(compare(column, Comparison::Equal, value));
    }
    Filter::Any(any)
}

fn user(account: &Account) -> Value {
    json!({
        "id": account.id,
        "email": account.email,
        "created_at": account.created_at.format(&Rfc3339).ok(),
        "user_metadata": account.user_metadata.to_value(),
    })
}

fn line(table: &str, row: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct Line<'a, R> {
        table: &'a str,
        row: &'a R,
    }
    // Texts and finite numbers: there is nothing in it that cannot be written.
    let mut line = serde_json::to_string(&Line { table, row }).unwrap_or_default();
    line.push('\n');
    line
}
