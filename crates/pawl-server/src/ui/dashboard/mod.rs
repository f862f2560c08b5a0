//! `/dashboard`: what a tenant's interactions came to.

use askama::Template;
use axum::extract::State;
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, ListRequest};

use super::moment::{Moment, Moments};
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "dashboard.html")]
pub(super) struct DashboardPage {
    shell: Shell,
    user: String,
    /// When the last interaction happened; none where there is none.
    latest: Option<Moment>,
}

/// What it came to.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Page<DashboardPage>, Problem> {
    let request = ListRequest {
        user_id: visitor.user(),
        filter: &InteractionFilter::default(),
        order: InteractionOrder::Newest,
        after: None,
        limit: 1,
    };
    let latest = state
        .engine
        .interactions(visitor.actor(), &request)
        .await?
        .items
        .pop();
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(DashboardPage {
        shell: visitor.shell(Section::Dashboard, "Dashboard"),
        user: visitor.user().to_string(),
        latest: latest.map(|latest| moments.show(latest.created_at)),
    }))
}
