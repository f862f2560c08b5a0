//! Random draws that are a pure function of (seed, stream, position).

use pawl_checks::stats::Philox;

/// Draws one after the other.
pub(super) struct Draw(Philox);

impl Draw {
    /// Streams of one seed are independent.
    pub(super) const fn new(seed: u64, stream: u64) -> Self {
        Self(Philox::new(seed, stream))
    }

    /// Uniform from 0 to below 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Whether something happens that has this probability.
    pub(super) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Uniform from 0 to below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0.index_below(bound)
    }

    /// One of these, of which there is at least one.
    pub(super) fn one_of<'t, T>(&mut self, these: &'t [T]) -> &'t T {
        &these[self.below(these.len())]
    }

    /// One of these by their weights; there is at least one.
    pub(super) fn weighted<'t, T>(&mut self, these: &'t [(T, f64)]) -> &'t T {
        let total: f64 = these.iter().map(|(_, weight)| weight).sum();
        let mut left = self.unit() * total;
        let found = these.iter().find(|(_, weight)| {
            left -= weight;
            left < 0.0
        });
        // Rounding may leave a last bit of the unit to nobody.
        &found.unwrap_or(&these[these.len() - 1]).0
    }

    /// Standard normal: Box and Muller (1958), "A note on the generation of random normal deviates", Annals of
    /// Mathematical Statistics 29.
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Log-normal of this median, with `spread` the standard deviation of its logarithm.
    pub(super) fn log_normal(&mut self, median: f64, spread: f64) -> f64 {
        median * (spread * self.normal()).exp()
    }
}
