//! Keys and tokens that say by their beginning whose they are.

use super::Kind;
use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict};

pub(super) const DETECTOR: Detector = Detector {
    literals: || FORMATS.iter().map(|format| format.prefix).collect(),
    verify,
};

/// What stands behind the prefix of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Those, `_` and `-`.
    Url,
    /// Those of `Url`, and dots.
    Dotted,
    /// Letters, digits and `/`.
    Path,
    /// Digits and `a` to `f`.
    Hexadecimal,
    /// `A` to `Z` and digits.
    Upper,
}

#[derive(Clone, Copy)]
struct Format {
    prefix: &'static str,
    alphabet: Alphabet,
    /// Characters behind the prefix: fewest and most.
    length: (usize, usize),
    kind: Kind,
}

const fn key(prefix: &'static str, alphabet: Alphabet, length: (usize, usize)) -> Format {
    Format {
        prefix,
        alphabet,
        length,
        kind: Kind::ApiKey,
    }
}

const fn of(kind: Kind, format: Format) -> Format {
    Format { kind, ..format }
}

use Alphabet::{Alphanumeric, Dotted, Hexadecimal, Path, Upper, Url};

/// As the vendors document them; a most of 512 stands for no limit.
const FORMATS: [Format; 62] = [
    of(Kind::AwsKey, key("AKIA", Upper, (16, 16))),
    of(Kind::AwsKey, key("ASIA", Upper, (16, 16))),
    of(Kind::AwsKey, key("ABIA", Upper, (16, 16))),
    of(Kind::AwsKey, key("ACCA", Upper, (16, 16))),
    of(Kind::GcpKey, key("AIza", Url, (35, 35))),
    of(Kind::GcpKey, key("ya29.", Dotted, (20, 512))),
    of(Kind::GcpKey, key("GOCSPX-", Url, (24, 32))),
    // OpenAI, Anthropic, DeepSeek, OpenRouter, Langfuse
    key("sk-", Url, (20, 512)),
    // GitHub
    key("ghp_", Alphanumeric, (36, 255)),
    key("gho_", Alphanumeric, (36, 255)),
    key("ghu_", Alphanumeric, (36, 255)),
    key("ghs_", Alphanumeric, (36, 255)),
    key("ghr_", Alphanumeric, (36, 255)),
    key("github_pat_", Url, (40, 255)),
    // GitLab
    key("glpat-", Dotted, (20, 64)),
    key("gldt-", Url, (20, 64)),
    key("glrt-", Dotted, (20, 64)),
    key("glptt-", Url, (20, 64)),
    key("glcbt-", Url, (20, 64)),
    key("gloas-", Url, (20, 64)),
    key("glsoat-", Url, (20, 64)),
    key("glft-", Url, (20, 64)),
    key("glagent-", Url, (20, 64)),
    // Slack
    key("xoxb-", Url, (20, 512)),
    key("xoxp-", Url, (20, 512)),
    key("xoxa-", Url, (20, 512)),
    key("xoxr-", Url, (20, 512)),
    key("xoxs-", Url, (20, 512)),
    key("xapp-", Url, (20, 512)),
    key("hooks.slack.com/services/", Path, (30, 128)),
    // Stripe
    key("sk_live_", Alphanumeric, (16, 255)),
    key("sk_test_", Alphanumeric, (16, 255)),
    key("rk_live_", Alphanumeric, (16, 255)),
    key("rk_test_", Alphanumeric, (16, 255)),
    key("whsec_", Alphanumeric, (24, 128)),
    // SendGrid, Twilio, Mailgun
    key("SG.", Dotted, (60, 72)),
    key("SK", Hexadecimal, (32, 32)),
    key("key-", Hexadecimal, (32, 32)),
    // npm, PyPI, RubyGems, Docker, Hugging Face
    key("npm_", Alphanumeric, (36, 36)),
    key("pypi-", Url, (50, 512)),
    key("rubygems_", Hexadecimal, (48, 48)),
    key("dckr_pat_", Url, (24, 64)),
    key("hf_", Alphanumeric, (30, 64)),
    // Groq, xAI, NVIDIA, Replicate, Perplexity, Tavily, LangSmith
    key("gsk_", Alphanumeric, (40, 128)),
    key("xai-", Alphanumeric, (40, 128)),
    key("nvapi-", Url, (40, 128)),
    key("r8_", Alphanumeric, (36, 64)),
    key("pplx-", Alphanumeric, (40, 128)),
    key("tvly-", Url, (24, 128)),
    key("lsv2_", Url, (32, 128)),
    // DigitalOcean, Shopify, Square, Databricks
    key("dop_v1_", Hexadecimal, (64, 64)),
    key("shpat_", Hexadecimal, (32, 32)),
    key("shpss_", Hexadecimal, (32, 32)),
    key("sq0atp-", Url, (22, 64)),
    key("sq0csp-", Url, (40, 64)),
    key("dapi", Hexadecimal, (32, 32)),
    // Grafana, Sentry, Linear, Notion, Postman, HashiCorp Vault, Atlassian
    key("glsa_", Url, (36, 64)),
    key("sntrys_", Url, (40, 512)),
    key("lin_api_", Alphanumeric, (32, 64)),
    key("ntn_", Alphanumeric, (40, 64)),
    key("PMAK-", Url, (50, 80)),
    key("hvs.", Url, (24, 512)),
];

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    let format = &FORMATS[anchor.literal];
    let is_start = !stretch.follows_word(anchor.start)
        && !matches!(stretch.byte_before(anchor.start), Some(b'-' | b'.'))
        && stretch.rest(anchor.start).starts_with(format.prefix);
    if !is_start {
        return anchor.nothing();
    }
    match format.end(stretch, anchor.end) {
        Some(end) => Verdict::found(anchor.start..end, format.kind),
        None => anchor.nothing(),
    }
}

/// What a text is that is a key from its first to its last character.
pub(super) fn kind_of(text: &str) -> Option<Kind> {
    let stretch = Stretch {
        text,
        floor: 0,
        key: "",
    };
    let format = FORMATS.iter().find(|format| {
        text.starts_with(format.prefix) && format.end(stretch, format.prefix.len()) == Some(text.len())
    })?;
    Some(format.kind)
}

impl Format {
    /// Where the key ends whose prefix ends at a place.
    fn end(&self, stretch: Stretch<'_>, from: usize) -> Option<usize> {
        let end = stretch.run_end(from, |byte| self.alphabet.has(byte));
        let secret = stretch.text[from..end].trim_end_matches(['.', '-', '_', '/']);
        let end = from + secret.len();
        let (fewest, most) = self.length;
        let is_length = (fewest..=most).contains(&secret.len());
        let goes_on = stretch.byte(end).is_some_and(|byte| byte.is_ascii_alphanumeric());
        (is_length && !goes_on && is_random(secret)).then_some(end)
    }
}

/// Words joined by hyphens are not: a part of twelve characters or more, and a digit somewhere or both cases.
fn is_random(secret: &str) -> bool {
    let longest = secret.split(['-', '_', '.', '/']).map(str::len).max();
    let has = |test: fn(&u8) -> bool| secret.bytes().any(|byte| test(&byte));
    let is_mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    longest.is_some_and(|longest| longest >= 12) && (is_mixed || has(u8::is_ascii_uppercase))
}

impl Alphabet {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Path => byte.is_ascii_alphanumeric() || byte == b'/',
            Self::Hexadecimal => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Upper => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
        }
    }
}
