//! Which interactions a policy keeps, and for how many each of them then stands.

use hmac::{Hmac, KeyInit, Mac};
use pawl_model::{Policy, Score};
use sha2::Sha256;

/// What an interaction shows of its own failing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signals<'a> {
    /// How good it was; none where it was not scored.
    pub score: Option<&'a Score>,
    /// What was noticed.
    pub flags: &'a [String],
    /// Whether a span behind it ended in an error.
    pub error_span: bool,
}

/// What becomes of an interaction under a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// It is kept.
    Keep {
        /// For how many interactions it stands: one over the probability of being kept.
        weight: f64,
    },
    /// The sample fell otherwise.
    SampledOut,
}

/// Whether an interaction is one of the `rate_pct` of a hundred that a salt samples in.
///
/// It is where u < `rate_pct` · 2⁶⁴ / 100, with u the first 8 bytes, big-endian, of HMAC-SHA256 with the salt as key and
/// the id as message, both as UTF-8: agents and servers agree, a replay decides the same, and a higher rate keeps all that
/// a lower one does. At 100 everything is sampled in, at 0 nothing.
#[must_use]
pub fn sampled_in(salt: &str, interaction_id: &str, rate_pct: u8) -> bool {
    match rate_pct {
        0 => false,
        100.. => true,
        _ => u128::from(place(salt, interaction_id)) * 100 < u128::from(rate_pct) << 64,
    }
}

/// Where an id lies among all 2⁶⁴ places.
fn place(salt: &str, interaction_id: &str) -> u64 {
    let mut mac = Hmac::<Sha256>::new_from_slice(salt.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(interaction_id.as_bytes());
    let code = mac.finalize().into_bytes();
    code.iter()
        .take(8)
        .fold(0, |place, byte| place << 8 | u64::from(*byte))
}

/// Whether an interaction is a failing one: its score is below the policy's, it has one of the policy's flags, or a span
/// behind it ended in an error. Flags are compared as they are written.
#[must_use]
pub fn is_failing(policy: &Policy, signals: &Signals<'_>) -> bool {
    signals.error_span
        || signals
            .score
            .is_some_and(|score| score.as_f64() < policy.failure_score)
        || signals
            .flags
            .iter()
            .any(|flag| policy.failure_flags.contains(flag))
}

/// What becomes of an interaction where the server samples for its sender.
///
/// Kept failures stand for themselves alone, since each of them is kept; the others for 100 / rate. Weighted means are
/// unbiased by that, whatever the rate.
#[must_use]
pub fn decide(policy: &Policy, interaction_id: &str, signals: &Signals<'_>) -> Decision {
    let rate_pct = policy.rate_pct();
    if policy.keep_failures && is_failing(policy, signals) {
        Decision::Keep { weight: 1.0 }
    } else if sampled_in(&policy.sample_salt, interaction_id, rate_pct) {
        Decision::Keep {
            weight: 100.0 / f64::from(rate_pct),
        }
    } else {
        Decision::SampledOut
    }
}

#[cfg(test)]
mod tests {
    use pawl_model::{RunPolicy, UserId};
    use proptest::prelude::*;

    use super::*;

    /// Salt, id, and the first eight bytes of `hmac.new(salt, id, "sha256")` in Python.
    const PYTHON: [(&str, &str, u64); 6] = [
        ("", "", 0xb613_679a_0814_d9ec),
        ("salt", "int_1", 0x987b_4eff_331e_b091),
        ("salt", "int_2", 0xded1_dd1f_42f8_7ac4),
        ("pepper", "int_1", 0xe138_9dac_ad26_b0a2),
        ("Zürich", "взаимодействие-7", 0xd367_eba8_5e8f_787a),
        (
            "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
            "abc",
            0xb58b_2b69_4fdb_a0dd,
        ),
    ];

    fn policy(rate_pct: u8) -> Policy {
        Policy {
            run_policy: RunPolicy::Sampled,
            sample_rate_pct: rate_pct,
            sample_salt: "salt".to_owned(),
            ..Policy::default_of(UserId(uuid::Uuid::from_u128(1)))
        }
    }

    #[test]
    fn places_agree_with_python() {
        for (salt, id, expected) in PYTHON {
            assert_eq!(place(salt, id), expected, "{salt:?} {id:?}");
        }
    }

    #[test]
    fn the_rate_from_which_on_an_id_is_in_agrees_with_python() {
        // min(rate for rate in range(101) if rate == 100 or u * 100 < rate << 64)
        for ((salt, id, _), first) in PYTHON.into_iter().zip([72, 60, 88, 88, 83, 71]) {
            assert!(!sampled_in(salt, id, first - 1), "{salt:?} {id:?}");
            assert!(sampled_in(salt, id, first), "{salt:?} {id:?}");
        }
    }

    #[test]
    fn as_many_are_in_as_the_rate_says() {
        let ids: Vec<String> = (0..20_000).map(|number| format!("int_{number}")).collect();
        for rate in [1, 5, 20, 50, 80, 99] {
            let kept = ids.iter().filter(|id| sampled_in("salt", id, rate)).count() as f64;
            let share = f64::from(rate) / 100.0;
            let deviation = (20_000.0 * share * (1.0 - share)).sqrt();
            assert!(
                (kept - 20_000.0 * share).abs() < 4.0 * deviation,
                "{rate}: {kept}"
            );
        }
        let other = |id: &&String| sampled_in("salt", id, 50) && sampled_in("pepper", id, 50);
        let in_both = ids.iter().filter(other).count() as f64;
        assert!(
            (in_both - 5_000.0).abs() < 4.0 * 61.3,
            "{in_both}: salts are not independent"
        );
    }

    #[test]
    fn what_fails() {
        let policy = policy(10);
        let score = |number| Score::parse(number).unwrap();
        let fails = |score: Option<&Score>, flags: &[&str]| {
            let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
            let signals = Signals {
                score,
                flags: &flags,
                error_span: false,
            };
            is_failing(&policy, &signals)
        };
        assert!(fails(Some(&score("0.499")), &[]));
        assert!(!fails(Some(&score("0.5")), &[]));
        assert!(!fails(None, &[]));
        assert!(!fails(Some(&score("0.9")), &["technical", "Toxicity"]));
        assert!(fails(Some(&score("0.9")), &["technical", "toxicity"]));
        assert!(fails(None, &["pii_leak"]));
        let broken = Signals {
            error_span: true,
            ..Signals::default()
        };
        assert!(is_failing(&policy, &broken));
    }

    #[test]
    fn kept_failures_stand_for_themselves_and_the_rest_for_their_share() {
        let failing = Signals {
            error_span: true,
            ..Signals::default()
        };
        let healthy = Signals::default();
        let keep = |weight| Decision::Keep { weight };
        let (id_in_from_60, id_in_from_88) = ("int_1", "int_2");
        let rate_60 = policy(60);
        assert_eq!(decide(&rate_60, id_in_from_60, &healthy), keep(100.0 / 60.0));
        assert_eq!(decide(&rate_60, id_in_from_88, &healthy), Decision::SampledOut);
        assert_eq!(decide(&rate_60, id_in_from_60, &failing), keep(1.0));
        assert_eq!(decide(&rate_60, id_in_from_88, &failing), keep(1.0));
        assert_eq!(decide(&policy(0), id_in_from_60, &healthy), Decision::SampledOut);
        assert_eq!(decide(&policy(0), id_in_from_60, &failing), keep(1.0));
        let alike = Policy {
            keep_failures: false,
            ..policy(60)
        };
        assert_eq!(decide(&alike, id_in_from_60, &failing), keep(100.0 / 60.0));
        assert_eq!(decide(&alike, id_in_from_88, &failing), Decision::SampledOut);
        let always = Policy {
            run_policy: RunPolicy::Always,
            ..policy(0)
        };
        assert_eq!(decide(&always, id_in_from_88, &healthy), keep(1.0));
    }

    proptest! {
        #[test]
        fn a_higher_rate_keeps_all_that_a_lower_one_does(salt: String, id: String, rate in 0..100u8) {
            prop_assert!(!sampled_in(&salt, &id, 0) && sampled_in(&salt, &id, 100));
            prop_assert!(!sampled_in(&salt, &id, rate) || sampled_in(&salt, &id, rate + 1));
        }
    }
}
