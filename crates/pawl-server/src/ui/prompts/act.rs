//! What people do with a prompt: evolve it, promote a candidate, go back; and stop an optimisation.

use std::convert::Infallible;

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::sse::Event;
use axum::response::{IntoResponse as _, Redirect, Response, Sse};
use futures::Stream;
use pawl_engine::EngineError;
use pawl_engine::evolve::{Earlier, NewOptimization, Weights};
use pawl_engine::promote::{NewPromotion, OnRefusal};
use pawl_model::{Usd, UserId};
use serde::Deserialize;

use super::{PromptPage, PromptQuery, page};
use crate::AppState;
use crate::optimizations::{METRIC_CALLS, stream};
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::ui::number::count;
use crate::ui::page::{Page, refused};
use crate::ui::session::Visitor;

/// What is asked of an optimisation, as somebody filled it in.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(in crate::ui) struct EvolveForm {
    pub(super) target: String,
    pub(super) suite: String,
    pub(super) reflector: String,
    pub(super) max_metric_calls: String,
    pub(super) max_cost: String,
    pub(super) seed: String,
    pub(super) look_ahead: String,
    /// `begin` once the quote was seen.
    #[serde(rename = "do")]
    what: String,
}

impl Default for EvolveForm {
    fn default() -> Self {
        Self {
            target: String::new(),
            suite: "approved".to_owned(),
            reflector: String::new(),
            max_metric_calls: METRIC_CALLS.to_string(),
            max_cost: String::new(),
            seed: "0".to_owned(),
            look_ahead: "1".to_owned(),
            what: String::new(),
        }
    }
}

/// A promotion, as somebody filled it in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::ui) struct PromoteForm {
    candidate: String,
    pub(super) reason: String,
    /// Something where the box is ticked.
    r#override: Option<String>,
}

/// A way back, as somebody filled it in.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::ui) struct RollbackForm {
    to: String,
    reason: String,
}

impl EvolveForm {
    fn read(&self, user_id: UserId, prompt: &str) -> Result<NewOptimization, String> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let number = |text: &str, what: &str| {
            let number = text.trim().parse::<u64>();
            number.map_err(|_| format!("{what} is a whole number"))
        };
        let look_ahead = number(&self.look_ahead, "the look-ahead")?;
        let reflector = given(&self.reflector).map(|text| text.parse()).transpose();
        let cost = given(&self.max_cost).map(|text| {
            Usd::parse(&text).ok_or_else(|| format!("`{text}` is no amount of US dollars, such as 2.50"))
        });
        Ok(NewOptimization {
            user_id,
            prompt: prompt.to_owned(),
            target: given(&self.target),
            suite: self.suite.trim().to_owned(),
            reflector: reflector.map_err(|error: pawl_engine::ModelSpecError| error.to_string())?,
            seed: number(&self.seed, "the seed")?,
            look_ahead: usize::try_from(look_ahead).unwrap_or(usize::MAX),
            metric_calls: number(&self.max_metric_calls, "the number of calls")?,
            usd_nanos: cost.transpose()?.map(Usd::nanos),
            weights: Weights::new(),
            earlier: Earlier::Reuse,
        })
    }
}

/// Says what an optimisation may take; begins it where that was seen.
pub(in crate::ui) async fn evolve(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    Form(form): Form<EvolveForm>,
) -> Result<Response, Problem> {
    let mut page = page(&state, &visitor, (&name, &PromptQuery::default())).await?;
    let engine = &state.engine;
    let outcome = match form.read(visitor.user(), &name) {
        Err(problem) => Err(EngineError::Evolution(problem)),
        Ok(new) if form.what == "begin" => match engine.begin_optimization(&new).await {
            Ok((run, _)) => return Ok(Redirect::to(&["/optimizations/", &run.id].concat()).into_response()),
            Err(error) => Err(error),
        },
        Ok(new) => engine.quote_optimization(&new).await,
    };
    page.form = form;
    match outcome {
        Ok(quote) => {
            page.quote = Some(super::quote(&quote));
            Ok(Page(page).into_response())
        }
        Err(error) => refusal(page, error, |page| &mut page.evolve_problem),
    }
}

/// Has a worker compare a candidate with the live prompt.
pub(in crate::ui) async fn promote(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    Form(form): Form<PromoteForm>,
) -> Result<Response, Problem> {
    let query = PromptQuery {
        candidate: Some(form.candidate.clone()),
        ..PromptQuery::default()
    };
    let page = page(&state, &visitor, (&name, &query)).await?;
    let new = NewPromotion {
        prompt: name.clone(),
        candidate_id: form.candidate.clone(),
        by: decider(&visitor),
        reason: form.reason.clone(),
        on_refusal: match form.r#override {
            Some(_) => OnRefusal::Override,
            None => OnRefusal::Refuse,
        },
        target: None,
        suite: None,
    };
    match state.engine.queue_promotion(visitor.user(), &new).await {
        Ok(_) => Ok(Redirect::to(&format!("/prompts/{name}?done=promoting#decided")).into_response()),
        Err(error) => {
            let page = PromptPage {
                promote_reason: form.reason,
                ..page
            };
            refusal(page, error, |page| &mut page.promote_problem)
        }
    }
}

/// Makes an earlier version live again.
pub(in crate::ui) async fn roll_back(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
    Form(form): Form<RollbackForm>,
) -> Result<Response, Problem> {
    let page = page(&state, &visitor, (&name, &PromptQuery::default())).await?;
    let by = decider(&visitor);
    let named = (visitor.user(), &*name);
    let to = form.to.parse().ok();
    match state.engine.roll_back(named, to, (&by, &form.reason)).await {
        Ok(_) => Ok(Redirect::to(&format!("/prompts/{name}?done=back#decided")).into_response()),
        Err(error) => refusal(page, error, |page| &mut page.back_problem),
    }
}

/// Stops an optimisation.
pub(in crate::ui) async fn cancel(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Redirect, Problem> {
    state.engine.cancel_optimization(visitor.actor(), &id).await?;
    Ok(Redirect::to(&["/optimizations/", &id].concat()))
}

/// Goes on with an optimisation that was stopped.
pub(in crate::ui) async fn resume(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Redirect, Problem> {
    state.engine.resume_optimization(visitor.user(), &id).await?;
    Ok(Redirect::to(&["/optimizations/", &id].concat()))
}

/// Tells a page how an optimisation goes on.
pub(in crate::ui) async fn tell(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    stream::events(state, visitor.actor(), id).await
}

fn decider(visitor: &Visitor) -> String {
    visitor
        .session
        .account
        .email
        .clone()
        .unwrap_or_else(|| "a user".to_owned())
}

/// The page with what was wrong, beside the form that it was wrong in.
fn refusal(
    mut page: PromptPage,
    error: EngineError,
    place: impl FnOnce(&mut PromptPage) -> &mut Option<String>,
) -> Result<Response, Problem> {
    if !matches!(
        ErrorCode::of(&error),
        ErrorCode::Unprocessable | ErrorCode::Conflict
    ) {
        return Err(error.into());
    }
    *place(&mut page) = Some(error.to_string());
    Ok(refused(StatusCode::UNPROCESSABLE_ENTITY, page))
}

/// How much of something is spent: of a limit, where there is one.
pub(super) fn of_limit(spent: u64, limit: Option<u64>) -> String {
    match limit {
        Some(limit) => format!("{} of {}", count(spent), count(limit)),
        None => count(spent),
    }
}
