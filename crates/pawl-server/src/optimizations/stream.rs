//! An optimisation as it goes on.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::{Stream, StreamExt as _, stream};
use pawl_engine::evolve::Pulse;
use pawl_engine::{Actor, EngineError};
use pawl_model::OptimizationStatus;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Interval, MissedTickBehavior};

use crate::AppState;
use crate::openapi::Refused;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Tenant, TenantQuery};

/// How often there is looked for something new.
const PERIOD: Duration = Duration::from_secs(1);
/// After so many times whoever watches connects again, and shows again who it is.
const TIMES: usize = 300;

/// Watch an optimisation: server-sent events, one at once and one for each change, until it is over
#[utoipa::path(
    get, path = "/api/optimizations/{id}/stream", tag = "prompts", operation_id = "watch_optimization",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The optimisation"), TenantQuery),
    responses(
        (
            status = 200, content_type = "text/event-stream", body = String,
            description = "Documents with `status`, `steps`, `metric_calls`, `reflections`, `best_score` and `spent`"
        ),
        Refused,
    ),
)]
pub(crate) async fn tell(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    events(state, actor, id).await
}

/// The events of an optimisation that the actor sees.
pub(crate) async fn events(
    state: AppState,
    actor: Actor,
    id: String,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let pulse = state.engine.optimization_pulse(actor, &id).await?;
    pulse.ok_or(Problem::new(ErrorCode::NotFound))?;
    let place = Arc::clone(&state.live.places).try_acquire_owned();
    let place = place.map_err(|_| Problem::new(ErrorCode::Overloaded))?;
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stop = state.live.stop.clone();
    let watching = Watching {
        state,
        actor,
        id,
        ticks,
        told: None,
        left: TIMES,
        _place: place,
    };
    let events = stream::unfold(watching, |mut watching| async move {
        let event = watching.next().await?;
        Some((Ok(event), watching))
    });
    Ok(Sse::new(events.take_until(stop.cancelled_owned())).keep_alive(KeepAlive::default()))
}

/// Somebody who watches.
struct Watching {
    state: AppState,
    actor: Actor,
    id: String,
    ticks: Interval,
    told: Option<Pulse>,
    left: usize,
    _place: OwnedSemaphorePermit,
}

impl Watching {
    /// What has changed; none when it is over, or the database does not say.
    async fn next(&mut self) -> Option<Event> {
        if self.told.is_some_and(|told| is_over(told.status)) {
            return None;
        }
        loop {
            self.left = self.left.checked_sub(1)?;
            self.ticks.tick().await;
            match self.changed().await {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "nobody can be told how far an optimisation is"
                    );
                    return None;
                }
            }
        }
    }

    async fn changed(&mut self) -> Result<Option<Event>, EngineError> {
        let engine = &self.state.engine;
        let pulse = engine.optimization_pulse(self.actor, &self.id).await?;
        let Some(pulse) = pulse.filter(|pulse| self.told.as_ref() != Some(pulse)) else {
            return Ok(None);
        };
        self.told = Some(pulse);
        let found = engine.optimization_progress(self.actor, &self.id).await?;
        Ok(found.and_then(|(run, progress)| {
            let document = serde_json::json!({
                "status": pulse.status, "steps": pulse.steps, "metric_calls": pulse.metric_calls,
                "reflections": pulse.reflections, "best_score": run.best_score,
                "best_candidate_id": run.best_candidate_id, "spent": progress.spent,
            });
            Event::default().json_data(document).ok()
        }))
    }
}

/// Whether nothing will change any more.
pub(crate) const fn is_over(status: OptimizationStatus) -> bool {
    !matches!(status, OptimizationStatus::Pending | OptimizationStatus::Running)
}
