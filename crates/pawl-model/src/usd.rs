//! Money: US dollars without floats.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

const NANOS: u64 = 1_000_000_000;
const DECIMALS: usize = 9;

/// US dollars in whole billionths, from 0 to some 18 billion dollars. Sums and differences stay in that range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usd(u64);

impl Usd {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many billionths of a dollar.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// The amount in billionths of a dollar.
    #[must_use]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Reads a plain decimal such as `2`, `0.10` or `.5`, with at most nine decimals; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        decimal(text, DECIMALS).map(Self)
    }

    /// This amount less another one, or nothing where the other one is greater.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// The nearest float, in dollars.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / NANOS as f64
    }
}

/// The number `text × 10^decimals`, where that is whole and fits.
pub(crate) fn decimal(text: &str, decimals: usize) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > decimals {
        return None;
    }
    [whole, fraction, &"0".repeat(decimals - fraction.len())]
        .concat()
        .parse()
        .ok()
}

impl Add for Usd {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

/// The shortest decimal, in dollars and without a sign for them.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / NANOS, self.0 % NANOS);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let fraction = format!("{fraction:09}");
        write!(f, "{whole}.{}", fraction.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_and_shown_exactly() {
        for (given, nanos, shown) in [
            ("0", 0, "0"),
            ("2", 2_000_000_000, "2"),
            ("0.10", 100_000_000, "0.1"),
            (".5", 500_000_000, "0.5"),
            ("1.000000001000", 1_000_000_001, "1.000000001"),
        ] {
            let amount = Usd::parse(given).unwrap();
            assert_eq!(
                (amount.nanos(), amount.to_string().as_str()),
                (nanos, shown),
                "{given}"
            );
        }
        for given in [
            "",
            ".",
            "-1",
            "1e3",
            "0.0000000001",
            "1,5",
            "$1",
            "99999999999999",
            "٣",
        ] {
            assert_eq!(Usd::parse(given), None, "{given}");
        }
    }

    #[test]
    fn amounts_stay_in_range() {
        let most = Usd::from_nanos(u64::MAX);
        let dime = Usd::from_nanos(100_000_000);
        assert_eq!(most + dime, most);
        assert_eq!(dime.less(most), Usd::ZERO);
        assert_eq!([dime; 10].into_iter().sum::<Usd>(), Usd::from_nanos(NANOS));
        assert_eq!(dime.as_f64(), 0.1);
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_reads_back(nanos: u64) {
            let amount = Usd::from_nanos(nanos);
            proptest::prop_assert_eq!(Usd::parse(&amount.to_string()), Some(amount));
        }
    }
}
