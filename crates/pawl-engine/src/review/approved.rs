//! What was approved: the tests that are run from then on.

use pawl_model::{EvalTestDraft, ExportFormat, Suggestion, SuggestionStatus, SuggestionType};
use pawl_store::Actor;
use pawl_store::suggestions::Filter;

use super::{Drafted, ReviewError};
use crate::draft::export::{self, ExportError, Exported};
use crate::{Engine, EngineError};

/// Suggestions that are read at once.
const PAGE: u32 = 500;

/// A test that was approved.
#[derive(Clone, Debug)]
pub struct ApprovedTest {
    /// The suggestion.
    pub suggestion: Suggestion,
    /// The test.
    pub draft: EvalTestDraft,
}

/// Writes approved tests as a file of a format.
///
/// # Errors
/// When one of them cannot be written.
pub fn export(format: ExportFormat, tests: &[ApprovedTest]) -> Result<String, ExportError> {
    let drafts: Vec<Exported<'_>> = tests
        .iter()
        .map(|ApprovedTest { suggestion, draft }| Exported {
            suggestion_id: &suggestion.suggestion_id,
            approval_metadata: suggestion.approval_metadata.as_ref(),
            pattern: &suggestion.pattern,
            draft,
        })
        .collect();
    export::export(format, &drafts)
}

impl Engine {
    /// One test that was approved.
    ///
    /// # Errors
    /// When there is none that the actor sees, it is not approved, has no draft, or the database fails.
    pub async fn approved_test(&self, actor: Actor, id: &str) -> Result<ApprovedTest, ReviewError> {
        let suggestion = self.suggestions_of(actor).await?.get(id).await?;
        let suggestion = suggestion.ok_or(ReviewError::NotFound)?;
        if suggestion.status != SuggestionStatus::Approved {
            return Err(ReviewError::NotApproved);
        }
        let drafted = Drafted::of(&suggestion)?.ok_or(ReviewError::NoTest)?;
        Ok(ApprovedTest {
            draft: drafted.draft,
            suggestion,
        })
    }

    /// The tests that were approved, the oldest first.
    ///
    /// # Errors
    /// When one cannot be read, or the database fails.
    pub async fn approved_tests(&self, actor: Actor) -> Result<Vec<ApprovedTest>, EngineError> {
        let mut filter = Filter {
            status: Some(SuggestionStatus::Approved),
            suggestion_type: Some(SuggestionType::Eval),
            ..Filter::default()
        };
        let mut tests = Vec::new();
        let kept = self.suggestions_of(actor).await?;
        loop {
            let page = kept.list(&filter, PAGE).await?;
            let is_last = page.len() < PAGE as usize;
            filter.after = page
                .last()
                .map(|last| (last.created_at, last.suggestion_id.clone()));
            for suggestion in page {
                let drafted = Drafted::of(&suggestion).map_err(|error| EngineError::UnreadableDraft {
                    id: suggestion.suggestion_id.clone(),
                    problem: error.to_string(),
                })?;
                if let Some(Drafted { draft, .. }) = drafted {
                    tests.push(ApprovedTest { suggestion, draft });
                }
            }
            if is_last {
                tests.reverse();
                return Ok(tests);
            }
        }
    }
}
