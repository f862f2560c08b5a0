//! How Pawl is reached over HTTP: the data API, auth, intake, runs, web pages, the OpenAPI document, health and
//! metrics.
//!
//! A handler unpacks the request, calls one function of the engine and turns the answer into HTTP. Every route is
//! declared in `router.rs`, with who may call it.

mod around;
mod auth;
mod browser;
mod caller;
mod coalesced;
mod dialect;
mod eval_tests;
mod health;
mod intake;
mod interactions;
mod limits;
mod lineage;
mod linger;
mod logging;
mod metrics;
mod observe;
mod openapi;
mod optimizations;
mod otlp;
mod paging;
mod parameters;
mod problem;
mod prompts;
mod rest;
mod router;
mod runs;
mod scripted;
mod serve;
mod state;
mod suggestions;
mod tenant;
mod ui;

pub use logging::{LogFormat, log_failure, start_logging};
pub use otlp::protobuf::{NoExport, read as read_protobuf};
pub use problem::{ErrorCode, Problem};
pub use router::{document, reference, router};
pub use scripted::ScriptedModel;
pub use serve::serve;
pub use state::{AppState, ServerSettings};
pub use ui::pages;
