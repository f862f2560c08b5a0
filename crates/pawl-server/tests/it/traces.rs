//! `/v1/traces`.

use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value};
use opentelemetry_proto::tonic::trace::v1::{ResourceSpans, ScopeSpans, Span};
use pawl_engine::auth::ExposeSecret as _;
use pawl_model::KeyScope;
use pawl_testkit::http::{Method, RequestBuilder};
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use prost::Message;
use serde_json::{Value, json};

use crate::intake::gzip;
use crate::pages::browser::Browser;

on_both_engines!(
    both_encodings_store_the_same,
    what_cannot_be_stored_is_told_and_the_rest_is_stored,
    refusals_are_statuses_in_the_encoding_of_the_request,
    an_interaction_is_shown_with_its_trace_and_goes_out_as_one,
);

const AGENT: &str = include_str!("../../../../examples/traces/agent.otlp.json");
const SERVER: &str = include_str!("../../../../examples/traces/server.otlp.json");
const PROTOBUF: &str = "application/x-protobuf";
const JSON: &str = "application/json";

/// An error as gRPC has it.
#[derive(Clone, PartialEq, Message)]
struct Status {
    #[prost(int32, tag = "1")]
    code: i32,
    #[prost(string, tag = "2")]
    message: String,
}

async fn request(server: &TestServer, scope: KeyScope, content_type: &str) -> RequestBuilder {
    let key = server
        .engine
        .create_api_key(server.user_a.id, scope)
        .await
        .unwrap();
    server
        .request(Identity::Nobody, Method::POST, "/v1/traces")
        .bearer_auth(key.text.expose_secret())
        .header("content-type", content_type)
}

/// Status and body of an answer, which has the type of its request.
async fn send(request: RequestBuilder, body: impl Into<Vec<u8>>, content_type: &str) -> (u16, Vec<u8>) {
    let answer = request.body(body.into()).send().await.unwrap();
    assert_eq!(answer.headers()["content-type"], content_type);
    (answer.status().as_u16(), answer.bytes().await.unwrap().to_vec())
}

fn attribute(key: &str, value: any_value::Value) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

/// A call of a model in a trace of this number.
fn span(trace: u8) -> Span {
    let text = |text: &str| any_value::Value::StringValue(text.to_owned());
    Span {
        trace_id: vec![trace; 16],
        span_id: vec![7; 8],
        name: "chat".to_owned(),
        kind: 3,
        start_time_unix_nano: 1_767_225_600_000_000_000,
        end_time_unix_nano: 1_767_225_601_000_000_000,
        attributes: vec![
            attribute("gen_ai.operation.name", text("chat")),
            attribute("gen_ai.prompt", text("Who are you?")),
            attribute("gen_ai.completion", text("A model.")),
            attribute("gen_ai.usage.input_tokens", any_value::Value::IntValue(4)),
        ],
        ..Span::default()
    }
}

fn export(spans: Vec<Span>) -> Vec<u8> {
    let scope_spans = vec![ScopeSpans {
        spans,
        ..ScopeSpans::default()
    }];
    let resource_spans = vec![ResourceSpans {
        scope_spans,
        ..ResourceSpans::default()
    }];
    ExportTraceServiceRequest { resource_spans }.encode_to_vec()
}

async fn stored(server: &TestServer) -> i64 {
    server
        .database
        .number("select count(*) from interaction_traces")
        .await
}

async fn both_encodings_store_the_same(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let protobuf = request(&server, KeyScope::Ingest, PROTOBUF).await;
    let empty = (200, Vec::new());
    assert_eq!(
        send(protobuf.try_clone().unwrap(), export(vec![span(1)]), PROTOBUF).await,
        empty
    );
    let json = request(&server, KeyScope::Ingest, "application/json; charset=utf-8").await;
    let same = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{
    "traceId": "02".repeat(16), "spanId": "07".repeat(8), "name": "chat", "kind": 3,
    "startTimeUnixNano": "1767225600000000000", "endTimeUnixNano": "1767225601000000000",
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.prompt", "value": {"stringValue": "Who are you?"}},
        {"key": "gen_ai.completion", "value": {"stringValue": "A model."}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "4"}},
    ]}]}]}]});
    let all = (200, b"{}".to_vec());
    assert_eq!(send(json.try_clone().unwrap(), same.to_string(), JSON).await, all);
    let compressed = gzip(&export(vec![span(3)])).await;
    let gzipped = protobuf.header("content-encoding", "gzip");
    assert_eq!(send(gzipped, compressed, PROTOBUF).await, empty);
    for (query, expected) in [
        ("select count(*) from interaction_traces", 3),
        (
            "select count(distinct cast(spans as text)) from interaction_traces",
            1,
        ),
        (
            "select count(distinct prompt || response || latency_ms) from evaluations",
            1,
        ),
        (
            "select count(*) from evaluations where prompt = 'Who are you?' and latency_ms = 1000",
            3,
        ),
        (
            "select count(*) from interaction_traces where unscored = 'no_check' and input_tokens = 4",
            3,
        ),
    ] {
        assert_eq!(server.database.number(query).await, expected, "{query}");
    }
    // What has to do with no agent is stored, too.
    for document in [AGENT, SERVER] {
        assert_eq!(send(json.try_clone().unwrap(), document, JSON).await, all);
    }
    assert_eq!(stored(&server).await, 5);
    assert_eq!(
        server.database.number("select count(*) from evaluations").await,
        4
    );
    for nothing in ["{}", r#"{"resourceSpans":[]}"#] {
        assert_eq!(send(json.try_clone().unwrap(), nothing, JSON).await, all);
    }
}

async fn what_cannot_be_stored_is_told_and_the_rest_is_stored(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let without_id = Span {
        trace_id: Vec::new(),
        ..span(1)
    };
    let with_nul = Span {
        name: "a\0b".to_owned(),
        ..span(2)
    };
    let body = export(vec![without_id, span(3), with_nul, span(4)]);
    let protobuf = request(&server, KeyScope::Ingest, PROTOBUF).await;
    let (status, body) = send(protobuf, body, PROTOBUF).await;
    assert_eq!(status, 200);
    let partial = ExportTraceServiceResponse::decode(body.as_slice())
        .unwrap()
        .partial_success
        .unwrap();
    assert_eq!(partial.rejected_spans, 2);
    assert_eq!(
        partial.error_message,
        "a trace id has 16 bytes that are not all zero"
    );
    assert_eq!(stored(&server).await, 2);
    let json = request(&server, KeyScope::Ingest, JSON).await;
    let bad = json!({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "no ids"}]}]}]});
    let (status, body) = send(json, bad.to_string(), JSON).await;
    let answer: Value = serde_json::from_slice(&body).unwrap();
    let partial =
        json!({"rejectedSpans": "1", "errorMessage": "a trace id has 16 bytes that are not all zero"});
    assert_eq!((status, answer), (200, json!({"partialSuccess": partial})));
}

async fn refusals_are_statuses_in_the_encoding_of_the_request(database: TestDatabase) {
    let server = TestServer::new(database).await;
    for content_type in [PROTOBUF, JSON] {
        let nobody = server
            .request(Identity::Nobody, Method::POST, "/v1/traces")
            .header("content-type", content_type);
        let stranger = nobody.try_clone().unwrap().bearer_auth("pawl_nobody");
        // The secret of the instance says for nobody whose traces they are.
        let secret = nobody
            .try_clone()
            .unwrap()
            .header("x-ingestion-secret", &server.ingestion_secret);
        let reader = request(&server, KeyScope::Read, content_type).await;
        let sender = request(&server, KeyScope::Ingest, content_type).await;
        let clone = |request: &RequestBuilder| request.try_clone().unwrap();
        let large = vec![b' '; 16 * 1024 * 1024 + 1];
        let bomb = gzip(&large).await;
        for (request, body, status, code) in [
            (nobody, Vec::new(), 401, 16),
            (stranger, Vec::new(), 401, 16),
            (secret, Vec::new(), 401, 16),
            (reader, Vec::new(), 403, 7),
            (clone(&sender), b"no export".to_vec(), 400, 3),
            (clone(&sender), large, 413, 8),
            (clone(&sender).header("content-encoding", "gzip"), bomb, 413, 8),
            (
                clone(&sender).header("content-encoding", "gzip"),
                b"no gzip".to_vec(),
                400,
                3,
            ),
            (
                clone(&sender).header("content-encoding", "br"),
                Vec::new(),
                415,
                3,
            ),
        ] {
            let (found, body) = send(request, body, content_type).await;
            let document = if content_type == PROTOBUF {
                Status::decode(body.as_slice()).unwrap()
            } else {
                let json: Value = serde_json::from_slice(&body).unwrap();
                Status {
                    code: i32::try_from(json["code"].as_i64().unwrap()).unwrap(),
                    message: json["message"].as_str().unwrap().to_owned(),
                }
            };
            assert_eq!((found, document.code), (status, code), "{}", document.message);
        }
    }
    for content_type in ["text/plain", "application/grpc"] {
        let sender = request(&server, KeyScope::Ingest, content_type).await;
        assert_eq!(send(sender, "{}", JSON).await.0, 415);
    }
    assert_eq!(stored(&server).await, 0);
}

async fn an_interaction_is_shown_with_its_trace_and_goes_out_as_one(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let tenant = server.user_a.id;
    let json = request(&server, KeyScope::Ingest, JSON).await;
    let checks = "- type: icontains\n  value: REFUND\n- type: contains\n  value: voucher\n";
    // Without the verdict that comes with them.
    let document = AGENT.replace("gen_ai.evaluation.result", "noted");
    let scored = document.replace("4bf92f3577b34da6a3ce929d0e0e4736", &"0d".repeat(16));
    assert_eq!(send(json.try_clone().unwrap(), document, JSON).await.0, 200);
    let online = Some(checks.to_owned());
    server.engine.set_online_checks(tenant, online).await.unwrap();
    assert_eq!(send(json.try_clone().unwrap(), scored, JSON).await.0, 200);
    let get = async |who: Identity, path: &str| {
        let answer = server.get(who, path).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (_, rows) = get(
        Identity::UserA,
        "/rest/v1/evaluations?select=id,score&order=score.desc.nullslast",
    )
    .await;
    let path = |place: usize| ["/api/interactions/", rows[place]["id"].as_str().unwrap()].concat();
    let (status, shown) = get(Identity::UserA, &path(0)).await;
    assert_eq!(
        (status, &shown["interaction"]["score"], &shown["unscored"]),
        (200, &json!(0.5), &Value::Null)
    );
    assert_eq!(
        (&shown["input_tokens"], &shown["spans"][0]["name"]),
        (&json!(213), &json!("invoke_agent refunds"))
    );
    let failed = &shown["check_results"]["checks"][1];
    assert_eq!(
        (&failed["name"], &failed["passed"]),
        (&json!("contains"), &json!(false))
    );
    let (_, unscored) = get(Identity::UserA, &path(1)).await;
    assert_eq!(
        (&unscored["interaction"]["score"], &unscored["unscored"]),
        (&Value::Null, &json!("no_check"))
    );
    let otlp = [&path(0), "/otlp"].concat();
    let (status, trace) = get(Identity::UserA, &otlp).await;
    let events = &trace["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["events"];
    let names: Vec<&Value> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|event| &event["name"])
        .collect();
    let verdict = "gen_ai.evaluation.result";
    assert_eq!(status, 200);
    assert_eq!(names, ["noted", verdict, verdict, verdict]);
    // What goes out may come in; it is known already but for the verdict.
    assert_eq!(send(json, trace.to_string(), JSON).await, (200, b"{}".to_vec()));
    for path in [path(0), otlp] {
        assert_eq!(get(Identity::UserB, &path).await.0, 404);
    }
    let browser = Browser::of(&server, &server.user_a).await;
    let page = browser.page(&path(0).replace("/api", "")).await;
    for said in [
        "does not contain",
        "213 tokens in",
        "execute_tool",
        "gen_ai.tool.call.arguments",
    ] {
        assert!(page.contains(said), "{said}: {page}");
    }
    let page = browser.page(&path(1).replace("/api", "")).await;
    assert!(page.contains("not scored: no online check"), "{page}");
}
