//! The approved tests against the agent, with one version of its prompt or another.

use anyhow::Context as _;
use pawl_engine::run::list::RunFilter;
use pawl_engine::run::{Gate, PlannedRun, RunRequest, SuiteChoice};
use pawl_model::{Run, RunStatus};

use super::evolve::texts;
use super::scene::Scene;
use crate::output::FinishedRun;
use crate::progress::Progress;

const GATE: Gate = Gate {
    min_pass_rate: 1.0,
    min_coverage: 1.0,
};
/// Runs among which that of an earlier demo is looked for.
const LOOKED_AT: u32 = 100;

/// Runs the approved tests; goes on with what an earlier demo left.
pub(super) async fn run(scene: &Scene, version: i64) -> anyhow::Result<FinishedRun> {
    let name = format!("approved tests, prompt {version}");
    let earlier = scene
        .engine
        .list_runs(scene.actor, &RunFilter::default(), None, LOOKED_AT)
        .await?
        .items;
    let earlier: Option<Run> = earlier
        .into_iter()
        .find(|run| run.run_name.as_deref() == Some(name.as_str()));
    let report = match earlier {
        Some(done) if done.status == RunStatus::Completed => {
            scene.engine.run_report(scene.actor, done.id).await?
        }
        unfinished => {
            let prompt = scene.file(&format!("prompt-{version}.txt"), &texts(scene, version).await?)?;
            let tests = scene.engine.approved_tests(scene.actor).await?;
            let mut request: RunRequest = scene.request(SuiteChoice::Approved(tests.into()), &prompt)?;
            request.labels.name = Some(name);
            request.labels.prompt_version = Some(version.to_string());
            request.resume = unfinished.map(|run| run.id);
            let planned = tokio::task::spawn_blocking(move || PlannedRun::plan(&request)).await??;
            let planned = planned
                .into_iter()
                .next()
                .context("the approved tests make one run")?;
            let progress = Progress::new();
            let report = scene
                .engine
                .execute(scene.actor, planned, &scene.stop, &|event| progress.show(event))
                .await;
            progress.clear();
            report?
        }
    };
    Ok(FinishedRun {
        gate: GATE.judge(&report, None),
        report,
        baseline: None,
    })
}
