//! What goes wrong on the way, with every provider.

use std::time::Duration;

use futures::future::join_all;
use pawl_providers::{ChatRequest, ModelFailure, ModelFailureKind};
use pawl_testkit::{Fault, ModelServer, Reply, Script};
use tokio::time::Instant;

use super::{MODELS, chat, models_by, request, spec};

async fn failure(reply: Reply, model: &str) -> ModelFailure {
    let server = ModelServer::start(Script::new().otherwise(reply)).await;
    chat(&server, model)
        .complete(&request("hello"))
        .await
        .unwrap_err()
}

#[tokio::test]
async fn a_busy_provider_is_asked_again() {
    join_all(MODELS.map(|model| async move {
        let script = Script::new()
            .next(1, Reply::throttled("0"))
            .next(1, Reply::status(500))
            .next(1, Reply::fault(Fault::CutConnection))
            .otherwise(Reply::text("fine"));
        let server = ModelServer::start(script).await;
        let reply = chat(&server, model).complete(&request("hello")).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.retries), ("fine", 3), "{model}");
        assert_eq!(server.asked().len(), 4);
    }))
    .await;
}

#[tokio::test]
async fn the_wait_that_is_asked_for_is_kept() {
    let script = Script::new()
        .next(1, Reply::throttled("1"))
        .otherwise(Reply::text("fine"));
    let server = ModelServer::start(script).await;
    let begin = Instant::now();
    chat(&server, MODELS[0])
        .complete(&request("hello"))
        .await
        .unwrap();
    assert!(begin.elapsed() >= Duration::from_secs(1));
    let late = failure(Reply::throttled("3600"), MODELS[0]).await;
    assert_eq!((late.kind, late.retries), (ModelFailureKind::Throttled, 0));
    assert!(late.message.contains("asks to wait 3600 s"), "{late}");
}

#[tokio::test]
async fn a_provider_that_asks_for_a_long_pause_is_left_alone() {
    let server = ModelServer::start(Script::new().otherwise(Reply::throttled("3600"))).await;
    let model = chat(&server, MODELS[0]);
    let hasty = ChatRequest {
        timeout: Duration::from_secs(10),
        ..request("hello")
    };
    for _ in 0..3 {
        let failure = model.complete(&hasty).await.unwrap_err();
        assert_eq!(failure.kind, ModelFailureKind::Throttled);
        assert!(failure.message.contains("asks to wait "), "{failure}");
    }
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn retries_end() {
    join_all(MODELS.map(|model| async move {
        let server = ModelServer::start(Script::new().otherwise(Reply::throttled("0"))).await;
        let failure = chat(&server, model)
            .complete(&request("hello"))
            .await
            .unwrap_err();
        assert_eq!((failure.kind, failure.retries), (ModelFailureKind::Throttled, 3));
        assert_eq!(
            failure.message,
            format!("{model}: answered 429 Too Many Requests: 3 retries are used up")
        );
        assert_eq!(server.asked().len(), 4);
    }))
    .await;
}

#[tokio::test]
async fn refusals_are_not_repeated_and_keep_what_was_said_apart() {
    for model in MODELS {
        for (status, kind) in [
            (400, ModelFailureKind::Refused(400)),
            (401, ModelFailureKind::Unauthorized),
            (403, ModelFailureKind::Unauthorized),
            (404, ModelFailureKind::Refused(404)),
        ] {
            let server = ModelServer::start(Script::new().otherwise(Reply::status(status))).await;
            let failure = chat(&server, model)
                .complete(&request("hello"))
                .await
                .unwrap_err();
            assert_eq!(
                (failure.kind, server.asked().len()),
                (kind, 1),
                "{model} {status}"
            );
            assert!(!failure.message.contains("the script says"), "{failure}");
            assert!(failure.said.unwrap().contains("the script says"), "{model}");
        }
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_failure() {
    join_all(MODELS.map(|model| async move {
        let broken = failure(Reply::fault(Fault::NotANumber), model).await;
        assert_eq!(broken.kind, ModelFailureKind::Broken, "{broken}");
        let long = failure(Reply::fault(Fault::TooLong), model).await;
        assert_eq!(long.kind, ModelFailureKind::TooLong, "{long}");
        assert!(
            long.message.ends_with("the answer is longer than 1 MiB"),
            "{long}"
        );
        let cut = failure(Reply::fault(Fault::CutConnection), model).await;
        assert_eq!((cut.kind, cut.retries), (ModelFailureKind::Broken, 3), "{cut}");
    }))
    .await;
}

#[tokio::test]
async fn a_time_out_closes_the_connection() {
    for model in MODELS {
        let server = ModelServer::start(Script::new().otherwise(Reply::fault(Fault::Hang))).await;
        let hasty = ChatRequest {
            timeout: Duration::from_millis(200),
            ..request("hello")
        };
        let failure = chat(&server, model).complete(&hasty).await.unwrap_err();
        assert_eq!(failure.kind, ModelFailureKind::Timeout, "{model}");
        assert_eq!(failure.message, format!("{model}: no answer within 0.2 s"));
        abandoned(&server).await;
    }
}

#[tokio::test]
async fn a_dropped_call_closes_the_connection() {
    let server = ModelServer::start(Script::new().otherwise(Reply::fault(Fault::Hang))).await;
    let model = chat(&server, MODELS[0]);
    let call = tokio::spawn(async move { model.complete(&request("hello")).await });
    while server.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(server.abandoned(), 0);
    call.abort();
    abandoned(&server).await;
}

/// Waits until the server has seen that nobody waits for it. A test that waits for ever fails by the time limit of the
/// test runner.
async fn abandoned(server: &ModelServer) {
    while server.abandoned() == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn nobody_there() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let models = models_by(&[("OLLAMA_HOST", url)]);
    let model = models.chat(&spec("ollama:llama3.2")).unwrap();
    let failure = model.complete(&request("hello")).await.unwrap_err();
    assert_eq!((failure.kind, failure.retries), (ModelFailureKind::Broken, 3));
    assert!(
        failure
            .message
            .starts_with("ollama:llama3.2: cannot be reached: "),
        "{failure}"
    );
}

#[tokio::test]
async fn a_throttled_model_still_answers_everybody() {
    let script = Script::new()
        .next(8, Reply::throttled("0"))
        .otherwise(Reply::text("fine"));
    let server = ModelServer::start(script).await;
    let model = chat(&server, MODELS[0]);
    let requests: Vec<_> = (0..30).map(|number| request(&number.to_string())).collect();
    let replies = join_all(requests.iter().map(|request| model.complete(request))).await;
    assert!(replies.iter().all(Result::is_ok), "{replies:?}");
    assert_eq!(server.asked().len(), 38);
}
