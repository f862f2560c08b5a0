//! Requests that mean no good.

use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::fill;

on_both_engines!(
    texts_are_never_statements,
    large_requests_are_refused,
    a_database_that_is_gone_is_said_to_be,
);

const INJECTIONS: &[&str] = &[
    "'",
    "\"",
    "';drop table sb_eval_runs;--",
    "\") or 1=1 --",
    "1)) or ((1=1",
    "' or '1'='1",
    "$1",
    "$2::text",
    "\\",
    "%",
    "_",
    "{\"a\"",
    "null",
    "sb_eval_runs\".\"id\"",
    "id\" from auth.users --",
    "(select 1)",
    "/*",
    "*/",
    "?",
    ":a",
    "\u{202e}",
    "\u{0}",
    "ﬀ",
    "’",
    "`",
    "[",
    "*",
    "a.b",
    "a,b",
    "a)b",
    "->>",
    "::text",
    "!inner",
    "..",
    "😀",
];

async fn texts_are_never_statements(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    for text in INJECTIONS {
        let encoded: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for path in [
            format!("sb_eval_runs?run_name=eq.{encoded}"),
            format!("sb_eval_runs?run_name=like.{encoded}"),
            format!("sb_eval_runs?run_name=ilike.{encoded}"),
            format!("sb_eval_runs?run_name=in.({encoded},%22{encoded}%22)"),
            format!("sb_eval_runs?or=(run_name.eq.{encoded},run_name.eq.%22{encoded}%22)"),
            format!("sb_eval_runs?settings=cs.{encoded}"),
            format!("sb_eval_runs?settings=cs.%7B%22{encoded}%22:1%7D"),
            format!("sb_eval_runs?settings-%3E%3E{encoded}=eq.1"),
            format!("sb_eval_runs?settings-%3E%22{encoded}%22=eq.1"),
            format!("sb_eval_runs?id=eq.{encoded}"),
            format!("sb_eval_runs?{encoded}=eq.1"),
            format!("sb_eval_runs?run_name={encoded}"),
        ] {
            let answer = server
                .get(Identity::UserA, &["/rest/v1/", &path].concat())
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            let body: Value = answer.json().await.unwrap();
            match status {
                200 => assert!(body.as_array().unwrap().len() < 3, "{path} reads all: {body}"),
                400..=404 => assert!(
                    body["code"].is_string() && body["message"].is_string(),
                    "{path}: {body}"
                ),
                other => panic!("{path} is answered with {other}: {body}"),
            }
        }
        for path in [
            encoded.clone(),
            format!("sb_eval_runs?select={encoded}"),
            format!("sb_eval_runs?select=settings-%3E{encoded}"),
            format!("sb_eval_runs?select=a:%22{encoded}%22"),
            format!("sb_eval_runs?select=%22{encoded}%22:id"),
            format!("sb_eval_runs?select={encoded}(id)"),
            format!("sb_eval_runs?select=sb_eval_cases!{encoded}(id)"),
            format!("sb_eval_runs?order={encoded}"),
            format!("sb_eval_runs?order=settings-%3E%22{encoded}%22"),
            format!("sb_eval_runs?limit={encoded}"),
            format!("sb_eval_runs?columns={encoded}"),
            format!("sb_eval_runs?on_conflict={encoded}"),
        ] {
            let answer = server
                .get(Identity::UserB, &["/rest/v1/", &path].concat())
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            assert!(status < 500, "{path} is answered with {status}");
            if status == 200 {
                assert_eq!(answer.text().await.unwrap(), "[]", "{path}");
            }
        }
        let body = serde_json::json!({"dataset_version": text, "run_name": text, "settings": {*text: text}});
        let added = server
            .request(
                Identity::UserB,
                Method::POST,
                "/rest/v1/sb_eval_runs?select=run_name,settings",
            )
            .header("prefer", "return=representation")
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        if text.contains('\0') {
            assert_eq!(added.status(), 400);
            continue;
        }
        assert_eq!(added.status(), 201, "{text}");
        let rows: Value = added.json().await.unwrap();
        assert_eq!(
            rows[0],
            serde_json::json!({"run_name": text, "settings": {*text: text}}),
            "{text} stays as it is"
        );
        let removed = server
            .request(Identity::UserB, Method::DELETE, "/rest/v1/sb_eval_runs")
            .send()
            .await
            .unwrap();
        assert_eq!(removed.status(), 204);
    }
    let left = server
        .get(Identity::Service, "/rest/v1/sb_eval_runs?select=id")
        .send()
        .await
        .unwrap();
    assert_eq!(left.json::<Vec<Value>>().await.unwrap().len(), 3);
}

async fn large_requests_are_refused(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let get = async |path: String| {
        let answer = server
            .get(Identity::UserA, &["/rest/v1/sb_eval_runs?", &path].concat())
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        (
            status,
            answer.json::<Value>().await.unwrap()["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let many = |part: &str, count: usize| vec![part; count].join("&");
    let refused = |code: &str| (400, code.to_owned());
    assert_eq!(get(many("run_name=eq.a", 101)).await, refused("54000"));
    assert_eq!(
        get(format!("total_cases=in.({})", vec!["1"; 1_001].join(","))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("total_cases=in.({})", vec!["1"; 1_000].join(","))).await,
        (200, String::new())
    );
    // Each is asked for twice by the statement, which holds fewer than there are then.
    let lists: Vec<String> = (0..17)
        .map(|first| format!("sb_eval_cases.status=in.({first}{})", ",".repeat(999)))
        .collect();
    let embeds = "select=sb_eval_cases!inner(id)&sb_eval_cases=not.is.null";
    assert_eq!(
        get(format!("{embeds}&{}", lists.join("&"))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("{embeds}&{}", lists[1..].join("&"))).await,
        (200, String::new())
    );
    assert_eq!(
        get(format!("or={}id.is.null{}", "(and".repeat(40), ")".repeat(40))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("run_name=like.{}", "a".repeat(10_001))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("run_name=like.{}", "%25a".repeat(2_000))).await,
        (200, String::new())
    );
    assert_eq!(
        get(format!("settings=cs.[{}]", vec!["1"; 101].join(","))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("settings=cs.{}{}", "[".repeat(65), "]".repeat(65))).await,
        refused("22P02")
    );
    assert_eq!(
        get(format!("settings=cs.{}{}", "[".repeat(17), "]".repeat(17))).await,
        refused("54000")
    );
    for operator in ["cs", "cd", "not.cd"] {
        let deep = format!("settings={operator}.{}{}", "[".repeat(16), "]".repeat(16));
        assert_eq!(get(deep).await, (200, String::new()), "{operator}");
        let wide = format!("settings={operator}.[{}]", ["{\"a\":{\"b\":1}}"; 33].join(","));
        assert_eq!(get(wide).await, (200, String::new()), "{operator}");
    }
    assert_eq!(
        get(format!("settings{}=eq.1", "-%3Ea".repeat(500))).await,
        (200, String::new())
    );
    assert_eq!(
        get(format!("select={}", vec!["id"; 201].join(","))).await,
        refused("54000")
    );
    assert_eq!(
        get(format!("order={}", vec!["id"; 51].join(","))).await,
        refused("54000")
    );
    let answer = raw_request(&server, &"a".repeat(70_000)).await;
    assert!(
        answer.starts_with("HTTP/1.1 431 ") || answer.starts_with("HTTP/1.1 414 "),
        "{answer}"
    );
    let post = async |body: String| {
        let request = server.request(Identity::UserA, Method::POST, "/rest/v1/sb_eval_runs");
        let answer = request
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        let status = answer.status().as_u16();
        let code = answer
            .json::<Value>()
            .await
            .ok()
            .and_then(|body| Some(body["code"].as_str()?.to_owned()));
        (status, code.unwrap_or_default())
    };
    let row = r#"{"dataset_version":"v"}"#;
    assert_eq!(
        post(["[", &vec![row; 10_001].join(","), "]"].concat()).await,
        refused("54000")
    );
    assert_eq!(
        post(["[", &vec![row; 10_000].join(","), "]"].concat()).await,
        (201, String::new())
    );
    let deep = [
        r#"{"dataset_version":"v","settings":"#,
        &"[".repeat(200_000),
        &"]".repeat(200_000),
        "}",
    ]
    .concat();
    assert_eq!(post(deep).await, refused("22P02"));
    assert_eq!(post("[".repeat(1_000_000)).await, refused("PGRST102"));
    assert_eq!(
        post(format!(
            r#"{{"dataset_version":"{}"}}"#,
            "a".repeat(16 * 1024 * 1024)
        ))
        .await
        .0,
        413
    );
    // More than one answer shows; the service would see all of them.
    let changed = server
        .request(Identity::UserA, Method::POST, "/rest/v1/sb_eval_runs")
        .header("content-type", "application/json")
        .body(row)
        .send();
    assert_eq!(changed.await.unwrap().status(), 201);
    let shown = server
        .request(Identity::UserA, Method::PATCH, "/rest/v1/sb_eval_runs")
        .header("prefer", "return=representation")
        .header("content-type", "application/json")
        .body(r#"{"status":"x"}"#)
        .send();
    assert_eq!(shown.await.unwrap().status(), 400);
    let unchanged = server
        .get(Identity::UserA, "/rest/v1/sb_eval_runs?status=eq.x")
        .send()
        .await
        .unwrap();
    assert_eq!(unchanged.text().await.unwrap(), "[]");
}

/// The beginning of the answer to a URL that no client of ours would send.
async fn raw_request(server: &TestServer, name: &str) -> String {
    let mut stream = TcpStream::connect(server.url.strip_prefix("http://").unwrap())
        .await
        .unwrap();
    let request = format!("GET /rest/v1/sb_eval_runs?run_name=eq.{name} HTTP/1.1\r\nHost: x\r\n\r\n");
    // The server may hang up before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

async fn a_database_that_is_gone_is_said_to_be(database: TestDatabase) {
    let server = TestServer::new(database).await;
    // Once more, so that its token is known.
    let get = async || {
        server
            .get(Identity::UserA, "/rest/v1/sb_eval_runs")
            .send()
            .await
            .unwrap()
    };
    assert_eq!(get().await.status(), 200);
    server.engine.close().await;
    let refused = get().await;
    assert_eq!(refused.status(), 503);
    assert_eq!(refused.json::<Value>().await.unwrap()["code"], "PGRST000");
}
