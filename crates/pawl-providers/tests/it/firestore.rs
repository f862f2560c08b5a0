//! Documents in Firestore, on the emulator.

use pawl_providers::ModelSettings;
use pawl_providers::firestore::{
    Comparison, Direction, Document, Filter, Firestore, FirestoreError, FirestoreErrorKind,
    FirestoreSettings, Query, Write,
};
use pawl_testkit::FirestoreEmulator;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

/// A database of one's own, gone after the test.
struct Database {
    firestore: Firestore,
    _emulator: FirestoreEmulator,
}

impl Database {
    async fn start() -> Self {
        let emulator = FirestoreEmulator::start().await;
        Self {
            firestore: firestore(&[
                ("GOOGLE_CLOUD_PROJECT", "acme"),
                ("FIRESTORE_COLLECTION_PREFIX", "test_"),
                ("FIRESTORE_EMULATOR_HOST", &emulator.host),
            ])
            .unwrap(),
            _emulator: emulator,
        }
    }

    async fn put(&self, id: &str, document: Value) {
        let write = Write::put("suggestions", id, object(&document));
        self.firestore.commit(&[write]).await.unwrap();
    }

    async fn get(&self, id: &str) -> Option<Value> {
        let mut found = self.firestore.get("suggestions", &[id]).await.unwrap();
        found.remove(0).map(|document| document.fields.into())
    }
}

fn firestore(variables: &[(&str, &str)]) -> Result<Firestore, FirestoreError> {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let models = ModelSettings::from_variables(variable, || OffsetDateTime::UNIX_EPOCH).unwrap();
    Firestore::new(&FirestoreSettings::from_variables(variable), &models)
}

fn object(document: &Value) -> Map<String, Value> {
    document.as_object().unwrap().clone()
}

fn pending(at: &str) -> Value {
    json!({"status": "pending", "created_at": at, "suggestion_content": {"eval_test": {"title": "a", "golden_output": null}}})
}

fn all<'a>(filters: Vec<Filter<'a>>, order: Vec<(&'a str, Direction)>) -> Query<'a> {
    Query {
        collection: "suggestions",
        filters,
        order,
        after: Vec::new(),
        limit: 100,
    }
}

fn ids(found: &[Document]) -> Vec<&str> {
    found.iter().map(|document| document.id.as_str()).collect()
}

#[tokio::test]
async fn documents_are_found_by_their_ids_in_their_places() {
    let database = Database::start().await;
    let document = pending("2025-12-29T12:00:00.000125Z");
    database.put("sugg_a", document.clone()).await;
    database.put("sugg_b", json!({"empty": {}, "list": []})).await;
    let asked = ["none", "sugg_b", "sugg_a", "sugg_b"];
    let found = database.firestore.get("suggestions", &asked).await.unwrap();
    let found: Vec<Option<Value>> = found
        .into_iter()
        .map(|found| Some(found?.fields.into()))
        .collect();
    let empty = Some(json!({"empty": {}, "list": []}));
    assert_eq!(found, [None, empty.clone(), Some(document), empty]);
    assert_eq!(
        database.firestore.get("patterns", &["sugg_a"]).await.unwrap(),
        [None]
    );
    // No document can have these: they would be paths to others.
    let ids = ["sugg_a/drafts/1", "../sugg_a", "..", "", "__a__"];
    let found = database.firestore.get("suggestions", &ids).await.unwrap();
    assert_eq!(found, [None, None, None, None, None]);
    let write = Write::put("suggestions", ids[0], Map::new());
    let error = database.firestore.commit(&[write]).await.unwrap_err();
    assert_eq!(error.kind, FirestoreErrorKind::Unfit);
    let many: Vec<String> = (0..250).map(|number| format!("sugg_{number}")).collect();
    database.put("sugg_249", json!({})).await;
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let found = database.firestore.get("suggestions", &many).await.unwrap();
    assert_eq!(found.iter().position(Option::is_some), Some(249));
}

#[tokio::test]
async fn what_a_write_does_not_name_stays() {
    let database = Database::start().await;
    let mut document = pending("2025-12-29T12:00:00Z");
    document["approval_metadata"] = json!({"actor": "ada", "timestamp": "2025-12-29T12:00:00.5Z"});
    database.put("sugg_a", document.clone()).await;
    let draft =
        json!({"title": "b", "generated_at": "2026-01-01T00:00:00Z", "assertions": {"required": ["x"]}});
    let changes = [
        ("suggestion_content.eval_test", draft.clone()),
        ("updated_at", json!("2026-01-02T00:00:00Z")),
    ];
    let write = Write::update("suggestions", "sugg_a", changes);
    database.firestore.commit(&[write]).await.unwrap();
    document["suggestion_content"] = json!({"eval_test": draft});
    document["updated_at"] = json!("2026-01-02T00:00:00Z");
    assert_eq!(database.get("sugg_a").await, Some(document));
}

#[tokio::test]
async fn queries_filter_sort_and_go_on() {
    let database = Database::start().await;
    for (id, hour) in [("sugg_a", 9), ("sugg_b", 11), ("sugg_c", 10), ("sugg_d", 11)] {
        database
            .put(id, pending(&format!("2025-12-29T{hour:02}:00:00Z")))
            .await;
    }
    database
        .put(
            "sugg_e",
            json!({"status": "approved", "created_at": "2025-12-29T12:00:00Z"}),
        )
        .await;
    let is_pending = || Filter {
        field: "status",
        comparison: Comparison::Equal,
        value: json!("pending"),
    };
    let newest_first = || {
        vec![
            ("created_at", Direction::Descending),
            ("__name__", Direction::Descending),
        ]
    };
    let mut query = all(vec![is_pending()], newest_first());
    query.limit = 2;
    let page = database.firestore.query(&query).await.unwrap();
    assert_eq!(ids(&page), ["sugg_d", "sugg_b"]);
    query.after = vec![page[1].fields["created_at"].clone(), json!(page[1].id)];
    assert_eq!(
        ids(&database.firestore.query(&query).await.unwrap()),
        ["sugg_c", "sugg_a"]
    );
    // Times are compared as times: as texts this one would come after all of them.
    let since = Filter {
        field: "created_at",
        comparison: Comparison::AtLeast,
        value: json!("2025-12-29T20:00:00+10:00"),
    };
    let oldest_first = vec![("created_at", Direction::Ascending)];
    let found = database
        .firestore
        .query(&all(vec![is_pending(), since], oldest_first))
        .await
        .unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].id, "sugg_c");
    let none = all(
        vec![Filter {
            value: json!("rejected"),
            ..is_pending()
        }],
        Vec::new(),
    );
    assert_eq!(database.firestore.query(&none).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_a_hundred_who_decide_at_once_wins() {
    let database = Database::start().await;
    database.put("sugg_a", pending("2025-12-29T12:00:00Z")).await;
    let deciders = (0..100).map(|number| {
        let firestore = database.firestore.clone();
        tokio::spawn(async move {
            let decided = firestore.transact(|mut transaction| async move {
                let found = transaction.get("suggestions", &["sugg_a"]).await?;
                let is_pending = found[0]
                    .as_ref()
                    .is_some_and(|found| found.fields["status"] == "pending");
                if is_pending {
                    let changes = [
                        ("status", json!("approved")),
                        ("approval_metadata.actor", json!(number)),
                    ];
                    transaction.write(Write::update("suggestions", "sugg_a", changes));
                }
                Ok::<_, FirestoreError>(transaction.finish(is_pending))
            });
            decided.await.unwrap().then_some(number)
        })
    });
    let decided = futures::future::join_all(deciders).await;
    let winners: Vec<i32> = decided.into_iter().filter_map(Result::unwrap).collect();
    assert_eq!(winners.len(), 1);
    assert_eq!(
        database.get("sugg_a").await.unwrap()["approval_metadata"]["actor"],
        winners[0]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_is_added_at_once_is_lost() {
    let database = Database::start().await;
    database.put("sugg_a", json!({"version_history": []})).await;
    let additions = (0..8).map(|number| {
        let firestore = database.firestore.clone();
        tokio::spawn(async move {
            let added = firestore.transact(|mut transaction| async move {
                let found = transaction.query(&all(Vec::new(), Vec::new())).await?;
                let mut history = found[0].fields["version_history"].clone();
                history.as_array_mut().unwrap().push(json!(number));
                transaction.write(Write::update(
                    "suggestions",
                    "sugg_a",
                    [("version_history", history)],
                ));
                Ok::<_, FirestoreError>(transaction.finish(()))
            });
            added.await.unwrap();
        })
    });
    futures::future::try_join_all(additions).await.unwrap();
    let mut numbers: Vec<i64> =
        serde_json::from_value(database.get("sugg_a").await.unwrap()["version_history"].clone()).unwrap();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..8).collect::<Vec<_>>());
}

#[tokio::test]
async fn all_of_it_is_written_or_nothing() {
    let database = Database::start().await;
    database.put("sugg_a", json!({})).await;
    let new = || Write::create("suggestions", "sugg_new", Map::new());
    for (other, kind) in [
        (
            Write::create("suggestions", "sugg_a", Map::new()),
            FirestoreErrorKind::Exists,
        ),
        (
            Write::update("suggestions", "sugg_none", [("a", json!(1))]),
            FirestoreErrorKind::Missing,
        ),
        (
            Write::put(
                "suggestions",
                "sugg_a",
                object(&json!({"draft": "x".repeat(1 << 20)})),
            ),
            FirestoreErrorKind::TooLarge,
        ),
        (
            Write::put("suggestions", "sugg_a", object(&json!({"a": [[1]]}))),
            FirestoreErrorKind::Unfit,
        ),
    ] {
        let error = database.firestore.commit(&[new(), other]).await.unwrap_err();
        assert_eq!(error.kind, kind, "{error}");
        assert_eq!(database.get("sugg_new").await, None, "{error}");
    }
    let given_up = database.firestore.transact(|mut transaction| async move {
        transaction.write(new());
        Err::<pawl_providers::firestore::Outcome<()>, _>(Refused::ByUs)
    });
    assert_eq!(given_up.await.unwrap_err(), Refused::ByUs);
    assert_eq!(database.get("sugg_new").await, None);
    database.firestore.commit(&[new()]).await.unwrap();
    assert_eq!(database.get("sugg_new").await, Some(json!({})));
}

#[derive(Debug, PartialEq)]
enum Refused {
    ByUs,
    Firestore(FirestoreError),
}

impl From<FirestoreError> for Refused {
    fn from(error: FirestoreError) -> Self {
        Self::Firestore(error)
    }
}

#[tokio::test]
async fn a_firestore_that_is_not_there_is_said_so() {
    let nobody = firestore(&[
        ("GOOGLE_CLOUD_PROJECT", "acme"),
        ("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1"),
    ])
    .unwrap();
    let error = nobody.get("suggestions", &["sugg_a"]).await.unwrap_err();
    assert_eq!(error.kind, FirestoreErrorKind::Unavailable);
    let error = firestore(&[("FIRESTORE_EMULATOR_HOST", "127.0.0.1:1")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "suggestions in Firestore need GOOGLE_CLOUD_PROJECT"
    );
    let error = firestore(&[
        ("GOOGLE_CLOUD_PROJECT", "acme"),
        ("GOOGLE_APPLICATION_CREDENTIALS", "/none.json"),
    ])
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read Google credentials from /none.json"
    );
}
