//! Times masking over texts, in process: `mask_rate TEXTS.jsonl ROUNDS`, with a JSON string per line.
//!
//! Prints the best round of each contender as JSON; `bench/mask` makes tables of them. Beside the masker run what one
//! would write with regular expressions alone, and a plain copy of the texts.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::borrow::Cow;
use std::hint::black_box;
use std::time::{Duration, Instant};

use pawl_checks::mask::Masker;
use regex::{Regex, RegexSet};
use serde_json::json;

/// Patterns that such code has: e-mail, telephone, IPv4, IPv6, card, IBAN, SSN, JWT, keys of vendors, AWS, private keys,
/// passwords, names.
const PATTERNS: [(&str, &str); 13] = [
    (r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}", "[EMAIL]"),
    (
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----",
        "[PRIVATE_KEY]",
    ),
    (r"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*", "[JWT]"),
    (
        r"\b(?:sk-|ghp_|gho_|glpat-|xox[bp]-|sk_live_|npm_|hf_)[A-Za-z0-9_-]{20,}",
        "[API_KEY]",
    ),
    (r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b", "[AWS_KEY]"),
    (
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b",
        "[IBAN]",
    ),
    (r"\b(?:\d[ -]?){13,19}\b", "[CARD]"),
    (r"\b\d{3}-\d{2}-\d{4}\b", "[SSN]"),
    (r"\b(?:\d{1,3}\.){3}\d{1,3}\b", "[IP]"),
    (r"\b(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}\b", "[IP]"),
    (
        r"(?:\+\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ .-]\d{3,4}[ .-]\d{3,4}\b",
        "[PHONE]",
    ),
    (
        r#"(?i)\b(?:password|passwd|secret|api_key|token)["']?\s*[:=]\s*["']?[^\s"',;]+"#,
        "[PASSWORD]",
    ),
    (
        r"(?i:\bmy name is|\bdear|\bmrs?\.|\bms\.|\bich heiße|\bme llamo|\bje m'appelle) \p{Lu}\w+",
        "[NAME]",
    ),
];

struct Expressions {
    set: RegexSet,
    each: Vec<Regex>,
}

impl Expressions {
    fn new() -> Result<Self, regex::Error> {
        let sources = PATTERNS.map(|(pattern, _)| pattern);
        Ok(Self {
            set: RegexSet::new(sources)?,
            each: sources.into_iter().map(Regex::new).collect::<Result<_, _>>()?,
        })
    }

    /// The set says which expressions match, and these replace.
    fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut masked = Cow::Borrowed(text);
        for index in &self.set.matches(text) {
            if let Cow::Owned(replaced) = self.each[index].replace_all(&masked, PATTERNS[index].1) {
                masked = Cow::Owned(replaced);
            }
        }
        masked
    }
}

/// The best of some rounds, and how many texts were changed.
fn time(texts: &[String], rounds: u32, mask: impl Fn(&str) -> bool) -> serde_json::Value {
    let mut best = Duration::MAX;
    let mut changed = 0;
    for _ in 0..rounds {
        let start = Instant::now();
        changed = texts.iter().filter(|text| mask(black_box(text.as_str()))).count();
        best = best.min(start.elapsed());
    }
    json!({ "seconds": best.as_secs_f64(), "changed": changed })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(rounds)) = (arguments.next(), arguments.next()) else {
        return Err("usage: mask_rate TEXTS.jsonl ROUNDS".into());
    };
    let rounds: u32 = rounds.parse()?;
    let lines = std::fs::read_to_string(file)?;
    let texts: Vec<String> = lines
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let expressions = Expressions::new()?;
    let result = json!({
        "bytes": texts.iter().map(String::len).sum::<usize>(),
        "texts": texts.len(),
        "pawl": time(&texts, rounds, |text| !black_box(Masker::built_in().mask(text)).counts.is_empty()),
        "regex": time(&texts, rounds, |text| matches!(black_box(expressions.mask(text)), Cow::Owned(_))),
        "copy": time(&texts, rounds, |text| black_box(text.to_owned()).is_empty()),
    });
    println!("{result}");
    Ok(())
}
