//! An optimisation with what it tried, as its store holds it.

use std::collections::BTreeMap;

use pawl_engine::Actor;
use pawl_engine::promote::NewPrompt;
use pawl_model::{CandidateStatus, Json, Optimization, PromptCandidate, PromptEvaluation};
use pawl_store::evolution;

use crate::{TestServer, samples};

/// A live prompt of the first user, and an optimisation with three candidates, whose id is given.
///
/// # Panics
///
/// When the database refuses it.
pub async fn evolved(server: &TestServer, text: &str) -> String {
    let user = server.user_a.id;
    let seed = samples::components(text);
    let new = NewPrompt {
        user_id: user,
        name: "support",
        components: &seed,
        by: text,
    };
    server
        .engine
        .add_prompt(new)
        .await
        .expect("the sample row is stored");
    let run = Optimization {
        config: Json::parse(r#"{"suite": "suite.yaml", "target": "echo", "reflector": "openai:gpt-4o"}"#)
            .expect("the sample row is stored"),
        best_score: Some(0.5),
        best_candidate_id: Some("apc_child".to_owned()),
        iterations: 3,
        finish: Some("time is up".to_owned()),
        elapsed_ms: 10,
        completed_at: Some(samples::time(1)),
        ..samples::optimization()
    };
    let mut scope = server
        .database
        .store
        .write(Actor::Service)
        .await
        .expect("the sample row is stored");
    evolution::insert_run(&mut scope, user, &run)
        .await
        .expect("the sample row is stored");
    evolution::set_status(&mut scope, &run)
        .await
        .expect("the sample row is stored");
    let child = PromptCandidate {
        parents: vec!["apc_seed".to_owned()],
        generation: 1,
        step: 1,
        ..samples::candidate(
            "apc_child",
            &[text, " Be kind."].concat(),
            CandidateStatus::Accepted,
        )
    };
    let refused = PromptCandidate {
        reason: Some("this text was tried before".to_owned()),
        step: 2,
        ..samples::candidate("apc_refused", text, CandidateStatus::Refused)
    };
    for one in [
        samples::candidate("apc_seed", text, CandidateStatus::Accepted),
        child,
        refused,
    ] {
        evolution::propose(&mut scope, user, &one)
            .await
            .expect("the sample row is stored");
    }
    let evaluation = PromptEvaluation {
        id: "ape_test".to_owned(),
        candidate_id: "apc_child".to_owned(),
        example_id: "validation:case-1".to_owned(),
        score: 0.5,
        feedback: Some(["not kind ", text].concat()),
        trace: Some(
            Json::from_serialize(
                &[("input", text), ("output", text)]
                    .into_iter()
                    .collect::<BTreeMap<_, _>>(),
            )
            .expect("the sample row is stored"),
        ),
        dimension_scores: BTreeMap::new(),
        created_at: samples::time(0),
    };
    evolution::insert_evaluations(&mut scope, user, &[evaluation])
        .await
        .expect("the sample row is stored");
    scope.commit().await.expect("the sample row is stored");
    run.id
}
