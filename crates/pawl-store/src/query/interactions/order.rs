//! The order of a list of interactions, and where a page of it ends.

use pawl_model::{Interaction, InteractionId};
use time::OffsetDateTime;

use super::Dialect;

/// In which order; those without a score or latency come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InteractionOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
    /// The worst first.
    LowestScore,
    /// The best first.
    HighestScore,
    /// The slowest first.
    Slowest,
    /// The fastest first.
    Fastest,
}

/// Where a page ends: the last interaction on it.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionPlace {
    /// What it is sorted by: microseconds since 1970, the score, the latency; none where it has none.
    pub key: Option<f64>,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// The row.
    pub id: InteractionId,
}

/// Whether rows have what they are sorted by.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    With,
    Without,
}

impl InteractionOrder {
    /// The order from the other end; those without a score or latency come last here, too.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Newest => Self::Oldest,
            Self::Oldest => Self::Newest,
            Self::LowestScore => Self::HighestScore,
            Self::HighestScore => Self::LowestScore,
            Self::Slowest => Self::Fastest,
            Self::Fastest => Self::Slowest,
        }
    }

    pub(super) const fn by_time(self) -> bool {
        matches!(self, Self::Newest | Self::Oldest)
    }

    pub(super) const fn descending(self) -> bool {
        matches!(self, Self::Newest | Self::HighestScore | Self::Slowest)
    }

    pub(super) const fn column(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Newest | Self::Oldest, _) => "e.created_at",
            (Self::LowestScore | Self::HighestScore, Dialect::Sqlite) => "cast(e.score as real)",
            (Self::LowestScore | Self::HighestScore, Dialect::Postgres) => "e.score",
            (Self::Slowest | Self::Fastest, _) => "e.latency_ms",
        }
    }

    /// The place of an interaction in this order.
    #[must_use]
    pub fn place(self, interaction: &Interaction) -> InteractionPlace {
        InteractionPlace {
            key: match self {
                Self::Newest | Self::Oldest => None,
                Self::LowestScore | Self::HighestScore => {
                    interaction.score.as_ref().map(pawl_model::Score::as_f64)
                }
                Self::Slowest | Self::Fastest => interaction.latency_ms.map(f64::from),
            },
            created_at: interaction.created_at,
            id: interaction.id,
        }
    }
}

impl Dialect {
    /// What names a row where it is picked from an index.
    pub(super) const fn row(self) -> &'static str {
        match self {
            Self::Sqlite => "e.number",
            Self::Postgres => "e.id",
        }
    }

    /// What rows of the same time, score or latency are sorted by: what is at hand.
    pub(super) const fn tie(self, order: InteractionOrder) -> &'static str {
        if order.by_time() { "e.id" } else { self.row() }
    }
}
