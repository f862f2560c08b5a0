//! Answers: their status, headers and bodies.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pawl_engine::data::{Change, DataError, Page};
use pawl_model::query::{Record, Resolution, Select};

use super::Asked;
use super::error::{RestError, Standing};
use super::media::Answer;
use super::preferences::{PREFERENCE_APPLIED, Preferences, Shown};
use super::range::{self, Range};

/// A page of rows.
pub(super) fn page(asked: &Asked, select: &Select, range: Range, page: &Page) -> Result<Response, RestError> {
    let rows = page.records.len() as u64;
    let content_range = range::content_range(range.offset, rows, page.total);
    let status = match range::status(range, rows, page.total) {
        Ok(status) => status,
        Err(refusal) => {
            let mut response = RestError::from(refusal).into_response();
            set(response.headers_mut(), header::CONTENT_RANGE, &content_range);
            return Ok(response);
        }
    };
    if asked.answer == Answer::Object && rows != 1 {
        return Err(RestError::of(DataError::not_one(rows), Standing::Known));
    }
    let mut response = written(asked.answer, select, &page.records);
    *response.status_mut() = status;
    set(response.headers_mut(), header::CONTENT_RANGE, &content_range);
    apply(response.headers_mut(), &asked.preferences.reading());
    Ok(response)
}

/// Rows that were added.
pub(super) fn inserted(
    asked: &Asked,
    shown: Option<&Select>,
    change: &Change,
) -> Result<Response, RestError> {
    let nothing_new = change.added == 0 && asked.preferences.resolution == Some(Resolution::Merge);
    let status = if nothing_new {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    let mut response = changed(asked, shown, change, (status, 0));
    if let (Some(Shown::HeadersOnly), Some(key)) = (asked.preferences.shown, &change.only_key) {
        let mut text = String::new();
        key.write_text(&mut text);
        let table = asked.table;
        let location = ["/", table.name, "?", table.key(), "=eq.", &text].concat();
        set(response.headers_mut(), header::LOCATION, &location);
    }
    apply(
        response.headers_mut(),
        &Preferences {
            max_affected: None,
            ..asked.preferences.clone()
        },
    );
    Ok(response)
}

/// Rows that were changed.
pub(super) fn updated(asked: &Asked, shown: Option<&Select>, change: &Change) -> Result<Response, RestError> {
    let mut response = changed(asked, shown, change, (done(shown), change.rows));
    apply(
        response.headers_mut(),
        &Preferences {
            resolution: None,
            ..asked.preferences.clone()
        },
    );
    Ok(response)
}

/// Rows that were removed.
pub(super) fn deleted(asked: &Asked, shown: Option<&Select>, change: &Change) -> Result<Response, RestError> {
    let mut response = changed(asked, shown, change, (done(shown), 0));
    apply(
        response.headers_mut(),
        &Preferences {
            resolution: None,
            missing: None,
            ..asked.preferences.clone()
        },
    );
    Ok(response)
}

/// What says that rows were changed: with those that are shown, or without any.
const fn done(shown: Option<&Select>) -> StatusCode {
    match shown {
        Some(_) => StatusCode::OK,
        None => StatusCode::NO_CONTENT,
    }
}

/// A change as it is answered, with the range of rows that it names.
fn changed(
    asked: &Asked,
    shown: Option<&Select>,
    change: &Change,
    (status, named): (StatusCode, u64),
) -> Response {
    let mut response = match shown {
        Some(select) => written(asked.answer, select, &change.records),
        None => Body::empty().into_response(),
    };
    *response.status_mut() = status;
    let total = asked.preferences.count.map(|_| change.rows);
    set(
        response.headers_mut(),
        header::CONTENT_RANGE,
        &range::content_range(0, named, total),
    );
    response
}

fn written(answer: Answer, select: &Select, records: &[Record]) -> Response {
    let body = match (answer, records) {
        (Answer::Object, [record]) => select.json_object(record),
        (Answer::Csv, records) => select.csv(records),
        (_, records) => select.json_array(records),
    };
    ([(header::CONTENT_TYPE, answer.content_type())], body).into_response()
}

fn apply(headers: &mut HeaderMap, preferences: &Preferences) {
    if let Some(applied) = preferences.applied() {
        headers.insert(PREFERENCE_APPLIED, applied);
    }
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    // Digits, names and keys of ours.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
