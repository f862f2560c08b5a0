//! What can go wrong with a store of suggestions that is not our database.

/// Why suggestions were not read or written. The text is our own and says what to do next: it may be stored.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct SuggestionStoreError {
    message: String,
    /// What kind of trouble it is.
    pub trouble: Trouble,
    /// For standard error only.
    #[source]
    said: Option<Said>,
}

/// Kinds of trouble with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// What is configured cannot be used.
    Configuration,
    /// It does not answer, or has no time: the same may work later.
    Unavailable,
    /// Others write the same all the time.
    Contention,
    /// It answers, and will not do it until somebody does something about it.
    Refused,
}

/// What the store said, in its own words.
#[derive(Debug, thiserror::Error)]
#[error("it said: {0}")]
struct Said(String);

#[cfg(not(feature = "firestore"))]
impl SuggestionStoreError {
    pub(super) fn not_built() -> Self {
        Self {
            message: "this build has no Firestore: build pawl with the cargo feature `firestore`".to_owned(),
            trouble: Trouble::Configuration,
            said: None,
        }
    }
}

#[cfg(feature = "firestore")]
impl SuggestionStoreError {
    /// People decided about what was being written, time after time.
    pub(crate) fn contention() -> Self {
        Self {
            message:
                "suggestions were decided about while patterns joined them, again and again: mine again later"
                    .to_owned(),
            trouble: Trouble::Contention,
            said: None,
        }
    }
}

#[cfg(feature = "firestore")]
impl From<pawl_providers::firestore::FirestoreError> for SuggestionStoreError {
    fn from(error: pawl_providers::firestore::FirestoreError) -> Self {
        use pawl_providers::firestore::FirestoreErrorKind as Kind;
        Self {
            message: error.to_string(),
            trouble: match error.kind {
                Kind::Configuration => Trouble::Configuration,
                Kind::Quota | Kind::Timeout | Kind::Unavailable => Trouble::Unavailable,
                Kind::Contention => Trouble::Contention,
                Kind::Unauthenticated
                | Kind::Permission
                | Kind::MissingIndex
                | Kind::TooLarge
                | Kind::Unfit
                | Kind::Missing
                | Kind::Exists
                | Kind::Refused => Trouble::Refused,
            },
            said: error.said.map(Said),
        }
    }
}

#[cfg(feature = "firestore")]
impl From<pawl_providers::firestore::FirestoreError> for crate::EngineError {
    fn from(error: pawl_providers::firestore::FirestoreError) -> Self {
        Self::Suggestions(error.into())
    }
}
