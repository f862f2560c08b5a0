//! The JSON object in what a model answered: among prose, in fences, with trailing commas, in single quotes, or cut off
//! in the middle. What could mean two things is refused.

mod lenient;

use serde_json::{Map, Value};

use lenient::{Fault, Reader};

/// An object that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Extracted {
    /// Its members.
    pub object: Map<String, Value>,
    /// Whether the text ends in the middle of it. What was complete is in it, and a text as far as it goes.
    pub is_truncated: bool,
}

/// Why there is no object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// None that is wanted.
    #[error("there is no JSON object of the wanted form")]
    Missing,
    /// Several that are wanted and differ.
    #[error("there are several JSON objects of the wanted form")]
    Several,
    /// A number that is none, such as NaN.
    #[error("the JSON holds NaN or an infinity")]
    NotANumber,
    /// Objects and lists within each other, more than 64 of them.
    #[error("the JSON is nested deeper than {} levels", lenient::MAX_DEPTH)]
    TooDeep,
}

/// The object that `is_wanted`, among those that are not part of another one. Several are as good as one where they are
/// the same.
///
/// # Errors
/// When there is none, or not one alone; when one of the objects holds NaN or is nested too deep.
pub fn object(
    text: &str,
    is_wanted: impl Fn(&Map<String, Value>) -> bool,
) -> Result<Extracted, ExtractError> {
    let mut found: Option<Extracted> = None;
    let mut from = 0;
    while let Some(start) = text[from..].find('{').map(|at| from + at) {
        let mut reader = Reader::new(text, start);
        match reader.object() {
            Ok(object) => {
                from = reader.at();
                let is_truncated = reader.is_truncated();
                let extracted = Extracted { object, is_truncated };
                match &found {
                    _ if !is_wanted(&extracted.object) => {}
                    None => found = Some(extracted),
                    Some(other) if other.object == extracted.object => {}
                    Some(_) => return Err(ExtractError::Several),
                }
            }
            // Of an object that is cut off before anything of it is complete, no part is another one.
            Err(Fault::Syntax) if reader.is_truncated() => break,
            Err(Fault::Syntax) => from = start + 1,
            Err(Fault::NotANumber) => return Err(ExtractError::NotANumber),
            Err(Fault::TooDeep) => return Err(ExtractError::TooDeep),
        }
    }
    found.ok_or(ExtractError::Missing)
}

#[cfg(test)]
mod tests;
