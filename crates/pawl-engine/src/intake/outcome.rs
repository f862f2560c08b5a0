//! What is handed in, and what comes of it.

use std::sync::Arc;

use pawl_model::{InteractionId, NewInteraction};
use time::OffsetDateTime;

use super::content::ContentHash;
use crate::EngineError;

/// Under which terms interactions are handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// The sender has drawn the sample; what does not fit the day's cap is dropped, one by one.
    Sampled,
    /// The sample is drawn here, by the tenant's policy.
    ApplyPolicy,
    /// All that are new are stored, or none: those of a tenant for whom they are too many are over the cap.
    Whole,
    /// As history: neither sampled nor counted in the cap.
    History,
}

/// Interactions that were handed in together.
pub(crate) struct Batch {
    pub(crate) items: Vec<Item>,
    pub(crate) terms: Terms,
}

/// An interaction with the hash of what it said when it was received.
pub(crate) struct Item {
    /// The id of its row, where that is given.
    pub(crate) id: Option<InteractionId>,
    pub(crate) interaction: NewInteraction,
    pub(crate) hash: ContentHash,
}

/// What came of an interaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is stored.
    Created {
        /// The row.
        id: InteractionId,
    },
    /// It was stored before, with the same content.
    Duplicate {
        /// The row.
        id: InteractionId,
    },
    /// Another content is stored under this id.
    Conflict {
        /// The row.
        id: InteractionId,
        /// The fields that differ.
        fields: Vec<&'static str>,
    },
    /// The sample fell otherwise.
    SampledOut,
    /// The day's cap is reached.
    OverCap {
        /// When the tenant's next day begins.
        next_day: OffsetDateTime,
    },
    /// There is no such tenant.
    UnknownTenant,
    /// It would have been stored, but others that go together with it are over their tenant's cap.
    Withheld,
}

/// Why nothing came of what was handed in: it may be handed in again as it is.
#[derive(Clone, Debug, thiserror::Error)]
pub enum IntakeError {
    /// As much as can wait is waiting already.
    #[error("too much is waiting to be stored")]
    Busy,
    /// It could not be stored.
    #[error("interactions could not be stored")]
    Failed(#[source] Arc<EngineError>),
}
