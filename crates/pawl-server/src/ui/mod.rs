//! The web pages: HTML that is made here and works without a script. A script adds keys, and swaps parts of a page
//! where its address changes.
//!
//! A page is a module: its handlers, and what its template shows, prepared to the last word. What is common to pages:
//! `shell` (what stands around the content), `session` (who looks at it), `origin` (where forms come from), `assets`.

mod assets;
mod choice;
pub(crate) mod dashboard;
mod difference;
mod duration;
mod error;
mod fold;
mod interactions;
mod lineage;
mod login;
pub(crate) mod manual;
mod marked;
mod moment;
mod number;
mod origin;
mod page;
mod prompts;
mod rate;
mod runs;
mod session;
mod settings;
mod shell;
mod suggestions;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{MethodRouter, get, post};

pub(crate) use self::error::error_page;
pub(crate) use self::page::CONTENT_SECURITY_POLICY;
use crate::AppState;

/// The largest form, in bytes.
const FORM_LIMIT: usize = 256 * 1024;

/// The paths of all pages, for whoever checks that each is shown to those alone whose it is.
#[must_use]
pub fn pages() -> Vec<&'static str> {
    Pages::all().paths
}

/// All pages and what they load.
pub(crate) fn routes(state: &AppState) -> Router<AppState> {
    Pages::all()
        .router
        .layer(DefaultBodyLimit::max(FORM_LIMIT))
        .layer(middleware::from_fn_with_state(state.clone(), session::recognise))
        .layer(middleware::from_fn(origin::require_same))
        .route("/assets/{name}", get(assets::serve))
}

/// Pages, and their paths.
#[derive(Default)]
struct Pages {
    router: Router<AppState>,
    paths: Vec<&'static str>,
}

impl Pages {
    fn all() -> Self {
        Self::default()
            .page("/", get(login::home))
            .page("/login", get(login::show).post(login::log_in))
            .page("/sign-up", get(login::show_sign_up).post(login::sign_up))
            .page("/log-out", post(login::log_out))
            .page("/theme", post(shell::choose_theme))
            .page("/dashboard", get(dashboard::show))
            .page("/dashboard/live", get(dashboard::live::tell))
            .page("/interactions", get(interactions::list))
            .page("/interactions/{id}", get(interactions::show_one))
            .page("/interactions/export/{format}", get(interactions::download))
            .page("/suggestions", get(suggestions::list))
            .page("/suggestions/mine", post(suggestions::mine))
            .page("/suggestions/draft", post(suggestions::draft_all))
            .page(
                "/suggestions/{id}",
                get(suggestions::show_one).post(suggestions::save),
            )
            .page("/suggestions/{id}/preview", post(suggestions::preview))
            .page("/suggestions/{id}/draft", post(suggestions::draft))
            .page("/suggestions/{id}/export/{format}", get(suggestions::export))
            .page("/suggestions/{id}/approve", post(suggestions::approve))
            .page("/suggestions/{id}/reject", post(suggestions::reject))
            .page("/prompts", get(prompts::list))
            .page("/prompts/{name}", get(prompts::show))
            .page("/prompts/{name}/evolve", post(prompts::evolve))
            .page("/prompts/{name}/promote", post(prompts::promote))
            .page("/prompts/{name}/rollback", post(prompts::roll_back))
            .page("/optimizations/{id}", get(prompts::show_optimization))
            .page("/optimizations/{id}/live", get(prompts::tell))
            .page("/optimizations/{id}/cancel", post(prompts::cancel))
            .page("/optimizations/{id}/resume", post(prompts::resume))
            .page("/lineage/{id}", get(lineage::show))
            .page("/runs", get(runs::list))
            .page("/runs/{run}", get(runs::show_one))
            .page("/runs/{run}/progress", get(runs::progress))
            .page("/runs/{run}/compare", get(runs::choose_comparison))
            .page("/runs/{run}/compare/{other}", get(runs::compare))
            .page("/settings", get(settings::show))
            .page("/settings/policy", post(settings::save_policy))
            .page("/settings/preview", post(settings::show_preview))
            .page("/settings/keys", post(settings::create_key))
            .page("/settings/keys/{id}/revoke", post(settings::revoke_key))
            .page("/settings/password", post(settings::change_password))
            .page("/settings/export", get(settings::everything))
            .page("/settings/delete", post(settings::delete))
    }

    fn page(mut self, path: &'static str, methods: MethodRouter<AppState>) -> Self {
        self.paths.push(path);
        self.router = self.router.route(path, methods);
        self
    }
}
