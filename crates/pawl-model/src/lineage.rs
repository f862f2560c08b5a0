//! Lineage: what led to what, each step of it with the hash of the row that it names.

use serde::Serialize;
use time::OffsetDateTime;

use crate::words::words;

words! {
    /// A stage of the loop, in the order in which they follow each other.
    LineageKind {
        /// Something that an agent did, which a pattern cites.
        Interaction = "interaction",
        /// What went wrong in it.
        Pattern = "pattern",
        /// A group of patterns.
        Suggestion = "suggestion",
        /// The test that was drafted of it.
        Draft = "draft",
        /// That somebody approved it.
        Approval = "approval",
        /// That somebody rejected it.
        Rejection = "rejection",
        /// A run that came to its end.
        Run = "run",
        /// A candidate of an optimisation, once it is decided about.
        Candidate = "candidate",
        /// A decision about what is live.
        Verdict = "verdict",
        /// A version of a prompt: its name, `@`, and the number.
        Version = "version",
        /// A prompt: which of its versions is live.
        Prompt = "prompt",
    }
}

words! {
    /// What became of a row.
    LineageEvent {
        /// It entered the lineage.
        Created = "created",
        /// It says something else since.
        Changed = "changed",
        /// It is gone; the hash of what it said last stays.
        Erased = "erased",
        /// It is about to be written, in a store that has no transaction with ours.
        Intended = "intended",
        /// It was.
        Completed = "completed",
    }
}

impl LineageKind {
    /// The table whose row is named. A draft and what was decided stand in the row of their suggestion.
    #[must_use]
    pub const fn table(self) -> &'static str {
        match self {
            Self::Interaction => "evaluations",
            Self::Pattern => "failure_patterns",
            Self::Suggestion | Self::Draft | Self::Approval | Self::Rejection => "suggestions",
            Self::Run => "sb_eval_runs",
            Self::Candidate => "prompt_candidates",
            Self::Verdict => "promotion_verdicts",
            Self::Version => "prompt_versions",
            Self::Prompt => "prompts",
        }
    }
}

impl LineageEvent {
    /// Whether the row is a document of another store than our database.
    #[must_use]
    pub const fn is_elsewhere(self) -> bool {
        matches!(self, Self::Intended | Self::Completed)
    }
}

/// Something that has a place in the lineage.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct LineageNode {
    /// Which stage it is of.
    pub kind: LineageKind,
    /// Its id there.
    pub id: String,
}

impl LineageNode {
    /// This node.
    pub fn new(kind: LineageKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }

    /// The version of a prompt with this number.
    #[must_use]
    pub fn version(prompt: &str, version: i64) -> Self {
        Self::new(LineageKind::Version, format!("{prompt}@{version}"))
    }
}

impl std::fmt::Display for LineageNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}

/// An entry of the lineage, as it is told of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineageEntry {
    /// Its place in the tenant's chain, from 1.
    pub position: i64,
    /// What became of the row.
    pub event: LineageEvent,
    /// When, by the database's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// SHA-256 of the row, in hexadecimal digits.
    pub sha256: String,
}
