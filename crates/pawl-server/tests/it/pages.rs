//! The web pages, as browsers without a script meet them.

mod access;
pub(crate) mod browser;
mod dashboard;
mod interactions;
mod login;
mod origin;
mod prompts;
mod runs;
mod settings;
mod suggestions;

use pawl_engine::intake::{Outcome, Terms};
use pawl_model::{InteractionId, NewInteraction, Score, UserId};
use pawl_testkit::http::Response;
use pawl_testkit::{TestServer, samples};

/// What somebody writes who wants it to run in another's browser.
const HOSTILE: &str = "\"><script>alert(1)</script><img src=x onerror=alert(2)>";

/// The header of a response; empty where it is not there.
fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    let value = response.headers().get(name);
    value.map_or("", |value| value.to_str().unwrap())
}

/// An interaction with this text in all places that take texts.
fn interaction(user_id: UserId, text: &str) -> NewInteraction {
    NewInteraction {
        prompt: text.to_owned(),
        response: text.to_owned(),
        score: Score::parse("0.25"),
        latency_ms: Some(1_240),
        flags: vec![text.to_owned()],
        ..samples::interaction(user_id, text)
    }
}

async fn store(server: &TestServer, interaction: NewInteraction) -> InteractionId {
    let stored = server
        .engine
        .ingest(vec![interaction], Terms::History)
        .await
        .unwrap();
    match stored[..] {
        [Outcome::Created { id }] => id,
        ref other => unreachable!("{other:?}"),
    }
}
