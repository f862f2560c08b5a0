//! What can go wrong with models.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::spec::{ModelSpec, Provider};

/// Why a model cannot be asked at all.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A variable is not set.
    #[error("{provider}: models need {variable}")]
    Missing {
        /// The provider.
        provider: Provider,
        /// The variable.
        variable: &'static str,
    },
    /// A variable that should hold a URL does not.
    #[error("{variable} is not an http or https URL")]
    Url {
        /// The variable.
        variable: &'static str,
    },
    /// The key holds a character that no header can hold.
    #[error("the key of {provider} holds a character that cannot be sent")]
    Key {
        /// The provider.
        provider: Provider,
    },
    /// The provider has no embeddings.
    #[error("{0} gives no embeddings: {provider} has none", provider = .0.provider())]
    NoEmbeddings(ModelSpec),
    /// The file with Google's credentials cannot be read.
    #[error("cannot read Google credentials from {}", path.display())]
    Credentials {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: io::Error,
    },
    /// The file holds something else.
    #[error("{} does not hold Google credentials of a service account or a user", path.display())]
    CredentialsForm {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The HTTP client does not start.
    #[error("cannot set up the HTTP client")]
    Client(#[source] reqwest::Error),
}

/// Why a model gave no answer. It never becomes an answer that a check could judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFailure {
    /// What kind of failure.
    pub kind: ModelFailureKind,
    /// What happened, in our own words: it may be stored.
    pub message: String,
    /// The beginning of what the provider said, for standard error only.
    pub said: Option<String>,
    /// How often the request was sent again.
    pub retries: u32,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFailureKind {
    /// There was no answer in time.
    Timeout,
    /// The provider told us to come back later, and the retries or the time are used up.
    Throttled,
    /// The provider does not know the key, or it may not do this (401, 403).
    Unauthorized,
    /// The provider refuses the request, with this status.
    Refused(u16),
    /// It could not be reached, broke, or answered something that is none of its answers.
    Broken,
    /// The answer is longer than its bound.
    TooLong,
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelFailure {}
