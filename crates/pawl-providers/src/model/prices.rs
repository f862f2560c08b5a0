//! The table of prices.

use std::collections::HashMap;
use std::sync::LazyLock;

use pawl_model::{Price, Rate, Rates};
use serde::Deserialize;
use serde::de::Error as _;

use super::spec::{ModelSpec, Provider};

/// The prices of `prices.toml`.
#[derive(Debug, Deserialize)]
struct Prices {
    openai: HashMap<String, Entry>,
    google: HashMap<String, Entry>,
    anthropic: HashMap<String, Entry>,
}

static PRICES: LazyLock<Prices> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant that the tests read")]
    toml::from_str(include_str!("prices.toml")).unwrap()
});

/// What a model costs, where the table knows it: by its name, or by that of the model whose dated version it is.
pub(super) fn price(spec: &ModelSpec) -> Option<Price> {
    let prices = match spec.provider() {
        Provider::OpenAi => &PRICES.openai,
        Provider::Google | Provider::Vertex => &PRICES.google,
        Provider::Anthropic => &PRICES.anthropic,
        Provider::Ollama => return Some(Price::default()),
    };
    let name = spec.model();
    let entry = prices.get(name).or_else(|| prices.get(without_version(name)?))?;
    Some(entry.price())
}

/// The name before `-2024-11-20`, `-20251001`, `@20251001`, `-001` or `-latest`.
fn without_version(name: &str) -> Option<&str> {
    if let Some(name) = name.strip_suffix("-latest") {
        return Some(name);
    }
    let start = name
        .trim_end_matches(|character: char| character.is_ascii_digit() || character == '-')
        .len();
    let tail = &name[start..];
    if let Some(name) = name[..start].strip_suffix('@') {
        return (tail.len() == 8).then_some(name);
    }
    let shape: String = tail
        .chars()
        .map(|character| if character == '-' { '-' } else { '0' })
        .collect();
    let version = ["-0000-00-00", "-00000000", "-000"]
        .into_iter()
        .find(|version| shape.ends_with(version))?;
    Some(&name[..name.len() - version.len()])
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(deserialize_with = "rate")]
    input: Rate,
    #[serde(default, deserialize_with = "some_rate")]
    cached_input: Option<Rate>,
    #[serde(default, deserialize_with = "some_rate")]
    cache_write: Option<Rate>,
    #[serde(default, deserialize_with = "rate")]
    output: Rate,
    long: Option<LongEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LongEntry {
    over: u64,
    #[serde(deserialize_with = "rate")]
    input: Rate,
    #[serde(default, deserialize_with = "some_rate")]
    cached_input: Option<Rate>,
    #[serde(default, deserialize_with = "some_rate")]
    cache_write: Option<Rate>,
    #[serde(default, deserialize_with = "rate")]
    output: Rate,
}

impl Entry {
    fn price(&self) -> Price {
        let rates = Rates {
            input: self.input,
            cached_input: self.cached_input.unwrap_or(self.input),
            cache_write: self.cache_write.unwrap_or(self.input),
            output: self.output,
        };
        let long = self.long.as_ref().map(|long| {
            let rates = Rates {
                input: long.input,
                cached_input: long.cached_input.unwrap_or(long.input),
                cache_write: long.cache_write.unwrap_or(long.input),
                output: long.output,
            };
            (long.over, rates)
        });
        Price { rates, long }
    }
}

fn rate<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Rate, D::Error> {
    let dollars = String::deserialize(deserializer)?;
    Rate::per_million(&dollars).ok_or_else(|| D::Error::custom("not a price per million tokens"))
}

fn some_rate<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Rate>, D::Error> {
    rate(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use pawl_model::{Usage, Usd};

    use super::*;

    fn price_of(spec: &str) -> Option<Price> {
        price(&spec.parse().unwrap())
    }

    fn cost(spec: &str, input_tokens: u64, output_tokens: u64) -> Option<String> {
        let usage = Usage {
            input_tokens,
            output_tokens,
            ..Usage::default()
        };
        Some(price_of(spec)?.cost(&usage).to_string())
    }

    #[test]
    fn a_call_costs_what_the_table_says() {
        for (spec, input, output, dollars) in [
            ("openai:gpt-4o-mini", 1_000, 100, "0.00021"),
            ("google:gemini-2.5-flash", 2_000, 500, "0.00185"),
            ("vertex:gemini-2.5-flash", 2_000, 500, "0.00185"),
            ("google:gemini-2.5-pro", 200_001, 0, "0.5000025"),
            ("anthropic:claude-haiku-4-5", 1_000, 100, "0.0015"),
            ("openai:text-embedding-3-small", 1_000, 0, "0.00002"),
            ("ollama:anything", 1_000_000, 1_000_000, "0"),
        ] {
            assert_eq!(cost(spec, input, output).as_deref(), Some(dollars), "{spec}");
        }
    }

    #[test]
    fn dated_versions_cost_as_their_model_and_others_have_no_price() {
        let same = |one: &str, other: &str| assert_eq!(price_of(one), price_of(other), "{one}");
        same("openai:gpt-4o-2024-11-20", "openai:gpt-4o");
        same(
            "anthropic:claude-haiku-4-5-20251001",
            "anthropic:claude-haiku-4-5",
        );
        same(
            "anthropic:claude-sonnet-4-5-latest",
            "anthropic:claude-sonnet-4-5",
        );
        same("vertex:gemini-2.5-flash@20251001", "google:gemini-2.5-flash");
        same("google:gemini-2.5-flash-001", "google:gemini-2.5-flash");
        assert_ne!(price_of("openai:gpt-4o-2024-05-13"), price_of("openai:gpt-4o"));
        for spec in [
            "openai:gpt-4o-audio-preview",
            "openai:gpt-4o-1",
            "openai:ft:gpt-4o:team::id",
            "openai:llama-3",
            "anthropic:claude-opus-5-9",
            "google:gemini-2.5-flash-preview-09-2025",
        ] {
            assert_eq!(price_of(spec), None, "{spec}");
        }
    }

    #[test]
    fn the_whole_table_is_read_and_nothing_in_it_is_free() {
        let all = [&PRICES.openai, &PRICES.google, &PRICES.anthropic];
        for (name, entry) in all.into_iter().flatten() {
            let Price { rates, long } = entry.price();
            assert!(
                rates.input > Rate::default() && rates.cached_input <= rates.input,
                "{name}"
            );
            assert!(long.is_none_or(|(_, long)| long.input > rates.input), "{name}");
        }
        let cents = Usd::parse("0.01").unwrap();
        assert!(price_of("openai:o1").unwrap().most(1_000, 0) > cents);
    }

    proptest::proptest! {
        #[test]
        fn any_name_can_be_looked_up(model in "[a-z0-9@.-]{1,20}") {
            if let Some(before) = without_version(&model) {
                proptest::prop_assert!(model.starts_with(before));
            }
        }
    }
}
