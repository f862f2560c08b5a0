//! What is stored of what is handed in.

use std::time::Duration;

use pawl_engine::EngineError;
use pawl_engine::intake::{Outcome, Terms};
use pawl_model::{Json, NewInteraction, Policy, RunPolicy, Score};
use pawl_testkit::{Engine, TestDatabase, on_both_engines};

use super::{Rig, interaction, user};

on_both_engines!(
    of_two_changes_of_a_policy_the_second_is_told_of_the_first,
    the_same_again_is_a_duplicate_and_another_content_a_conflict,
    nothing_goes_beyond_the_cap_and_the_ledger_knows_what_did_not,
    a_sample_is_drawn_by_the_policy,
    nothing_personal_is_at_rest,
);

async fn the_same_again_is_a_duplicate_and_another_content_a_conflict(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let first = interaction("a");
    let stored = rig.store(vec![first.clone()], Terms::Sampled).await;
    let [Outcome::Created { id }] = stored[..] else {
        panic!("{stored:?}")
    };
    let other_tenant = NewInteraction {
        user_id: user(2),
        ..first.clone()
    };
    let changed = NewInteraction {
        response: "Lyon.".to_owned(),
        latency_ms: None,
        ..first.clone()
    };
    let nobody = NewInteraction {
        user_id: user(7),
        ..first.clone()
    };
    rig.pass(60);
    let twice = interaction("b");
    let outcomes = rig
        .store(
            vec![first, changed, other_tenant, nobody, twice.clone(), twice],
            Terms::Sampled,
        )
        .await;
    assert_eq!(outcomes[0], Outcome::Duplicate { id });
    let fields = vec!["response", "latency_ms"];
    assert_eq!(outcomes[1], Outcome::Conflict { id, fields });
    assert!(matches!(outcomes[2], Outcome::Created { id: other } if other != id));
    assert_eq!(outcomes[3], Outcome::UnknownTenant);
    let Outcome::Created { id: fresh } = outcomes[4] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(outcomes[5], Outcome::Duplicate { id: fresh });
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 3);
    assert_eq!(rig.database.number("select count(*) from stale_hours").await, 0);
}

/// How it is looked up is decided while there are few, and must not be what serves few alone.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_is_found_by_its_id_alone() {
    let rig = Rig::new(TestDatabase::new(Engine::Postgres).await).await;
    let again = || rig.store(vec![interaction("a")], Terms::Sampled);
    again().await;
    again().await;
    let more = (0..2_000).map(|n| interaction(&n.to_string())).collect();
    rig.store(more, Terms::History).await;
    // A session tells what it read once a second.
    let read = "select sum(idx_tup_read)::bigint from pg_stat_user_indexes where relname = 'evaluations'";
    for _ in 0..600 {
        let outcome = again().await;
        assert!(matches!(outcome[..], [Outcome::Duplicate { .. }]), "{outcome:?}");
        if rig.database.number(read).await > 5 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let found = rig.database.number(read).await;
    assert!((6..1_000).contains(&found), "{found} rows were read");
}

async fn nothing_goes_beyond_the_cap_and_the_ledger_knows_what_did_not(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| policy.max_eval_per_day = 3).await;
    let five = || (0..5).map(|n| interaction(&format!("i{n}"))).collect::<Vec<_>>();
    let outcomes = rig.store(five(), Terms::Sampled).await;
    let created = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Outcome::Created { .. }));
    assert_eq!(created.count(), 3);
    let Outcome::OverCap { next_day } = outcomes[4] else {
        panic!("{outcomes:?}")
    };
    assert_eq!(next_day.unix_timestamp() % 86_400, 0);
    // Again: duplicates take nothing, and a drop is counted once with its attempts.
    let again = rig.store(five(), Terms::Sampled).await;
    assert!(matches!(again[0], Outcome::Duplicate { .. }));
    assert!(matches!(again[3], Outcome::OverCap { .. }));
    for (query, expected) in [
        ("select count(*) from evaluations", 3),
        ("select count(*) from intake_ledger", 2),
        (
            "select cast(sum(attempts) as bigint) from intake_ledger where reason = 'over_cap'",
            4,
        ),
        ("select stored from intake_days", 3),
    ] {
        assert_eq!(rig.database.number(query).await, expected, "{query}");
    }
    // A whole batch fits or does not.
    rig.policy(|policy| policy.max_eval_per_day = 5).await;
    let three: Vec<_> = (10..13).map(|n| interaction(&format!("i{n}"))).collect();
    let refused = rig.store(three.clone(), Terms::Whole).await;
    assert!(
        refused
            .iter()
            .all(|outcome| matches!(outcome, Outcome::OverCap { .. }))
    );
    assert_eq!(rig.database.number("select count(*) from evaluations").await, 3);
    // The next day of the tenant.
    rig.pass(86_400);
    let stored = rig.store(three, Terms::Whole).await;
    assert!(
        stored
            .iter()
            .all(|outcome| matches!(outcome, Outcome::Created { .. }))
    );
    let today = rig.engine.policy_today(user(1)).await.unwrap().unwrap();
    assert_eq!((today.remaining, today.policy.version), (2, 2));
}

async fn a_sample_is_drawn_by_the_policy(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| {
        policy.run_policy = RunPolicy::Sampled;
        policy.sample_rate_pct = 25;
        policy.max_eval_per_day = 10_000;
    })
    .await;
    let mut interactions: Vec<_> = (0..400).map(|n| interaction(&format!("i{n}"))).collect();
    for failing in interactions.iter_mut().step_by(10) {
        failing.score = Score::parse("0.1");
    }
    let outcomes = rig.store(interactions.clone(), Terms::ApplyPolicy).await;
    assert!(
        outcomes
            .iter()
            .step_by(10)
            .all(|outcome| matches!(outcome, Outcome::Created { .. }))
    );
    let dropped = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::SampledOut)
        .count();
    assert!((220..320).contains(&dropped), "{dropped} of 360 × 75 %");
    // The same again is decided the same.
    let again = rig.store(interactions, Terms::ApplyPolicy).await;
    let dropped_again = again
        .iter()
        .filter(|outcome| **outcome == Outcome::SampledOut)
        .count();
    assert_eq!(dropped_again, dropped);
    let kept = rig
        .database
        .number("select count(*) from evaluations where sample_weight = 4")
        .await;
    assert_eq!(kept, 360 - i64::try_from(dropped).unwrap());
    assert_eq!(
        rig.database
            .number("select count(*) from evaluations where sample_weight = 1")
            .await,
        40
    );
}

async fn nothing_personal_is_at_rest(database: TestDatabase) {
    let rig = Rig::new(database).await;
    rig.policy(|policy| policy.obfuscate_pii = true).await;
    let personal = NewInteraction {
        prompt: "I am canary@example.org".to_owned(),
        response: "Call +49 30 901820, not canary@example.org".to_owned(),
        flags: vec!["mail to canary@example.org".to_owned()],
        tool_calls: Json::parse(
            r#"[{"name":"mail","arguments":{"to":"canary@example.org","count":3},"error":"no canary@example.org"}]"#,
        )
        .ok(),
        spans: Json::parse(r#"[{"name":"s","attributes":{"user":"canary@example.org"}}]"#).ok(),
        ..interaction("a")
    };
    let stored = rig.store(vec![personal.clone()], Terms::Sampled).await;
    assert!(matches!(stored[..], [Outcome::Created { .. }]));
    let rest = rig
        .database
        .text(
            "select e.prompt || e.response || cast(e.flags as text) || cast(e.trace as text) || cast(t.spans as text)
             || cast(e.redactions as text) from evaluations e join interaction_traces t on t.evaluation_id = e.id",
        )
        .await;
    assert!(!rest.contains("canary") && !rest.contains("901820"), "{rest}");
    assert!(
        rest.contains("[EMAIL]") && rest.contains("[PHONE]") && rest.contains("count"),
        "{rest}"
    );
    assert_eq!(
        rig.database
            .number("select cast(pii_tokens_redacted as bigint) from evaluations")
            .await,
        7
    );
    // The same again is known by its hash, another address by the same.
    let other = NewInteraction {
        prompt: "I am robin@example.org".to_owned(),
        ..personal.clone()
    };
    let outcomes = rig.store(vec![personal, other], Terms::Sampled).await;
    assert!(matches!(outcomes[0], Outcome::Duplicate { .. }));
    assert!(matches!(&outcomes[1], Outcome::Conflict { fields, .. } if fields.contains(&"prompt")));
}

async fn of_two_changes_of_a_policy_the_second_is_told_of_the_first(database: TestDatabase) {
    let rig = Rig::new(database).await;
    let read = async || {
        let today = rig.engine.policy_today(user(1)).await.unwrap().unwrap();
        today.policy
    };
    for version in 0..3 {
        let seen = read().await;
        assert_eq!(seen.version, version);
        let change = |cap| Policy {
            max_eval_per_day: cap,
            ..seen.clone()
        };
        rig.engine.replace_policy(change(10)).await.unwrap();
        let second = rig.engine.replace_policy(change(20)).await;
        assert!(matches!(second, Err(EngineError::OutdatedPolicy)), "{second:?}");
        assert_eq!(read().await.max_eval_per_day, 10);
    }
}
