//! Optimisations and promotions that are started from outside and made by a worker.

use std::collections::BTreeMap;
use std::time::Duration;

use pawl_engine::evolve::{Earlier, Named, NewOptimization, Weights};
use pawl_engine::promote::{NewPromotion, NewPrompt, OnRefusal};
use pawl_engine::worker::WorkerSettings;
use pawl_engine::{Actor, EngineError};
use pawl_model::{JobState, Optimization, OptimizationStatus, VerdictKind};
use pawl_testkit::{ModelServer, TestDatabase, on_both_engines, samples};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::evolve::{REFLECTOR, TARGET, evolve, request, rig, script, suite, texts, user};
use crate::rig::Rig;

on_both_engines!(
    a_worker_makes_what_was_begun_and_promotes_it,
    a_search_that_is_taken_away_again_and_again_is_the_same,
    who_stops_one_stops_it,
    what_a_worker_leaves_goes_on,
    what_has_no_name_is_refused,
);

/// How often a search is taken away from who makes it.
const TAKEN: usize = 5;

/// A server that knows one target and a folder with one suite, and a prompt that is live.
async fn served(database: TestDatabase, server: &ModelServer) -> Rig {
    let mut rig = rig(database).await;
    let folder = rig.database.folder().join("suites");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("suite.yaml"), suite(30)).unwrap();
    let targets = BTreeMap::from([("agent".to_owned(), TARGET.to_owned())]);
    let named = Named::new(targets, Some(folder), Rig::models(&server.variables())).unwrap();
    rig.engine = rig.engine.clone().with_named(named);
    let components = samples::components("Answer.");
    let new = NewPrompt {
        user_id: user(),
        name: "support",
        components: &components,
        by: "ada",
    };
    rig.engine.add_prompt(new).await.unwrap();
    rig
}

fn asked() -> NewOptimization {
    NewOptimization {
        user_id: user(),
        prompt: "support".to_owned(),
        target: None,
        suite: "suite.yaml".to_owned(),
        reflector: Some(REFLECTOR.parse().unwrap()),
        seed: 0,
        look_ahead: 1,
        metric_calls: 300,
        usd_nanos: None,
        weights: Weights::new(),
        earlier: Earlier::Ignore,
    }
}

/// A worker, until it is told to stop.
fn worker(rig: &Rig) -> (JoinHandle<()>, CancellationToken) {
    let stop = CancellationToken::new();
    let settings = WorkerSettings {
        concurrency: 2,
        lease: Duration::from_secs(15),
        failed: |error| panic!("{error}"),
    };
    let (engine, until) = (rig.engine.clone(), stop.clone());
    let worker = tokio::spawn(async move { engine.run_worker(settings, &until).await });
    (worker, stop)
}

async fn row(rig: &Rig, id: &str) -> Optimization {
    let found = rig.engine.optimization(Actor::Tenant(user()), id).await;
    found.unwrap().unwrap()
}

/// The run once it is over.
async fn ended(rig: &Rig, id: &str) -> Optimization {
    for _ in 0..1_500 {
        let run = row(rig, id).await;
        let jobs = rig.engine.jobs(Actor::Service, None, 10).await.unwrap();
        let is_over = jobs.iter().all(|job| job.state == JobState::Finished);
        if is_over
            && !matches!(
                run.status,
                OptimizationStatus::Pending | OptimizationStatus::Running
            )
        {
            return run;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!(
        "it never ends: {:#?}",
        rig.engine.jobs(Actor::Service, None, 10).await
    );
}

async fn a_worker_makes_what_was_begun_and_promotes_it(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = served(database, &server).await;
    let (run, quote) = rig.engine.begin_optimization(&asked()).await.unwrap();
    assert_eq!(run.status, OptimizationStatus::Pending);
    assert_eq!(quote, rig.engine.quote_optimization(&asked()).await.unwrap());
    assert_eq!(
        (
            quote.metric_calls,
            quote.train + quote.validation + quote.hold_out
        ),
        (Some(300), 30)
    );
    assert!(
        quote.cost_usd.unwrap() > 0.0 && quote.tokens.unwrap() > 0,
        "{quote:?}"
    );
    // What names stand for stays with the server.
    let config = run.config.to_value();
    assert_eq!(
        (&config["target"], &config["suite"]),
        (&"agent".into(), &"suite.yaml".into())
    );

    let (worker, stop) = worker(&rig);
    let run = ended(&rig, &run.id).await;
    assert_eq!(
        (run.status, run.best_score),
        (OptimizationStatus::Completed, Some(1.0)),
        "{run:?}"
    );
    let actor = Actor::Tenant(user());
    let detail = rig
        .engine
        .optimization_detail(actor, &run.id)
        .await
        .unwrap()
        .unwrap();
    let progress = &detail.progress;
    assert_eq!(progress.points.len(), 3);
    assert_eq!(progress.points[2].best, Some(1.0));
    assert!(progress.spent.metric_calls <= 300);
    let best = detail
        .candidates
        .iter()
        .find(|one| Some(&one.id) == run.best_candidate_id.as_ref());
    let best = best.unwrap();
    let behind = rig.engine.evaluations_behind(actor, best, 10).await.unwrap();
    assert!(
        behind
            .iter()
            .all(|one| one.candidate_id == best.parents[0] && one.example_id.starts_with("train:"))
    );
    assert!(
        behind[0].feedback.as_ref().unwrap().contains("failed"),
        "{behind:?}"
    );
    let worst = rig
        .engine
        .worst_evaluations(actor, &detail.candidates[0].id, 3)
        .await
        .unwrap();
    assert_eq!((worst.len(), worst[0].score), (3, 0.0));

    let promotion = NewPromotion {
        prompt: "support".to_owned(),
        candidate_id: best.id.clone(),
        by: "ada".to_owned(),
        reason: "the suite passes".to_owned(),
        on_refusal: OnRefusal::Refuse,
        target: None,
        suite: None,
    };
    let id = rig.engine.queue_promotion(user(), &promotion).await.unwrap();
    ended(&rig, &run.id).await;
    let detail = rig.engine.prompt(user(), "support").await.unwrap().unwrap();
    let verdict = detail.verdicts.iter().find(|one| one.id == id).unwrap();
    assert_eq!(verdict.kind, VerdictKind::Promoted, "{verdict:?}");
    assert_eq!(detail.live.version, 2);
    std::fs::remove_file(rig.database.folder().join("suites/suite.yaml")).unwrap();
    let error = rig.engine.queue_promotion(user(), &promotion).await.unwrap_err();
    assert!(error.to_string().contains("no suite `suite.yaml`"), "{error}");
    stop.cancel();
    worker.await.unwrap();
}

async fn a_search_that_is_taken_away_again_and_again_is_the_same(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = served(database, &server).await;
    let mut by_hand = request(&rig, &server, 300);
    by_hand.earlier = Earlier::Ignore;
    by_hand.run.suite = rig.database.folder().join("suites/suite.yaml").into();
    let whole = evolve(&rig, by_hand).await;
    let actor = Actor::Tenant(user());
    let expected = texts(&rig.engine.prompt_candidates(actor, &whole.run.id).await.unwrap());

    let (run, _) = rig.engine.begin_optimization(&asked()).await.unwrap();
    server.hold();
    let (worker, stop) = worker(&rig);
    let running = "select count(*) from jobs where state = 'running'";
    let (mut taken, mut looks) = (0, 0);
    while row(&rig, &run.id).await.status != OptimizationStatus::Completed {
        looks += 1;
        assert!(looks < 30_000, "it never ends");
        if server.held() > 0 {
            // As a lease that is over: whoever has it works on, and another takes it up.
            if taken < TAKEN && rig.database.number(running).await == 1 {
                rig.database
                    .run("update jobs set state = 'queued', lease = null, lease_until = null where state = 'running'")
                    .await;
                taken += 1;
            }
            server.allow(3);
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    stop.cancel();
    worker.await.unwrap();
    assert_eq!(taken, TAKEN);
    let found = texts(&rig.engine.prompt_candidates(actor, &run.id).await.unwrap());
    assert_eq!(found, expected);
    let twice = "select count(*) from (select candidate_id, example_id from prompt_evaluations group by 1, 2 \
                 having count(*) > 1) t";
    assert_eq!(rig.database.number(twice).await, 0);
}

async fn who_stops_one_stops_it(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = served(database, &server).await;
    let actor = Actor::Tenant(user());
    let (run, _) = rig.engine.begin_optimization(&asked()).await.unwrap();
    let other = Actor::Tenant(samples::user(2).id);
    let unseen = rig.engine.cancel_optimization(other, &run.id).await.unwrap_err();
    assert!(
        matches!(unseen, EngineError::UnknownOptimization { .. }),
        "{unseen}"
    );
    assert!(rig.engine.cancel_optimization(actor, &run.id).await.unwrap());
    assert!(!rig.engine.cancel_optimization(actor, &run.id).await.unwrap());
    let (worker, stop) = worker(&rig);
    let run = ended(&rig, &run.id).await;
    assert_eq!(run.status, OptimizationStatus::Cancelled);
    assert!(server.asked().is_empty(), "it was never begun");
    stop.cancel();
    worker.await.unwrap();
}

async fn what_a_worker_leaves_goes_on(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = served(database, &server).await;
    let (run, _) = rig.engine.begin_optimization(&asked()).await.unwrap();
    server.hold();
    server.allow(12);
    let (first, stop) = worker(&rig);
    while server.held() == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    stop.cancel();
    server.allow(1_000);
    first.await.unwrap();
    let left = row(&rig, &run.id).await;
    assert_eq!(left.status, OptimizationStatus::Running, "{left:?}");
    let asked_before = server.asked().len();
    let (second, stop) = worker(&rig);
    let run = ended(&rig, &run.id).await;
    assert_eq!(
        (run.status, run.best_score),
        (OptimizationStatus::Completed, Some(1.0))
    );
    assert!(server.asked().len() > asked_before);
    let answered = "select count(*) from prompt_calls where answer is not null or evaluation_id is not null";
    assert_eq!(rig.database.number(answered).await, server.asked().len() as i64);
    stop.cancel();
    second.await.unwrap();
}

async fn what_has_no_name_is_refused(database: TestDatabase) {
    let server = ModelServer::start(script()).await;
    let rig = served(database, &server).await;
    let outside = rig.file("outside.yaml", &suite(30));
    std::os::unix::fs::symlink(&outside, rig.database.folder().join("suites/link.yaml")).unwrap();
    let named = |change: &dyn Fn(&mut NewOptimization)| {
        let mut new = asked();
        change(&mut new);
        new
    };
    for (new, says) in [
        (
            named(&|new| new.target = Some("exec:sh -c true".to_owned())),
            "no target `exec:sh -c true`",
        ),
        (
            named(&|new| new.suite = outside.display().to_string()),
            "no suite",
        ),
        (named(&|new| new.suite = "../outside.yaml".to_owned()), "no suite"),
        (named(&|new| new.suite = "link.yaml".to_owned()), "no suite"),
        (
            named(&|new| new.suite = "approved".to_owned()),
            "no test is approved",
        ),
        (named(&|new| new.prompt = "other".to_owned()), "no prompt `other`"),
        (named(&|new| new.metric_calls = 5), "buy"),
        (named(&|new| new.metric_calls = 1_000_000), "1 to 10000 calls"),
        (named(&|new| new.look_ahead = 0), "look-ahead"),
    ] {
        let error = rig.engine.begin_optimization(&new).await.unwrap_err();
        assert!(matches!(error, EngineError::Evolution(_)), "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let bare = Rig::new(rig.database);
    let error = bare.engine.begin_optimization(&asked()).await.unwrap_err();
    assert!(error.to_string().contains("PAWL_EVOLVE_TARGETS"), "{error}");
    assert!(server.asked().is_empty());
}
