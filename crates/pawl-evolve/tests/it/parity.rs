//! Step for step the same as PyPI's `gepa` 0.1.4: pools that it found with the same choices by chance.

use futures::executor::block_on;
use pawl_evolve::{Control, Limits, NoJournal, Report, Run, Settings};
use sha2::{Digest as _, Sha256};

use crate::world::{Params, Reflector, Tries, World};

fn run(preset: &str) -> Report {
    let world = World::new(Params::preset(preset).unwrap(), 0);
    let settings = Settings {
        limits: Limits::metric_calls(1_500),
        ..Settings::reference()
    };
    let run = Run {
        task: &world.task(),
        settings: &settings,
        evaluate: &Tries::new(&world),
        reflect: &Reflector::new(&world, 0),
        journal: &NoJournal,
        control: Control::with_workers(1),
    };
    block_on(run.evolve()).unwrap()
}

/// The first 16 digits of the SHA-256 of the texts of the pool as JSON.
fn digest(report: &Report) -> String {
    let pool: Vec<serde_json::Map<String, serde_json::Value>> = report
        .candidates
        .iter()
        .map(|one| {
            let texts = one.candidate.components().iter();
            texts
                .map(|component| (component.name.clone(), component.text.clone().into()))
                .collect()
        })
        .collect();
    let json = serde_json::to_string(&pool).unwrap();
    let digest = Sha256::digest(json.as_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn pools_are_those_of_the_reference() {
    let expected = [
        ("graded", 23, 29, 1_554, 0.426667, "86c80036f72cc408"),
        ("binary", 16, 94, 1_521, 0.300000, "8e36d75445864c51"),
        ("trap", 16, 91, 1_506, 0.240000, "e41907edb02e51f8"),
        ("trap_binary", 8, 170, 1_500, 0.233333, "baa6c3dfda7ac621"),
        ("easy", 23, 24, 1_521, 0.756667, "583f893c8eb1e327"),
        ("hostile", 22, 36, 1_536, 0.340000, "3f560a330522e140"),
        ("noisy", 23, 29, 1_554, 0.356696, "04abfe3394feb74d"),
        ("noisy_binary", 19, 70, 1_560, 0.200000, "8af0cb76b28201b3"),
    ];
    for (preset, pool, iterations, calls, mean, texts) in expected {
        let report = run(preset);
        let found = (
            report.candidates.len(),
            report.counts.steps - 1,
            report.spent.metric_calls,
            format!("{:.6}", report.best().mean.unwrap()),
            digest(&report),
        );
        assert_eq!(
            found,
            (pool, iterations, calls, format!("{mean:.6}"), texts.to_owned()),
            "{preset}"
        );
    }
}
