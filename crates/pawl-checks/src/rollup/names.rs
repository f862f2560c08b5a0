//! Counts by name, of a bounded number of names.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How often each name was seen.
///
/// No more than [`NameCounts::MAX_NAMES`] are told apart: those that come first by length in bytes and then by bytes,
/// whatever the order in which they were seen. Short names are what people and programs choose; a flood of generated ones
/// is long. What the others were seen is one count more.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NameCounts {
    #[serde(rename = "c", skip_serializing_if = "BTreeMap::is_empty")]
    counts: BTreeMap<Name, u64>,
    #[serde(rename = "o", skip_serializing_if = "super::is_zero")]
    others: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Name(Box<str>);

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl NameCounts {
    /// How many names are told apart.
    pub const MAX_NAMES: usize = 1_000;
    /// A longer name, in bytes, is one of the others.
    pub const MAX_NAME_BYTES: usize = 200;

    pub(super) fn add(&mut self, name: &str, count: u64) {
        if count == 0 {
            return;
        }
        if name.len() > Self::MAX_NAME_BYTES {
            self.others += count;
            return;
        }
        *self.counts.entry(Name(name.into())).or_default() += count;
        // A name that is put out now has enough before it forever: what is counted of the ones that stay is complete.
        if self.counts.len() > Self::MAX_NAMES
            && let Some((_, count)) = self.counts.pop_last()
        {
            self.others += count;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (name, count) in other.iter() {
            self.add(name, count);
        }
        self.others += other.others;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.counts.is_empty() && self.others == 0
    }

    /// The names with their counts, short ones first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(name, count)| (&*name.0, *count))
    }

    /// The sum of the counts of all other names.
    #[must_use]
    pub const fn others(&self) -> u64 {
        self.others
    }
}
