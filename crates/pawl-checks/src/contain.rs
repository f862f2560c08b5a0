//! The `contains` family and `starts-with`.

use crate::Subject;
use crate::excerpt::{LONGEST, cut, quote};
use crate::rule::{Finding, Rule};
use crate::spec::{AssertSpec, CheckType, PathStep, SpecError, form, text_of};
use serde_json::Value;

/// How many of the texts have to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Any,
    All,
}

/// How letters are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Exact,
    Folded,
}

/// All six forms: `contains` is `contains-all` of one text.
#[derive(Debug)]
pub(crate) struct Contain {
    /// As written, for messages.
    texts: Vec<String>,
    /// In lower case where case is folded, else empty.
    folded: Vec<String>,
    quantity: Quantity,
    case: Case,
}

impl Contain {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        let (texts, quantity) = match spec.check_type {
            CheckType::ContainsAny | CheckType::IContainsAny => (list_value(spec)?, Quantity::Any),
            CheckType::ContainsAll | CheckType::IContainsAll => (list_value(spec)?, Quantity::All),
            _ => (vec![spec.text_value()?], Quantity::All),
        };
        let (case, folded) = match spec.check_type {
            CheckType::IContains | CheckType::IContainsAny | CheckType::IContainsAll => (
                Case::Folded,
                texts.iter().map(|text| text.to_lowercase()).collect(),
            ),
            _ => (Case::Exact, Vec::new()),
        };
        Ok(Self {
            texts,
            folded,
            quantity,
            case,
        })
    }

    fn is_found(&self, subject: &Subject<'_>, index: usize) -> bool {
        match self.case {
            Case::Exact => subject.text().contains(&self.texts[index]),
            Case::Folded => subject.lower_case().contains(&self.folded[index]),
        }
    }
}

impl Rule for Contain {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let mut indices = 0..self.texts.len();
        match self.quantity {
            Quantity::All => match indices.find(|index| !self.is_found(subject, *index)) {
                None => Finding::Holds,
                Some(missing) => Finding::Misses(format!(
                    "does not contain {}",
                    quote(&self.texts[missing], LONGEST)
                )),
            },
            Quantity::Any => Finding::of(indices.any(|index| self.is_found(subject, index)), || {
                format!("contains none of: {}", cut(&self.texts.join(", "), LONGEST))
            }),
        }
    }

    fn claim(&self) -> String {
        match (self.texts.as_slice(), self.quantity) {
            ([text], _) => format!("contains {}", quote(text, LONGEST)),
            (texts, Quantity::All) => format!("contains all of: {}", cut(&texts.join(", "), LONGEST)),
            (texts, Quantity::Any) => format!("contains one of: {}", cut(&texts.join(", "), LONGEST)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct StartsWith(String);

impl StartsWith {
    pub(crate) fn compile(spec: &AssertSpec) -> Result<Self, SpecError> {
        spec.text_value().map(Self)
    }
}

impl Rule for StartsWith {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        Finding::of(subject.text().starts_with(&self.0), || {
            format!(
                "starts with {}, not {}",
                quote(subject.text(), 50),
                quote(&self.0, 50)
            )
        })
    }

    fn claim(&self) -> String {
        format!("starts with {}", quote(&self.0, LONGEST))
    }
}

/// A list of texts: a list, or one text with comma-separated values.
fn list_value(spec: &AssertSpec) -> Result<Vec<String>, SpecError> {
    let texts = match spec.value.as_ref().ok_or_else(|| spec.missing("value"))? {
        Value::Array(items) => {
            let read_item = |(index, item)| {
                text_of(item).map_err(|message| {
                    SpecError::new(message)
                        .under(PathStep::Index(index))
                        .under(PathStep::Key("value".to_owned()))
                })
            };
            items
                .iter()
                .enumerate()
                .map(read_item)
                .collect::<Result<Vec<_>, _>>()?
        }
        Value::String(text) => comma_separated(text).map_err(|message| SpecError::at("value", message))?,
        other => {
            return Err(SpecError::at(
                "value",
                format!("must be a list of texts, not {}", form(other)),
            ));
        }
    };
    if texts.is_empty() {
        return Err(SpecError::at("value", "must not be empty"));
    }
    Ok(texts)
}

/// Splits at commas. White space around a value and repeated commas do not count; a value in double quotes may hold
/// commas, with `""`, `\"` and `\\` as escapes.
fn comma_separated(text: &str) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
        if rest.is_empty() {
            return Ok(values);
        }
        if let Some(quoted) = rest.strip_prefix('"') {
            let (value, after) = quoted_value(quoted)?;
            if value.is_empty() {
                return Err("must not hold an empty text".to_owned());
            }
            values.push(value);
            rest = after.trim_start();
            if !(rest.is_empty() || rest.starts_with(',')) {
                return Err("has text between a closing quote and the next comma".to_owned());
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            values.push(rest[..end].trim_end().to_owned());
            rest = &rest[end..];
        }
    }
}

/// The value up to its closing quote, and what follows.
fn quoted_value(text: &str) -> Result<(String, &str), String> {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        match (c, next) {
            ('\\', Some(escaped @ ('"' | '\\'))) | ('"', Some(escaped @ '"')) => {
                value.push(escaped);
                chars.next();
            }
            ('"', _) => return Ok((value, &text[offset + 1..])),
            _ => value.push(c),
        }
    }
    Err("has a quote that is not closed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comma_separated_values_may_be_quoted() {
        for (text, values) in [
            ("a, b ,c", &["a", "b", "c"][..]),
            (r#""1,000", in stock"#, &["1,000", "in stock"]),
            (r#""say ""hi""","\"x\\""#, &["say \"hi\"", "\"x\\"]),
            (" , ,a,,", &["a"]),
            ("", &[]),
        ] {
            assert_eq!(comma_separated(text).unwrap(), values, "of {text}");
        }
        for broken in [r#""open"#, r#""a" b"#, r#""""#] {
            assert!(comma_separated(broken).is_err(), "of {broken}");
        }
    }
}
