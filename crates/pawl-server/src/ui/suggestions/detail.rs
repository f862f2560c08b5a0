//! `/suggestions/{id}`: what went wrong beside the test that is to catch it.

use askama::Template;
use axum::extract::State;
use pawl_engine::draft::Replayed;
use pawl_engine::intake::received::FieldError;
use pawl_engine::mine::suggestions::SuggestionDetail;
use pawl_engine::review::Drafted;
use pawl_model::{
    DraftStatus, EditSource, ExportFormat, FailurePattern, Severity, Suggestion, SuggestionStatus,
    SuggestionType,
};
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::form::{DraftForm, SentenceField};
use super::proof::ShownProof;
use super::versions::Versions;
use super::{Stage, kind, state_of};
use crate::AppState;
use crate::parameters::{Path, Query};
use crate::problem::{ErrorCode, Problem};
use crate::ui::fold::folded_lines;
use crate::ui::moment::{Moment, Moments};
use crate::ui::number;
use crate::ui::page::Page;
use crate::ui::session::Visitor;
use crate::ui::shell::{Section, Shell};

/// Incidents that are shown whole; the rest is linked.
const SHOWN: usize = 3;

/// What was done.
#[derive(Debug, Default, Deserialize)]
pub(in crate::ui) struct DetailQuery {
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "suggestion.html")]
pub(in crate::ui) struct SuggestionPage {
    shell: Shell,
    pub(super) id: String,
    title: String,
    summary: String,
    kind: &'static str,
    severity: Severity,
    state: Stage,
    seen: String,
    last: Option<Moment>,
    pub(super) is_pending: bool,
    is_approved: bool,
    is_test: bool,
    recurrence_of: Option<String>,
    pattern: Option<FailurePattern>,
    incidents: Vec<Incident>,
    /// Further ones, by address.
    further: Vec<(String, String)>,
    draft: Option<DraftView>,
    unreadable: Option<String>,
    pub(super) versions: Option<Versions>,
    history: Vec<Entry>,
    pub(super) done: Option<&'static str>,
    pub(super) problems: Vec<FieldError>,
}

/// A draft as it is shown.
pub(super) struct DraftView {
    status: DraftStatus,
    is_human: bool,
    /// Who wrote it: a person, a model, or the template.
    by: String,
    updated: Moment,
    pub(super) form: DraftForm,
    proof: ShownProof,
    needs_note: bool,
}

/// Something that went wrong.
struct Incident {
    href: String,
    prompt: String,
    response: String,
    /// How many lines of the response there are, where they are too many to be shown at first.
    lines: Option<usize>,
    tools: Vec<String>,
}

/// Something that became of it.
struct Entry {
    when: Option<Moment>,
    who: String,
    what: String,
    notes: String,
    /// The draft that stood there before, where it was another one.
    before: Option<String>,
}

impl SuggestionPage {
    /// What is wrong with a field.
    fn problem(&self, field: &str) -> Option<&str> {
        let found = self.problems.iter().find(|error| error.field == field);
        found.map(|error| &*error.message)
    }

    /// What it can be exported as.
    fn formats(&self) -> &'static [ExportFormat] {
        ExportFormat::ALL
    }

    fn required(&self) -> Vec<SentenceField> {
        self.sentences("required")
    }

    fn forbidden(&self) -> Vec<SentenceField> {
        self.sentences("forbidden")
    }

    fn sentences(&self, kind: &'static str) -> Vec<SentenceField> {
        let draft = self.draft.as_ref();
        draft.map(|draft| draft.form.sentences(kind)).unwrap_or_default()
    }
}

/// A suggestion.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<String>,
    Query(query): Query<DetailQuery>,
) -> Result<Page<SuggestionPage>, Problem> {
    let (page, _) = page(&state, &visitor, &id).await?;
    let done = query.done.as_deref().and_then(done);
    Ok(Page(SuggestionPage { done, ..page }))
}

fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "saved" => "Saved, and tried on what went wrong and what went well.",
        "drafted" => "A draft was made, and tried on what went wrong and what went well.",
        "failed" => "No draft could be made: the model failed. What stood here stands.",
        _ => return None,
    })
}

/// The page as the suggestion stands, and the suggestion.
pub(super) async fn page(
    state: &AppState,
    visitor: &Visitor,
    id: &str,
) -> Result<(SuggestionPage, Suggestion), Problem> {
    let detail = state.engine.suggestion(visitor.actor(), id).await?;
    let SuggestionDetail { suggestion, .. } = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    let evidence = state.engine.evidence(visitor.user(), id).await?;
    let moments = Moments::of(state, visitor).await?;
    let (draft, unreadable) = match Drafted::of(&suggestion) {
        Ok(drafted) => (
            drafted.as_ref().map(|drafted| DraftView::of(drafted, &moments)),
            None,
        ),
        Err(error) => (None, Some(error.to_string())),
    };
    let further = evidence.incidents.iter().skip(SHOWN);
    let page = SuggestionPage {
        shell: visitor.shell(Section::Suggestions, suggestion.pattern.title.clone()),
        id: suggestion.suggestion_id.clone(),
        title: suggestion.pattern.title.clone(),
        summary: suggestion.pattern.summary.clone(),
        kind: kind(suggestion.suggestion_type),
        severity: suggestion.severity,
        state: state_of(&suggestion),
        seen: number::counted(suggestion.recurrence_count, "time"),
        last: suggestion.last_seen_at.map(|at| moments.show(at)),
        is_pending: suggestion.status == SuggestionStatus::Pending,
        is_approved: suggestion.status == SuggestionStatus::Approved,
        is_test: suggestion.suggestion_type == SuggestionType::Eval,
        recurrence_of: suggestion.recurrence_of.clone(),
        further: further
            .map(|incident| (address(incident), shortened(&incident.prompt)))
            .collect(),
        incidents: evidence.incidents.iter().take(SHOWN).map(Incident::of).collect(),
        pattern: evidence.patterns.into_iter().next(),
        draft,
        unreadable,
        versions: None,
        history: history(&suggestion, &moments),
        done: None,
        problems: Vec::new(),
    };
    Ok((page, suggestion))
}

impl SuggestionPage {
    /// The draft that stands there, as an edit of it names it.
    pub(super) fn draft_base(&self) -> Option<String> {
        self.draft.as_ref().map(|draft| draft.form.base.clone())
    }

    /// The same with a draft that is not saved.
    pub(super) fn with_form(mut self, form: DraftForm) -> Self {
        if let Some(draft) = &mut self.draft {
            draft.form = form;
        }
        self
    }
}

impl DraftView {
    fn of(drafted: &Drafted, moments: &Moments) -> Self {
        let Drafted { draft, proof } = drafted;
        let is_human = draft.edit_source == EditSource::Human;
        let model = &draft.generator_meta.model;
        Self {
            status: draft.status,
            is_human,
            by: match (is_human, model.strip_prefix("template_")) {
                (true, _) => "edited by a person".to_owned(),
                (false, Some(_)) => "a template, without a model".to_owned(),
                (false, None) => ["written by ", model].concat(),
            },
            updated: moments.show(draft.updated_at),
            form: DraftForm::of(draft),
            needs_note: drafted.verdict().0 != pawl_model::ProofVerdict::Proven,
            proof: proof.as_ref().map_or_else(ShownProof::none, ShownProof::of),
        }
    }
}

impl Incident {
    fn of(replayed: &Replayed) -> Self {
        let calls = replayed.tool_calls.as_ref().map(|calls| calls.to_value());
        let calls = calls.as_ref().and_then(Value::as_array).into_iter().flatten();
        Self {
            href: address(replayed),
            prompt: replayed.prompt.clone(),
            lines: folded_lines(&replayed.response),
            response: replayed.response.clone(),
            tools: calls
                .filter_map(|call| call["name"].as_str().map(str::to_owned))
                .collect(),
        }
    }
}

fn address(replayed: &Replayed) -> String {
    ["/interactions/", &replayed.id.to_string()].concat()
}

/// The first words of a prompt.
fn shortened(prompt: &str) -> String {
    const LONGEST: usize = 90;
    match prompt.char_indices().nth(LONGEST) {
        Some((end, _)) => [&prompt[..end], "…"].concat(),
        None => prompt.to_owned(),
    }
}

/// What became of it, the latest first.
fn history(suggestion: &Suggestion, moments: &Moments) -> Vec<Entry> {
    let history = suggestion.version_history.to_value();
    let entries = history.as_array().into_iter().flatten().rev();
    entries
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            let at = OffsetDateTime::parse(&text("timestamp"), &Rfc3339).ok();
            let before = entry.get("previous_eval_test").filter(|draft| !draft.is_null());
            Entry {
                when: at.map(|at| moments.show(at)),
                who: text("actor"),
                what: match (text("previous_status"), text("new_status"), before) {
                    (before, after, _) if before != after => after,
                    (_, _, Some(_)) => "draft replaced".to_owned(),
                    (_, status, None) => status,
                },
                notes: text("notes"),
                before: before.map(|draft| format!("{draft:#}")),
            }
        })
        .collect()
}
