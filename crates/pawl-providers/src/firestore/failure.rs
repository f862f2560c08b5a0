//! What can go wrong with Firestore, and what to do about it.

use std::fmt;

use tonic::{Code, Status};

use crate::excerpt::excerpt;
use crate::model::{ModelError, ModelFailureKind, Refusal};

/// How much of what Firestore said is kept for standard error, in characters.
const MAX_SAID: usize = 500;

/// The longest link that is shown.
const MAX_LINK: usize = 2_000;

/// Why something was not read or written. Its text is our own and says what to do next: it may be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirestoreError {
    /// What kind of failure.
    pub kind: FirestoreErrorKind,
    message: String,
    /// The beginning of what Firestore said, for standard error only.
    pub said: Option<String>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirestoreErrorKind {
    /// What is configured cannot be used.
    Configuration,
    /// There is no access token, or it is not taken.
    Unauthenticated,
    /// The account may not do this.
    Permission,
    /// A quota is used up.
    Quota,
    /// A query needs an index that there is not.
    MissingIndex,
    /// A document is larger than Firestore takes.
    TooLarge,
    /// A document holds what Firestore cannot hold.
    Unfit,
    /// A document that should be there is not.
    Missing,
    /// A document that should not be there is.
    Exists,
    /// Others wrote the same documents all the time.
    Contention,
    /// There was no answer in time. What was to be written may have been.
    Timeout,
    /// Firestore could not be reached, or broke. What was to be written may have been.
    Unavailable,
    /// It refused for another reason.
    Refused,
}

impl fmt::Display for FirestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FirestoreError {}

impl FirestoreError {
    pub(super) fn new(kind: FirestoreErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            said: None,
        }
    }

    pub(super) fn unfit(path: &str, what: &str) -> Self {
        let message = format!("Firestore cannot hold {what} (at {path})");
        Self::new(FirestoreErrorKind::Unfit, message)
    }

    /// A document that takes so many bytes, at least.
    pub(super) fn too_large(id: &str, size: usize) -> Self {
        let message = format!(
            "the document {id} would have {size} bytes, and Firestore takes 1 MiB: shorten its draft or its history"
        );
        Self::new(FirestoreErrorKind::TooLarge, message)
    }

    pub(super) fn timeout() -> Self {
        let message = "Firestore did not answer in time: look at its status page, and try again";
        Self::new(FirestoreErrorKind::Timeout, message)
    }

    pub(super) fn contention() -> Self {
        let message = "others wrote the same documents at the same time, again and again: try again later";
        Self::new(FirestoreErrorKind::Contention, message)
    }
}

impl From<Status> for FirestoreError {
    fn from(status: Status) -> Self {
        use FirestoreErrorKind as Kind;
        let said = status.message();
        let (kind, message) = match status.code() {
            Code::Unauthenticated => (
                Kind::Unauthenticated,
                "Firestore does not take the access token: check GOOGLE_APPLICATION_CREDENTIALS".to_owned(),
            ),
            Code::PermissionDenied => (
                Kind::Permission,
                "the account may not use Firestore in this project: give it the role Cloud Datastore User \
                 (roles/datastore.user), and check GOOGLE_CLOUD_PROJECT and that the Firestore API is enabled"
                    .to_owned(),
            ),
            Code::ResourceExhausted => (
                Kind::Quota,
                "a quota of Firestore is used up: wait for its reset, or raise it in the Google Cloud console".to_owned(),
            ),
            Code::FailedPrecondition if said.contains("index") => (
                Kind::MissingIndex,
                match console_link(said) {
                    Some(link) => format!("a query needs an index in Firestore: create it at {link}"),
                    None => "a query needs an index in Firestore: create it in the Google Cloud console".to_owned(),
                },
            ),
            Code::InvalidArgument if said.contains("maximum allowed size") || said.contains("too large") => (
                Kind::TooLarge,
                "a document would be larger than 1 MiB: shorten its draft or its history".to_owned(),
            ),
            Code::NotFound if said.contains("The database") => (
                Kind::Configuration,
                "the project has no Firestore database: create one, or check GOOGLE_CLOUD_PROJECT".to_owned(),
            ),
            Code::NotFound => (
                Kind::Missing,
                "a document is not there any more: list the suggestions anew".to_owned(),
            ),
            Code::AlreadyExists => (
                Kind::Exists,
                "a document is there already: list the suggestions anew".to_owned(),
            ),
            Code::Aborted => return Self::contention(),
            Code::DeadlineExceeded | Code::Cancelled => return Self::timeout(),
            Code::Unavailable | Code::Internal | Code::Unknown | Code::DataLoss => (
                Kind::Unavailable,
                "Firestore cannot be reached: check the network and FIRESTORE_EMULATOR_HOST, and try again".to_owned(),
            ),
            code => (
                Kind::Refused,
                format!("Firestore refused with the status {}: its words stand on standard error", code as i32),
            ),
        };
        Self {
            kind,
            message,
            said: (!said.is_empty()).then(|| excerpt(said, MAX_SAID)),
        }
    }
}

impl From<Refusal> for FirestoreError {
    fn from(failure: Refusal) -> Self {
        let kind = match failure.kind {
            ModelFailureKind::Unauthorized | ModelFailureKind::Refused(_) => {
                FirestoreErrorKind::Unauthenticated
            }
            ModelFailureKind::Timeout => FirestoreErrorKind::Timeout,
            _ => FirestoreErrorKind::Unavailable,
        };
        Self {
            kind,
            message: format!(
                "no way into Firestore: {}: check GOOGLE_APPLICATION_CREDENTIALS, or log in with gcloud",
                failure.what
            ),
            said: failure.said,
        }
    }
}

impl From<ModelError> for FirestoreError {
    fn from(error: ModelError) -> Self {
        Self::new(FirestoreErrorKind::Configuration, error.to_string())
    }
}

/// The page of Google's console that a refusal names; nothing else of it is shown.
fn console_link(said: &str) -> Option<&str> {
    let start = said.find("https://console.")?;
    let link = said[start..].split(|letter: char| letter.is_whitespace() || letter.is_control());
    let link = link.into_iter().next()?.trim_end_matches(['.', ',', ')']);
    let is_google = link.starts_with("https://console.firebase.google.com/")
        || link.starts_with("https://console.cloud.google.com/");
    let is_plain = link
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte));
    (is_google && is_plain && link.len() <= MAX_LINK).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Code, said: &str) -> FirestoreError {
        Status::new(code, said).into()
    }

    #[test]
    fn each_failure_says_what_to_do_and_nothing_of_firestores_words() {
        use FirestoreErrorKind as Kind;
        let index = "The query requires an index. You can create it here: https://console.firebase.google.com/v1/r/project/p/firestore/indexes?create_composite=Clxw";
        let size = "Document 'projects/secret' cannot be written because its size (1,100,000 bytes) exceeds the maximum allowed size of 1,048,576 bytes.";
        for (code, said, kind, todo) in [
            (
                Code::Unauthenticated,
                "secret",
                Kind::Unauthenticated,
                "GOOGLE_APPLICATION_CREDENTIALS",
            ),
            (
                Code::PermissionDenied,
                "secret",
                Kind::Permission,
                "roles/datastore.user",
            ),
            (Code::ResourceExhausted, "secret", Kind::Quota, "raise it"),
            (
                Code::FailedPrecondition,
                index,
                Kind::MissingIndex,
                "https://console.firebase.google.com/v1/r/project/p/firestore/indexes?create_composite=Clxw",
            ),
            (
                Code::FailedPrecondition,
                "secret index",
                Kind::MissingIndex,
                "console",
            ),
            (Code::FailedPrecondition, "secret", Kind::Refused, "status 9"),
            (Code::InvalidArgument, size, Kind::TooLarge, "1 MiB"),
            (Code::InvalidArgument, "secret", Kind::Refused, "status 3"),
            (
                Code::NotFound,
                "The database (default) does not exist for project secret",
                Kind::Configuration,
                "create one",
            ),
            (
                Code::NotFound,
                "No document to update: secret",
                Kind::Missing,
                "anew",
            ),
            (Code::AlreadyExists, "secret", Kind::Exists, "anew"),
            (Code::Aborted, "secret", Kind::Contention, "later"),
            (Code::DeadlineExceeded, "secret", Kind::Timeout, "again"),
            (Code::Unavailable, "secret", Kind::Unavailable, "network"),
        ] {
            let error = error(code, said);
            assert_eq!(error.kind, kind, "{code:?}");
            let text = error.to_string();
            assert!(text.contains(todo) && !text.contains("secret"), "{text}");
        }
    }

    #[test]
    fn no_link_is_shown_but_to_googles_console() {
        for said in [
            "index: https://console.evil.example/",
            "index: https://console.firebase.google.com.evil.example/",
            "index: https://console.firebase.google.com/\u{202e}x",
            "index",
        ] {
            assert_eq!(console_link(said), None, "{said}");
        }
        let said = "index: https://console.cloud.google.com/x?a=b%3D. More";
        assert_eq!(
            console_link(said),
            Some("https://console.cloud.google.com/x?a=b%3D")
        );
    }
}
