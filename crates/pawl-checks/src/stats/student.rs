//! Quantiles of Student's t.

use statrs::function::beta::inv_beta_reg;

use super::probability::normal_quantile;

/// From this many degrees of freedom on, the expansion is exact to 1e-10 and better conditioned than the inversion.
const EXPANSION_FROM: f64 = 500.0;

/// The quantile of Student's t with `degrees` of freedom, at least 1.
///
/// Sources: Abramowitz and Stegun (1964), Handbook of Mathematical Functions, formulas 26.7.1 (by the inverse of the
/// regularised incomplete beta function) and 26.7.5 (expansion around the normal quantile).
pub(super) fn student_quantile(probability: f64, degrees: f64) -> f64 {
    if degrees >= EXPANSION_FROM {
        return expansion(normal_quantile(probability), degrees);
    }
    let tail = probability.min(1.0 - probability);
    let ratio = inv_beta_reg(degrees / 2.0, 0.5, 2.0 * tail);
    (degrees * (1.0 - ratio) / ratio)
        .sqrt()
        .copysign(probability - 0.5)
}

fn expansion(z: f64, degrees: f64) -> f64 {
    let square = z * z;
    let first = z * (square + 1.0) / 4.0;
    let second = z * ((5.0 * square + 16.0) * square + 3.0) / 96.0;
    let third = z * (((3.0 * square + 19.0) * square + 17.0) * square - 15.0) / 384.0;
    z + (first + (second + third / degrees) / degrees) / degrees
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.stats.t.ppf(probability, degrees)
    const SCIPY: [(f64, f64, f64); 9] = [
        (0.975, 1.0, 12.706204736174694),
        (0.975, 2.0, 4.302652729749462),
        (0.975, 9.0, 2.262157162798205),
        (0.8, 19.0, 0.8609505502689286),
        (0.995, 30.0, 2.7499956535672254),
        (0.975, 499.0, 1.9647293909876886),
        (0.975, 500.0, 1.9647198374673676),
        (0.9995, 1_000.0, 3.300282648423944),
        (0.025, 1_000_000.0, -1.9599663568141072),
    ];

    #[test]
    fn agrees_with_scipy() {
        for (probability, degrees, expected) in SCIPY {
            let actual = student_quantile(probability, degrees);
            assert!(
                (actual / expected - 1.0).abs() < 1e-9,
                "{probability} {degrees}: {actual} is not {expected}"
            );
        }
    }

    #[test]
    fn is_antisymmetric() {
        for degrees in [1.0, 7.0, 499.0, 500.0] {
            assert!((student_quantile(0.1, degrees) + student_quantile(0.9, degrees)).abs() < 1e-9);
        }
    }
}
