//! Models against the scripted server.

mod chat;
mod embeddings;
mod faults;
mod target;
mod vertex;

use std::time::Duration;

use pawl_providers::{ChatModel, ChatRequest, Message, ModelSettings, ModelSpec, Models, Provider};
use pawl_testkit::ModelServer;
use time::OffsetDateTime;

/// Time enough for anything that is to succeed, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// One model of each provider that has a price.
const MODELS: [&str; 5] = [
    "openai:gpt-4o-mini",
    "google:gemini-2.5-flash",
    "vertex:gemini-2.5-flash",
    "anthropic:claude-haiku-4-5",
    "ollama:llama3.2:1b",
];

pub(crate) fn models_by(variables: &[(&'static str, String)]) -> Models {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    };
    let now = || OffsetDateTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    Models::new(ModelSettings::from_variables(lookup, now).unwrap())
}

fn models(server: &ModelServer) -> Models {
    models_by(&[server.variables(), server.vertex_variables()].concat())
}

fn spec(text: &str) -> ModelSpec {
    text.parse().unwrap()
}

fn chat(server: &ModelServer, model: &str) -> ChatModel {
    models(server).chat(&spec(model)).unwrap()
}

fn request(prompt: &str) -> ChatRequest {
    ChatRequest::new(vec![Message::user(prompt)], PATIENCE)
}

#[tokio::test]
async fn what_is_missing_is_named() {
    let models = models_by(&[]);
    let missing = |model: &str| models.chat(&spec(model)).err().map(|error| error.to_string());
    for (model, variable) in [
        ("openai:gpt-4o", "OPENAI_API_KEY"),
        ("google:gemini-2.5-flash", "GEMINI_API_KEY"),
        ("anthropic:claude-haiku-4-5", "ANTHROPIC_API_KEY"),
        ("vertex:gemini-2.5-flash", "GOOGLE_CLOUD_PROJECT"),
    ] {
        let provider = spec(model).provider();
        assert_eq!(
            missing(model),
            Some(format!("{provider}: models need {variable}"))
        );
    }
    assert_eq!(missing("ollama:llama3.2"), None);
    let error = models_by(&[("ANTHROPIC_API_KEY", "k".to_owned())])
        .embedder(&ModelSpec::new(Provider::Anthropic, "claude-haiku-4-5"))
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "anthropic:claude-haiku-4-5 gives no embeddings: anthropic has none"
    );
}
