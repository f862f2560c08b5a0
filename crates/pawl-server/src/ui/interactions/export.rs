//! The filtered list as a file, a page at a time, in the order of the list.

use axum::body::{Body, Bytes};
use axum::extract::{RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, TryStreamExt as _, stream};
use pawl_engine::intake::Zone;
use pawl_engine::intake::list::{InteractionPlace, ListRequest};
use pawl_engine::intake::record::{COLUMNS, record};
use pawl_engine::{Actor, Engine, EngineError};
use pawl_model::{Interaction, UserId};

use super::query::{ListQuery, Wanted};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::ui::session::Visitor;

/// Rows that are read at a time.
const ROWS: u32 = 500;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// A line of JSON each.
    Jsonl,
    /// RFC 4180, with a header.
    Csv,
}

/// The filtered list as a file.
pub(in crate::ui) async fn download(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(format): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let (format, content_type, name) = match format.as_str() {
        "jsonl" => (Format::Jsonl, "application/x-ndjson", "interactions.jsonl"),
        "csv" => (Format::Csv, "text/csv; charset=utf-8", "interactions.csv"),
        _ => return Err(Problem::new(ErrorCode::NotFound)),
    };
    let policy = super::policy(&state, visitor.user()).await?;
    let query = ListQuery::parse(&query.unwrap_or_default());
    let wanted = query
        .wanted(&Zone::named_or_utc(&policy.timezone))
        .map_err(|problems| {
            let fields: Vec<&str> = problems.iter().map(|problem| problem.field).collect();
            let detail = ["the list cannot be restricted like that: ", &fields.join(", ")].concat();
            Problem::new(ErrorCode::InvalidParameter).because(detail)
        })?;
    let export = Export {
        engine: state.engine.clone(),
        owner: (visitor.actor(), visitor.user()),
        wanted,
        format,
    };
    let disposition = ["attachment; filename=\"", name, "\""].concat();
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_str(&disposition).unwrap_or(HeaderValue::from_static("attachment")),
        ),
    ];
    Ok((headers, Body::from_stream(export.written())).into_response())
}

/// A file under way.
struct Export {
    engine: Engine,
    owner: (Actor, UserId),
    wanted: Wanted,
    format: Format,
}

/// Where a file goes on.
enum Next {
    Beginning,
    Behind(InteractionPlace),
}

impl Export {
    /// What is written, a page at a time; whoever reads slowly slows the reading of the database down.
    fn written(self) -> impl Stream<Item = Result<Bytes, EngineError>> {
        stream::try_unfold((self, Some(Next::Beginning)), async |(export, next)| {
            let Some(next) = next else { return Ok(None) };
            let (bytes, next) = export.page(next).await?;
            Ok(Some((bytes, (export, next))))
        })
        .inspect_err(|error: &EngineError| {
            tracing::error!(error = error as &dyn std::error::Error, "a download was cut off");
        })
    }

    async fn page(&self, next: Next) -> Result<(Bytes, Option<Next>), EngineError> {
        let (after, is_first) = match next {
            Next::Beginning => (None, true),
            Next::Behind(place) => (Some(place), false),
        };
        let (actor, user_id) = self.owner;
        let request = ListRequest {
            user_id,
            filter: &self.wanted.filter,
            order: self.wanted.order,
            after: after.as_ref(),
            limit: ROWS,
        };
        let page = self.engine.interactions(actor, &request).await?;
        let bytes = match self.format {
            Format::Jsonl => lines(&page.items),
            Format::Csv => table(&page.items, is_first),
        };
        Ok((bytes.into(), page.next.map(Next::Behind)))
    }
}

fn lines(interactions: &[Interaction]) -> Vec<u8> {
    let mut lines = Vec::new();
    for interaction in interactions {
        // Texts and finite numbers: there is nothing in it that cannot be written, least of all into memory.
        let _ = serde_json::to_writer(&mut lines, interaction);
        lines.push(b'\n');
    }
    lines
}

fn table(interactions: &[Interaction], with_header: bool) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    // Into memory, and as many fields in each: neither can fail.
    if with_header {
        let _ = writer.write_record(COLUMNS);
    }
    for interaction in interactions {
        let _ = writer.write_record(record(interaction).iter().map(|field| field.as_bytes()));
    }
    writer.into_inner().unwrap_or_default()
}
