//! Lineage: what led to what is told from either end, and whatever is changed behind our back is found.

use std::collections::BTreeSet;
use std::time::Duration;

use pawl_engine::Actor;
use pawl_engine::intake::Terms;
use pawl_engine::lineage::Verification;
use pawl_engine::promote::{NewPrompt, OnRefusal, Promotion};
use pawl_engine::review::{Review, Verdict};
use pawl_engine::run::{CacheMode, Labels, PlannedRun, RunRequest, SuiteChoice, TargetChoice};
use pawl_model::query::{Delete, Field, Filter, Update};
use pawl_model::table::{ColumnType, Datum, TABLES as EXPOSED};
use pawl_model::{
    CandidateStatus, Json, LineageEvent, LineageKind, NewInteraction, Optimization, OptimizationStatus,
    PromptCandidate, PromptComponent, RunId, UserId,
};
use pawl_providers::firestore::Write;
use pawl_store::evolution;
use pawl_store::lineage::TABLES;
use pawl_testkit::{Engine, TestDatabase, on_both_engines, over_firestore, samples};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::draft::rig::{BAD, Rig};

on_both_engines!(
    what_led_to_what_is_told_from_either_end,
    a_flip_of_any_column_of_any_row_is_found,
    a_flip_of_any_field_of_any_entry_is_found,
    changes_by_the_data_api_are_told,
    what_is_erased_leaves_its_hash,
    writers_at_once_make_one_chain,
    the_lineage_of_others_is_not_seen,
);

over_firestore!(
    documents_are_compared_with_what_was_intended,
    what_was_not_brought_to_its_end_is_told,
);

const PROMPT: &str = "support";

async fn verify(rig: &Rig) -> Verification {
    rig.engine.verify_lineage(rig.user()).await.unwrap()
}

async fn assert_whole(rig: &Rig) -> Verification {
    let verified = verify(rig).await;
    assert!(verified.is_whole, "{verified:?}");
    verified
}

/// Two incidents, mined and drafted.
async fn drafted(database: TestDatabase) -> Rig {
    let rig = Rig::new(database).await;
    rig.incident("one").await;
    rig.incident("two").await;
    rig.store("fine", ("How are you?", "Fine."), None).await;
    rig.mine().await;
    rig.draft(rig.request()).await;
    rig
}

/// The test of the one suggestion, edited and approved by a person. Gives its id.
async fn approved(rig: &Rig) -> String {
    let id = rig.suggestions().await[0].suggestion_id.clone();
    let review = Review {
        user_id: rig.user(),
        suggestion_id: &id,
        by: "ada",
    };
    let content = rig.content().await;
    let mut edit = json!({
        "title": "No refund", "rationale": "It was promised.", "input": content["eval_test"]["input"],
        "assertions": content["eval_test"]["assertions"],
    });
    edit["input"] = json!({
        "prompt": "Can I return opened software?", "required_state": null, "tools_involved": [],
    });
    edit["assertions"] = json!({
        "required": [], "forbidden": ["Must not contain \"within 90 days\""], "golden_output": null, "notes": null,
    });
    let edit = serde_json::from_value(edit).unwrap();
    rig.engine
        .edit_draft(review, edit, pawl_engine::review::Base::Any)
        .await
        .unwrap();
    let notes = Some("good");
    rig.engine
        .decide(review, Verdict::Approve { notes })
        .await
        .unwrap();
    id
}

fn request(suite: SuiteChoice) -> RunRequest {
    RunRequest {
        suite,
        checks: None,
        target: TargetChoice::Named("echo".to_owned()),
        trials: 1,
        concurrency: None,
        timeout: Duration::from_secs(20),
        judge: None,
        embedder: None,
        models: crate::rig::Rig::models(&[]),
        cache: CacheMode::Off,
        labels: Labels::default(),
        resume: None,
    }
}

async fn run_approved(rig: &Rig) -> RunId {
    let actor = Actor::Tenant(rig.user());
    let tests = rig.engine.approved_tests(actor).await.unwrap();
    let request = request(SuiteChoice::Approved(tests.into()));
    let planned = PlannedRun::plan(&request).unwrap().pop().unwrap();
    let stop = CancellationToken::new();
    let report = rig.engine.execute(actor, planned, &stop, &|_| {}).await.unwrap();
    report.run.id
}

/// A prompt, a candidate of it that becomes live, and the way back.
async fn promoted(rig: &Rig) {
    let texts = |text: &str| {
        vec![PromptComponent {
            name: "prompt".to_owned(),
            text: text.to_owned(),
        }]
    };
    let user = rig.user();
    let components = texts("Answer.");
    let new = NewPrompt {
        user_id: user,
        name: PROMPT,
        components: &components,
        by: "ada",
    };
    rig.engine.add_prompt(new).await.unwrap();
    let run = Optimization {
        id: "aor_test".to_owned(),
        name: PROMPT.to_owned(),
        status: OptimizationStatus::Completed,
        config: Json::parse(r#"{"suite": "approved"}"#).unwrap(),
        best_score: None,
        best_candidate_id: None,
        iterations: 0,
        dimension_weights: Json::empty_object(),
        finish: None,
        error: None,
        elapsed_ms: 0,
        created_at: samples::time(0),
        completed_at: None,
    };
    let mut seed = PromptCandidate {
        id: "apc_seed".to_owned(),
        run_id: run.id.clone(),
        instructions: "Answer.".to_owned(),
        components: texts("Answer."),
        digest: "seed".to_owned(),
        status: CandidateStatus::Proposed,
        parents: Vec::new(),
        edited: Vec::new(),
        reason: None,
        step: 0,
        generation: 0,
        coverage: 0,
        avg_score: None,
        dimension_scores: Default::default(),
        created_at: samples::time(0),
    };
    let child = PromptCandidate {
        id: "apc_child".to_owned(),
        digest: "child".to_owned(),
        parents: vec!["apc_seed".to_owned()],
        ..seed.clone()
    };
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    evolution::insert_run(&mut scope, user, &run).await.unwrap();
    for candidate in [&seed, &child] {
        evolution::propose(&mut scope, user, candidate).await.unwrap();
    }
    scope.commit().await.unwrap();
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    for digest in ["seed", "child"] {
        let accepted = CandidateStatus::Accepted;
        evolution::decide_candidate(&mut scope, (&run.id, digest), accepted, None)
            .await
            .unwrap();
    }
    scope.commit().await.unwrap();
    let mut scope = rig.database.store.write(Actor::Service).await.unwrap();
    seed.avg_score = Some(0.3);
    evolution::set_standing(&mut scope, &seed).await.unwrap();
    scope.commit().await.unwrap();
    let path = rig.database.folder().join("cases.jsonl");
    std::fs::write(&path, "{\"id\": \"a\", \"input\": \"ok\"}\n").unwrap();
    let checks = rig.database.folder().join("checks.yaml");
    std::fs::write(&checks, "- type: contains\n  value: ok\n").unwrap();
    let promotion = Promotion {
        user_id: user,
        candidate_id: "apc_child",
        name: PROMPT,
        by: "ada",
        reason: "it is time",
        on_refusal: OnRefusal::Override,
        run: RunRequest {
            checks: Some(checks.to_string_lossy().into_owned()),
            ..request(path.into())
        },
        workers: 1,
    };
    rig.engine.promote(promotion).await.unwrap();
    rig.engine
        .roll_back((user, PROMPT), None, ("ada", "not yet"))
        .await
        .unwrap();
}

/// From incidents to a prompt that is live.
async fn whole_loop(database: TestDatabase) -> (Rig, String, RunId) {
    let rig = drafted(database).await;
    let suggestion = approved(&rig).await;
    let run = run_approved(&rig).await;
    promoted(&rig).await;
    (rig, suggestion, run)
}

/// The kinds of what is reached from a node, back and forth.
async fn reached(rig: &Rig, id: &str) -> [BTreeSet<LineageKind>; 2] {
    let lineage = rig.engine.lineage(rig.user(), id).await.unwrap().unwrap();
    assert!(lineage.is_complete);
    [lineage.led_to_it, lineage.it_led_to].map(|steps| steps.iter().map(|step| step.node.kind).collect())
}

async fn what_led_to_what_is_told_from_either_end(database: TestDatabase) {
    use LineageKind::{
        Approval, Candidate, Draft, Interaction, Pattern, Prompt, Run, Suggestion, Verdict as Decision,
        Version,
    };
    let (rig, suggestion, run) = whole_loop(database).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.erased, 0);
    let kinds = |kinds: &[LineageKind]| kinds.iter().copied().collect::<BTreeSet<_>>();
    let behind_a_test = [Run, Candidate, Decision, Version, Prompt];
    // By the name that the agent gave it.
    let [back, forth] = reached(&rig, "one").await;
    assert_eq!(back, kinds(&[]));
    assert_eq!(
        forth,
        kinds(&[&[Pattern, Suggestion, Draft, Approval], &behind_a_test[..]].concat())
    );
    let [back, forth] = reached(&rig, &suggestion).await;
    assert_eq!(back, kinds(&[Interaction, Pattern]));
    assert_eq!(forth, kinds(&behind_a_test));
    let before_a_test = [Interaction, Pattern, Suggestion, Draft, Approval];
    let [back, forth] = reached(&rig, &run.to_string()).await;
    assert_eq!((back, forth), (kinds(&before_a_test), kinds(&[])));
    let [back, forth] = reached(&rig, "apc_seed").await;
    assert_eq!(
        (back, forth),
        (
            kinds(&before_a_test),
            kinds(&[Candidate, Decision, Version, Prompt])
        )
    );
    let [back, _] = reached(&rig, PROMPT).await;
    assert_eq!(
        back,
        kinds(&[&before_a_test[..], &[Candidate, Decision, Version]].concat())
    );
    let [back, forth] = reached(&rig, "support@2").await;
    assert!(
        back.contains(&Candidate) && forth.contains(&Decision),
        "{back:?} {forth:?}"
    );
    let lineage = rig
        .engine
        .lineage(rig.user(), &suggestion)
        .await
        .unwrap()
        .unwrap();
    let told: Vec<(LineageKind, usize)> = lineage
        .nodes
        .iter()
        .map(|told| (told.node.kind, told.entries.len()))
        .collect();
    // A draft is made, and edited.
    assert_eq!(told, [(Suggestion, 1), (Draft, 2), (Approval, 1)]);
    assert!(rig.engine.lineage(rig.user(), "fine").await.unwrap().is_none());
    assert!(rig.engine.lineage(rig.user(), "nothing").await.unwrap().is_none());
}

/// Another value than the one that a column holds.
fn flipped(engine: Engine, column: &str, kind: ColumnType, is_bytes: bool) -> String {
    let is_sqlite = engine == Engine::Sqlite;
    match kind {
        _ if is_bytes => if is_sqlite { "x'00'" } else { "'\\x00'::bytea" }.to_owned(),
        ColumnType::Text => format!(
            "coalesce(substr({column}, 1, length({column}) / 2) || case substr({column}, length({column}) / 2 + 1, 1)
                when 'q' then 'z' else 'q' end || substr({column}, length({column}) / 2 + 2), 'q')"
        ),
        ColumnType::Uuid => {
            let uuid = "'ffffffff-ffff-4fff-8fff-ffffffffffff'";
            if is_sqlite { uuid.to_owned() } else { [uuid, "::uuid"].concat() }
        }
        ColumnType::Int => format!("coalesce({column}, 0) + 1000"),
        ColumnType::Real | ColumnType::Double => format!("coalesce({column} / 2, 0.123)"),
        ColumnType::Numeric if is_sqlite => "'0.123'".to_owned(),
        ColumnType::Numeric => "0.123".to_owned(),
        ColumnType::Bool => format!("not {column}"),
        ColumnType::Timestamp | ColumnType::TimestampTz if is_sqlite => {
            format!("coalesce({column}, 0) + 1")
        }
        ColumnType::Timestamp | ColumnType::TimestampTz => {
            format!("coalesce({column}, now()) + interval '1 microsecond'")
        }
        ColumnType::Jsonb => "'{\"flipped\":true}'".to_owned(),
        ColumnType::TextList if is_sqlite => "'[\"flipped\"]'".to_owned(),
        ColumnType::TextList => "array['flipped']".to_owned(),
    }
}

async fn a_flip_of_any_column_of_any_row_is_found(database: TestDatabase) {
    let (rig, ..) = whole_loop(database).await;
    assert_whole(&rig).await;
    let database = &rig.database;
    let mut flips = 0;
    for table in &TABLES {
        let name = table.name;
        // Whatever stands in the way of writing what is no word of a column, or goes with a row.
        let rules = match database.engine {
            Engine::Sqlite => "drop trigger if exists patterns_by_suggestion".to_owned(),
            Engine::Postgres => format!(
                "do $$ declare rule text; begin
                    for rule in select conname from pg_constraint where conrelid = '{name}'::regclass and contype = 'c' loop
                        execute format('alter table {name} drop constraint %I', rule);
                    end loop;
                end $$"
            ),
        };
        let saved = format!("create table saved_{name} as select * from {name}");
        database.tamper(&[rules, saved].join("; ")).await;
        let kinds: Vec<LineageKind> = LineageKind::ALL
            .iter()
            .copied()
            .filter(|kind| kind.table() == name)
            .collect();
        for (column, kind) in table.columns {
            let value = flipped(database.engine, column, *kind, table.bytes == Some(*column));
            for place in ["asc", "desc"] {
                let key = table.key;
                let row = format!(
                    "(select cast({key} as text) from {name} where cast({key} as text) in (select node from lineage)
                     order by 1 {place} limit 1)"
                );
                let flip = format!("update {name} set {column} = {value} where cast({key} as text) = {row}");
                database.tamper(&flip).await;
                let verified = verify(&rig).await;
                let broken = verified.broken.unwrap_or_else(|| panic!("{flip}"));
                let kind = LineageKind::parse(&broken.kind).unwrap();
                assert!(kinds.contains(&kind), "{flip}: {broken:?}");
                assert!(broken.problem.contains(name), "{flip}: {broken:?}");
                let restore = format!("delete from {name}; insert into {name} select * from saved_{name}");
                database.tamper(&restore).await;
                flips += 1;
            }
        }
        // One that is gone.
        let key = table.key;
        let gone = format!("delete from {name} where cast({key} as text) in (select node from lineage)");
        database.tamper(&gone).await;
        assert!(!verify(&rig).await.is_whole, "{gone}");
        let restore = format!("delete from {name}; insert into {name} select * from saved_{name}");
        database.tamper(&restore).await;
    }
    assert!(flips > 200, "{flips}");
    assert_whole(&rig).await;
}

async fn a_flip_of_any_field_of_any_entry_is_found(database: TestDatabase) {
    let (rig, ..) = whole_loop(database).await;
    let entries = i64::try_from(assert_whole(&rig).await.entries).unwrap();
    let database = &rig.database;
    database.add_user(2).await;
    let other = samples::user(2).id;
    let is_sqlite = database.engine == Engine::Sqlite;
    let later = if is_sqlite {
        "at + 1"
    } else {
        "at + interval '1 microsecond'"
    };
    let bytes = |column: &str| match is_sqlite {
        // The last of them.
        true => format!("cast(substr({column}, 1, 31) || x'00' as blob)"),
        false => format!("set_byte({column}, 31, (get_byte({column}, 31) + 1) % 256)"),
    };
    let flips = [
        ("user_id", format!("'{other}'")),
        ("position", "position + 1000".to_owned()),
        (
            "kind",
            "case kind when 'run' then 'draft' else 'run' end".to_owned(),
        ),
        ("kind", "'neither'".to_owned()),
        ("node", "node || 'x'".to_owned()),
        (
            "event",
            "case event when 'changed' then 'created' else 'changed' end".to_owned(),
        ),
        ("at", later.to_owned()),
        ("sha256", bytes("sha256")),
        ("hash", bytes("hash")),
    ];
    let save = "create table saved_lineage as select * from lineage;
        create table saved_lineage_parents as select * from lineage_parents";
    database.tamper(save).await;
    let restore = "delete from lineage; insert into lineage select * from saved_lineage;
        delete from lineage_parents; insert into lineage_parents select * from saved_lineage_parents";
    let found = async |tampering: String, at: i64| {
        database.tamper(&tampering).await;
        let verified = verify(&rig).await;
        let broken = verified.broken.unwrap_or_else(|| panic!("{tampering}"));
        assert!(broken.position >= at, "{tampering}: {broken:?}");
        database.tamper(restore).await;
    };
    for position in 1..=entries {
        for (column, value) in &flips {
            let is_last = position == entries && *column == "user_id";
            if is_last {
                // An entry that is cut off the end is told by the row alone.
                continue;
            }
            let flip = format!(
                "update lineage set {column} = {value} where position = {position} and user_id = '{}'",
                rig.user()
            );
            found(flip, position).await;
        }
    }
    for parents in [
        "update lineage_parents set kind = 'neither'",
        "update lineage_parents set node = node || 'x'",
        "update lineage_parents set position = position - 1 where position = (select max(position) from lineage_parents)",
        "delete from lineage_parents",
        "delete from lineage where position = 3",
    ] {
        found(parents.to_owned(), 1).await;
    }
    assert_whole(&rig).await;
}

fn table(name: &str) -> &'static pawl_model::table::Table {
    EXPOSED.iter().find(|table| table.name == name).unwrap()
}

fn by_id(table: &'static pawl_model::table::Table, ids: &[&str]) -> Filter {
    let ids = ids.iter().map(|id| Datum::Uuid(id.parse().unwrap())).collect();
    Filter::In(Field::of(table.column("id").unwrap()), ids)
}

const ANY: pawl_engine::data::Expected<'static> = pawl_engine::data::Expected {
    shown: None,
    rows: pawl_engine::data::ExpectedRows::Any,
};

async fn interaction_id(rig: &Rig, name: &str) -> String {
    let mut scope = rig.database.store.read(Actor::Service).await.unwrap();
    let known = pawl_store::interactions::known(&mut scope, &[(rig.user(), name)]).await;
    known.unwrap()[0].id.to_string()
}

/// What became of a node last.
async fn newest(rig: &Rig, id: &str) -> LineageEvent {
    let lineage = rig.engine.lineage(rig.user(), id).await.unwrap().unwrap();
    lineage.nodes[0].entries[0].event
}

async fn changes_by_the_data_api_are_told(database: TestDatabase) {
    let (rig, _, run) = whole_loop(database).await;
    rig.database.add_user(2).await;
    let one = interaction_id(&rig, "one").await;
    let interactions = table("evaluations");
    let change = Update {
        table: interactions,
        values: vec![(
            interactions.column("response").unwrap(),
            Datum::Text("Never.".to_owned()),
        )],
        filter: by_id(interactions, &[&one]),
    };
    rig.engine
        .update_rows(Actor::Service, &change, &ANY)
        .await
        .unwrap();
    assert_eq!(newest(&rig, &one).await, LineageEvent::Changed);
    let runs = table("sb_eval_runs");
    let run = run.to_string();
    let change = Update {
        table: runs,
        values: vec![(runs.column("run_name").unwrap(), Datum::Text("best".to_owned()))],
        filter: by_id(runs, &[&run]),
    };
    let tenant = Actor::Tenant(rig.user());
    rig.engine.update_rows(tenant, &change, &ANY).await.unwrap();
    assert_eq!(newest(&rig, &run).await, LineageEvent::Changed);
    let candidates = table("prompt_candidates");
    let column = |name: &str| candidates.column(name).unwrap();
    let mark = Update {
        table: candidates,
        values: vec![(column("deleted_at"), Datum::Timestamp(samples::time(9)))],
        filter: Filter::In(Field::of(column("id")), vec![Datum::Text("apc_seed".to_owned())]),
    };
    rig.engine.update_rows(Actor::Service, &mark, &ANY).await.unwrap();
    assert_eq!(newest(&rig, "apc_seed").await, LineageEvent::Changed);
    assert_whole(&rig).await;
    // Given to somebody else, it is gone here, and there is nothing of it there.
    let other = samples::user(2).id;
    let give = Update {
        table: runs,
        values: vec![(runs.column("user_id").unwrap(), Datum::Uuid(other.0))],
        filter: by_id(runs, &[&run]),
    };
    rig.database.tamper("delete from sb_eval_cases").await;
    rig.engine.update_rows(Actor::Service, &give, &ANY).await.unwrap();
    assert_eq!(newest(&rig, &run).await, LineageEvent::Erased);
    assert_whole(&rig).await;
    assert!(rig.engine.verify_lineage(other).await.unwrap().is_whole);
    // Twice the same is no change.
    let entries = verify(&rig).await.entries;
    let again = Update {
        table: interactions,
        values: vec![(
            interactions.column("response").unwrap(),
            Datum::Text("Never.".to_owned()),
        )],
        filter: by_id(interactions, &[&one]),
    };
    rig.engine
        .update_rows(Actor::Service, &again, &ANY)
        .await
        .unwrap();
    assert_eq!(assert_whole(&rig).await.entries, entries);
}

async fn what_is_erased_leaves_its_hash(database: TestDatabase) {
    let (rig, suggestion, run) = whole_loop(database).await;
    let one = interaction_id(&rig, "one").await;
    let before = rig.engine.lineage(rig.user(), &one).await.unwrap().unwrap();
    let erase = |name: &str, id: &str| {
        let table = table(name);
        Delete {
            table,
            filter: by_id(table, &[id]),
        }
    };
    rig.engine
        .delete_rows(Actor::Service, &erase("evaluations", &one), &ANY)
        .await
        .unwrap();
    let tenant = Actor::Tenant(rig.user());
    rig.engine
        .delete_rows(tenant, &erase("sb_eval_runs", &run.to_string()), &ANY)
        .await
        .unwrap();
    // The interaction, its pattern that went with it, and the run.
    assert_eq!(assert_whole(&rig).await.erased, 3);
    let after = rig.engine.lineage(rig.user(), &one).await.unwrap().unwrap();
    let tombstone = &after.nodes[0].entries[0];
    assert_eq!(tombstone.event, LineageEvent::Erased);
    assert_eq!(tombstone.sha256, before.nodes[0].entries[0].sha256);
    // It still leads where it led.
    assert_eq!(after.it_led_to.len(), before.it_led_to.len());
    let [back, _] = reached(&rig, &suggestion).await;
    assert!(back.contains(&LineageKind::Interaction));
    // Somebody who goes takes it all along.
    rig.engine.delete_account(rig.user()).await.unwrap();
    let left = "select (select count(*) from lineage) + (select count(*) from lineage_parents)";
    assert_eq!(rig.database.number(left).await, 0);
}

async fn writers_at_once_make_one_chain(database: TestDatabase) {
    let rig = Rig::new(database).await;
    for id in ["one", "two", "three", "four", "five"] {
        rig.incident(id).await;
    }
    rig.mine().await;
    let interactions = table("evaluations");
    let mut writers = tokio::task::JoinSet::new();
    for (place, id) in ["one", "two", "three", "four", "five"].into_iter().enumerate() {
        let id = interaction_id(&rig, id).await;
        let engine = rig.engine.clone();
        writers.spawn(async move {
            for turn in 0..8 {
                let text = Datum::Text(format!("{place} {turn}"));
                let change = Update {
                    table: interactions,
                    values: vec![(interactions.column("response").unwrap(), text)],
                    filter: by_id(interactions, &[&id]),
                };
                engine.update_rows(Actor::Service, &change, &ANY).await.unwrap();
            }
        });
    }
    for _ in 0..5 {
        assert_whole(&rig).await;
    }
    writers.join_all().await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.entries, 5 + 5 + 1 + 40);
}

async fn the_lineage_of_others_is_not_seen(database: TestDatabase) {
    let (rig, suggestion, _) = whole_loop(database).await;
    rig.database.add_user(2).await;
    let other: UserId = samples::user(2).id;
    assert!(rig.engine.lineage(other, &suggestion).await.unwrap().is_none());
    assert!(rig.engine.lineage(other, "one").await.unwrap().is_none());
    assert_eq!(rig.engine.verify_lineage(other).await.unwrap().entries, 0);
    let interaction = NewInteraction {
        user_id: other,
        interaction_id: "one".to_owned(),
        prompt: "p".to_owned(),
        response: BAD.to_owned(),
        score: None,
        latency_ms: None,
        flags: vec!["hallucination".to_owned()],
        pii_tokens_redacted: 0,
        created_at: None,
        sample_weight: None,
        tool_calls: None,
        spans: None,
    };
    rig.engine.ingest(vec![interaction], Terms::Whole).await.unwrap();
    assert!(rig.engine.lineage(other, "one").await.unwrap().is_none());
}

async fn documents_are_compared_with_what_was_intended(database: TestDatabase) {
    let rig = drafted(database).await;
    let suggestion = approved(&rig).await;
    run_approved(&rig).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.unfinished, []);
    let [back, forth] = reached(&rig, &suggestion).await;
    assert_eq!(back, [LineageKind::Interaction, LineageKind::Pattern].into());
    assert_eq!(forth, [LineageKind::Run].into());
    let lineage = rig
        .engine
        .lineage(rig.user(), &suggestion)
        .await
        .unwrap()
        .unwrap();
    for told in &lineage.nodes {
        let events: Vec<LineageEvent> = told.entries.iter().rev().map(|entry| entry.event).collect();
        assert_eq!(
            events[..2],
            [LineageEvent::Intended, LineageEvent::Completed],
            "{told:?}"
        );
    }
    let documents = rig.documents().unwrap();
    let write = Write::update("suggestions", &suggestion, [("severity", json!("low"))]);
    documents.commit(&[write]).await.unwrap();
    let broken = verify(&rig).await.broken.unwrap();
    assert_eq!(
        (broken.id.as_str(), broken.kind.as_str()),
        (suggestion.as_str(), "approval")
    );
    assert!(
        broken.problem.contains("the document is not what was written"),
        "{broken:?}"
    );
}

async fn what_was_not_brought_to_its_end_is_told(database: TestDatabase) {
    let rig = drafted(database).await;
    approved(&rig).await;
    // Killed behind the commit of the document, and before it was told.
    let cut = "delete from lineage_parents where position = (select max(position) from lineage);
        delete from lineage where position = (select max(position) from lineage)";
    rig.database.tamper(cut).await;
    let verified = assert_whole(&rig).await;
    assert_eq!(verified.unfinished.len(), 1);
    assert_eq!(verified.unfinished[0].node.kind, LineageKind::Approval);
    assert_eq!(verified.unfinished[0].found, "as intended");
    // The document as it was before: the kill came before the commit.
    let id = &verified.unfinished[0].node.id;
    let documents = rig.documents().unwrap();
    let is = documents
        .get("suggestions", &[id])
        .await
        .unwrap()
        .pop()
        .flatten()
        .unwrap();
    let mut history = is.fields["version_history"].as_array().unwrap().clone();
    history.pop();
    let draft = &is.fields["suggestion_content"]["eval_test"];
    let before = [
        ("status", json!("pending")),
        ("approval_metadata", json!(null)),
        ("version_history", json!(history)),
        ("updated_at", draft["updated_at"].clone()),
    ];
    documents
        .commit(&[Write::update("suggestions", id, before)])
        .await
        .unwrap();
    let verified = assert_whole(&rig).await;
    assert_eq!(
        verified.unfinished[0].found,
        "as it was before: it was not written"
    );
    // Neither.
    let write = Write::update("suggestions", id, [("severity", json!("low"))]);
    documents.commit(&[write]).await.unwrap();
    assert!(!verify(&rig).await.is_whole);
}
