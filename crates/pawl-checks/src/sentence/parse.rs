//! Reading sentences.

use regex::RegexBuilder;

use super::{Form, Sentence, Unit};

/// Bytes that a compiled pattern may take.
const PATTERN_SIZE: usize = 1 << 20;

pub(super) fn sentence(text: &str) -> Option<Sentence> {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text).trim_end();
    if let Some(rest) = words(text, &["at", "most"]) {
        return at_most(rest).map(wanted);
    }
    let rest = words(text, &["must"])?;
    let (rest, is_wanted) = match words(rest, &["not"]) {
        Some(rest) => (rest, false),
        None => (rest, true),
    };
    let form = if let Some(rest) = words(rest, &["call"]) {
        calls(rest)?
    } else if let Some(rest) = words(rest, &["contain"]) {
        Form::Contains(quoted(rest)?.to_owned())
    } else if let Some(rest) = words(rest, &["match"]) {
        matches(rest)?
    } else if rest.eq_ignore_ascii_case("refuse") {
        Form::Refuses
    } else {
        // The other forms say what must be.
        if !is_wanted {
            return None;
        }
        let verb = ["be", "have", "use", "make"];
        let limit = verb.iter().find_map(|verb| words(rest, &[verb, "at", "most"]));
        match (limit, words(rest, &["be", "valid", "json"])) {
            (Some(rest), _) => at_most(rest)?,
            (_, Some("")) => Form::ValidJson { key: None },
            (_, Some(rest)) => Form::ValidJson {
                key: Some(key(words(rest, &["with"])?)?),
            },
            _ => return None,
        }
    };
    Some(Sentence {
        form,
        wanted: is_wanted,
    })
}

fn wanted(form: Form) -> Sentence {
    Sentence { form, wanted: true }
}

/// What follows these words, whatever their case.
fn words<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().try_fold(text, |rest, word| {
        let head = rest.get(..word.len())?;
        let tail = &rest[word.len()..];
        let ends = tail.is_empty() || tail.starts_with(char::is_whitespace);
        (ends && head.eq_ignore_ascii_case(word)).then(|| tail.trim_start())
    })
}

fn calls(rest: &str) -> Option<Form> {
    let mut names = rest.split_whitespace();
    let (tool, before) = (names.next()?, names.next());
    let before = match (before, names.next(), names.next()) {
        (None, None, None) => None,
        (Some(word), Some(other), None) if word.eq_ignore_ascii_case("before") => Some(tool_name(other)?),
        _ => return None,
    };
    Some(Form::Calls {
        tool: tool_name(tool)?,
        before,
    })
}

/// A name as programs have it, in quotes or backquotes or bare.
fn tool_name(word: &str) -> Option<String> {
    let bare = word.trim_matches(['`', '"', '\'']);
    let is_name = !bare.is_empty()
        && bare
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-./:".contains(letter));
    is_name.then(|| bare.to_owned())
}

/// A text in quotes that end where the sentence does.
fn quoted(rest: &str) -> Option<&str> {
    const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('`', '`')];
    QUOTES.iter().find_map(|(open, close)| {
        let inner = rest.strip_prefix(*open)?.strip_suffix(*close)?;
        let is_whole = open != close || !inner.contains(*close);
        (!inner.is_empty() && is_whole).then_some(inner)
    })
}

fn matches(rest: &str) -> Option<Form> {
    let inner = rest.strip_prefix('/')?;
    let (pattern, flags) = inner.rsplit_once('/')?;
    let ignores_case = match flags {
        "" => false,
        "i" => true,
        _ => return None,
    };
    let pattern = RegexBuilder::new(pattern)
        .case_insensitive(ignores_case)
        .size_limit(PATTERN_SIZE)
        .build()
        .ok()?;
    (!pattern.as_str().is_empty()).then_some(Form::Matches {
        pattern,
        ignores_case,
    })
}

/// The name of a key, bare or in quotes, after `key` or not.
fn key(rest: &str) -> Option<String> {
    let rest = words(rest, &["the"]).unwrap_or(rest);
    let rest = words(rest, &["key"]).unwrap_or(rest);
    if let Some(name) = quoted(rest) {
        return Some(name.to_owned());
    }
    (!rest.is_empty() && !rest.contains(char::is_whitespace)).then(|| rest.to_owned())
}

fn at_most(rest: &str) -> Option<Form> {
    let (number, unit) = rest.split_once(char::is_whitespace)?;
    let most = number.replace([',', '_'], "").parse().ok()?;
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "character" | "characters" => Unit::Characters,
        "word" | "words" => Unit::Words,
        "call" | "calls" | "tool calls" => Unit::Calls,
        _ => return None,
    };
    Some(Form::AtMost { most, unit })
}
