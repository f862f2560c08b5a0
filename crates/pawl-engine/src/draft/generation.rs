//! The generation of one draft: written, proven, and put where nobody has written something else.

use pawl_checks::mask::Masker;
use pawl_model::{
    Budget, DraftErrorType, DraftSource, DraftStatus, EditSource, EvalTestDraft, EvalTestError,
    FailurePattern, GeneratorMeta, MAX_DRAFT_TEXT, ProofCard, Suggestion, SuggestionStatus, SuggestionType,
    Usd,
};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::put::overwritten;
use super::template::{TemplateReason, template};
use super::text::Tidy;
use super::write::{NotWritten, Written};
use super::{DraftRequest, Evidence, Overwrite, proof, text, write};
use crate::asking::sha256;
use crate::mine::Mode;
use crate::suggestions::{DraftChange, Suggestions};
use crate::worker::Work;
use crate::{Engine, EngineError};

/// Characters of what a model said that are kept of an error.
const MAX_EXCERPT: usize = 500;

/// What becomes of one suggestion.
pub(super) enum Made {
    Draft(Box<(EvalTestDraft, ProofCard)>, Option<TemplateReason>),
    Skipped(&'static str),
    Failed(EvalTestError),
}

impl Engine {
    /// None where there is no such suggestion. Where what keeps suggestions fails, this one has an error.
    pub(super) async fn draft_named(
        &self,
        (request, work): (&DraftRequest, &Work),
        (kept, id): (&Suggestions, &str),
        (run_id, budget): (&str, &Budget),
    ) -> Result<Option<Made>, EngineError> {
        let drafted = async {
            let Some(suggestion) = kept.get(id).await? else {
                return Ok(None);
            };
            let one = self.draft_one((request, work), (kept, &suggestion), (run_id, budget));
            one.await.map(Some)
        };
        match drafted.await {
            Err(EngineError::Suggestions(error)) => Ok(Some(Made::Failed(EvalTestError {
                run_id: run_id.to_owned(),
                suggestion_id: id.to_owned(),
                error_type: DraftErrorType::Unknown,
                error_message: error.to_string(),
                recorded_at: self.clock.now(),
                model_response_sha256: None,
                model_response_excerpt: None,
            }))),
            drafted => drafted,
        }
    }

    async fn draft_one(
        &self,
        (request, work): (&DraftRequest, &Work),
        (kept, suggestion): (&Suggestions, &Suggestion),
        (run_id, budget): (&str, &Budget),
    ) -> Result<Made, EngineError> {
        let content = suggestion.suggestion_content.to_value();
        let existing = &content["eval_test"];
        if let Some(reason) = blocked(request, suggestion, existing) {
            return Ok(Made::Skipped(reason));
        }
        let user = request.user_id;
        let material = self.draft_material(user, &suggestion.suggestion_id).await?;
        let Evidence { patterns, incidents } = &material.evidence;
        let masker: &Masker = &material.masker;
        let tidy = Tidy(masker);
        let suggestion = &Suggestion {
            pattern: tidy.suggested(&suggestion.pattern),
            ..suggestion.clone()
        };
        let spent_before = budget.spent();
        let written = match (patterns.first(), &self.mining.extractor) {
            (None, _) => Err(NotWritten::Template(TemplateReason::MissingFailurePatterns)),
            (Some(canonical), _) if canonical.reproduction_context.input_pattern.trim().is_empty() => Err(
                NotWritten::Template(TemplateReason::InsufficientReproductionContext),
            ),
            (Some(_), None) => Err(NotWritten::Template(TemplateReason::ModelNotConfigured)),
            (Some(canonical), Some(model)) => {
                write::write((model, budget), suggestion, canonical, incidents, &tidy).await
            }
        };
        let now = self.clock.now();
        let (written, reason) = match written {
            Ok(written) => (written, None),
            Err(NotWritten::Template(reason)) => (template(suggestion, patterns, reason), Some(reason)),
            Err(NotWritten::Failed {
                error_type,
                message,
                said,
            }) => {
                let error = failure(
                    (run_id, suggestion),
                    (error_type, message),
                    said.as_deref(),
                    (masker, now),
                );
                return Ok(Made::Failed(error));
            }
        };
        let mut draft = assembled(suggestion, patterns, written, (run_id, existing, now));
        let spent = budget.spent().nanos().saturating_sub(spent_before.nanos());
        let card = self
            .proven(&draft, &material, (budget, Usd::from_nanos(spent)))
            .await;
        if proof::cannot_fail(&card) && draft.status == DraftStatus::Draft {
            draft.status = DraftStatus::NeedsHumanInput;
            let why = "No sentence of it fails on what went wrong: it would not have caught the incident.";
            let notes = draft.assertions.notes.take().flatten();
            draft.assertions.notes = Some(Some(match notes {
                Some(notes) => tidy.text(&format!("{why} {notes}"), MAX_DRAFT_TEXT),
                None => why.to_owned(),
            }));
        }
        if request.mode == Mode::Store {
            let Some(history) = overwritten(suggestion, existing, now)? else {
                return Ok(Made::Skipped("history_full"));
            };
            let change = DraftChange {
                suggestion,
                draft: &draft,
                card: &card,
                history: history.as_ref(),
            };
            if !kept.put_draft(work, change).await? {
                return Ok(Made::Skipped("changed_meanwhile"));
            }
        }
        Ok(Made::Draft(Box::new((draft, card)), reason))
    }
}

/// Why a suggestion is left as it is.
fn blocked(request: &DraftRequest, suggestion: &Suggestion, existing: &Value) -> Option<&'static str> {
    if suggestion.suggestion_type != SuggestionType::Eval {
        return Some("not_eval_type");
    }
    if suggestion.status != SuggestionStatus::Pending {
        return Some("not_pending");
    }
    if existing.is_null() {
        return None;
    }
    // A batch never forces. What cannot be read was not written by us.
    let may_force = request.overwrite == Overwrite::Force && request.suggestion_ids.is_some();
    let is_ours = existing["edit_source"] == EditSource::Generated.as_str();
    match (is_ours, may_force, &request.suggestion_ids) {
        (_, true, _) | (true, false, Some(_)) => None,
        (false, false, _) => Some("overwrite_blocked"),
        (true, false, None) => Some("already_has_draft"),
    }
}

fn assembled(
    suggestion: &Suggestion,
    patterns: &[FailurePattern],
    written: Written,
    (run_id, existing, now): (&str, &Value, OffsetDateTime),
) -> EvalTestDraft {
    let generated_at = existing["generated_at"].as_str();
    let generated_at = generated_at.and_then(|text| OffsetDateTime::parse(text, &Rfc3339).ok());
    let canonical = patterns.first();
    EvalTestDraft {
        eval_test_id: format!("eval_{}", suggestion.suggestion_id),
        title: written.title,
        rationale: written.rationale,
        source: DraftSource {
            suggestion_id: suggestion.suggestion_id.clone(),
            canonical_trace_id: canonical
                .map(|one| one.source_trace_id.clone())
                .unwrap_or_default(),
            canonical_pattern_id: canonical.map(|one| one.pattern_id.clone()).unwrap_or_default(),
            trace_ids: patterns.iter().map(|one| one.source_trace_id.clone()).collect(),
            pattern_ids: patterns.iter().map(|one| one.pattern_id.clone()).collect(),
        },
        input: written.input,
        assertions: written.assertions,
        status: match written.needs_human_input {
            true => DraftStatus::NeedsHumanInput,
            false => DraftStatus::Draft,
        },
        edit_source: EditSource::Generated,
        generated_at: generated_at.unwrap_or(now),
        updated_at: now,
        generator_meta: GeneratorMeta {
            model: written.model,
            temperature: written.temperature,
            prompt_hash: written.prompt_hash,
            response_sha256: written.response_sha256,
            run_id: run_id.to_owned(),
        },
    }
}

fn failure(
    (run_id, suggestion): (&str, &Suggestion),
    (error_type, error_message): (DraftErrorType, String),
    said: Option<&str>,
    (masker, recorded_at): (&Masker, OffsetDateTime),
) -> EvalTestError {
    EvalTestError {
        run_id: run_id.to_owned(),
        suggestion_id: suggestion.suggestion_id.clone(),
        error_type,
        error_message,
        recorded_at,
        model_response_sha256: said.map(sha256),
        model_response_excerpt: said
            .map(|said| text::capped(&masker.mask(said).text, MAX_EXCERPT))
            .filter(|excerpt| !excerpt.is_empty()),
    }
}
