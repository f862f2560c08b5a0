//! Vertex AI: three ways in.

use pawl_providers::{ModelError, ModelFailureKind};
use pawl_testkit::{ModelServer, Reply, Script};

use super::{models_by, request, spec};

const MODEL: &str = "vertex:gemini-2.5-flash";

async fn server() -> ModelServer {
    ModelServer::start(Script::new().otherwise(Reply::text("fine"))).await
}

#[tokio::test]
async fn a_service_account_a_user_and_a_machine_get_in() {
    let server = server().await;
    for variables in [
        server.vertex_variables(),
        server.vertex_user_variables(),
        server.vertex_machine_variables(),
    ] {
        let before = server.tokens();
        let model = models_by(&variables).chat(&spec(MODEL)).unwrap();
        let (one, other) = tokio::join!(async { model.complete(&request("one")).await }, async {
            model.complete(&request("two")).await
        },);
        assert_eq!(
            (one.unwrap().text, other.unwrap().text),
            ("fine".to_owned(), "fine".to_owned())
        );
        // The token is asked for once and kept.
        assert_eq!(server.tokens(), before + 1, "{variables:?}");
    }
    let path = &server.asked()[0].path;
    assert_eq!(
        path,
        "/v1/projects/scripted/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"
    );
}

#[tokio::test]
async fn a_token_that_is_no_longer_taken_is_replaced() {
    let script = Script::new()
        .next(1, Reply::status(401))
        .otherwise(Reply::text("fine"));
    let server = ModelServer::start(script).await;
    let model = models_by(&server.vertex_variables()).chat(&spec(MODEL)).unwrap();
    let failure = model.complete(&request("one")).await.unwrap_err();
    assert_eq!(failure.kind, ModelFailureKind::Unauthorized);
    assert_eq!(model.complete(&request("two")).await.unwrap().text, "fine");
    assert_eq!(server.tokens(), 2);
}

#[tokio::test]
async fn credentials_that_do_not_work_are_said() {
    let server = server().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials.json");
    let with_file = || {
        let mut variables = server.vertex_variables();
        variables.retain(|(name, _)| *name != "GOOGLE_APPLICATION_CREDENTIALS");
        variables.push(("GOOGLE_APPLICATION_CREDENTIALS", file.display().to_string()));
        models_by(&variables)
    };
    assert!(matches!(
        with_file().chat(&spec(MODEL)),
        Err(ModelError::Credentials { .. })
    ));
    std::fs::write(&file, r#"{"type": "external_account"}"#).unwrap();
    let error = with_file().chat(&spec(MODEL)).err().unwrap();
    assert!(
        error
            .to_string()
            .ends_with("does not hold Google credentials of a service account or a user")
    );

    let user = serde_json::json!({
        "type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "revoked",
        "quota_project_id": "p", "token_uri": format!("{}/token", server.url),
    });
    std::fs::write(&file, user.to_string()).unwrap();
    let model = with_file().chat(&spec(MODEL)).unwrap();
    let failure = model.complete(&request("one")).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.retries),
        (ModelFailureKind::Unauthorized, 0)
    );
    assert_eq!(
        failure.message,
        format!("{MODEL}: no access token: answered 400 Bad Request")
    );
    assert!(server.asked().is_empty());
}
