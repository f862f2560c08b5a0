//! Answers requests for statistics, one JSON object a line, so that other tools can check the numbers.
//!
//! `{"function":"wilson","successes":8,"total":10,"confidence":0.95}` on standard input is answered by
//! `{"value":{"lower":0.49…,"upper":0.94…}}` on standard output; what cannot be computed, by `{"error":"…"}`.

use std::error::Error;
use std::io::{BufRead, Write};

use pawl_checks::stats::{
    BootstrapSettings, PairedCounts, Philox, Probability, TestDesign, holm, mcnemar_exact, mean_interval,
    minimum_detectable_mean_difference, minimum_detectable_rate_difference, paired_bootstrap,
    paired_rate_difference, wilson,
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(tag = "function", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    Wilson {
        successes: u64,
        total: u64,
        confidence: f64,
    },
    PairedRateDifference {
        pairs: u64,
        only_first_passed: u64,
        only_second_passed: u64,
        confidence: f64,
    },
    McnemarExact {
        only_first_passed: u64,
        only_second_passed: u64,
    },
    Holm {
        p_values: Vec<f64>,
    },
    MeanInterval {
        values: Vec<f64>,
        confidence: f64,
    },
    PairedBootstrap {
        differences: Vec<f64>,
        confidence: f64,
        resamples: u32,
        seed: u64,
    },
    DetectableRateDifference {
        pairs: u64,
        significance: f64,
        power: f64,
        discordance: f64,
    },
    DetectableMeanDifference {
        pairs: u64,
        significance: f64,
        power: f64,
        standard_deviation: f64,
    },
    Philox {
        seed: u64,
        stream: u64,
        count: usize,
    },
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = match answer(serde_json::from_str(&line?)?) {
            Ok(value) => json!({ "value": value }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        writeln!(output, "{answer}")?;
    }
    Ok(())
}

fn answer(request: Request) -> Result<Value, Box<dyn Error>> {
    let value = match request {
        Request::Wilson {
            successes,
            total,
            confidence,
        } => serde_json::to_value(wilson(successes, total, Probability::new(confidence)?)),
        Request::PairedRateDifference {
            pairs,
            only_first_passed,
            only_second_passed,
            confidence,
        } => {
            let counts = PairedCounts {
                pairs,
                only_first_passed,
                only_second_passed,
            };
            serde_json::to_value(paired_rate_difference(counts, Probability::new(confidence)?))
        }
        Request::McnemarExact {
            only_first_passed,
            only_second_passed,
        } => serde_json::to_value(mcnemar_exact(only_first_passed, only_second_passed)),
        Request::Holm { p_values } => serde_json::to_value(holm(&p_values)?),
        Request::MeanInterval { values, confidence } => {
            serde_json::to_value(mean_interval(&values, Probability::new(confidence)?)?)
        }
        Request::PairedBootstrap {
            differences,
            confidence,
            resamples,
            seed,
        } => {
            let settings = BootstrapSettings {
                resamples,
                confidence: Probability::new(confidence)?,
                seed,
            };
            serde_json::to_value(paired_bootstrap(&differences, &settings)?)
        }
        Request::DetectableRateDifference {
            pairs,
            significance,
            power,
            discordance,
        } => {
            let design = design(pairs, significance, power)?;
            serde_json::to_value(minimum_detectable_rate_difference(&design, discordance)?)
        }
        Request::DetectableMeanDifference {
            pairs,
            significance,
            power,
            standard_deviation,
        } => {
            let design = design(pairs, significance, power)?;
            serde_json::to_value(minimum_detectable_mean_difference(&design, standard_deviation)?)
        }
        Request::Philox { seed, stream, count } => {
            let mut random = Philox::new(seed, stream);
            serde_json::to_value((0..count).map(|_| random.next_u64()).collect::<Vec<_>>())
        }
    };
    Ok(value?)
}

fn design(pairs: u64, significance: f64, power: f64) -> Result<TestDesign, Box<dyn Error>> {
    let (significance, power) = (Probability::new(significance)?, Probability::new(power)?);
    Ok(TestDesign {
        pairs,
        significance,
        power,
    })
}
