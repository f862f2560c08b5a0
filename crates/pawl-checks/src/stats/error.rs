//! What can be wrong with the numbers given to a statistic.

/// Why a statistic cannot be computed.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StatisticsError {
    /// There is nothing to compute from.
    #[error("no values to compute from")]
    Empty,
    /// A value is NaN or infinite; the index counts from 0 in the order given.
    #[error("value at index {index} is not a finite number")]
    NotFinite {
        /// Index of the offending value.
        index: usize,
    },
    /// Values so large that their squares are not finite.
    #[error("values are too large: their variance is not a finite number")]
    TooLarge,
    /// A confidence, power or significance outside the open interval from 0 to 1.
    #[error("{value} is not strictly between 0 and 1")]
    NotAProbability {
        /// The value given.
        value: f64,
    },
    /// Not enough resamples for the tails of the wanted confidence.
    #[error("{given} resamples are too few for this confidence, at least {needed} are needed")]
    TooFewResamples {
        /// The number given.
        given: u32,
        /// The smallest number that works.
        needed: u32,
    },
    /// A p-value outside 0 to 1.
    #[error("p-value at index {index} is not between 0 and 1")]
    NotAPValue {
        /// Index of the offending value.
        index: usize,
    },
    /// A share of discordant pairs outside 0 to 1.
    #[error("discordance {value} is not between 0 and 1")]
    NotADiscordance {
        /// The value given.
        value: f64,
    },
    /// A standard deviation that is negative or not finite.
    #[error("standard deviation {value} is not a finite number of at least 0")]
    NotADeviation {
        /// The value given.
        value: f64,
    },
}
