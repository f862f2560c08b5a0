//! Targets by name.

use std::collections::BTreeMap;
use std::fmt;

/// Targets, by the names that callers of the server know them by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Targets(pub(crate) BTreeMap<String, String>);

impl Targets {
    /// Reads `NAME=TARGET, NAME=TARGET`. A target with a comma in it has its place in the file.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut targets = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let pair = part
                .split_once('=')
                .map(|(name, target)| (name.trim(), target.trim()));
            let Some((name, target)) = pair.filter(|(name, target)| !name.is_empty() && !target.is_empty())
            else {
                return Err(format!(
                    "`{part}` is not of the form NAME=TARGET, such as support=exec:./agent.py"
                ));
            };
            if targets.insert(name.to_owned(), target.to_owned()).is_some() {
                return Err(format!("`{name}` is named twice"));
            }
        }
        Ok(Self(targets))
    }
}

/// The names alone: what they stand for may hold a secret.
impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.keys().map(String::as_str).collect();
        f.write_str(&names.join(", "))
    }
}
