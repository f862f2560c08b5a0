//! Tenants: whatever is asked, nobody reads or writes rows of another.

use pawl_testkit::http::Method;
use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::Value;

on_both_engines!(random_requests_cross_no_border);

/// How many random requests each of them makes.
const REQUESTS: usize = 150;

const TABLES: [&str; 5] = [
    "sb_sessions",
    "sb_stories",
    "sb_actions",
    "sb_eval_runs",
    "sb_eval_cases",
];

/// Every text and document of a row says whose it is.
async fn fill(server: &TestServer, who: Identity, mark: &str) {
    let n = if who == Identity::UserA { 1 } else { 2 };
    let id = |kind: &str| format!("00000000-0000-4000-8000-0000000{kind}{n:03}");
    for (table, body) in [
        (
            "sb_sessions",
            format!(r#"{{"id": "{}", "title": "{mark}"}}"#, id("5e")),
        ),
        (
            "sb_stories",
            format!(
                r#"{{"id": "{}", "session_id": "{}", "story": {{"title": "{mark}"}}}}"#,
                id("57"),
                id("5e")
            ),
        ),
        (
            "sb_actions",
            format!(
                r#"{{"id": "{}", "session_id": "{}", "action_type": "{mark}"}}"#,
                id("ac"),
                id("5e")
            ),
        ),
        (
            "sb_eval_runs",
            format!(
                r#"{{"id": "{}", "dataset_version": "{mark}", "settings": {{"mark": "{mark}"}}}}"#,
                id("aa")
            ),
        ),
        (
            "sb_eval_cases",
            format!(
                r#"{{"id": "{}", "run_id": "{}", "session_id": "{}", "input_data": {{"mark": "{mark}"}}, "output": "{mark}"}}"#,
                id("ca"),
                id("aa"),
                id("5e")
            ),
        ),
    ] {
        let request = server.request(who, Method::POST, &["/rest/v1/", table].concat());
        let answer = request
            .header("content-type", "application/json")
            .body(body)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201, "{}", answer.text().await.unwrap());
    }
}

#[derive(Clone, Debug)]
struct Request {
    method: &'static str,
    path: String,
    prefer: &'static str,
    body: String,
}

fn requests() -> impl Strategy<Value = Request> {
    prop::sample::select(TABLES.to_vec()).prop_flat_map(requests_of)
}

fn requests_of(table: &'static str) -> impl Strategy<Value = Request> {
    let mut columns = vec!["id", "user_id", "created_at"];
    let (more, embeddings): (&[&str], &[&str]) = match table {
        "sb_sessions" => (
            &["title"],
            &["sb_stories(*),sb_actions(*)", "sb_eval_cases!inner(*)"],
        ),
        "sb_stories" => (
            &["story->>title", "session_id"],
            &["sb_sessions(*)", "sb_sessions!inner(*,sb_actions(*))"],
        ),
        "sb_actions" => (
            &["action_type", "session_id"],
            &["sb_sessions(*,sb_eval_cases(*))", "sb_eval_cases(*)"],
        ),
        "sb_eval_runs" => (
            &["dataset_version", "settings->>mark"],
            &["sb_eval_cases(*)", "sb_eval_cases!inner(*)"],
        ),
        _ => (
            &["output", "input_data->mark", "passed"],
            &["sb_eval_runs(*)", "sb_sessions!inner(*,sb_stories(*))"],
        ),
    };
    columns.extend(more);
    let column = prop::sample::select(columns);
    let operation = prop::sample::select(vec![
        "is.null",
        "not.is.null",
        "not.is.null",
        "neq.x",
        "like.*",
        "ilike.*OF-*",
        "gt.0",
        "lt.now()",
        "is.false",
        "eq.00000000-0000-4000-8000-0000000aa001",
        "eq.00000000-0000-4000-8000-0000000aa002",
        "not.in.(a)",
        "neq.00000000-0000-4000-8000-0000000aa001",
        "isdistinct.x",
        "in.(of-b,of-a)",
        "not.is.distinct",
    ]);
    let logic = prop::sample::select(vec![
        "or=(id.is.null,id.not.is.null)",
        "not.and=(id.is.null,id.not.is.null)",
        "or=(user_id.is.null,not.and(user_id.is.null))",
        "and=(id.not.is.null,or(id.is.null,id.not.is.null))",
    ]);
    let filter = prop_oneof![
        4 => (column.clone(), operation).prop_map(|(column, operation)| format!("{column}={operation}")),
        2 => logic.prop_map(str::to_owned),
    ];
    let mut selections = vec!["*".to_owned(), "id".to_owned()];
    selections.extend(embeddings.iter().map(|embedding| ["*,", embedding].concat()));
    let embedded = prop::sample::select(selections);
    let order = column.prop_map(|column| format!("order={column}.desc"));
    let query = (
        embedded,
        prop::collection::vec(filter, 0..3),
        prop::option::of(order),
    )
        .prop_map(|(select, filters, order)| {
            let filters = filters.into_iter().chain(order);
            filters.fold(format!("select={select}"), |query, part| query + "&" + &part)
        });
    let body = prop::sample::select(vec![
        r#"{"session_id": "00000000-0000-4000-8000-00000005e001"}"#,
        r#"{"title": "taken"}"#,
        r#"{"dataset_version": "taken"}"#,
        r#"{"id": "00000000-0000-4000-8000-0000000aa001", "dataset_version": "taken"}"#,
        r#"{"id": "00000000-0000-4000-8000-00000005e002", "title": "taken"}"#,
        r#"{"output": "taken"}"#,
        r#"{"input_data": {}, "run_id": "00000000-0000-4000-8000-0000000aa002"}"#,
        r#"{"input_data": {}, "run_id": "00000000-0000-4000-8000-0000000aa001"}"#,
        "{}",
    ]);
    let method = prop::sample::select(vec!["GET", "GET", "GET", "GET", "PATCH", "POST", "HEAD"]);
    let prefer = prop::sample::select(vec![
        "return=representation,count=exact",
        "return=representation,resolution=merge-duplicates,count=exact",
        "return=representation,resolution=ignore-duplicates",
    ]);
    (method, query, prefer, body).prop_map(move |(method, query, prefer, body)| Request {
        method,
        path: ["/rest/v1/", table, "?", &query].concat(),
        prefer,
        body: body.to_owned(),
    })
}

/// All rows as the service sees them, without those that the random requests of this user added.
async fn everything(server: &TestServer, owner: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    for table in TABLES {
        let path = ["/rest/v1/", table, "?order=id&user_id=eq.", owner].concat();
        rows.extend(
            server
                .get(Identity::Service, &path)
                .send()
                .await
                .unwrap()
                .json::<Vec<Value>>()
                .await
                .unwrap(),
        );
    }
    rows
}

async fn random_requests_cross_no_border(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server, Identity::UserA, "of-a").await;
    fill(&server, Identity::UserB, "of-b").await;
    let (a, b) = (server.user_a.id.to_string(), server.user_b.id.to_string());
    let mut runner = TestRunner::deterministic();
    let mut seen_own = 0;
    for (who, others) in [
        (Identity::UserB, &[("of-a", &a)][..]),
        (Identity::UserA, &[("of-b", &b)]),
        (Identity::Anonymous, &[("of-a", &a), ("of-b", &b)]),
    ] {
        let mut before = Vec::new();
        for (_, owner) in others {
            before.push(everything(&server, owner).await);
        }
        for _ in 0..REQUESTS {
            let Request {
                method,
                path,
                prefer,
                body,
            } = requests().new_tree(&mut runner).unwrap().current();
            let answer = server
                .request(who, method.parse().unwrap(), &path)
                .header("prefer", prefer)
                .header("content-type", "application/json")
                .body(if matches!(method, "GET" | "HEAD") {
                    String::new()
                } else {
                    body
                })
                .send()
                .await
                .unwrap();
            let status = answer.status().as_u16();
            assert!(status < 500, "{who:?} {method} {path}: {status}");
            let total = answer
                .headers()
                .get("content-range")
                .map(|value| value.to_str().unwrap().to_owned());
            let text = answer.text().await.unwrap();
            for (mark, owner) in others {
                let own_words = path.contains(mark);
                assert!(
                    own_words || !text.contains(mark),
                    "{who:?} {method} {path}: {text}"
                );
                assert!(!text.contains(owner.as_str()), "{who:?} {method} {path}: {text}");
            }
            if who == Identity::Anonymous && status < 300 {
                assert!(text.is_empty() || text == "[]", "{path}: {text}");
                let nothing = |range: &str| range.ends_with("/0") || range.ends_with("/*");
                assert!(total.as_deref().is_some_and(nothing), "{path}: {total:?}");
            }
            seen_own += usize::from(text.contains("of-a") || text.contains("of-b"));
        }
        for ((_, owner), before) in others.iter().zip(before) {
            assert_eq!(
                everything(&server, owner).await,
                before,
                "{who:?} changed rows of others"
            );
        }
    }
    assert!(
        seen_own > 50,
        "only {seen_own} of the answers held rows: the requests prove too little"
    );
}
