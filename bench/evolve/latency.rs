//! How long a search takes where every call takes a while.

use std::error::Error;
use std::time::{Duration, Instant};

use pawl_evolve::{
    Control, Evaluate, Failure, NoJournal, Reflect, Reflection, Reply, Rollout, Run, Settings, Trial,
};
use serde_json::{Value, json};

use crate::world::{Params, Reflector, Tries, World};

/// Answers after a while.
struct Slow<A> {
    answers: A,
    latency: Duration,
}

impl Evaluate for Slow<Tries<'_>> {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        tokio::time::sleep(self.latency).await;
        self.answers.evaluate(trial).await
    }
}

impl Reflect for Slow<Reflector<'_>> {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<Reply, Failure> {
        tokio::time::sleep(self.latency).await;
        self.answers.reflect(reflection).await
    }
}

/// What a search took, beside what it would take if all workers were busy all the time.
pub(crate) fn measure(
    settings: &Settings,
    workers: usize,
    latency: Duration,
) -> Result<Value, Box<dyn Error>> {
    let world = World::new(Params::preset("graded").ok_or("no such preset")?, settings.seed);
    let (evaluate, reflect) = (Tries::new(&world), Reflector::new(&world, settings.seed));
    let evaluate = Slow {
        answers: evaluate,
        latency,
    };
    let reflect = Slow {
        answers: reflect,
        latency,
    };
    let task = world.task();
    let run = Run {
        task: &task,
        settings,
        evaluate: &evaluate,
        reflect: &reflect,
        journal: &NoJournal,
        control: Control::with_workers(workers),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()?;
    let began = Instant::now();
    let report = runtime.block_on(run.evolve())?;
    let wall = began.elapsed();
    let calls = report.spent.metric_calls + report.spent.reflections;
    let busy = latency.as_secs_f64() * calls as f64 / workers as f64;
    Ok(json!({
        "look_ahead": settings.look_ahead,
        "workers": workers,
        "calls": calls,
        "wall_seconds": wall.as_secs_f64(),
        "busy_seconds": busy,
        "ratio": wall.as_secs_f64() / busy,
    }))
}
