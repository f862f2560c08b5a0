//! `/suggestions`: what was mined and waits for a person, and one of them with its test.

mod act;
mod detail;
mod form;
mod proof;
mod versions;

use askama::Template;
use axum::extract::State;
use axum::response::Redirect;
use pawl_engine::draft::{DEFAULT_BATCH, DraftRequest, Overwrite};
use pawl_engine::mine::Mode;
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::review::Drafted;
use pawl_model::{
    DraftStatus, ProofVerdict, Severity, Suggestion, SuggestionStatus, SuggestionType, TriggeredBy,
};
use serde::Deserialize;

pub(super) use self::act::{approve, draft, export, preview, reject, save};
pub(super) use self::detail::show as show_one;
use super::choice::Choice;
use super::moment::{Moment, Moments};
use super::number;
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::parameters::Query;
use crate::problem::Problem;

/// Suggestions of a page.
const ROWS: u32 = 50;
/// What may be chosen in place of a status.
const ALL: &str = "all";

/// Which suggestions.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    status: Option<String>,
    r#type: Option<String>,
    after: Option<String>,
    done: Option<String>,
}

#[derive(Template)]
#[template(path = "suggestions.html")]
pub(super) struct ListPage {
    shell: Shell,
    statuses: Vec<Choice>,
    kinds: Vec<Choice>,
    done: Option<&'static str>,
    is_filtered: bool,
    rows: Vec<Row>,
    first: Option<String>,
    next: Option<String>,
}

/// A suggestion in the list.
struct Row {
    href: String,
    title: String,
    kind: &'static str,
    severity: Severity,
    state: Stage,
    seen: String,
    last: Option<Moment>,
}

/// How far something is, with its shape.
pub(super) struct Stage {
    pub(super) word: &'static str,
    pub(super) class: &'static str,
}

/// The list.
pub(super) async fn list(
    State(state): State<AppState>,
    visitor: Visitor,
    Query(query): Query<ListQuery>,
) -> Result<Page<ListPage>, Problem> {
    let filter = Filter {
        status: query.wanted_status(),
        suggestion_type: query.kind(),
        ..Filter::default()
    };
    let after = query.after.as_deref();
    let page = state
        .engine
        .review_queue(visitor.actor(), (&filter, after), ROWS)
        .await?;
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(ListPage {
        shell: visitor.shell(Section::Suggestions, "Suggestions"),
        statuses: query.statuses(),
        kinds: query.kinds(),
        done: query.done.as_deref().and_then(done),
        is_filtered: query.wanted_status() != Some(SuggestionStatus::Pending) || query.kind().is_some(),
        rows: page.items.iter().map(|one| Row::of(one, &moments)).collect(),
        first: after.map(|_| query.with(|query| query.after = None)),
        next: page.next.map(|next| query.with(|query| query.after = Some(next))),
    }))
}

/// Has a worker look for failures.
pub(super) async fn mine(State(state): State<AppState>, visitor: Visitor) -> Result<Redirect, Problem> {
    state.engine.queue_mining(visitor.user()).await?;
    Ok(Redirect::to("/suggestions?done=mining"))
}

/// Makes drafts of what waits for one.
pub(super) async fn draft_all(State(state): State<AppState>, visitor: Visitor) -> Result<Redirect, Problem> {
    let request = DraftRequest {
        user_id: visitor.user(),
        suggestion_ids: None,
        batch_size: DEFAULT_BATCH,
        overwrite: Overwrite::Keep,
        mode: Mode::Store,
        triggered_by: TriggeredBy::Manual,
    };
    let report = crate::eval_tests::drafted(&state, request).await?;
    Ok(Redirect::to(
        match (report.run.generated_count, report.run.error_count) {
            (0, 0) => "/suggestions?done=nothing",
            (_, 0) => "/suggestions?done=drafted",
            _ => "/suggestions?done=failed",
        },
    ))
}

fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "mining" => "A worker looks for failures; what it finds appears here.",
        "drafted" => "Drafts were made; each says how it did on what went wrong.",
        "nothing" => "Every suggestion of a test has a draft already.",
        "failed" => "Some drafts could not be made, since the model failed; they can be asked for again.",
        "approved" => "It is approved: its test belongs to the suite `approved` from now on.",
        "rejected" => "It is rejected.",
        _ => return None,
    })
}

impl ListQuery {
    /// None for all.
    fn wanted_status(&self) -> Option<SuggestionStatus> {
        match self.status.as_deref() {
            Some(ALL) => None,
            Some(word) => SuggestionStatus::parse(word).or(Some(SuggestionStatus::Pending)),
            None => Some(SuggestionStatus::Pending),
        }
    }

    fn kind(&self) -> Option<SuggestionType> {
        self.r#type.as_deref().and_then(SuggestionType::parse)
    }

    fn statuses(&self) -> Vec<Choice> {
        let wanted = self.wanted_status();
        let status = |status: SuggestionStatus| (title(status), Some(status));
        [
            status(SuggestionStatus::Pending),
            status(SuggestionStatus::Approved),
            status(SuggestionStatus::Rejected),
            ("All", None),
        ]
        .map(|(name, status)| Choice {
            name: name.to_owned(),
            href: self.with(|query| {
                let word = status.map_or(ALL, SuggestionStatus::as_str);
                query.status = (status != Some(SuggestionStatus::Pending)).then(|| word.to_owned());
                query.after = None;
            }),
            is_chosen: wanted == status,
        })
        .into()
    }

    fn kinds(&self) -> Vec<Choice> {
        [
            ("All kinds", None),
            ("Tests", Some(SuggestionType::Eval)),
            ("Guardrails", Some(SuggestionType::Guardrail)),
            ("Runbooks", Some(SuggestionType::Runbook)),
        ]
        .map(|(name, kind)| Choice {
            name: name.to_owned(),
            href: self.with(|query| {
                query.r#type = kind.map(|kind| kind.as_str().to_owned());
                query.after = None;
            }),
            is_chosen: self.kind() == kind,
        })
        .into()
    }

    /// The address of the list with something else in it.
    fn with(&self, change: impl FnOnce(&mut Self)) -> String {
        let mut query = Self {
            done: None,
            ..self.clone()
        };
        change(&mut query);
        let mut pairs = form_urlencoded::Serializer::new(String::new());
        for (name, value) in [
            ("status", query.status),
            ("type", query.r#type),
            ("after", query.after),
        ] {
            if let Some(value) = value {
                pairs.append_pair(name, &value);
            }
        }
        match pairs.finish() {
            pairs if pairs.is_empty() => "/suggestions".to_owned(),
            pairs => ["/suggestions?", &pairs].concat(),
        }
    }
}

impl Row {
    fn of(suggestion: &Suggestion, moments: &Moments) -> Self {
        Self {
            href: ["/suggestions/", &suggestion.suggestion_id].concat(),
            title: suggestion.pattern.title.clone(),
            kind: kind(suggestion.suggestion_type),
            severity: suggestion.severity,
            state: state_of(suggestion),
            seen: number::count(suggestion.recurrence_count),
            last: suggestion.last_seen_at.map(|at| moments.show(at)),
        }
    }
}

pub(super) const fn kind(kind: SuggestionType) -> &'static str {
    match kind {
        SuggestionType::Eval => "test",
        SuggestionType::Guardrail => "guardrail",
        SuggestionType::Runbook => "runbook",
    }
}

const fn title(status: SuggestionStatus) -> &'static str {
    match status {
        SuggestionStatus::Pending => "Pending",
        SuggestionStatus::Approved => "Approved",
        SuggestionStatus::Rejected => "Rejected",
    }
}

/// What a reviewer has to know first: what was decided, else what the proof says, else what is missing.
pub(super) fn state_of(suggestion: &Suggestion) -> Stage {
    let (word, class) = match suggestion.status {
        SuggestionStatus::Approved => ("approved", "passed"),
        SuggestionStatus::Rejected => ("rejected", "skipped"),
        SuggestionStatus::Pending if suggestion.suggestion_type != SuggestionType::Eval => {
            ("to decide", "skipped")
        }
        SuggestionStatus::Pending => match Drafted::of(suggestion) {
            Ok(None) => ("no draft yet", "skipped"),
            Ok(Some(drafted)) if drafted.draft.status == DraftStatus::NeedsHumanInput => {
                ("needs input", "error")
            }
            Ok(Some(drafted)) => match drafted.verdict().0 {
                ProofVerdict::Proven => ("proven", "passed"),
                ProofVerdict::Refuted => ("refuted", "failed"),
                ProofVerdict::Unproven => ("unproven", "skipped"),
            },
            Err(_) => ("unreadable", "error"),
        },
    };
    Stage { word, class }
}
