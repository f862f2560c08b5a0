//! The header `Prefer` (RFC 7240), as PostgREST reads it.

use axum::http::{HeaderMap, HeaderValue, header::HeaderName};
use pawl_model::query::{Missing, Refusal, Resolution};

/// The header that says which preferences were followed.
pub(super) const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// What the client prefers; of several statements on one matter, the first counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Preferences {
    pub(super) resolution: Option<Resolution>,
    pub(super) missing: Option<Missing>,
    pub(super) shown: Option<Shown>,
    pub(super) count: Option<Counted>,
    pub(super) handling: Option<Handling>,
    pub(super) max_affected: Option<u64>,
}

/// What a request that writes answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Representation,
    Minimal,
    HeadersOnly,
}

/// How rows are counted; all of these are exact here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    Exact,
    Planned,
    Estimated,
}

/// What happens to preferences that we do not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handling {
    Strict,
    Lenient,
}

impl Preferences {
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut preferences = Self::default();
        let mut unknown = Vec::new();
        let values = headers
            .get_all("prefer")
            .into_iter()
            .filter_map(|value| value.to_str().ok());
        for preference in values.flat_map(|value| value.split(',')).map(str::trim) {
            if !preference.is_empty() && !preferences.take(preference) {
                unknown.push(preference);
            }
        }
        if preferences.handling == Some(Handling::Strict) && !unknown.is_empty() {
            return Err(
                Refusal::new("PGRST122", "Invalid preferences given with handling=strict")
                    .details(["Invalid preferences: ", &unknown.join(", ")].concat()),
            );
        }
        Ok(preferences)
    }

    fn take(&mut self, preference: &str) -> bool {
        match preference {
            "resolution=merge-duplicates" => _ = self.resolution.get_or_insert(Resolution::Merge),
            "resolution=ignore-duplicates" => _ = self.resolution.get_or_insert(Resolution::Ignore),
            "missing=default" => _ = self.missing.get_or_insert(Missing::Default),
            "missing=null" => _ = self.missing.get_or_insert(Missing::Null),
            "return=representation" => _ = self.shown.get_or_insert(Shown::Representation),
            "return=minimal" => _ = self.shown.get_or_insert(Shown::Minimal),
            "return=headers-only" => _ = self.shown.get_or_insert(Shown::HeadersOnly),
            "count=exact" => _ = self.count.get_or_insert(Counted::Exact),
            "count=planned" => _ = self.count.get_or_insert(Counted::Planned),
            "count=estimated" => _ = self.count.get_or_insert(Counted::Estimated),
            "handling=strict" => _ = self.handling.get_or_insert(Handling::Strict),
            "handling=lenient" => _ = self.handling.get_or_insert(Handling::Lenient),
            other => {
                let Some(most) = other
                    .strip_prefix("max-affected=")
                    .and_then(|most| most.parse().ok())
                else {
                    return false;
                };
                self.max_affected.get_or_insert(most);
            }
        }
        true
    }

    /// The preferences that a request which reads follows.
    pub(super) fn reading(&self) -> Self {
        Self {
            count: self.count,
            handling: self.handling,
            ..Self::default()
        }
    }

    /// The value of `Preference-Applied`, of these preferences.
    pub(super) fn applied(&self) -> Option<HeaderValue> {
        let words = [
            self.resolution.map(|resolution| match resolution {
                Resolution::Merge => "resolution=merge-duplicates",
                Resolution::Ignore => "resolution=ignore-duplicates",
            }),
            self.missing.map(|missing| match missing {
                Missing::Default => "missing=default",
                Missing::Null => "missing=null",
            }),
            self.shown.map(|shown| match shown {
                Shown::Representation => "return=representation",
                Shown::Minimal => "return=minimal",
                Shown::HeadersOnly => "return=headers-only",
            }),
            self.count.map(|count| match count {
                Counted::Exact => "count=exact",
                Counted::Planned => "count=planned",
                Counted::Estimated => "count=estimated",
            }),
            self.handling.map(|handling| match handling {
                Handling::Strict => "handling=strict",
                Handling::Lenient => "handling=lenient",
            }),
        ];
        let mut applied = words.into_iter().flatten().collect::<Vec<_>>().join(", ");
        if let (Some(Handling::Strict), Some(most)) = (self.handling, self.max_affected) {
            applied.extend([", max-affected=", &most.to_string()]);
        }
        // Words of our own and a number.
        (!applied.is_empty())
            .then(|| HeaderValue::from_str(&applied).ok())
            .flatten()
    }
}
