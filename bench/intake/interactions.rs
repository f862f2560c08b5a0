//! Interactions that are made up: how often a word stands in them follows Zipf's law, as in natural text.

use std::ops::Range;

use pawl_checks::stats::Philox;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// How many words there are.
const VOCABULARY: f64 = 50_000.0;
/// A flag, and how many of a thousand interactions have it.
const FLAGS: [(&str, usize); 3] = [("slow_tool", 100), ("hallucination", 20), ("toxicity", 1)];

/// How long texts are, in words.
#[derive(Clone, Debug)]
pub(crate) struct Lengths {
    /// Of a prompt.
    pub(crate) prompt: Range<usize>,
    /// Of a response.
    pub(crate) response: Range<usize>,
}

impl Lengths {
    /// As agents talk: about 700 characters together.
    pub(crate) const USUAL: Self = Self {
        prompt: 15..50,
        response: 50..150,
    };
    /// About 100 characters together.
    pub(crate) const SHORT: Self = Self {
        prompt: 3..10,
        response: 8..22,
    };
}

/// The word of this rank, from 1: short ones are the most frequent.
pub(crate) fn word(rank: usize) -> String {
    const ONSETS: &[u8] = b"bcdfghjklmnpqrstvwxz";
    const VOWELS: &[u8] = b"aeiou";
    const CODAS: &[u8] = b"lnrs";
    let mut syllables = Vec::new();
    let mut rest = rank;
    while rest > 0 {
        rest -= 1;
        let letters = [ONSETS[rest % 20], VOWELS[rest / 20 % 5], CODAS[rest / 100 % 4]];
        syllables.push(letters.map(char::from));
        rest /= 400;
    }
    syllables.into_iter().flatten().collect()
}

/// Interactions of a tenant, one after the other.
pub(crate) struct Interactions {
    draw: Philox,
    lengths: Lengths,
    user: String,
}

impl Interactions {
    /// Those of a seed are always the same, but for their times.
    pub(crate) fn new(user: &impl ToString, lengths: Lengths, seed: u64) -> Self {
        Self {
            draw: Philox::new(seed, 0),
            lengths,
            user: user.to_string(),
        }
    }

    /// The next one as JSON.
    ///
    /// # Errors
    /// When RFC 3339 has no notation for the time.
    pub(crate) fn next(
        &mut self,
        id: &str,
        created_at: OffsetDateTime,
    ) -> Result<String, time::error::Format> {
        let Lengths { prompt, response } = self.lengths.clone();
        let prompt = self.text(prompt);
        let response = self.text(response);
        let scored = self.draw.index_below(10) > 0;
        // Most agents do well most of the time.
        let score = (100.0 * self.draw.unit().powf(0.3)).round() / 100.0;
        let latency_ms = (200.0 / (1.0 - self.draw.unit()).sqrt()).min(60_000.0).round();
        let flags: Vec<&str> = FLAGS
            .into_iter()
            .filter(|(_, per_mille)| self.draw.index_below(1_000) < *per_mille)
            .map(|(flag, _)| flag)
            .collect();
        Ok(json!({
            "user_id": self.user,
            "interaction_id": id,
            "prompt": prompt,
            "response": response,
            "score": scored.then_some(score),
            "latency_ms": latency_ms as u32,
            "flags": flags,
            "pii_tokens_redacted": 0,
            "created_at": created_at.format(&Rfc3339)?,
        })
        .to_string())
    }

    fn text(&mut self, length: Range<usize>) -> String {
        let words = length.start + self.draw.index_below(length.len());
        // A rank that is the power of a uniform number is as frequent as its inverse says.
        let words = (0..words).map(|_| word(VOCABULARY.powf(self.draw.unit()) as usize));
        words.collect::<Vec<_>>().join(" ")
    }
}
