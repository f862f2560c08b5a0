//! Patterns of a tenant, in a regular expression engine whose time is linear in the text.

use std::ops::Range;
use std::sync::Arc;

use regex_automata::Input;
use regex_automata::meta::{BuildError, Regex};
use regex_automata::util::syntax;
use serde::{Deserialize, Serialize};

use super::Kind;
use super::label::{Label, Labelled, MAX_NAME, is_name};

/// How many patterns a tenant may have.
pub(super) const MAX_PATTERNS: usize = 20;
/// How many characters a pattern may have.
pub(super) const MAX_LENGTH: usize = 500;
/// The largest compiled pattern, in bytes.
const SIZE_LIMIT: usize = 1 << 20;
/// How deep a pattern may be nested.
const NEST_LIMIT: u32 = 50;

/// A pattern of a tenant's own: what it matches is masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantPattern {
    /// In the syntax of the `regex` crate: no look-around and no back references, so that matching takes linear time.
    pub pattern: String,
    /// The placeholder without its brackets, as in `ORDER_CODE`; `CUSTOM` where there is none. With the name of a
    /// built-in kind, matches count as that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Why patterns of a tenant are refused. Patterns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There are more than may be.
    #[error("{count} patterns, at most {MAX_PATTERNS}")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// A pattern has too many characters.
    #[error("pattern {number} has {length} characters, at most {MAX_LENGTH}")]
    TooLong {
        /// Which pattern.
        number: usize,
        /// Its characters.
        length: usize,
    },
    /// A pattern is not a regular expression.
    #[error("pattern {number}, column {column}: {reason}")]
    Syntax {
        /// Which pattern.
        number: usize,
        /// In characters, from 1.
        column: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A pattern is too large when compiled.
    #[error("pattern {number} is too large when compiled, more than {SIZE_LIMIT} bytes")]
    TooLarge {
        /// Which pattern.
        number: usize,
    },
    /// A pattern matches the empty text, and so everywhere.
    #[error("pattern {number} matches the empty text")]
    MatchesEmpty {
        /// Which pattern.
        number: usize,
    },
    /// A name cannot be a placeholder's.
    #[error(
        "pattern {number}: the name {name:?} is not 1 to {MAX_NAME} of A-Z, 0-9 and _, beginning with a letter"
    )]
    Name {
        /// Which pattern.
        number: usize,
        /// The name.
        name: String,
    },
}

/// The compiled patterns of a tenant; all of them are searched for at once.
#[derive(Debug)]
pub(super) struct Patterns {
    /// None where there are no patterns.
    regex: Option<Regex>,
    labels: Vec<Label>,
    names: Vec<Arc<str>>,
}

impl Patterns {
    pub(super) const fn none() -> Self {
        Self {
            regex: None,
            labels: Vec::new(),
            names: Vec::new(),
        }
    }

    pub(super) fn compile(patterns: &[TenantPattern]) -> Result<Self, PatternError> {
        if patterns.is_empty() {
            return Ok(Self::none());
        }
        if patterns.len() > MAX_PATTERNS {
            return Err(PatternError::TooMany {
                count: patterns.len(),
            });
        }
        let (mut labels, mut names) = (Vec::new(), Vec::new());
        for (number, pattern) in (1..).zip(patterns) {
            check(number, pattern)?;
            let name = pattern.name.as_deref().unwrap_or(Kind::Custom.name());
            labels.push(Kind::from_name(name).map_or(Label::Named(number - 1), Label::Kind));
            names.push(Arc::from(name));
        }
        let sources: Vec<&str> = patterns.iter().map(|pattern| &*pattern.pattern).collect();
        let limit = SIZE_LIMIT * MAX_PATTERNS;
        // Each compiles alone, so that only the size of all together can be wrong.
        let regex = build(&sources, limit).map_err(|_| PatternError::TooLarge {
            number: patterns.len(),
        })?;
        Ok(Self {
            regex: Some(regex),
            labels,
            names,
        })
    }

    /// The name that the pattern of this index gives.
    pub(super) fn name(&self, index: usize) -> &Arc<str> {
        &self.names[index]
    }

    /// Whether a pattern gives this name.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.names.iter().any(|given| **given == *name)
    }

    /// What the patterns match within a part of a text: disjoint, in order; of several at one place the first pattern.
    pub(super) fn find<'a>(
        &'a self,
        text: &'a str,
        within: Range<usize>,
    ) -> impl Iterator<Item = Labelled> + 'a {
        let input = Input::new(text).range(within);
        let matches = self
            .regex
            .as_ref()
            .map(|regex| regex.find_iter(input))
            .into_iter()
            .flatten();
        // Some patterns match the empty text only in places that no test at compile time sees, as `\b` does.
        matches.filter(|found| !found.is_empty()).map(|found| Labelled {
            range: found.range(),
            label: self.labels[found.pattern().as_usize()],
        })
    }
}

fn build(sources: &[&str], size_limit: usize) -> Result<Regex, Box<BuildError>> {
    Regex::builder()
        .configure(Regex::config().nfa_size_limit(Some(size_limit)))
        .syntax(syntax::Config::new().nest_limit(NEST_LIMIT))
        .build_many(sources)
        .map_err(Box::new)
}

fn check(number: usize, pattern: &TenantPattern) -> Result<(), PatternError> {
    let length = pattern.pattern.chars().count();
    if length > MAX_LENGTH {
        return Err(PatternError::TooLong { number, length });
    }
    if let Some(name) = &pattern.name
        && !is_name(name)
    {
        let name = name.chars().take(2 * MAX_NAME).collect();
        return Err(PatternError::Name { number, name });
    }
    let regex =
        build(&[&pattern.pattern], SIZE_LIMIT).map_err(|error| refuse(number, &pattern.pattern, &error))?;
    if regex.is_match("") {
        return Err(PatternError::MatchesEmpty { number });
    }
    Ok(())
}

fn refuse(number: usize, pattern: &str, error: &BuildError) -> PatternError {
    let (offset, reason) = match error.syntax_error() {
        Some(regex_syntax::Error::Parse(error)) => (error.span().start.offset, error.kind().to_string()),
        Some(regex_syntax::Error::Translate(error)) => (error.span().start.offset, error.kind().to_string()),
        _ => return PatternError::TooLarge { number },
    };
    let column = pattern[..offset].chars().count() + 1;
    PatternError::Syntax {
        number,
        column,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compile(patterns: &[(&str, Option<&str>)]) -> Result<Patterns, String> {
        let patterns: Vec<TenantPattern> = patterns
            .iter()
            .map(|(pattern, name)| TenantPattern {
                pattern: (*pattern).to_owned(),
                name: name.map(str::to_owned),
            })
            .collect();
        Patterns::compile(&patterns).map_err(|error| error.to_string())
    }

    #[test]
    fn bad_patterns_are_refused_with_their_place() {
        for (pattern, name, message) in [
            ("é(a", None, "pattern 2, column 2: unclosed group"),
            (
                r"(a)\1",
                None,
                "pattern 2, column 4: backreferences are not supported",
            ),
            (
                r"\p{Nope}",
                None,
                "pattern 2, column 1: Unicode property not found",
            ),
            ("a*", None, "pattern 2 matches the empty text"),
            (
                "(?:a{1000}){1000}",
                None,
                "pattern 2 is too large when compiled, more than 1048576 bytes",
            ),
            (
                "a",
                Some("order"),
                "pattern 2: the name \"order\" is not 1 to 32 of A-Z, 0-9 and _, beginning with a letter",
            ),
        ] {
            assert_eq!(
                compile(&[("ok", None), (pattern, name)]).unwrap_err(),
                message,
                "of {pattern}"
            );
        }
        assert_eq!(
            compile(&[(&"a".repeat(501), None)]).unwrap_err(),
            "pattern 1 has 501 characters, at most 500"
        );
        assert_eq!(
            compile(&[("a", None); 21]).unwrap_err(),
            "21 patterns, at most 20"
        );
        assert!(compile(&[("é".repeat(500).as_str(), None); 20]).is_ok());
    }

    #[test]
    fn all_are_searched_for_at_once() {
        let patterns = compile(&[
            (r"ORD-\d+", Some("ORDER_CODE")),
            (r"\w+-\d+", None),
            ("x", Some("EMAIL")),
        ])
        .unwrap();
        let found: Vec<(Range<usize>, Label)> = patterns
            .find("ORD-1 AB-2 x ORD-3", 0..12)
            .map(|found| (found.range, found.label))
            .collect();
        let expected = [
            (0..5, Label::Named(0)),
            (6..10, Label::Kind(Kind::Custom)),
            (11..12, Label::Kind(Kind::Email)),
        ];
        assert_eq!(found, expected);
    }
}
