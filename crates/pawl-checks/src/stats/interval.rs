//! A closed range of plausible values.

use serde::Serialize;

/// A confidence interval, both ends included, in the unit of what it estimates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The smallest plausible value.
    pub lower: f64,
    /// The largest plausible value.
    pub upper: f64,
}

impl Interval {
    /// The interval around `centre` that reaches `half_width` to both sides.
    pub(super) fn around(centre: f64, half_width: f64) -> Self {
        Self {
            lower: centre - half_width,
            upper: centre + half_width,
        }
    }

    /// The smallest interval that holds both.
    pub(super) fn hull(self, other: Self) -> Self {
        Self {
            lower: self.lower.min(other.lower),
            upper: self.upper.max(other.upper),
        }
    }

    /// The interval, widened where it must be to hold `value`.
    pub(super) fn including(self, value: f64) -> Self {
        self.hull(Self {
            lower: value,
            upper: value,
        })
    }

    /// The part of the interval from `lowest` to `highest`.
    pub(crate) fn clamp(self, lowest: f64, highest: f64) -> Self {
        Self {
            lower: self.lower.clamp(lowest, highest),
            upper: self.upper.clamp(lowest, highest),
        }
    }

    /// Whether `value` is one of the plausible ones.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Upper end minus lower end.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.upper - self.lower
    }
}
