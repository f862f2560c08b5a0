//! How much was masked, by kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use super::label::Label;
use super::{Kind, Masker};

/// How often each kind was masked. Serialises as an object of what occurred: `{"email": 2, "order_code": 1}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MaskCounts {
    kinds: [u32; Kind::COUNT],
    /// By the name that a tenant gave.
    named: BTreeMap<Arc<str>, u32>,
}

impl MaskCounts {
    pub(super) fn add(&mut self, label: Label, masker: &Masker) {
        let count = match label {
            Label::Kind(kind) => &mut self.kinds[kind as usize],
            Label::Named(index) => self
                .named
                .entry(Arc::clone(masker.patterns.name(index)))
                .or_default(),
        };
        *count = count.saturating_add(1);
    }

    /// How often this kind was masked.
    #[must_use]
    pub const fn of(&self, kind: Kind) -> u32 {
        self.kinds[kind as usize]
    }

    /// How often patterns of this name were masked.
    #[must_use]
    pub fn named(&self, name: &str) -> u32 {
        self.named.get(name).copied().unwrap_or_default()
    }

    /// How many placeholders were put in.
    #[must_use]
    pub fn total(&self) -> u32 {
        let counts = self.kinds.iter().chain(self.named.values());
        counts.fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Whether nothing was masked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Adds the counts of another text.
    pub fn merge(&mut self, other: &Self) {
        for (count, more) in self.kinds.iter_mut().zip(other.kinds) {
            *count = count.saturating_add(more);
        }
        for (name, more) in &other.named {
            let count = self.named.entry(Arc::clone(name)).or_default();
            *count = count.saturating_add(*more);
        }
    }

    /// What occurred, by name: the kinds first, then the tenant's own names in the order of the alphabet.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        let kinds = Kind::ALL
            .into_iter()
            .map(|kind| (kind.name(), self.kinds[kind as usize]));
        let named = self.named.iter().map(|(name, count)| (&**name, *count));
        kinds.chain(named).filter(|(_, count)| *count > 0)
    }
}

impl Serialize for MaskCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, count) in self.iter() {
            map.serialize_entry(&name.to_ascii_lowercase(), &count)?;
        }
        map.end()
    }
}
