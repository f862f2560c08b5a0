//! Searches in made-up worlds; what came of them is printed as JSON, a line each.
//!
//!     bench search PRESETS SEEDS CURRENCY LIMIT SETTINGS   searches; CURRENCY is metric_calls or dollars
//!     bench overhead CANDIDATES EXAMPLES SETTINGS          what the search itself takes
//!     bench steps COUNT                                    the same by step, for steps that come to nothing
//!     bench latency CALLS WORKERS MILLISECONDS SETTINGS    what a search takes where every call takes a while
//!
//! SETTINGS are JSON over the defaults. Dollars are metric calls, with ten for a reflection.

#![allow(clippy::print_stdout, reason = "this is a program")]

mod latency;
mod overhead;
mod world;

use std::error::Error;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::executor::block_on;
use pawl_evolve::{Control, NoJournal, Run, Settings};
use serde_json::json;
use world::{Params, Reflector, Tries, World};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["search", presets, seeds, currency, limit, overrides] => {
            let mut settings = settings(overrides)?;
            match currency {
                "metric_calls" => settings.limits.metric_calls = Some(limit.parse()?),
                "dollars" => settings.limits.usd_nanos = Some(limit.parse()?),
                _ => return Err("a currency is metric_calls or dollars".into()),
            }
            return search(presets, range(seeds)?, currency, &settings);
        }
        ["overhead", candidates, examples, overrides] => {
            println!(
                "{}",
                overhead::pool(candidates.parse()?, examples.parse()?, settings(overrides)?)?
            );
        }
        ["steps", count] => println!("{}", overhead::steps(count.parse()?)?),
        ["latency", calls, workers, milliseconds, overrides] => {
            let mut settings = settings(overrides)?;
            settings.limits.metric_calls = Some(calls.parse()?);
            let latency = Duration::from_millis(milliseconds.parse()?);
            println!("{}", latency::measure(&settings, workers.parse()?, latency)?);
        }
        _ => return Err("usage: bench search|overhead|steps|latency …".into()),
    }
    Ok(())
}

/// `0-29`: from the first to the last.
fn range(text: &str) -> Result<Range<u64>, Box<dyn Error>> {
    let (first, last) = text.split_once('-').ok_or("seeds are FIRST-LAST")?;
    Ok(first.parse()?..last.parse::<u64>()? + 1)
}

fn search(
    presets: &str,
    seeds: Range<u64>,
    currency: &str,
    settings: &Settings,
) -> Result<(), Box<dyn Error>> {
    for preset in presets.split(',') {
        let params = Params::preset(preset).ok_or("no such preset")?;
        for seed in seeds.clone() {
            let world = World::new(params.clone(), seed);
            let settings = Settings {
                seed,
                ..settings.clone()
            };
            let (evaluate, reflect) = (Tries::new(&world), Reflector::new(&world, seed));
            let run = Run {
                task: &world.task(),
                settings: &settings,
                evaluate: &evaluate,
                reflect: &reflect,
                journal: &NoJournal,
                control: Control::with_workers(1),
            };
            let report = block_on(run.evolve())?;
            let line = json!({
                "side": "ours",
                "currency": currency,
                "preset": preset,
                "seed": seed,
                "test": world.test_score(&report.best().candidate),
                "observed": report.best().mean,
                "metric_calls": evaluate.calls.load(Ordering::Relaxed),
                "reflections": reflect.calls.load(Ordering::Relaxed),
                "pool": report.candidates.len(),
                "counts": report.counts,
                "finish": report.finish,
            });
            println!("{line}");
        }
    }
    Ok(())
}

/// The defaults, with some of their fields replaced.
fn settings(overrides: &str) -> Result<Settings, Box<dyn Error>> {
    let overrides: serde_json::Map<String, serde_json::Value> = serde_json::from_str(overrides)?;
    let base = match overrides.get("base").and_then(|base| base.as_str()) {
        Some("reference") => Settings::reference(),
        _ => Settings::default(),
    };
    let mut value = serde_json::to_value(base)?;
    for (name, part) in overrides.into_iter().filter(|(name, _)| name != "base") {
        value[name] = part;
    }
    Ok(serde_json::from_value(value)?)
}
