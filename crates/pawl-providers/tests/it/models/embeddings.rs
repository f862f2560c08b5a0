//! Texts as vectors.

use std::time::Duration;

use futures::future::join_all;
use pawl_model::Cost;
use pawl_providers::{Embedder, ModelFailureKind};
use pawl_testkit::{Fault, ModelServer, Reply, Script};

use super::{PATIENCE, models, spec};

const EMBEDDERS: [&str; 5] = [
    "openai:text-embedding-3-small",
    "google:gemini-embedding-001",
    "vertex:gemini-embedding-001",
    "vertex:text-embedding-005",
    "ollama:nomic-embed-text",
];

fn embedder(server: &ModelServer, model: &str) -> Embedder {
    models(server).embedder(&spec(model)).unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text number {number}")).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn every_text_gets_its_vector_in_its_place() {
    let server = ModelServer::start(Script::new()).await;
    for model in EMBEDDERS {
        let embedder = embedder(&server, model);
        let texts = texts(250);
        let reply = embedder.embed(&texts, PATIENCE).await.unwrap();
        assert_eq!(reply.vectors.len(), 250, "{model}");
        for place in [0, 99, 100, 249] {
            let alone = embedder.embed(&texts[place..=place], PATIENCE).await.unwrap();
            assert_eq!(alone.vectors[0], reply.vectors[place], "{model} {place}");
        }
        assert!(cosine(&reply.vectors[0], &reply.vectors[1]) > 0.5);
        assert_eq!(reply.usage.unwrap().input_tokens, 750, "{model}");
        let cost = reply.cost.known();
        assert_eq!(cost.is_some(), model != "vertex:text-embedding-005", "{model}");
        if let (Some(cost), Cost::Known(upper)) = (cost, embedder.upper_cost(&texts)) {
            assert!(cost <= upper);
        }
    }
}

#[tokio::test]
async fn no_texts_need_no_request() {
    let server = ModelServer::start(Script::new()).await;
    let reply = embedder(&server, EMBEDDERS[0])
        .embed(&[], PATIENCE)
        .await
        .unwrap();
    assert_eq!((reply.vectors.len(), server.asked().len()), (0, 0));
}

#[tokio::test]
async fn faults_are_failures() {
    join_all(EMBEDDERS.map(|model| async move {
        for (fault, kind) in [
            (Fault::CutConnection, ModelFailureKind::Broken),
            (
                Fault::Status {
                    status: 400,
                    retry_after: None,
                },
                ModelFailureKind::Refused(400),
            ),
            (Fault::Hang, ModelFailureKind::Timeout),
        ] {
            let timeout = if kind == ModelFailureKind::Timeout {
                Duration::from_millis(200)
            } else {
                PATIENCE
            };
            let server = ModelServer::start(Script::new().otherwise(Reply::fault(fault))).await;
            let failure = embedder(&server, model)
                .embed(&texts(2), timeout)
                .await
                .unwrap_err();
            assert_eq!(failure.kind, kind, "{model}: {failure}");
        }
        let script = Script::new()
            .next(1, Reply::throttled("0"))
            .otherwise(Reply::text(""));
        let server = ModelServer::start(script).await;
        embedder(&server, model).embed(&texts(2), PATIENCE).await.unwrap();
    }))
    .await;
}
