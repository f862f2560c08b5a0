//! The one place where every route is declared. Who may call an operation stands in its `security`; a test calls each
//! as everybody, and an operation without a declaration fails it.

#[cfg(test)]
mod tests;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::Response;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::around::{Around, Inside, Wrap};
use crate::problem::ProblemDocument;
use crate::{
    AppState, auth, browser, dialect, eval_tests, health, intake, interactions, limits, lineage, metrics,
    observe, openapi, optimizations, otlp, prompts, rest, runs, suggestions, ui,
};

/// Everything that the server answers.
pub fn router(state: AppState) -> Router {
    let (mut routes, document) = declared();
    routes.documents = openapi::routes(&document).merge(ui::manual::routes());
    routes.pages = ui::routes(&state);
    layered(state, routes)
}

/// The OpenAPI document of everything that the server answers.
#[must_use]
pub fn document() -> OpenApi {
    declared().1
}

/// The reference of the manual: the same document as Markdown.
#[must_use]
pub fn reference() -> String {
    openapi::markdown(&document())
}

/// Routes by what they have in common.
#[derive(Default)]
struct Routes {
    /// Health and metrics: answered however busy the server is.
    operations: Router<AppState>,
    /// Our own API.
    api: Router<AppState>,
    /// What Supabase's clients call, from pages of any origin.
    clients: Router<AppState>,
    /// Documents, the same for everybody.
    documents: Router<AppState>,
    /// The web pages, and what they load.
    pages: Router<AppState>,
}

fn declared() -> (Routes, OpenApi) {
    let operations = OpenApiRouter::new()
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::metrics));
    let api = OpenApiRouter::new()
        .routes(routes!(intake::ingest))
        .routes(routes!(intake::policy))
        .routes(routes!(otlp::export))
        .routes(routes!(interactions::get))
        .routes(routes!(interactions::otlp))
        .routes(routes!(runs::list))
        .routes(routes!(runs::get))
        .routes(routes!(runs::cases))
        .routes(routes!(runs::compare))
        .routes(routes!(suggestions::list))
        .routes(routes!(suggestions::get))
        .routes(routes!(suggestions::review::edit))
        .routes(routes!(suggestions::review::approve))
        .routes(routes!(suggestions::review::reject))
        .routes(routes!(suggestions::review::export))
        .routes(routes!(suggestions::runs))
        .routes(routes!(suggestions::run))
        .routes(routes!(suggestions::mine))
        .routes(routes!(optimizations::begin, optimizations::list))
        .routes(routes!(optimizations::get))
        .routes(routes!(optimizations::candidates))
        .routes(routes!(optimizations::stream::tell))
        .routes(routes!(optimizations::cancel))
        .routes(routes!(optimizations::resume))
        .routes(routes!(prompts::list))
        .routes(routes!(prompts::get))
        .routes(routes!(prompts::promote))
        .routes(routes!(prompts::roll_back))
        .routes(routes!(prompts::live))
        .routes(routes!(lineage::get))
        .routes(routes!(lineage::verify))
        .routes(routes!(eval_tests::run_once))
        .routes(routes!(eval_tests::generate))
        .routes(routes!(eval_tests::health))
        .routes(routes!(eval_tests::get));
    let mut document = openapi::base();
    // First, since what is there stays: its rows are described column by column, and answers of ours refer to them.
    document.merge(rest::openapi());
    let mut split = |routes: OpenApiRouter<AppState>| {
        let (routes, part) = routes.split_for_parts();
        document.merge(part);
        routes
    };
    let routes = Routes {
        operations: split(operations),
        api: split(api),
        clients: split(auth::routes()).merge(rest::routes()),
        ..Routes::default()
    };
    openapi::add_schema::<ProblemDocument>(&mut document);
    openapi::add_schema::<auth::ErrorDocument>(&mut document);
    openapi::add_schema::<otlp::StatusDocument>(&mut document);
    (routes, document)
}

/// The routes within their limits, with what every answer has.
fn layered(state: AppState, routes: Routes) -> Router {
    let compressed = ServiceBuilder::new().layer(CompressionLayer::new());
    let (answers, bounded) = (Answers(state.clone(), ()), Bounded(state.clone()));
    let unbounded = compressed.clone().layer(Around::new(answers));
    // Who is turned away or cut off is to read why, from whatever origin.
    let clients = unbounded
        .clone()
        .layer(browser::any_origin())
        .layer(Around::new(bounded.clone()));
    let ours = Router::new()
        .merge(routes.api)
        .merge(routes.documents)
        .merge(routes.pages)
        .layer(compressed.layer(Around::new(Answers(state.clone(), bounded))));
    let operations = routes
        .operations
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(unbounded);
    operations
        .merge(ours)
        .merge(routes.clients.layer(clients))
        .with_state(state)
}

/// What every answer has, around what is within.
#[derive(Clone)]
struct Answers<W>(AppState, W);

impl<W: Wrap> Wrap for Answers<W> {
    async fn wrap<S: Inside>(self, request: Request, inside: S) -> Response {
        let Self(state, within) = self;
        let within = async |request| within.wrap(request, inside).await;
        let answer = async |request| browser::hardened(dialect::speak(request, within).await);
        observe::observe(&state.metrics, request, answer).await
    }
}

/// The bounds alone.
#[derive(Clone)]
struct Bounded(AppState);

impl Wrap for Bounded {
    async fn wrap<S: Inside>(self, request: Request, inside: S) -> Response {
        limits::bounded(&self.0, request, |request| inside.answer(request)).await
    }
}
