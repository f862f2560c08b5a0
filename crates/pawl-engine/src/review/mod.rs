//! Review: what was mined and drafted, decided by people.
//!
//! A reviewer edits, approves or rejects a suggestion while it is pending. Each of these is written only where nobody has
//! decided or written something else since it was read, so that of any number of reviewers one wins; and each stands in
//! the suggestion's history, with every text that it replaced.

pub mod approved;
mod edit;
pub mod queue;

use std::borrow::Cow;

use pawl_model::{
    EvalTestDraft, Json, ProofCard, ProofVerdict, Suggestion, SuggestionStatus, SuggestionType, UserId,
};
use pawl_store::Actor;
use pawl_store::drafts::Decision;
use serde_json::json;
use time::format_description::well_known::Rfc3339;

pub use self::edit::{Base, DraftEdit};
use crate::draft::history::{self, Entry};
use crate::intake::received::FieldError;
use crate::{Engine, EngineError};

/// Characters of a note or a reason.
const MAX_NOTE: usize = 2_000;
/// Characters of a reviewer's name.
const MAX_NAME: usize = 200;

/// Why something cannot be decided or edited.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// There is none that the reviewer sees.
    #[error("there is no such suggestion")]
    NotFound,
    /// Somebody has decided already.
    #[error("it is {status} already{}", decided_by(.by.as_deref()))]
    Decided {
        /// What it is.
        status: SuggestionStatus,
        /// Who decided.
        by: Option<String>,
    },
    /// It is not what the reviewer saw any more.
    #[error("it has been changed in the meantime: look at it again")]
    Changed,
    /// There is nothing to review yet.
    #[error("it has no draft yet: generate one first")]
    NoDraft,
    /// It is not approved, as what is exported has to be.
    #[error("it is not approved")]
    NotApproved,
    /// It is approved, and has no test.
    #[error("it has no test to export")]
    NoTest,
    /// Guardrails and runbooks have no draft.
    #[error("only suggestions of tests have a draft")]
    NotATest,
    /// It was written by hand, and not in the form of a draft.
    #[error("its draft cannot be read: {0}")]
    Unreadable(String),
    /// A person has to write something first.
    #[error("its draft needs human input: edit it first")]
    NeedsHumanInput,
    /// The proof says no, or says little.
    #[error("its proof is {verdict} ({summary}): approving it all the same needs a note")]
    NoteNeeded {
        /// What the proof comes to.
        verdict: ProofVerdict,
        /// In a sentence.
        summary: String,
    },
    /// What was written cannot be stored as it is.
    #[error("{}", problems(.0))]
    Invalid(Vec<FieldError>),
    /// The history holds no more.
    #[error("its history has no room for another version")]
    HistoryFull,
    /// The database failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

fn decided_by(name: Option<&str>) -> String {
    name.map(|name| format!(", by {name}")).unwrap_or_default()
}

fn problems(errors: &[FieldError]) -> String {
    let lines: Vec<String> = errors
        .iter()
        .map(|error| format!("{}: {}", error.field, error.message))
        .collect();
    lines.join("\n")
}

impl From<pawl_store::StoreError> for ReviewError {
    fn from(error: pawl_store::StoreError) -> Self {
        Self::Engine(error.into())
    }
}

/// Who decides, and about what.
#[derive(Clone, Copy, Debug)]
pub struct Review<'a> {
    /// Whose suggestion.
    pub user_id: UserId,
    /// The suggestion.
    pub suggestion_id: &'a str,
    /// Who says so, as the history names them.
    pub by: &'a str,
}

/// What is decided.
#[derive(Clone, Copy, Debug)]
pub enum Verdict<'a> {
    /// It is good. A draft whose proof is not all it could be needs a note.
    Approve {
        /// For whoever reads the history.
        notes: Option<&'a str>,
    },
    /// It is not wanted.
    Reject {
        /// Why not.
        reason: &'a str,
    },
}

/// What is known of a suggestion's draft.
#[derive(Clone, Debug, PartialEq)]
pub struct Drafted {
    /// The draft.
    pub draft: EvalTestDraft,
    /// Its proof; none where there is none of this version of it.
    pub proof: Option<ProofCard>,
}

impl Drafted {
    /// The draft of a suggestion, where it has one.
    ///
    /// # Errors
    /// When it is not in the form of a draft.
    pub fn of(suggestion: &Suggestion) -> Result<Option<Self>, ReviewError> {
        let mut content = suggestion.suggestion_content.to_value();
        let draft = content["eval_test"].take();
        if draft.is_null() {
            return Ok(None);
        }
        let draft: EvalTestDraft =
            serde_json::from_value(draft).map_err(|error| ReviewError::Unreadable(error.to_string()))?;
        let proof: Option<ProofCard> = serde_json::from_value(content["eval_test_proof"].take()).ok();
        Ok(Some(Self {
            proof: proof.filter(|card| card.is_of(draft.updated_at)),
            draft,
        }))
    }

    /// What the proof comes to, and in a sentence.
    #[must_use]
    pub fn verdict(&self) -> (ProofVerdict, Cow<'_, str>) {
        match &self.proof {
            Some(card) => (card.verdict, card.summary.as_str().into()),
            None => (ProofVerdict::Unproven, "it was never tried".into()),
        }
    }
}

impl Engine {
    /// Approves or rejects a suggestion.
    ///
    /// # Errors
    /// When it is not pending, is not ready for it, or the database fails.
    pub async fn decide(&self, review: Review<'_>, verdict: Verdict<'_>) -> Result<Suggestion, ReviewError> {
        let suggestion = self.reviewed(&review).await?;
        let (status, words) = match verdict {
            Verdict::Approve { notes } => {
                may_be_approved(&suggestion, notes)?;
                (SuggestionStatus::Approved, notes)
            }
            Verdict::Reject { reason } => {
                if reason.trim().is_empty() {
                    return Err(invalid("reason", "a rejection needs a reason"));
                }
                (SuggestionStatus::Rejected, Some(reason))
            }
        };
        check_words(&review, words)?;
        let at = self.clock.now();
        let entry = Entry {
            new_status: status,
            actor: review.by,
            at,
            notes: words,
            previous_draft: None,
        };
        let history = history::with(&suggestion, &entry)?.ok_or(ReviewError::HistoryFull)?;
        let mut metadata = json!({
            "action": status,
            "actor": review.by,
            "timestamp": at.format(&Rfc3339).unwrap_or_default(),
        });
        match verdict {
            Verdict::Approve { notes } => metadata["notes"] = json!(notes),
            Verdict::Reject { reason } => metadata["reason"] = json!(reason),
        }
        let metadata = Json::from_serialize(&metadata).map_err(EngineError::TraceData)?;
        let decision = Decision {
            user_id: review.user_id,
            suggestion_id: review.suggestion_id,
            status,
            approval_metadata: &metadata,
            version_history: &history,
            was: (&suggestion.suggestion_content, &suggestion.version_history),
            at,
        };
        let kept = self.suggestions_of(Actor::Tenant(review.user_id)).await?;
        if !kept.decide(&decision).await? {
            // Either somebody was faster, or it is another draft by now.
            self.reviewed(&review).await?;
            return Err(ReviewError::Changed);
        }
        Ok(Suggestion {
            status,
            approval_metadata: Some(metadata),
            version_history: history,
            updated_at: at,
            ..suggestion
        })
    }

    /// The suggestion, while it can be decided.
    async fn reviewed(&self, review: &Review<'_>) -> Result<Suggestion, ReviewError> {
        let kept = self.suggestions_of(Actor::Tenant(review.user_id)).await?;
        let suggestion = kept.get(review.suggestion_id).await?;
        let suggestion = suggestion.ok_or(ReviewError::NotFound)?;
        if suggestion.status == SuggestionStatus::Pending {
            return Ok(suggestion);
        }
        let metadata = suggestion.approval_metadata.as_ref().map(Json::to_value);
        Err(ReviewError::Decided {
            status: suggestion.status,
            by: metadata.and_then(|metadata| metadata["actor"].as_str().map(str::to_owned)),
        })
    }
}

/// Whether a suggestion is ready to be approved.
fn may_be_approved(suggestion: &Suggestion, notes: Option<&str>) -> Result<(), ReviewError> {
    if suggestion.suggestion_type != SuggestionType::Eval {
        return Ok(());
    }
    let drafted = Drafted::of(suggestion)?.ok_or(ReviewError::NoDraft)?;
    if drafted.draft.status == pawl_model::DraftStatus::NeedsHumanInput {
        return Err(ReviewError::NeedsHumanInput);
    }
    let (verdict, summary) = drafted.verdict();
    let has_note = notes.is_some_and(|notes| !notes.trim().is_empty());
    if verdict != ProofVerdict::Proven && !has_note {
        return Err(ReviewError::NoteNeeded {
            verdict,
            summary: summary.into_owned(),
        });
    }
    Ok(())
}

fn check_words(review: &Review<'_>, words: Option<&str>) -> Result<(), ReviewError> {
    for (field, text, most) in [("by", Some(review.by), MAX_NAME), ("notes", words, MAX_NOTE)] {
        let text = text.unwrap_or_default();
        if text.chars().count() > most {
            return Err(invalid(field, &format!("is longer than {most} characters")));
        }
        if text.contains('\0') {
            return Err(invalid(field, "holds the NUL character"));
        }
    }
    Ok(())
}

fn invalid(field: &'static str, message: &str) -> ReviewError {
    ReviewError::Invalid(vec![FieldError {
        field: field.into(),
        message: message.to_owned().into(),
    }])
}
