//! What tokens cost.

use crate::Usd;
use crate::usd::decimal;

/// The tokens of a call, as the provider counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens that were read, those from and to a cache included.
    pub input_tokens: u64,
    /// Tokens that were written, those of the reasoning included.
    pub output_tokens: u64,
    /// Those of the input that came from the provider's cache of prompts.
    pub cached_input_tokens: u64,
    /// Those of the input that were put into that cache.
    pub cache_write_tokens: u64,
}

/// What a call cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// So much.
    Known(Usd),
    /// The model has no price, or the provider counted no tokens.
    Unknown,
}

impl Cost {
    /// The amount, where it is known.
    #[must_use]
    pub const fn known(self) -> Option<Usd> {
        match self {
            Self::Known(amount) => Some(amount),
            Self::Unknown => None,
        }
    }
}

/// The price of one token, in whole millionths of a millionth of a dollar: what a million tokens cost in millionths of
/// a dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// Reads the dollars that a million tokens cost: a plain decimal with at most six decimals.
    #[must_use]
    pub fn per_million(dollars: &str) -> Option<Self> {
        decimal(dollars, 6).map(Self)
    }

    const fn times(self, tokens: u64) -> u128 {
        self.0 as u128 * tokens as u128
    }
}

/// The prices of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Of input that no cache had a part in.
    pub input: Rate,
    /// Of input from the cache.
    pub cached_input: Rate,
    /// Of input that was put into the cache.
    pub cache_write: Rate,
    /// Of output.
    pub output: Rate,
}

/// The price of a model: some charge more for long prompts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// What is charged.
    pub rates: Rates,
    /// What is charged for the whole call once the input is longer than so many tokens.
    pub long: Option<(u64, Rates)>,
}

/// Billionths of a dollar per unit of [`Rate`].
const RATE_UNITS_PER_NANO: u128 = 1_000;

impl Price {
    /// What a call cost, rounded up to a whole billionth of a dollar.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Usd {
        let rates = match self.long {
            Some((over, rates)) if usage.input_tokens > over => rates,
            _ => self.rates,
        };
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - cached);
        let plain = usage.input_tokens - cached - written;
        let total = rates.input.times(plain)
            + rates.cached_input.times(cached)
            + rates.cache_write.times(written)
            + rates.output.times(usage.output_tokens);
        Usd::from_nanos(u64::try_from(total.div_ceil(RATE_UNITS_PER_NANO)).unwrap_or(u64::MAX))
    }

    /// The most that a call with so many tokens of either kind can cost, whatever the cache does.
    #[must_use]
    pub fn most(&self, input_tokens: u64, output_tokens: u64) -> Usd {
        let dearest = |cache_write_tokens| {
            self.cost(&Usage {
                input_tokens,
                output_tokens,
                cached_input_tokens: 0,
                cache_write_tokens,
            })
        };
        dearest(0).max(dearest(input_tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(dollars: &str) -> Rate {
        Rate::per_million(dollars).unwrap()
    }

    fn price() -> Price {
        let rates = Rates {
            input: rate("1.25"),
            cached_input: rate("0.125"),
            cache_write: rate("1.5625"),
            output: rate("10"),
        };
        let doubled = Rates {
            input: rate("2.5"),
            output: rate("15"),
            ..rates
        };
        Price {
            rates,
            long: Some((200_000, doubled)),
        }
    }

    #[test]
    fn every_kind_of_token_has_its_price() {
        let usage = Usage {
            input_tokens: 1_000,
            output_tokens: 100,
            cached_input_tokens: 400,
            cache_write_tokens: 200,
        };
        // 400 × 1.25 + 400 × 0.125 + 200 × 1.5625 + 100 × 10 millionths.
        assert_eq!(price().cost(&usage), Usd::parse("0.0018625").unwrap());
        assert_eq!(price().most(1_000, 100), Usd::parse("0.0025625").unwrap());
    }

    #[test]
    fn a_long_prompt_changes_the_whole_price() {
        let usage = |input_tokens| Usage {
            input_tokens,
            output_tokens: 1_000,
            ..Usage::default()
        };
        assert_eq!(price().cost(&usage(200_000)), Usd::parse("0.26").unwrap());
        assert_eq!(price().cost(&usage(200_001)), Usd::parse("0.5150025").unwrap());
    }

    #[test]
    fn parts_of_a_billionth_are_rounded_up_and_too_much_stays_in_range() {
        let price = Price {
            rates: Rates {
                input: rate("0.000001"),
                ..Rates::default()
            },
            long: None,
        };
        let usage = |input_tokens| Usage {
            input_tokens,
            ..Usage::default()
        };
        assert_eq!(price.cost(&usage(1)), Usd::from_nanos(1));
        assert_eq!(price.cost(&usage(1_001)), Usd::from_nanos(2));
        let most = price_of(u64::MAX).cost(&usage(u64::MAX));
        assert_eq!(most, Usd::from_nanos(u64::MAX));
        assert_eq!(Rate::per_million("0.0000001"), None);
    }

    fn price_of(units: u64) -> Price {
        Price {
            rates: Rates {
                input: Rate(units),
                ..Rates::default()
            },
            long: None,
        }
    }

    proptest::proptest! {
        #[test]
        fn no_split_of_the_tokens_costs_more_than_the_most(
            input in 0..400_000_u64, output in 0..100_000_u64, cached: u64, written: u64,
        ) {
            let usage = Usage {
                input_tokens: input,
                output_tokens: output,
                cached_input_tokens: cached,
                cache_write_tokens: written,
            };
            proptest::prop_assert!(price().cost(&usage) <= price().most(input, output));
        }
    }
}
