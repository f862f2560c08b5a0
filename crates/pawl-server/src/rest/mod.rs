//! `/rest/v1`: the rows of the exposed tables in PostgREST's dialect.
//!
//! A request is read against the description of its table into the queries of `pawl_model::query`; whatever is not
//! understood is refused. The engine answers it, and the answer is written as PostgREST writes it.

mod body;
mod cursor;
mod error;
mod field;
mod filter;
mod limits;
mod media;
mod openapi;
mod order;
mod parameters;
mod preferences;
mod range;
mod response;
mod select;
#[cfg(test)]
mod tests;

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use pawl_engine::data::{Count, DataError, Expected, ExpectedRows};
use pawl_engine::{Actor, Engine};
use pawl_model::query::{Delete, Filter, Insert, Missing, OnConflict, Refusal, Resolution, Select, Update};
use pawl_model::table::{Column, Table};
use time::OffsetDateTime;

use crate::AppState;
use crate::caller::Caller;
use body::{BodyReader, Rows};
use error::{RestError, Standing};
use media::{Answer, Sent};
use parameters::Parameters;
use preferences::{Handling, Preferences, Shown};
use range::Range;

pub(crate) use openapi::openapi;

/// Everything under `/rest/v1`.
pub(crate) fn routes() -> Router<AppState> {
    let rows = get(read)
        .post(insert)
        .patch(update)
        .delete(delete)
        .options(options)
        .fallback(wrong_method);
    Router::new()
        .route("/rest/v1/", any(root))
        .route("/rest/v1/{table}", rows)
        .route("/rest/v1/rpc/{function}", any(function))
}

/// What every request to a table has.
struct Asked {
    engine: Engine,
    actor: Actor,
    standing: Standing,
    table: &'static Table,
    parameters: Parameters,
    preferences: Preferences,
    answer: Answer,
    headers: HeaderMap,
    now: OffsetDateTime,
}

impl FromRequestParts<AppState> for Asked {
    type Rejection = RestError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, RestError> {
        let caller = Caller::from_request_parts(parts, state).await;
        let caller = caller.map_err(|rejection| error::nobody(&rejection))?;
        let actor = caller.identity.actor();
        let standing = match actor {
            Actor::Anonymous => Standing::Anonymous,
            Actor::Tenant(_) | Actor::Service => Standing::Known,
        };
        let name = Path::<String>::from_request_parts(parts, state).await;
        let name = name.map_or_else(|_| String::new(), |Path(name)| name);
        for profile in ["accept-profile", "content-profile"] {
            let named = parts.headers.get(profile);
            if let Some(schema) = named.filter(|schema| schema.as_bytes() != b"public") {
                let schema = String::from_utf8_lossy(schema.as_bytes()).into_owned();
                let refusal = Refusal::new("PGRST106", ["Invalid schema: ", &schema].concat());
                return Err(refusal
                    .hint("Only the following schemas are exposed: public")
                    .into());
            }
        }
        let table = Table::find(&name).ok_or_else(|| no_table(&name))?;
        let now = state.engine.now();
        Ok(Self {
            engine: state.engine.clone(),
            actor,
            standing,
            table,
            parameters: Parameters::parse(parts.uri.query().unwrap_or_default(), table, now)?,
            preferences: Preferences::read(&parts.headers)?,
            answer: Answer::accepted(&parts.headers)?,
            headers: parts.headers.clone(),
            now,
        })
    }
}

impl Asked {
    fn refused(&self, error: DataError) -> RestError {
        RestError::of(error, self.standing)
    }

    /// What a request that writes answers with.
    fn shown(&self) -> Option<Select> {
        (self.preferences.shown == Some(Shown::Representation)).then(|| self.parameters.select.clone())
    }

    fn expected<'s>(&self, shown: Option<&'s Select>) -> Expected<'s> {
        let most = self.preferences.max_affected;
        let rows = match (self.answer, self.preferences.handling, most) {
            (Answer::Object, ..) => ExpectedRows::One,
            (_, Some(Handling::Strict), Some(most)) => ExpectedRows::AtMost(most),
            _ => ExpectedRows::Any,
        };
        Expected { shown, rows }
    }

    fn rows(&self, body: Result<Bytes, BytesRejection>) -> Result<Rows, RestError> {
        let body = body.map_err(|rejection| match rejection.into_response().status() {
            StatusCode::PAYLOAD_TOO_LARGE => error::body_too_large(),
            _ => Refusal::new("PGRST102", "Empty or invalid json").into(),
        })?;
        let reader = BodyReader {
            table: self.table,
            columns: self.parameters.columns.as_deref(),
            now: self.now,
        };
        Ok(reader.read(Sent::read(&self.headers)?, &body)?)
    }

    /// Refuses what only makes sense for reading.
    fn refuse_page(&self) -> Result<(), RestError> {
        if self.parameters.limit.is_some() || self.parameters.offset > 0 {
            return Err(Refusal::not_supported("`limit` and `offset` of rows that are written").into());
        }
        Ok(())
    }
}

async fn read(asked: Asked) -> Result<Response, RestError> {
    let mut select = asked.parameters.select.clone();
    let range = Range::of(asked.parameters.limit, asked.parameters.offset, &asked.headers)?;
    (select.offset, select.limit) = (range.offset, range.limit);
    let count = match asked.preferences.count {
        Some(_) => Count::Exact,
        None => Count::Skip,
    };
    let page = asked
        .engine
        .select_rows(asked.actor, &select, count)
        .await
        .map_err(|error| asked.refused(error))?;
    response::page(&asked, &select, range, &page)
}

async fn insert(asked: Asked, body: Result<Bytes, BytesRejection>) -> Result<Response, RestError> {
    asked.refuse_page()?;
    if !matches!(&asked.parameters.select.filter, Filter::All(parts) if parts.is_empty()) {
        return Err(Refusal::not_supported("filters of rows that are added").into());
    }
    let Rows { columns, rows } = asked.rows(body)?;
    let on_conflict = match asked.preferences.resolution {
        Some(resolution) => Some(on_conflict(&asked, resolution)?),
        None => None,
    };
    let insert = Insert {
        table: asked.table,
        columns,
        rows,
        missing: asked.preferences.missing.unwrap_or(Missing::Null),
        on_conflict,
    };
    let shown = asked.shown();
    let change = asked
        .engine
        .insert_rows(asked.actor, &insert, &asked.expected(shown.as_ref()))
        .await
        .map_err(|error| asked.refused(error))?;
    response::inserted(&asked, shown.as_ref(), &change)
}

/// The key whose rows a request merges with or ignores.
fn on_conflict(asked: &Asked, resolution: Resolution) -> Result<OnConflict, Refusal> {
    let table = asked.table;
    let key = match &asked.parameters.on_conflict {
        Some(key) => key.clone(),
        None => table.column(table.key()).into_iter().collect(),
    };
    let is = |columns: &[&str]| {
        columns.len() == key.len()
            && columns
                .iter()
                .all(|name| key.iter().any(|column: &&Column| column.name == *name))
    };
    if is(table.primary_key) || table.unique_keys.iter().any(|columns| is(columns)) {
        return Ok(OnConflict { key, resolution });
    }
    let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
    Err(Refusal::new("42P10", message))
}

async fn update(asked: Asked, body: Result<Bytes, BytesRejection>) -> Result<Response, RestError> {
    asked.refuse_page()?;
    let Rows { columns, mut rows } = asked.rows(body)?;
    if rows.len() > 1 {
        return Err(Refusal::new("PGRST102", "A body of new values is one object").into());
    }
    let values = columns.into_iter().zip(rows.pop().unwrap_or_default());
    let update = Update {
        table: asked.table,
        values: values
            .filter_map(|(column, value)| Some((column, value?)))
            .collect(),
        filter: asked.parameters.select.filter.clone(),
    };
    let shown = asked.shown();
    let change = asked
        .engine
        .update_rows(asked.actor, &update, &asked.expected(shown.as_ref()))
        .await
        .map_err(|error| asked.refused(error))?;
    response::updated(&asked, shown.as_ref(), &change)
}

async fn delete(asked: Asked) -> Result<Response, RestError> {
    asked.refuse_page()?;
    let delete = Delete {
        table: asked.table,
        filter: asked.parameters.select.filter.clone(),
    };
    let shown = asked.shown();
    let change = asked
        .engine
        .delete_rows(asked.actor, &delete, &asked.expected(shown.as_ref()))
        .await
        .map_err(|error| asked.refused(error))?;
    response::deleted(&asked, shown.as_ref(), &change)
}

async fn options(Path(name): Path<String>) -> Result<Response, RestError> {
    Table::find(&name).ok_or_else(|| no_table(&name))?;
    Ok([(header::ALLOW, "OPTIONS,GET,HEAD,POST,PATCH,DELETE")].into_response())
}

async fn wrong_method(method: Method) -> Response {
    let refusal = Refusal::new(
        "PGRST117",
        ["Unsupported HTTP method: ", method.as_str()].concat(),
    );
    let mut response = RestError::from(refusal).into_response();
    let allowed = header::HeaderValue::from_static("OPTIONS,GET,HEAD,POST,PATCH,DELETE");
    response.headers_mut().insert(header::ALLOW, allowed);
    response
}

async fn root() -> RestError {
    Refusal::new("PGRST126", "Root endpoint metadata is disabled")
        .hint("The OpenAPI document is at /openapi.json.")
        .into()
}

async fn function(State(_): State<AppState>, Path(name): Path<String>) -> RestError {
    let message = [
        "Could not find the function public.",
        &name,
        " in the schema cache",
    ]
    .concat();
    Refusal::new("PGRST202", message).into()
}

fn no_table(name: &str) -> Refusal {
    let message = ["Could not find the table 'public.", name, "' in the schema cache"].concat();
    Refusal::new("PGRST205", message)
}
