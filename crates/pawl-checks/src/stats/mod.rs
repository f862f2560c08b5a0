//! Statistics for comparing evaluation runs: intervals, paired tests, and what a comparison could have seen.
//!
//! Everything here is a pure function: the same numbers (and seed) give the same answer on every machine and in every
//! order of the cases. Rates and probabilities are fractions from 0 to 1; a difference is always *second − first*, so
//! that with the baseline first a positive difference is an improvement.
//!
//! A case that ran several times enters once, with its mean over the trials: the mean score is a mean over cases of means
//! over trials, since trials of one case are not independent observations.

mod bootstrap;
mod comparison;
mod detectable;
mod error;
mod holm;
mod interval;
mod mcnemar;
mod mean;
mod probability;
mod proportion;
mod random;
mod student;
mod weighted;

#[cfg(test)]
mod simulation;

pub use bootstrap::{BootstrapSettings, paired_bootstrap};
pub use comparison::{
    ComparisonSettings, Observation, PairedCase, PairedComparison, RateDifference, ScoreDifference, Side,
};
pub use detectable::{TestDesign, minimum_detectable_mean_difference, minimum_detectable_rate_difference};
pub use error::StatisticsError;
pub use holm::holm;
pub use interval::Interval;
pub use mcnemar::mcnemar_exact;
pub use mean::{IntervalMethod, MeanEstimate, mean_interval};
pub use probability::Probability;
pub use proportion::{PairedCounts, paired_rate_difference, wilson};
pub use random::Philox;
pub use weighted::{Estimate, WeightedValues, Weights, weighted_mean, weighted_rate};
