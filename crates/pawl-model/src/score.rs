//! Scores of interactions: exact decimals from 0 to 1.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::Json;

/// A decimal from 0 to 1, exact to the last digit, as `numeric` keeps it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Score(Box<str>);

impl Score {
    /// Reads a JSON number; `None` for anything else, and outside 0 to 1.
    #[must_use]
    pub fn parse(number: &str) -> Option<Self> {
        let json = Json::parse(number).ok()?;
        let mut plain = json.as_str();
        if plain.contains('.') {
            plain = plain.trim_end_matches('0').trim_end_matches('.');
        }
        let is_score = match plain.split_once('.') {
            None => matches!(plain, "0" | "1"),
            Some((whole, fraction)) => whole == "0" && fraction.bytes().all(|digit| digit.is_ascii_digit()),
        };
        is_score.then(|| Self(plain.into()))
    }

    /// So many hundredths, 100 at most.
    #[must_use]
    pub fn from_percent(percent: u8) -> Self {
        let percent = percent.min(100);
        let text = match (percent / 100, percent % 100) {
            (1, _) => "1".to_owned(),
            (_, 0) => "0".to_owned(),
            (_, hundredths) => format!("0.{hundredths:02}").trim_end_matches('0').to_owned(),
        };
        Self(text.into())
    }

    /// The shortest decimal.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole percent that it has reached: 100 × score, rounded down without a float in between.
    #[must_use]
    pub fn percent(&self) -> u8 {
        match self.0.split_once('.') {
            None if &*self.0 == "1" => 100,
            None => 0,
            Some((_, fraction)) => {
                let digit = |place: usize| fraction.as_bytes().get(place).map_or(0, |digit| digit - b'0');
                10 * digit(0) + digit(1)
            }
        }
    }

    /// The nearest float.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        self.0.parse().unwrap_or_default()
    }
}

/// As the number that it is, with all its digits.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Score({})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hundredths_are_written_as_they_are_read() {
        for percent in 0..=100 {
            let score = Score::from_percent(percent);
            assert_eq!(score.percent(), percent);
            assert_eq!(Score::parse(score.as_str()), Some(score));
        }
    }

    #[test]
    fn scores_are_exact_decimals_from_0_to_1() {
        for (given, kept, percent) in [
            ("0", "0", 0),
            ("-0.0", "0", 0),
            ("1", "1", 100),
            ("1.000", "1", 100),
            ("0.290", "0.29", 29),
            ("0.57", "0.57", 57),
            ("2.9e-1", "0.29", 29),
            ("0.009", "0.009", 0),
            ("0.99999999999999999999999", "0.99999999999999999999999", 99),
            ("5E-1", "0.5", 50),
        ] {
            let score = Score::parse(given).unwrap();
            assert_eq!((score.as_str(), score.percent()), (kept, percent), "{given}");
        }
        for given in [
            "1.0001", "-0.1", "2", "10e-1x", "NaN", "\"0.5\"", "true", "", "1e9", "[0]",
        ] {
            assert_eq!(Score::parse(given), None, "{given}");
        }
        assert_eq!(Score::parse("0.29").unwrap().as_f64(), 0.29);
    }
}
