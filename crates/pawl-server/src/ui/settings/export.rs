//! Everything that is kept of a tenant, as lines of JSON: which table, and the row.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures::{Stream, TryStreamExt as _, stream};
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, InteractionPlace, ListRequest};
use pawl_engine::run::list::{CasePlace, RunFilter, RunPlace};
use pawl_engine::{Actor, Engine, EngineError};
use pawl_model::{Account, CaseId, Policy, RunId, UserId};
use serde::Serialize;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::today;
use crate::AppState;
use crate::problem::Problem;
use crate::ui::session::Visitor;

/// Rows that are read at a time.
const ROWS: u32 = 500;

/// Everything that is kept of the visitor, but for what proves who they are.
pub(in crate::ui) async fn everything(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let policy = today(&state, &visitor).await?.policy;
    let first = [
        line("auth.users", &user(&visitor.session.account)),
        line("evaluation_configs", &config(&policy)),
    ];
    let export = Export {
        engine: state.engine.clone(),
        actor: visitor.actor(),
        user_id: visitor.user(),
    };
    let first = stream::iter([Ok(Bytes::from(first.concat()))]);
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
    Interactions(Option<InteractionPlace>),
    Runs(Option<RunPlace>),
    /// Of the first of these runs, behind this case; then of the others; then runs behind that place.
    Cases(Vec<RunId>, Option<CaseId>, Option<RunPlace>),
}

impl Export {
    fn rows(self) -> impl Stream<Item = Result<Bytes, EngineError>> {
        let beginning = Some(Next::Interactions(None));
        stream::try_unfold((self, beginning), async |(export, next)| {
            let Some(next) = next else { return Ok(None) };
            let (lines, next) = export.page(next).await?;
            Ok(Some((Bytes::from(lines), (export, next))))
        })
        .inspect_err(|error: &EngineError| {
            tracing::error!(error = error as &dyn std::error::Error, "a download was cut off");
        })
    }

    async fn page(&self, next: Next) -> Result<(String, Option<Next>), EngineError> {
        match next {
            Next::Interactions(after) => self.interactions(after.as_ref()).await,
            Next::Runs(after) => self.runs(after).await,
            Next::Cases(runs, after, rest) => self.cases(runs, after, rest).await,
        }
    }

    async fn interactions(
        &self,
        after: Option<&InteractionPlace>,
    ) -> Result<(String, Option<Next>), EngineError> {
        let request = ListRequest {
            user_id: self.user_id,
            filter: &InteractionFilter::default(),
            order: InteractionOrder::Oldest,
            after,
            limit: ROWS,
        };
        let page = self.engine.interactions(self.actor, &request).await?;
        let next = match page.next {
            Some(place) => Next::Interactions(Some(place)),
            None => Next::Runs(None),
        };
        Ok((lines("evaluations", &page.items), Some(next)))
    }

    async fn runs(&self, after: Option<RunPlace>) -> Result<(String, Option<Next>), EngineError> {
        let filter = RunFilter::default();
        let page = self.engine.list_runs(self.actor, &filter, after, ROWS).await?;
        let last = page.items.last().filter(|_| page.more);
        let rest = last.map(|run| RunPlace {
            created_at: run.created_at,
            id: run.id,
        });
        let runs = page.items.iter().rev().map(|run| run.id).collect();
        Ok((
            lines("sb_eval_runs", &page.items),
            Some(Next::Cases(runs, None, rest)),
        ))
    }

    async fn cases(
        &self,
        mut runs: Vec<RunId>,
        after: Option<CaseId>,
        rest: Option<RunPlace>,
    ) -> Result<(String, Option<Next>), EngineError> {
        let Some(run) = runs.last() else {
            return Ok((String::new(), rest.map(|place| Next::Runs(Some(place)))));
        };
        let place = CasePlace { after, limit: ROWS };
        let page = self.engine.list_cases(self.actor, *run, None, place).await?;
        let last = page.items.last().filter(|_| page.more).map(|case| case.id);
        if last.is_none() {
            runs.pop();
        }
        Ok((
            lines("sb_eval_cases", &page.items),
            Some(Next::Cases(runs, last, rest)),
        ))
    }
}

fn user(account: &Account) -> Value {
    json!({
        "id": account.id,
        "email": account.email,
        "created_at": account.created_at.format(&Rfc3339).ok(),
        "user_metadata": account.user_metadata.to_value(),
    })
}

fn config(policy: &Policy) -> Value {
    json!({
        "user_id": policy.user_id,
        "run_policy": policy.run_policy.as_str(),
        "sample_rate_pct": policy.sample_rate_pct,
        "obfuscate_pii": policy.obfuscate_pii,
        "max_eval_per_day": policy.max_eval_per_day,
        "timezone": policy.timezone,
        "keep_failures": policy.keep_failures,
        "failure_flags": policy.failure_flags,
        "failure_score": policy.failure_score,
        "success_threshold_pct": policy.success_threshold_pct,
        "pii_patterns": policy.pii_patterns,
        "version": policy.version,
    })
}

fn lines(table: &str, rows: &[impl Serialize]) -> String {
    rows.iter().map(|row| line(table, row)).collect()
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
