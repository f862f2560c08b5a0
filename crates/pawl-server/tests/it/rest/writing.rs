//! Adding, merging, changing and removing rows.

use pawl_testkit::{Identity, TestDatabase, TestServer, on_both_engines};
use serde_json::Value;

use super::{Transcript, fill};

on_both_engines!(
    rows_are_added,
    rows_are_merged_and_ignored,
    rows_are_changed_and_removed,
    refusals_of_writing,
    fresh_rows_have_defaults_and_come_back_in_order,
);

const REPRESENTATION: (&str, &str) = ("prefer", "return=representation");
const OBJECT: (&str, &str) = ("accept", "application/vnd.pgrst.object+json");
const A4: &str = "00000000-0000-4000-8000-0000000000a4";

async fn rows_are_added(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    let run = |n: u32, more: &str| {
        format!(r#"{{"id": "00000000-0000-4000-8000-0000000000b{n}", "dataset_version": "v3"{more}}}"#)
    };
    let shown = "sb_eval_runs?select=id,created_at,completed_at,status,total_cases,settings";
    transcript.post("sb_eval_runs", &[], &run(1, "")).await;
    transcript
        .post("sb_eval_runs", &[("prefer", "return=minimal")], &run(2, ""))
        .await;
    transcript
        .post(
            "sb_eval_runs",
            &[("prefer", "return=headers-only, count=exact")],
            &run(3, ""),
        )
        .await;
    transcript
        .post(
            shown,
            &[REPRESENTATION],
            &run(4, r#", "completed_at": "now()", "total_cases": "7""#),
        )
        .await;
    let settings = r#", "settings": {"bb": 1e2, "a": [1.50, "\u00e4"]}"#;
    transcript
        .post(shown, &[REPRESENTATION, OBJECT], &run(5, settings))
        .await;
    let several = ["[", &run(7, ""), ",", &run(6, ""), "]"].concat();
    transcript
        .post(
            "sb_eval_runs?select=id",
            &[("prefer", "return=representation,count=exact")],
            &several,
        )
        .await;
    transcript
        .post("sb_eval_runs?select=id", &[REPRESENTATION], "[]")
        .await;
    let columns = "sb_eval_runs?select=id,status,total_cases&columns=id,dataset_version,status,total_cases";
    let differing = [
        "[",
        &run(8, r#", "status": "done", "more": 1"#),
        ",",
        &run(9, r#", "total_cases": 2"#),
        "]",
    ]
    .concat();
    transcript
        .post(
            columns,
            &[("prefer", "return=representation, missing=default")],
            &differing,
        )
        .await;
    transcript.post(columns, &[REPRESENTATION], &differing).await;
    let csv = "id,title,created_at\n00000000-0000-4000-8000-0000000000d1,\"a, \"\"b\"\"\",2026-01-01\n\
               00000000-0000-4000-8000-0000000000d2,NULL,2026-01-02\n";
    transcript
        .post(
            "sb_sessions?select=id,title,created_at",
            &[("content-type", "text/csv"), REPRESENTATION],
            csv,
        )
        .await;
    let form = "id=00000000-0000-4000-8000-0000000000d3&title=by+form";
    let form_type = ("content-type", "application/x-www-form-urlencoded");
    transcript
        .post("sb_sessions?select=id,title", &[form_type, REPRESENTATION], form)
        .await;
    let embedding = "sb_stories?select=story,sb_sessions(title)";
    let story = r#"{"session_id": "00000000-0000-4000-8000-0000000000d3", "story": "bare"}"#;
    transcript.post(embedding, &[REPRESENTATION], story).await;
    insta::assert_snapshot!(transcript.text);
}

async fn rows_are_merged_and_ignored(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    let merge = ("prefer", "return=representation,resolution=merge-duplicates");
    let ignore = ("prefer", "return=representation,resolution=ignore-duplicates");
    let path = "sb_eval_runs?select=id,run_name,dataset_version,total_cases";
    let old = r#"{"id": "00000000-0000-4000-8000-0000000000a1", "dataset_version": "v9"}"#;
    let new = r#"{"id": "00000000-0000-4000-8000-0000000000a5", "dataset_version": "v9"}"#;
    let both = ["[", old, ",", new, "]"].concat();
    transcript.post(path, &[merge], old).await;
    transcript.post(path, &[ignore], &both).await;
    transcript.post(path, &[ignore], old).await;
    transcript.post(path, &[merge], &both).await;
    transcript
        .post(&[path, "&on_conflict=user_id,id"].concat(), &[merge], old)
        .await;
    transcript
        .post(
            &[path, "&on_conflict=id"].concat(),
            &[merge],
            &["[", old, ",", old, "]"].concat(),
        )
        .await;
    transcript
        .post(&[path, "&on_conflict=run_name"].concat(), &[merge], old)
        .await;
    transcript.post(path, &[merge], "[]").await;
    transcript.post(path, &[REPRESENTATION], old).await;
    transcript.get(&[path, "&order=id"].concat()).await;
    // Somebody else's row is neither changed nor shown.
    transcript.who = Identity::UserB;
    transcript.post(path, &[merge], old).await;
    transcript.post(path, &[ignore], old).await;
    transcript.post(path, &[REPRESENTATION], old).await;
    transcript.who = Identity::UserA;
    transcript
        .get(&[path, "&id=eq.00000000-0000-4000-8000-0000000000a1"].concat())
        .await;
    insta::assert_snapshot!(transcript.text);
}

async fn rows_are_changed_and_removed(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    let one = "sb_eval_runs?id=eq.00000000-0000-4000-8000-0000000000a1";
    let shown = "sb_eval_runs?select=run_name,status,completed_at&order=run_name.desc.nullslast";
    transcript
        .patch(one, &[], r#"{"status": "completed", "completed_at": "now()"}"#)
        .await;
    transcript
        .patch(
            one,
            &[("prefer", "return=minimal,count=exact")],
            r#"{"passed_cases": 2}"#,
        )
        .await;
    transcript
        .patch(shown, &[REPRESENTATION], r#"{"status": "done"}"#)
        .await;
    transcript
        .patch(
            &[shown, "&total_cases=gt.100"].concat(),
            &[REPRESENTATION],
            r#"{"status": "x"}"#,
        )
        .await;
    transcript.patch(shown, &[REPRESENTATION], "{}").await;
    transcript
        .patch(shown, &[REPRESENTATION, OBJECT], r#"{"status": "several"}"#)
        .await;
    transcript
        .patch(
            shown,
            &[("prefer", "handling=strict, max-affected=2, return=representation")],
            r#"{"status": "many"}"#,
        )
        .await;
    transcript
        .patch(
            &[shown, "&id=eq.00000000-0000-4000-8000-0000000000a2"].concat(),
            &[
                ("prefer", "handling=strict, max-affected=2, return=representation"),
                OBJECT,
            ],
            r#"{"run_name": null}"#,
        )
        .await;
    transcript
        .patch("sb_eval_runs?limit=1", &[], r#"{"status": "limited"}"#)
        .await;
    transcript.get(shown).await;
    let cases = "sb_eval_cases?select=id,status,sb_eval_runs(status)&order=id";
    transcript
        .delete(&[cases, "&status=eq.error"].concat(), &[REPRESENTATION])
        .await;
    transcript.delete(cases, &[REPRESENTATION, OBJECT]).await;
    transcript.get(cases).await;
    transcript.delete(one, &[("prefer", "count=exact")]).await;
    transcript.get(cases).await;
    transcript.delete(one, &[REPRESENTATION]).await;
    // Without a filter all rows of the caller are meant, as in PostgREST.
    transcript
        .delete("sb_eval_runs", &[("prefer", "count=exact")])
        .await;
    insta::assert_snapshot!(transcript.text);
}

async fn refusals_of_writing(database: TestDatabase) {
    let server = TestServer::new(database).await;
    fill(&server).await;
    let mut transcript = Transcript::new(&server, Identity::UserA);
    for body in [
        "",
        "{",
        "NaN",
        "[1]",
        "[{\"dataset_version\": \"v\"}, 1]",
        "[{\"dataset_version\": \"v\"}, {\"model\": \"m\"}]",
        r#"{"dataset_version": "v", "nothing": 1}"#,
        r#"{"model": "m"}"#,
        r#"{"dataset_version": null}"#,
        r#"{"dataset_version": "v", "total_cases": 1.5}"#,
        r#"{"dataset_version": "v", "total_cases": 3000000000}"#,
        r#"{"dataset_version": "v", "total_cases": {"a": 1}}"#,
        r#"{"dataset_version": "v", "id": "x"}"#,
        r#"{"dataset_version": "v", "created_at": "soon"}"#,
        r#"{"dataset_version": "a\u0000"}"#,
        r#"{"dataset_version": "v", "settings": {"a": "\u0000"}}"#,
        r#"{"dataset_version": "v", "settings": NaN}"#,
        r#"{"dataset_version": "v", "id": "00000000-0000-4000-8000-0000000000a1"}"#,
        r#"{"dataset_version": "v", "user_id": "00000000-0000-4000-8000-000000000bad"}"#,
        "5",
        "null",
    ] {
        transcript.post("sb_eval_runs", &[], body).await;
    }
    let case = |more: &str| {
        format!(r#"{{"input_data": {{}}, "run_id": "00000000-0000-4000-8000-0000000000a1", {more}}}"#)
    };
    for more in [
        r#""status": "great""#,
        r#""score": 1.5"#,
        r#""latency_ms": -1"#,
        r#""score": "NaN""#,
        r#""passed": "maybe""#,
        r#""session_id": "00000000-0000-4000-8000-0000000000ff""#,
        r#""cost_usd": -0.5"#,
        r#""passed": null"#,
    ] {
        transcript.post("sb_eval_cases", &[], &case(more)).await;
    }
    let orphan = r#"{"input_data": {}, "run_id": "00000000-0000-4000-8000-0000000000ff"}"#;
    transcript.post("sb_eval_cases", &[], orphan).await;
    transcript
        .post("sb_eval_runs", &[("content-type", "application/xml")], "<a/>")
        .await;
    transcript.post("sb_eval_runs?columns=nothing", &[], "{}").await;
    transcript.post("sb_eval_runs?id=eq.1", &[], "{}").await;
    transcript
        .post(
            "sb_eval_runs",
            &[("content-type", "text/csv")],
            "dataset_version,model\na\n",
        )
        .await;
    transcript
        .post(
            "sb_eval_runs",
            &[OBJECT],
            &format!("[{}]", [r#"{"dataset_version": "v"}"#; 2].join(",")),
        )
        .await;
    for body in [
        "",
        "[]",
        "[{}, {}]",
        r#"{"nothing": 1}"#,
        r#"{"dataset_version": null}"#,
        r#"{"total_cases": "x"}"#,
        r#"{"user_id": null}"#,
        r#"{"user_id": "00000000-0000-4000-8000-000000000bad"}"#,
        r#"{"id": "00000000-0000-4000-8000-0000000000a2"}"#,
    ] {
        transcript
            .patch(
                "sb_eval_runs?id=eq.00000000-0000-4000-8000-0000000000a3",
                &[],
                body,
            )
            .await;
    }
    transcript
        .patch("sb_eval_cases", &[], r#"{"status": "great"}"#)
        .await;
    transcript
        .patch(
            "sb_eval_cases?id=eq.00000000-0000-4000-8000-0000000000c1",
            &[],
            orphan,
        )
        .await;
    transcript.patch("sb_eval_runs?nothing=eq.1", &[], "{}").await;
    transcript.delete("sb_eval_runs?nothing=eq.1", &[]).await;
    transcript.delete("sb_eval_runs?id=1", &[]).await;
    transcript
        .get_with("sb_eval_runs?select=id&order=id", &[("prefer", "count=exact")])
        .await;
    transcript.who = Identity::Service;
    let owned = [
        r#"{"dataset_version": "v", "id": ""#,
        A4,
        r#"", "user_id": "00000000-0000-4000-8000-000000000bad"}"#,
    ];
    transcript.post("sb_eval_runs", &[], &owned.concat()).await;
    transcript.who = Identity::Anonymous;
    transcript.get("sb_eval_runs").await;
    transcript
        .post("sb_eval_runs", &[], r#"{"dataset_version": "v"}"#)
        .await;
    transcript
        .patch("sb_eval_runs", &[REPRESENTATION], r#"{"status": "x"}"#)
        .await;
    transcript
        .delete("sb_eval_runs", &[("prefer", "count=exact")])
        .await;
    transcript.who = Identity::Nobody;
    transcript.get("sb_eval_runs").await;
    transcript
        .get_with("sb_eval_runs", &[("authorization", "Bearer forged")])
        .await;
    insta::assert_snapshot!(transcript.text);
}

async fn fresh_rows_have_defaults_and_come_back_in_order(database: TestDatabase) {
    let server = TestServer::new(database).await;
    let rows: Vec<String> = (0..200)
        .map(|n| format!(r#"{{"dataset_version": "v{n}"}}"#))
        .collect();
    for who in [Identity::UserB, Identity::Service] {
        let answer = server
            .request(who, pawl_testkit::http::Method::POST, "/rest/v1/sb_eval_runs")
            .header("content-type", "application/json")
            .header("prefer", "return=representation")
            .body(["[", &rows.join(","), "]"].concat())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 201);
        let sent: Vec<Value> = answer.json().await.unwrap();
        let read: Vec<Value> = server
            .get(Identity::Service, "/rest/v1/sb_eval_runs?order=id")
            .send()
            .await
            .unwrap()
            .json()
            .await
            .unwrap();
        // The service names nobody: what it adds belongs to the first user.
        let owner = if who == Identity::Service {
            server.user_a.id
        } else {
            server.user_b.id
        };
        let owned: Vec<Value> = read
            .into_iter()
            .filter(|row| row["user_id"] == owner.to_string())
            .collect();
        assert_eq!(sent, owned);
        for (n, row) in sent.iter().enumerate() {
            assert_eq!(row["dataset_version"], format!("v{n}"));
            assert_eq!(
                (&row["status"], &row["total_cases"]),
                (&"running".into(), &0.into())
            );
        }
    }
}
