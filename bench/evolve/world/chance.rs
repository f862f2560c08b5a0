//! Hashes in place of chances.

use sha2::{Digest as _, Sha256};

/// The first 8 bytes, big-endian, of a SHA-256.
pub(super) fn number(key: &str) -> u64 {
    let digest = Sha256::digest(key.as_bytes());
    digest
        .iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// From 0 to 1, 53 bits of it.
pub(super) fn unit(key: &str) -> f64 {
    (number(key) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Names in the order of their hashes.
pub(super) fn hash_order(names: Vec<String>, key: &str) -> Vec<String> {
    let mut keyed: Vec<(u64, String)> = names
        .into_iter()
        .map(|name| (number(&format!("{key}\u{1f}{name}")), name))
        .collect();
    keyed.sort();
    keyed.into_iter().map(|(_, name)| name).collect()
}

/// Mean 0, variance 1: four units added up.
pub(super) fn gauss(key: &str) -> f64 {
    let sum: f64 = (0..4).map(|nth| unit(&format!("{key}\u{1f}{nth}"))).sum();
    (sum - 2.0) * 3.0_f64.sqrt()
}

/// Six decimals.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.6}").parse().unwrap_or(value)
}
