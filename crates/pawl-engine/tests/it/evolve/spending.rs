//! What a search spends: nothing for what was tried before, and no more dollars than were set aside.

use pawl_engine::Actor;
use pawl_engine::evolve::{Earlier, EvolveRequest, PlannedEvolution};
use pawl_evolve::Cancel;
use pawl_model::Usd;
use pawl_testkit::{ModelServer, TestDatabase, on_both_engines};

use super::{evolve, request, rig, script, user};

on_both_engines!(
    what_was_tried_before_costs_nothing,
    dollars_are_set_aside_before_they_are_spent,
);

async fn what_was_tried_before_costs_nothing(database: TestDatabase) {
    let rig = rig(database).await;
    let server = ModelServer::start(script()).await;
    let again = |calls| EvolveRequest {
        earlier: Earlier::Reuse,
        ..request(&rig, &server, calls)
    };
    let first = evolve(&rig, again(200)).await;
    assert!(first.report.spent.metric_calls > 0);
    let asked = server.asked().len();
    let second = evolve(&rig, again(200)).await;
    let spent = second.report.spent;
    assert_eq!((spent.metric_calls, second.report.lost), (0, first.report.lost));
    assert_eq!(
        server.asked().len() - asked,
        spent.reflections as usize,
        "the model alone is asked"
    );
    assert_eq!(second.run.best_score, first.run.best_score);
    let best = second.run.best_candidate_id.unwrap();
    let evaluations = rig
        .engine
        .prompt_evaluations(Actor::Tenant(user()), &best)
        .await
        .unwrap();
    assert!(!evaluations.is_empty());
    for evaluation in &evaluations {
        let trace = evaluation.trace.as_ref().unwrap().to_value();
        assert_eq!(
            (
                &trace["evolution"]["reused"],
                &trace["evolution"]["cost"]["tokens"]
            ),
            (&true.into(), &0.into())
        );
        assert_eq!(
            trace["output"], "sorry, please",
            "what happened is told as it was"
        );
    }

    // Not where everything is to be asked anew, and not what was deleted.
    let fresh = evolve(&rig, request(&rig, &server, 200)).await;
    assert_eq!(fresh.report.spent, first.report.spent);
    rig.database
        .run("update prompt_evaluations set deleted_at = created_at")
        .await;
    let forgotten = evolve(&rig, again(200)).await;
    assert_eq!(forgotten.report.spent, first.report.spent);
}

async fn dollars_are_set_aside_before_they_are_spent(database: TestDatabase) {
    let rig = rig(database).await;
    let server = ModelServer::start(script()).await;
    let within = |dollars: &str| {
        let mut request = request(&rig, &server, 200);
        request.settings.limits.usd_nanos = Usd::parse(dollars).map(Usd::nanos);
        request.call_at_most = Usd::parse("0.001").unwrap();
        request
    };
    let enough = evolve(&rig, within("2")).await;
    assert_eq!(enough.run.best_score, Some(1.0), "{:?}", enough.run.finish);
    assert!((1..1_000_000_000).contains(&enough.report.spent.cost.usd_nanos));
    // Two reflections may take more than this.
    let planned = PlannedEvolution::plan(&rig.engine, within("0.1")).unwrap();
    let refused = rig
        .engine
        .evolve(planned, &Cancel::new(), &|_, _| {})
        .await
        .unwrap_err();
    assert!(
        refused.to_string().contains("the limits buy no proposal"),
        "{refused}"
    );
}
