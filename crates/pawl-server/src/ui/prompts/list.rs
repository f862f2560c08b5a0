//! `/prompts`: what is live, and what is being evolved.

use askama::Template;
use axum::extract::State;

use super::{RUNS, RunRow, origin, whole};
use crate::AppState;
use crate::problem::Problem;
use crate::ui::moment::{Moment, Moments};
use crate::ui::page::Page;
use crate::ui::session::Visitor;
use crate::ui::shell::{Section, Shell};

#[derive(Template)]
#[template(path = "prompts.html")]
pub(in crate::ui) struct ListPage {
    shell: Shell,
    prompts: Vec<Row>,
    optimizations: Vec<RunRow>,
}

/// A prompt in the list.
struct Row {
    href: String,
    name: String,
    version: i64,
    origin: String,
    text: String,
    since: Moment,
}

/// The list.
pub(in crate::ui) async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
) -> Result<Page<ListPage>, Problem> {
    let prompts = state.engine.prompts(visitor.user()).await?;
    let optimizations = state.engine.optimizations(visitor.actor(), RUNS).await?;
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(ListPage {
        shell: visitor.shell(Section::Prompts, "Prompts"),
        prompts: prompts
            .iter()
            .map(|prompt| Row {
                href: ["/prompts/", &prompt.name].concat(),
                name: prompt.name.clone(),
                version: prompt.version,
                origin: origin(prompt),
                text: whole(prompt).chars().take(160).collect(),
                since: moments.show(prompt.created_at),
            })
            .collect(),
        optimizations: optimizations
            .iter()
            .map(|run| RunRow::of(run, &moments))
            .collect(),
    }))
}
