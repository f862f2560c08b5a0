//! An engine over a test database, and how to run a suite on it.

use std::path::PathBuf;
use std::time::Duration;

use pawl_engine::run::{CacheMode, Labels, PlannedRun, RunEvent, RunReport, RunRequest, TargetChoice};
use pawl_engine::{Actor, Clock, Engine, EngineError, ModelSettings, Models};
use pawl_model::CaseRecord;
use pawl_testkit::{TestDatabase, samples};
use tokio_util::sync::CancellationToken;

pub(crate) struct Rig {
    pub(crate) engine: Engine,
    pub(crate) database: TestDatabase,
}

impl Rig {
    pub(crate) fn new(database: TestDatabase) -> Self {
        let engine = Engine::new(database.store.clone(), Clock::new(|| samples::time(0)));
        Self { engine, database }
    }

    /// Models that these variables reach.
    pub(crate) fn models(variables: &[(&str, String)]) -> Models {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        Models::new(ModelSettings::from_variables(lookup, || samples::time(0)).unwrap())
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.database.folder().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A suite of `count` cases whose outputs must contain `ok`, and a request to run it on `target`.
    pub(crate) fn request(&self, count: usize, target: &str) -> RunRequest {
        let cases: String = (0..count)
            .map(|n| format!("{{\"id\": \"case-{n}\", \"input\": \"ok {n}\"}}\n"))
            .collect();
        let checks = self.file("checks.yaml", "- type: contains\n  value: ok\n");
        RunRequest {
            suite: self.file("cases.jsonl", &cases).into(),
            checks: Some(checks.to_string_lossy().into_owned()),
            target: TargetChoice::Named(target.to_owned()),
            trials: 1,
            concurrency: None,
            timeout: Duration::from_secs(20),
            judge: None,
            embedder: None,
            models: Rig::models(&[]),
            cache: CacheMode::Off,
            labels: Labels::default(),
            resume: None,
        }
    }

    pub(crate) async fn run(&self, request: &RunRequest) -> Result<RunReport, EngineError> {
        self.run_until(request, &CancellationToken::new(), &|_| {}).await
    }

    pub(crate) async fn run_until(
        &self,
        request: &RunRequest,
        stop: &CancellationToken,
        listener: &(dyn Fn(RunEvent<'_>) + Send + Sync),
    ) -> Result<RunReport, EngineError> {
        let planned = PlannedRun::plan(request)?.pop().unwrap();
        self.engine.execute(Actor::Service, planned, stop, listener).await
    }

    pub(crate) async fn rows(&self, report: &RunReport) -> Vec<CaseRecord> {
        let mut rows = Vec::new();
        let see = |row| {
            rows.push(row);
            Ok::<(), EngineError>(())
        };
        self.engine
            .each_case(Actor::Service, report.run.id, see)
            .await
            .unwrap();
        rows
    }
}
