//! `/api/evals`: interactions are handed in, and the policy says which.
//!
//! A body is one interaction, an array of them, or a line for each. The first two are read whole; lines are stored
//! while they arrive, so many at a time, and never held.

mod answer;
pub(crate) mod body;
mod lines;
mod policy;
mod schema;
mod sender;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use pawl_engine::intake::received;
use pawl_engine::intake::{Receipt, Terms};
use pawl_engine::{Actor, Engine};
use pawl_model::UserId;
use serde::Deserialize;
use tokio::time::Instant;
use utoipa::IntoParams;

use crate::AppState;
use crate::openapi::{NotTaken, Refused};
use crate::parameters::Query;
use crate::problem::{ErrorCode, Problem};
use answer::{AllCreated, BatchAnswer, Ingested, Results};
use body::{Form, Received};
use lines::{End, Lines};
use policy::PolicyAnswer;
use schema::Interactions;
use sender::Sender;

/// How much of the time that a request may take goes into reading lines: the rest is for what was read.
const READING: f64 = 0.75;

/// How interactions are handed in.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct IngestQuery {
    /// Whether the server draws the sample that the policy asks for; otherwise what arrives has been drawn already.
    #[serde(default)]
    #[param(required = false, default = false)]
    apply_policy: bool,
}

/// Hand in interactions: one, an array, or a line for each
///
/// Which tenant an interaction belongs to stands in it. An array and lines are answered with a result for each, in
/// their order.
#[utoipa::path(
    post, path = "/api/evals/ingest", tag = "intake", operation_id = "ingest",
    security(("ingestion_secret" = []), ("api_key" = ["ingest"])),
    params(IngestQuery),
    request_body(
        description = "Interactions, as they are or with `Content-Encoding: gzip`",
        content((Interactions = "application/json"), (String = "application/x-ndjson")),
    ),
    responses(
        (status = 200, description = "It was stored before, with the same content", body = Ingested),
        (status = 201, description = "Stored; of many, every one", body = AllCreated),
        (status = 202, description = "Not in the sample, where the server draws it", body = Ingested),
        (status = 207, description = "What came of each", body = BatchAnswer),
        NotTaken,
    ),
)]
pub(crate) async fn ingest(
    State(state): State<AppState>,
    Sender(sender): Sender,
    Query(query): Query<IngestQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let intake = Intake {
        terms: if query.apply_policy {
            Terms::ApplyPolicy
        } else {
            Terms::Sampled
        },
        engine: &state.engine,
        sender,
    };
    let received = Received::of(request)?;
    if received.form() == Form::Lines {
        let deadline = Instant::now() + state.settings.request_timeout.mul_f64(READING);
        return intake.lines(Lines::of(received.into_body(), deadline)).await;
    }
    let body = received.whole(state.settings.body_limit).await?;
    let text = body::text(&body)?;
    if text.trim_ascii_start().starts_with('[') {
        intake.array(text).await
    } else {
        intake.one(text).await
    }
}

/// Whose interactions are received, and how.
struct Intake<'s> {
    engine: &'s Engine,
    sender: Actor,
    terms: Terms,
}

impl Intake<'_> {
    async fn receive(&self, read: Vec<lines::Read>) -> Result<Vec<Receipt>, Problem> {
        Ok(self.engine.receive(read, self.sender, self.terms).await?)
    }

    async fn one(&self, text: &str) -> Result<Response, Problem> {
        let receipts = self.receive(vec![received::read(text)]).await?;
        let receipt = receipts.into_iter().next();
        let receipt = receipt.ok_or(Problem::new(ErrorCode::Internal))?;
        let (status, ingested) = answer::of(receipt, self.engine.now())?;
        Ok((status, Json(ingested)).into_response())
    }

    async fn array(&self, text: &str) -> Result<Response, Problem> {
        let items = body::items(text)?;
        let read = items.iter().map(|item| received::read(item.get())).collect();
        let mut results = Results::new();
        for receipt in self.receive(read).await? {
            results.add(answer::of(receipt, self.engine.now()));
        }
        Ok(results.finish(None))
    }

    /// Stores lines while they arrive. Where it cannot go on, the results end, and the answer says why.
    async fn lines(&self, mut lines: Lines) -> Result<Response, Problem> {
        let mut results = Results::new();
        let stopped = loop {
            let chunk = lines.chunk().await;
            match self.receive(chunk.read).await {
                Ok(receipts) => {
                    for receipt in receipts {
                        results.add(answer::of(receipt, self.engine.now()));
                    }
                }
                Err(problem) => break Some(problem),
            }
            match chunk.end {
                End::More => {}
                End::Whole => break None,
                End::Stopped(problem) => break Some(problem),
            }
            if let Some(problem) = results.full() {
                break Some(problem);
            }
        };
        if stopped.is_some() {
            // Who is cut off while sending does not read answers.
            lines.pass_over_the_rest().await;
        }
        match stopped {
            Some(problem) if results.is_empty() => Err(problem),
            stopped => Ok(results.finish(stopped)),
        }
    }
}

/// Whose policy.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PolicyQuery {
    /// The tenant; an API key speaks for one already.
    #[param(value_type = Option<uuid::Uuid>)]
    user_id: Option<UserId>,
}

/// Get a tenant's policy, and what is left of today's cap
#[utoipa::path(
    get, path = "/api/evals/policy", tag = "intake", operation_id = "get_policy",
    security(("ingestion_secret" = []), ("api_key" = ["ingest"])),
    params(PolicyQuery),
    responses((status = 200, body = PolicyAnswer), Refused),
)]
pub(crate) async fn policy(
    State(state): State<AppState>,
    Sender(sender): Sender,
    Query(query): Query<PolicyQuery>,
) -> Result<Json<PolicyAnswer>, Problem> {
    let user = match (sender, query.user_id) {
        (Actor::Tenant(own), Some(other)) if own != other => None,
        (Actor::Tenant(own), _) => Some(own),
        (_, Some(named)) => Some(named),
        (_, None) => {
            let detail = "`user_id` is needed: the ingestion secret speaks for all tenants";
            return Err(Problem::new(ErrorCode::InvalidParameter).because(detail));
        }
    };
    let today = match user {
        Some(user) => state.engine.policy_today(user).await?,
        None => None,
    };
    let today = today.ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(today.into()))
}
