//! Pages: the parameters `limit` and `offset` and the header `Range` in, `Content-Range` out.

use axum::http::{HeaderMap, StatusCode, header};
use pawl_model::query::Refusal;

use super::limits;

/// A page of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) offset: u64,
    pub(super) limit: u64,
}

impl Range {
    /// What both the parameters and the header ask for.
    pub(super) fn of(limit: Option<u64>, offset: u64, headers: &HeaderMap) -> Result<Self, Refusal> {
        let header = headers
            .get(header::RANGE)
            .and_then(|value| value.to_str().ok())
            .and_then(bounds);
        let (first, last) = header.unwrap_or((0, None));
        if last.is_some_and(|last| last < first) {
            return Err(out_of_order());
        }
        let start = offset.max(first);
        let by_limit = limit.map(|limit| offset.saturating_add(limit));
        let by_header = last.map(|last| last.saturating_add(1));
        let end = [by_limit, by_header].into_iter().flatten().min();
        let limit = match end {
            Some(end) if end < start => return Err(out_of_order()),
            Some(end) => (end - start).min(limits::PAGE_ROWS),
            None => limits::PAGE_ROWS,
        };
        Ok(Self { offset: start, limit })
    }
}

fn out_of_order() -> Refusal {
    unsatisfiable("The lower boundary must be lower than or equal to the upper boundary in the Range header.")
}

fn unsatisfiable(details: &str) -> Refusal {
    Refusal::new("PGRST103", "Requested range not satisfiable").details(details)
}

/// `first-last`, both from 0 and included; the last may be left open. Any other form asks for nothing.
fn bounds(value: &str) -> Option<(u64, Option<u64>)> {
    let (first, last) = value.split_once('-')?;
    let number = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit())
            .then(|| text.parse().ok())
            .flatten()
    };
    if last.is_empty() {
        return Some((number(first)?, None));
    }
    Some((number(first)?, Some(number(last)?)))
}

/// The status of a page, or the refusal of one that begins behind the last row.
pub(super) fn status(range: Range, rows: u64, total: Option<u64>) -> Result<StatusCode, Refusal> {
    match total {
        Some(total) if range.offset > total => Err(unsatisfiable(&format!(
            "An offset of {} was requested, but there are only {total} rows.",
            range.offset
        ))),
        Some(total) if rows < total => Ok(StatusCode::PARTIAL_CONTENT),
        _ => Ok(StatusCode::OK),
    }
}

/// `first-last/total`, with `*` for what is not known or not there.
pub(super) fn content_range(offset: u64, rows: u64, total: Option<u64>) -> String {
    let total_text = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    if rows == 0 || total == Some(0) {
        return ["*/", &total_text].concat();
    }
    format!("{offset}-{}/{total_text}", offset + rows - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(limit: Option<u64>, offset: u64, header: Option<&str>) -> Result<(u64, u64), &'static str> {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(header::RANGE, header.parse().unwrap());
        }
        Range::of(limit, offset, &headers)
            .map(|range| (range.offset, range.limit))
            .map_err(|refusal| refusal.code)
    }

    #[test]
    fn parameters_and_header_meet() {
        for (limit, offset, header, expected) in [
            (None, 0, None, Ok((0, 1_000))),
            (Some(5), 10, None, Ok((10, 5))),
            (Some(0), 0, None, Ok((0, 0))),
            (Some(5_000), 0, None, Ok((0, 1_000))),
            (None, 0, Some("0-24"), Ok((0, 25))),
            (None, 0, Some("5-5"), Ok((5, 1))),
            (None, 0, Some("10-"), Ok((10, 1_000))),
            (Some(3), 0, Some("0-1"), Ok((0, 2))),
            (Some(3), 0, Some("1-9"), Ok((1, 2))),
            (None, 0, Some("1-0"), Err("PGRST103")),
            (Some(1), 0, Some("5-9"), Err("PGRST103")),
            (None, 0, Some("bytes=0-1"), Ok((0, 1_000))),
            (None, 0, Some("-5"), Ok((0, 1_000))),
            (None, u64::MAX, Some("0-18446744073709551615"), Ok((u64::MAX, 0))),
        ] {
            assert_eq!(
                range(limit, offset, header),
                expected,
                "{limit:?} {offset} {header:?}"
            );
        }
    }

    #[test]
    fn pages_are_described() {
        assert_eq!(content_range(0, 3, None), "0-2/*");
        assert_eq!(content_range(5, 2, Some(20)), "5-6/20");
        assert_eq!(content_range(0, 0, Some(0)), "*/0");
        assert_eq!(content_range(9, 0, None), "*/*");
        let page = |offset| Range { offset, limit: 10 };
        assert_eq!(status(page(0), 3, Some(3)), Ok(StatusCode::OK));
        assert_eq!(status(page(0), 3, Some(4)), Ok(StatusCode::PARTIAL_CONTENT));
        assert_eq!(status(page(0), 3, None), Ok(StatusCode::OK));
        assert!(status(page(5), 0, Some(4)).is_err());
        assert_eq!(status(page(4), 0, Some(4)), Ok(StatusCode::PARTIAL_CONTENT));
    }
}
