//! Edits by people: what they write is stored as they wrote it, or refused.

use pawl_checks::mask::Masker;
use pawl_model::{
    Budget, Cap, DraftAssertions, DraftInput, DraftStatus, EditSource, EvalTestDraft, MAX_DRAFT_ITEMS,
    MAX_DRAFT_SENTENCE, MAX_DRAFT_TEXT, MAX_DRAFT_TITLE, MAX_DRAFT_TOOL, Optional, ProofCard, Suggestion,
    SuggestionType, Usd,
};
use pawl_store::Actor;
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use tokio_util::sync::CancellationToken;

use super::{Drafted, Review, ReviewError};
use crate::Engine;
use crate::draft::history::{self, Entry};
use crate::draft::{Material, PER_SUGGESTION, PLACEHOLDER};
use crate::intake::received::FieldError;
use crate::suggestions::DraftChange;
use crate::worker::Work;

/// What a person can write of a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftEdit {
    /// What is tested, in a few words.
    pub title: String,
    /// From what went wrong to what the test is for.
    pub rationale: String,
    /// What the agent is to be asked.
    pub input: DraftInput,
    /// What its answer must be, and must not.
    pub assertions: DraftAssertions,
}

/// Which version of a draft an edit is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Whichever stands there.
    Any,
    /// The one that was changed last at this time.
    UpdatedAt(OffsetDateTime),
}

impl DraftEdit {
    /// A draft with what a person wrote in place of what it said.
    fn over(self, draft: EvalTestDraft) -> EvalTestDraft {
        EvalTestDraft {
            title: self.title,
            rationale: self.rationale,
            input: self.input,
            assertions: self.assertions,
            ..draft
        }
    }
}

impl From<&EvalTestDraft> for DraftEdit {
    fn from(draft: &EvalTestDraft) -> Self {
        Self {
            title: draft.title.clone(),
            rationale: draft.rationale.clone(),
            input: draft.input.clone(),
            assertions: draft.assertions.clone(),
        }
    }
}

impl Engine {
    /// Writes what a person says in place of a pending draft, and proves it anew. What stood there before is kept in the
    /// history.
    ///
    /// # Errors
    /// When it is not pending or has changed, when a text holds personal data or is too long, or the database fails.
    pub async fn edit_draft(
        &self,
        review: Review<'_>,
        edit: DraftEdit,
        base: Base,
    ) -> Result<Suggestion, ReviewError> {
        let suggestion = self.reviewed(&review).await?;
        if suggestion.suggestion_type != SuggestionType::Eval {
            return Err(ReviewError::NotATest);
        }
        let before = Drafted::of(&suggestion)?.ok_or(ReviewError::NoDraft)?.draft;
        if let Base::UpdatedAt(at) = base
            && at != before.updated_at
        {
            return Err(ReviewError::Changed);
        }
        let material = self.draft_material(review.user_id, review.suggestion_id).await?;
        let problems = problems(&edit, &material.masker);
        if !problems.is_empty() {
            return Err(ReviewError::Invalid(problems));
        }
        super::check_words(&review, None)?;
        // Versions are told apart by their times.
        let updated_at = self.clock.now().max(before.updated_at + Duration::MICROSECOND);
        let draft = EvalTestDraft {
            status: DraftStatus::Draft,
            edit_source: EditSource::Human,
            updated_at,
            ..edit.over(before)
        };
        self.put_edited(&review, suggestion, (draft, &material)).await
    }

    /// What is wrong with an edit, and what its proof would come to as far as no judge is needed; nothing is written.
    ///
    /// # Errors
    /// When there is no draft, or the database fails.
    pub async fn preview_edit(
        &self,
        review: Review<'_>,
        edit: DraftEdit,
    ) -> Result<(Vec<FieldError>, ProofCard), ReviewError> {
        let suggestion = self.reviewed(&review).await?;
        let before = Drafted::of(&suggestion)?.ok_or(ReviewError::NoDraft)?.draft;
        let material = self.draft_material(review.user_id, review.suggestion_id).await?;
        let problems = problems(&edit, &material.masker);
        let draft = edit.over(before);
        Ok((problems, self.proven_without_judge(&draft, &material).await))
    }

    async fn put_edited(
        &self,
        review: &Review<'_>,
        suggestion: Suggestion,
        (draft, material): (EvalTestDraft, &Material),
    ) -> Result<Suggestion, ReviewError> {
        let content = suggestion.suggestion_content.to_value();
        let entry = Entry {
            new_status: suggestion.status,
            actor: review.by,
            at: draft.updated_at,
            notes: Some("edited"),
            previous_draft: Some(&content["eval_test"]),
        };
        let history = history::with(&suggestion, &entry)?.ok_or(ReviewError::HistoryFull)?;
        let budget = Budget::new(Cap::User(PER_SUGGESTION));
        let card = self.proven(&draft, material, (&budget, Usd::ZERO)).await;
        let change = DraftChange {
            suggestion: &suggestion,
            draft: &draft,
            card: &card,
            history: Some(&history),
        };
        let kept = self.suggestions_of(Actor::Tenant(review.user_id)).await?;
        if !kept
            .put_draft(&Work::by_hand(CancellationToken::new()), change)
            .await?
        {
            self.reviewed(review).await?;
            return Err(ReviewError::Changed);
        }
        self.reviewed(review).await
    }
}

/// What is wrong with what a person wrote, all of it.
pub(super) fn problems(edit: &DraftEdit, masker: &Masker) -> Vec<FieldError> {
    let mut found = Found {
        masker,
        errors: Vec::new(),
    };
    found.text("title", &edit.title, MAX_DRAFT_TITLE, Blank::Refused);
    found.text("rationale", &edit.rationale, MAX_DRAFT_TEXT, Blank::Allowed);
    found.text("input.prompt", &edit.input.prompt, MAX_DRAFT_TEXT, Blank::Refused);
    found.optional("input.required_state", &edit.input.required_state);
    found.list("input.tools_involved", &edit.input.tools_involved, MAX_DRAFT_TOOL);
    let assertions = &edit.assertions;
    found.list("assertions.required", &assertions.required, MAX_DRAFT_SENTENCE);
    found.list("assertions.forbidden", &assertions.forbidden, MAX_DRAFT_SENTENCE);
    found.optional("assertions.golden_output", &assertions.golden_output);
    found.optional("assertions.notes", &assertions.notes);
    if assertions.required.is_empty() && assertions.forbidden.is_empty() {
        found.add(
            "assertions".to_owned(),
            "a test needs a sentence that can fail, required or forbidden".to_owned(),
        );
    }
    found.errors
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Blank {
    Allowed,
    Refused,
}

struct Found<'m> {
    masker: &'m Masker,
    errors: Vec<FieldError>,
}

impl Found<'_> {
    fn add(&mut self, field: String, message: String) {
        self.errors.push(FieldError {
            field: field.into(),
            message: message.into(),
        });
    }

    fn text(&mut self, field: &str, text: &str, most: usize, blank: Blank) {
        let characters = text.chars().count();
        if blank == Blank::Refused && text.trim().is_empty() {
            self.add(field.to_owned(), "is blank".to_owned());
        }
        if text.trim_start().starts_with(PLACEHOLDER) {
            let message = "is still a placeholder of the template: write it, or leave it out";
            self.add(field.to_owned(), message.to_owned());
        }
        if characters > most {
            self.add(
                field.to_owned(),
                format!("has {characters} characters, at most {most} are kept"),
            );
        }
        if text.contains('\0') {
            self.add(field.to_owned(), "holds the NUL character".to_owned());
        }
        let mut kinds: Vec<&str> = self
            .masker
            .find(text)
            .into_iter()
            .map(|found| found.name)
            .collect();
        kinds.dedup();
        if !kinds.is_empty() {
            let kinds = kinds.join(", ");
            self.add(
                field.to_owned(),
                format!("holds personal data or a secret ({kinds}): write a placeholder instead"),
            );
        }
    }

    fn optional(&mut self, field: &str, text: &Optional<String>) {
        if let Some(Some(text)) = text {
            self.text(field, text, MAX_DRAFT_TEXT, Blank::Allowed);
        }
    }

    fn list(&mut self, field: &str, texts: &[String], most: usize) {
        if texts.len() > MAX_DRAFT_ITEMS {
            let message = format!("has {} items, at most {MAX_DRAFT_ITEMS} are kept", texts.len());
            self.add(field.to_owned(), message);
        }
        for (place, text) in texts.iter().enumerate().take(MAX_DRAFT_ITEMS) {
            self.text(&format!("{field}[{place}]"), text, most, Blank::Refused);
        }
    }
}
