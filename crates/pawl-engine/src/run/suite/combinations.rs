//! Tests that stand for several cases.

use serde_json::Value;

use super::case_spec::{CaseSpec, Content};
use super::error::SuiteError;

/// The cases that a case with lists of texts among its variables stands for: one for each combination, the last
/// list changing fastest.
pub(super) struct Combinations {
    spec: Option<CaseSpec>,
    lists: Vec<(String, Vec<Value>)>,
    total: u64,
    next: u64,
}

/// The most cases that one test may stand for.
const MAX_COMBINATIONS: u64 = 100_000;

impl Combinations {
    pub(super) fn of(spec: CaseSpec) -> Result<Self, SuiteError> {
        let lists: Vec<_> = match &spec.content {
            Content::Vars { vars, .. } if spec.expands => vars
                .iter()
                .filter_map(|(name, value)| match value {
                    Value::Array(items) if items.first().is_some_and(Value::is_string) => {
                        Some((name.clone(), items.clone()))
                    }
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let total = lists
            .iter()
            .try_fold(1_u64, |total, (_, items)| total.checked_mul(items.len() as u64));
        match total {
            Some(total) if total <= MAX_COMBINATIONS => Ok(Self {
                spec: Some(spec),
                lists,
                total,
                next: 0,
            }),
            _ => Err(spec
                .spot
                .error(format!(
                    "the lists of variables make more than {MAX_COMBINATIONS} combinations"
                ))
                .with_help("`options: {disableVarExpansion: true}` keeps lists as they are")),
        }
    }
}

impl Iterator for Combinations {
    type Item = CaseSpec;

    fn next(&mut self) -> Option<CaseSpec> {
        let is_last = self.next + 1 == self.total;
        let mut spec = if is_last {
            self.spec.take()
        } else {
            self.spec.clone()
        }?;
        let mut rest = self.next;
        if let Content::Vars { vars, .. } = &mut spec.content {
            for (name, items) in self.lists.iter().rev() {
                let count = items.len() as u64;
                let chosen = usize::try_from(rest % count).unwrap_or_default();
                vars.insert(name.clone(), items[chosen].clone());
                rest /= count;
            }
        }
        self.next += 1;
        if self.total > 1 {
            spec.id = spec.id.map(|id| format!("{id}-{}", self.next));
        }
        Some(spec)
    }
}
