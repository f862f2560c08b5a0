//! `/dashboard/live`: what arrives today, as it does.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures::{Stream, StreamExt as _, stream};
use pawl_engine::Actor;
use pawl_model::UserId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;

use crate::AppState;
use crate::problem::{ErrorCode, Problem};
use crate::ui::session::Visitor;

/// Pages that are told at once, of all users.
const PLACES: usize = 256;
/// How often they are.
const PERIOD: Duration = Duration::from_secs(2);
/// After so many times the browser connects again, and shows again who it is.
const TIMES: usize = 150;

/// What all pages share that are told what happens.
#[derive(Clone)]
pub(crate) struct Live {
    pub(crate) places: Arc<Semaphore>,
    /// When it is cancelled, nobody is told anything any more.
    pub(crate) stop: CancellationToken,
}

impl Live {
    pub(crate) fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(PLACES)),
            stop: CancellationToken::new(),
        }
    }
}

/// Tells how many interactions were stored today, again and again.
pub(in crate::ui) async fn tell(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let place = Arc::clone(&state.live.places).try_acquire_owned();
    let place = place.map_err(|_| Problem::new(ErrorCode::Overloaded))?;
    let mut ticks = tokio::time::interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let stop = state.live.stop.clone();
    let telling = Telling {
        state,
        actor: visitor.actor(),
        user: visitor.user(),
        ticks,
        _place: place,
    };
    let events = stream::unfold(telling, |mut telling| async move {
        let event = telling.next().await?;
        Some((Ok(event), telling))
    });
    let events = events.take(TIMES).take_until(stop.cancelled_owned());
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// One page that is told.
struct Telling {
    state: AppState,
    actor: Actor,
    user: UserId,
    ticks: Interval,
    _place: OwnedSemaphorePermit,
}

impl Telling {
    /// What there is to tell by now; none where the database does not say, upon which the browser tries again later.
    async fn next(&mut self) -> Option<Event> {
        self.ticks.tick().await;
        let today = self.state.engine.today(self.actor, self.user).await;
        let today = today.inspect_err(|error| {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "a page cannot be told what arrives"
            );
        });
        let today = today.ok()?;
        Event::default()
            .json_data(serde_json::json!({ "stored": today.stored, "cap": today.cap }))
            .ok()
    }
}
