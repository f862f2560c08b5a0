//! Several tests at once.

use super::StatisticsError;

/// Holm's adjusted p-values, in the order given: compare each with the significance wanted for the whole family.
///
/// The i-th smallest of m p-values becomes max over j ≤ i of min(1, (m − j + 1) · p₍ⱼ₎); the chance that any true null
/// hypothesis is rejected stays below the significance, however the tests depend on each other.
///
/// Source: Holm (1979), "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
/// 6, 65–70.
///
/// # Errors
/// When a p-value is not between 0 and 1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if let Some(index) = p_values.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(StatisticsError::NotAPValue { index });
    }
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest
            .max(p_values[index] * (p_values.len() - rank) as f64)
            .min(1.0);
        adjusted[index] = largest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn agrees_with_statsmodels() {
        // statsmodels.stats.multitest.multipletests(p, method="holm")[1]
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005, 0.8]).unwrap();
        for (actual, expected) in adjusted.iter().zip([0.04, 0.09, 0.09, 0.025, 0.8]) {
            assert!((actual - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Ok(vec![]));
    }

    #[test]
    fn what_is_no_p_value_is_refused() {
        assert_eq!(
            holm(&[0.5, f64::NAN]),
            Err(StatisticsError::NotAPValue { index: 1 })
        );
        assert_eq!(holm(&[1.5]), Err(StatisticsError::NotAPValue { index: 0 }));
    }

    proptest! {
        #[test]
        fn is_monotone_and_never_below_the_raw_value(p_values in proptest::collection::vec(0.0..=1.0f64, 0..40)) {
            let adjusted = holm(&p_values).unwrap();
            for (i, raw) in p_values.iter().enumerate() {
                prop_assert!(*raw <= adjusted[i] && adjusted[i] <= 1.0);
                for (j, other) in p_values.iter().enumerate() {
                    prop_assert!(raw > other || adjusted[i] <= adjusted[j]);
                }
            }
        }
    }
}
