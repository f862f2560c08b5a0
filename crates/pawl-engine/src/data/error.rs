//! What can go wrong with a request to the data API.

use pawl_model::query::Refusal;
use pawl_store::StoreError;

use crate::EngineError;

/// What can go wrong with a request to the data API.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The request is refused.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The database does not answer.
    #[error("the database does not answer")]
    Unavailable(#[source] StoreError),
    /// The store failed.
    #[error("the store failed")]
    Store(#[source] StoreError),
    /// Intake failed.
    #[error("intake failed")]
    Failed(#[source] Box<EngineError>),
}

impl From<Refusal> for DataError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl DataError {
    /// One row was asked for, and there are more or none.
    #[must_use]
    pub fn not_one(count: u64) -> Self {
        Refusal::new("PGRST116", "Cannot coerce the result to a single JSON object")
            .details(format!("The result contains {count} rows"))
            .into()
    }
}
