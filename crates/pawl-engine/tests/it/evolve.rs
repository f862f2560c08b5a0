//! Evolving a prompt with a scripted model: from a suite that fails to one that passes, and across kills.

mod spending;

use std::sync::atomic::{AtomicUsize, Ordering};

use pawl_engine::Actor;
use pawl_engine::evolve::{Earlier, EvolveReport, EvolveRequest, Part, PlannedEvolution, Weights};
use pawl_engine::promote::NewPrompt;
use pawl_engine::run::{RunRequest, TargetChoice};
use pawl_evolve::{Cancel, Event, Limits, Settings};
use pawl_model::{CandidateStatus, FLAT_CHARGE, OptimizationStatus, PromptCandidate, UserId};
use pawl_testkit::{ModelServer, Reply, Script, TestDatabase, on_both_engines, samples};

use crate::rig::Rig;

on_both_engines!(
    a_prompt_is_evolved_until_its_suite_passes,
    what_was_stopped_goes_on_as_if_it_had_not_been,
    the_queries_of_the_table_answer,
    what_cannot_work_is_refused_before_anything_is_called,
    a_prompt_begins_with_a_verdict,
    kinds_of_checks_count_as_a_run_says,
);

pub(crate) const TARGET: &str = "openai:gpt-4o-mini";
pub(crate) const REFLECTOR: &str = "openai:gpt-4o";

/// A target that is polite, and honest, only where its prompt says so; and a model that proposes one rule after the other.
pub(crate) fn script() -> Script {
    let block = |text: &str| Reply::text(format!("Better:\n\n```\n{text}\n```\n")).with_usage(100, 20);
    Script::new()
        // Reflections, by the text that they are to improve: the longest first.
        .on("```\nAnswer. Say please. Say sorry.\n```", block("Answer. Say please. Say sorry."))
        .on("```\nAnswer. Say please.\n```", block("Answer. Say please. Say sorry."))
        .on("```\nAnswer.\n```", block("Answer. Say please."))
        // Answers, by the prompt that the target was given.
        .on("Answer. Say please. Say sorry.", Reply::text("sorry, please").with_usage(10, 5))
        .on("Answer. Say please.", Reply::text("please").with_usage(10, 5))
        .otherwise(Reply::text("no").with_usage(10, 5))
}

pub(crate) fn suite(cases: usize) -> String {
    let tests: String = (0..cases)
        .map(|n| {
            format!(
                "  - {{id: case-{n}, vars: {{input: Question {n}}}, assert: [{{type: contains, value: please, metric: polite}}, \
                 {{type: contains, value: sorry, metric: humble}}]}}\n"
            )
        })
        .collect();
    format!("tests:\n{tests}")
}

pub(crate) fn user() -> UserId {
    samples::user(1).id
}

pub(crate) async fn rig(database: TestDatabase) -> Rig {
    database.add_users(1).await;
    Rig::new(database)
}

pub(crate) fn request(rig: &Rig, server: &ModelServer, calls: u64) -> EvolveRequest {
    let models = Rig::models(&server.variables());
    EvolveRequest {
        user_id: user(),
        name: "support".to_owned(),
        seed: samples::components("Answer."),
        reflector: models.chat(&REFLECTOR.parse().unwrap()).unwrap(),
        run: RunRequest {
            suite: rig.file("suite.yaml", &suite(24)).into(),
            checks: None,
            target: TargetChoice::Named(TARGET.to_owned()),
            models,
            ..rig.request(1, "echo")
        },
        settings: Settings {
            limits: Limits {
                metric_calls: Some(calls),
                ..Limits::default()
            },
            ..Settings::default()
        },
        weights: Weights::new(),
        earlier: Earlier::Ignore,
        call_at_most: FLAT_CHARGE,
        workers: 4,
        resume: None,
    }
}

pub(crate) async fn evolve(rig: &Rig, request: EvolveRequest) -> EvolveReport {
    let planned = PlannedEvolution::plan(&rig.engine, request).unwrap();
    rig.engine
        .evolve(planned, &Cancel::new(), &|_, _| {})
        .await
        .unwrap()
}

/// What of candidates has to be the same however often a run was stopped.
pub(crate) fn texts(candidates: &[PromptCandidate]) -> Vec<(i64, CandidateStatus, String, Vec<String>)> {
    candidates
        .iter()
        .map(|one| {
            let parents = one.parents.iter().map(|_| "parent".to_owned()).collect();
            (one.step, one.status, one.instructions.clone(), parents)
        })
        .collect()
}

async fn a_prompt_is_evolved_until_its_suite_passes(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = rig(database).await;
    let report = evolve(&rig, request(&rig, &server, 400)).await;
    let run = &report.run;
    assert_eq!(run.status, OptimizationStatus::Completed, "{run:?}");
    assert_eq!(run.best_score, Some(1.0));
    let best = report.best.unwrap();
    assert_eq!(best.instructions, "Answer. Say please. Say sorry.");
    assert_eq!((best.generation, best.status), (2, CandidateStatus::Accepted));
    assert_eq!(best.dimension_scores.get("humble"), Some(&1.0));
    let actor = Actor::Tenant(user());
    let candidates = rig.engine.prompt_candidates(actor, &run.id).await.unwrap();
    let seed = &candidates[0];
    assert_eq!(
        (seed.instructions.as_str(), seed.avg_score),
        ("Answer.", Some(0.0))
    );
    assert_eq!(best.parents.len(), 1);
    assert!(seed.id.starts_with("apc_") && run.id.starts_with("aor_"));
    // The search never saw what the gate is for.
    let held: Vec<String> = (0..24)
        .map(|n| format!("case-{n}"))
        .filter(|id| Part::of(id) == Part::HoldOut)
        .collect();
    let count = |where_: &'static str| rig.database.number(where_);
    assert!(count("select count(*) from prompt_evaluations").await > 0);
    assert_eq!(
        count("select count(*) from prompt_evaluations where example_id like 'gate:%'").await,
        0
    );
    for evaluation in rig.engine.prompt_evaluations(actor, &best.id).await.unwrap() {
        let example = evaluation.example_id.split_once(':').unwrap().1;
        assert!(!held.iter().any(|id| id == example), "{example}");
        let trace = evaluation.trace.unwrap().to_value();
        assert_eq!(trace["output"], "sorry, please");
        assert_eq!(trace["tokens_used"], 15);
        assert_eq!(trace["evolution"]["run"], run.id.as_str());
    }
    // Another tenant sees nothing of it.
    let other = Actor::Tenant(samples::user(2).id);
    assert!(rig.engine.optimization(other, &run.id).await.unwrap().is_none());
    assert!(
        rig.engine
            .prompt_candidates(other, &run.id)
            .await
            .unwrap()
            .is_empty()
    );
}

async fn what_was_stopped_goes_on_as_if_it_had_not_been(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = rig(database).await;
    let whole = evolve(&rig, request(&rig, &server, 300)).await;
    let actor = Actor::Tenant(user());
    let expected = texts(&rig.engine.prompt_candidates(actor, &whole.run.id).await.unwrap());
    let asked_before = server.asked().len();

    // Stopped after every commit, again and again.
    let mut resume: Option<String> = None;
    let mut sessions = 0;
    let report = loop {
        sessions += 1;
        assert!(sessions < 200, "it never ends");
        let planned = PlannedEvolution::plan(
            &rig.engine,
            EvolveRequest {
                resume: resume.clone(),
                ..request(&rig, &server, 300)
            },
        )
        .unwrap();
        let (cancel, commits) = (Cancel::new(), AtomicUsize::new(0));
        let observer = |_: &pawl_model::Optimization, event: &Event<'_>| {
            let is_new = matches!(event, Event::Committed { .. });
            if is_new && commits.fetch_add(1, Ordering::Relaxed) + 1 >= sessions {
                cancel.cancel();
            }
        };
        let report = rig.engine.evolve(planned, &cancel, &observer).await.unwrap();
        if report.run.status == OptimizationStatus::Completed {
            break report;
        }
        resume = Some(report.run.id);
    };
    assert!(sessions > 3, "{sessions} sessions");
    let found = texts(&rig.engine.prompt_candidates(actor, &report.run.id).await.unwrap());
    assert_eq!(found, expected);
    assert_eq!(report.run.best_score, whole.run.best_score);
    // Nothing that had an answer was asked again.
    assert_eq!(server.asked().len() - asked_before, asked_before);
    let twice = rig
        .database
        .number("select count(*) from (select candidate_id, example_id from prompt_evaluations group by 1, 2 having count(*) > 1) t")
        .await;
    assert_eq!(twice, 0);
}

async fn the_queries_of_the_table_answer(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = rig(database).await;
    let report = evolve(&rig, request(&rig, &server, 300)).await;
    let count = |query: &'static str| rig.database.number(query);
    // The worst of a candidate, for reflection; and the best candidates on an example.
    let failures = count(
        "select count(*) from prompt_evaluations where score < 0.5 and deleted_at is null and feedback like '%failed%'",
    )
    .await;
    assert!(failures > 0);
    let ordered = count(
        "select count(*) from (select e.example_id, max(e.score) as best from prompt_evaluations e \
         join prompt_candidates c on c.id = e.candidate_id where e.deleted_at is null group by e.example_id) t \
         where best = 1",
    )
    .await;
    assert!(ordered > 0);
    assert!(report.report.counts.accepted >= 2);
}

async fn what_cannot_work_is_refused_before_anything_is_called(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = rig(database).await;
    let few = EvolveRequest {
        run: RunRequest {
            suite: rig.file("few.yaml", &suite(3)).into(),
            ..request(&rig, &server, 100).run
        },
        ..request(&rig, &server, 100)
    };
    let error = PlannedEvolution::plan(&rig.engine, few).err().unwrap();
    assert!(error.to_string().contains("3 cases are too few"), "{error}");
    let planned = PlannedEvolution::plan(&rig.engine, request(&rig, &server, 5)).unwrap();
    let error = rig
        .engine
        .evolve(planned, &Cancel::new(), &|_, _| {})
        .await
        .unwrap_err();
    assert!(error.to_string().contains("buy"), "{error}");
    assert!(server.asked().is_empty());
}

async fn a_prompt_begins_with_a_verdict(database: TestDatabase) {
    let rig = rig(database).await;
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: user(),
        name: "support",
        components: &components,
        by: "ada",
    };
    assert_eq!(rig.engine.add_prompt(new).await.unwrap().version, 1);
    let error = rig.engine.add_prompt(new).await.unwrap_err();
    assert!(error.to_string().contains("already"), "{error}");
    for name in ["", "two words", "a/b"] {
        assert!(
            rig.engine.add_prompt(NewPrompt { name, ..new }).await.is_err(),
            "{name}"
        );
    }
    let detail = rig.engine.prompt(user(), "support").await.unwrap().unwrap();
    assert_eq!(detail.live.components, components);
    assert_eq!((detail.versions.len(), detail.verdicts.len()), (1, 1));
    assert_eq!(detail.verdicts[0].kind.as_str(), "initial");
    assert_eq!(rig.engine.prompts(user()).await.unwrap().len(), 1);
    assert!(
        rig.engine
            .live_prompt(samples::user(2).id, "support")
            .await
            .unwrap()
            .is_none()
    );
}

async fn kinds_of_checks_count_as_a_run_says(database: TestDatabase) {
    let rig = rig(database).await;
    let server = ModelServer::start(script()).await;
    let weighing = |weights: &[(&str, f64)]| EvolveRequest {
        weights: weights
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight))
            .collect(),
        ..request(&rig, &server, 200)
    };
    let report = evolve(&rig, weighing(&[("polite", 3.0), ("humble", 1.0)])).await;
    let scores: Vec<Option<f64>> = report.report.candidates.iter().map(|one| one.mean).collect();
    assert_eq!(scores, [Some(0.0), Some(0.75), Some(1.0)]);
    assert_eq!(
        report.run.dimension_weights.as_str(),
        r#"{"humble":1.0,"polite":3.0}"#
    );
    let mut resumed = weighing(&[("polite", 1.0)]);
    resumed.resume = Some(report.run.id);
    let planned = PlannedEvolution::plan(&rig.engine, resumed).unwrap();
    let refused = rig
        .engine
        .evolve(planned, &Cancel::new(), &|_, _| {})
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("other weights"), "{refused}");
    for (weights, why) in [
        (
            [("tone", 1.0)],
            "no check of the suite is called `tone`; there are humble, polite",
        ),
        (
            [("polite", -1.0)],
            "the weight of polite must be a number from 0 on",
        ),
    ] {
        let refused = PlannedEvolution::plan(&rig.engine, weighing(&weights))
            .map(|_| ())
            .unwrap_err();
        assert_eq!(refused.to_string(), why);
    }
}
