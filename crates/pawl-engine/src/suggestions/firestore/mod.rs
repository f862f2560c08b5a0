//! Suggestions as documents of Firestore, in the form that other programs write and read them.
//!
//! Whatever depends on what was read is done in a transaction; what changes a document names the fields that it changes. What
//! cannot be read as a suggestion is not ours to look at, and left alone. How often something was seen is counted in our
//! database, where its patterns are, and for what others mined told by the traces of the document.

mod document;
mod lineage;
mod mining;
mod pattern;
mod write;

use std::collections::HashMap;

use pawl_model::{
    EvalTestError, EvalTestRun, FailurePattern, Severity, SourceTrace, Suggestion, SuggestionStatus,
    SuggestionType, UserId,
};
use pawl_providers::firestore::{
    Comparison, Direction, Document, Filter as FieldFilter, Firestore, FirestoreError, Query,
};
use pawl_store::suggestions::{self, Filter};
use pawl_store::{Actor, drafts};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use crate::{Engine, EngineError};

/// Collections, without the prefix.
const SUGGESTIONS: &str = "suggestions";
const PATTERNS: &str = "failure_patterns";
const RUNS: &str = "eval_test_runs";
const ERRORS: &str = "eval_test_errors";

/// Documents that are asked for at once: they may have a mebibyte each.
const PAGE: u32 = 60;
/// The id of a document, in filters and orders.
const ID: &str = "__name__";

/// The documents of a tenant. Patterns are in the engine's database.
#[derive(Clone)]
pub(crate) struct Documents {
    pub(super) firestore: Firestore,
    pub(super) engine: Engine,
    pub(super) user: UserId,
}

/// Asks for one document.
pub(super) async fn ping(firestore: &Firestore) -> Result<(), FirestoreError> {
    let query = Query {
        collection: SUGGESTIONS,
        filters: Vec::new(),
        order: Vec::new(),
        after: Vec::new(),
        limit: 1,
    };
    firestore.query(&query).await.map(drop)
}

impl Documents {
    pub(super) async fn list(&self, filter: &Filter, limit: u32) -> Result<Vec<Suggestion>, EngineError> {
        let after = match &filter.after {
            Some((at, id)) => vec![json!(at.format(&Rfc3339).unwrap_or_default()), json!(id)],
            None => Vec::new(),
        };
        let pages = Pages {
            filters: filters(filter),
            direction: Direction::Descending,
            after,
        };
        self.counted(self.read(pages, limit, |_| true).await?).await
    }

    /// One severity after the other, since Firestore sorts words by their letters.
    pub(super) async fn queue(
        &self,
        filter: &Filter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Suggestion>, EngineError> {
        let (mut place, mut from) = (Vec::new(), Severity::Critical);
        if let Some(id) = after {
            let last = self.document(id).await?;
            let Some((last, suggestion)) = last.as_ref().and_then(|last| Some((last, document::read(last)?)))
            else {
                return Ok(Vec::new());
            };
            (place, from) = (document::place(last), suggestion.severity);
        }
        let mut found = Vec::new();
        for severity in Severity::ALL.iter().rev().filter(|one| **one <= from) {
            if filter.severity.is_some_and(|wanted| wanted != *severity) {
                continue;
            }
            let of_one = Filter {
                severity: Some(*severity),
                ..filter.clone()
            };
            let pages = Pages {
                filters: filters(&of_one),
                direction: Direction::Ascending,
                after: if *severity == from {
                    std::mem::take(&mut place)
                } else {
                    Vec::new()
                },
            };
            let rest = limit.saturating_sub(u32::try_from(found.len()).unwrap_or(limit));
            if rest == 0 {
                break;
            }
            found.extend(self.read(pages, rest, |_| true).await?);
        }
        self.counted(found).await
    }

    pub(super) async fn get(&self, id: &str) -> Result<Option<Suggestion>, EngineError> {
        Ok(self
            .get_with_sources(id, 0)
            .await?
            .map(|(suggestion, _)| suggestion))
    }

    pub(super) async fn get_with_sources(
        &self,
        id: &str,
        limit: u32,
    ) -> Result<Option<(Suggestion, Vec<SourceTrace>)>, EngineError> {
        let Some(found) = self.document(id).await? else {
            return Ok(None);
        };
        let Some(suggestion) = document::read(&found) else {
            return Ok(None);
        };
        let suggestion = self.counted(vec![suggestion]).await?.pop();
        let mut sources = document::traces(&found);
        if let [_, rest @ ..] = sources.as_mut_slice() {
            rest.reverse();
        }
        sources.truncate(limit as usize);
        Ok(suggestion.map(|suggestion| (suggestion, sources)))
    }

    /// Those of our database, else those that another program left in Firestore.
    pub(super) async fn patterns(&self, id: &str, limit: u32) -> Result<Vec<FailurePattern>, EngineError> {
        let mut scope = self.engine.store.read(Actor::Tenant(self.user)).await?;
        let ours = drafts::patterns(&mut scope, self.user, id, limit).await?;
        drop(scope);
        if !ours.is_empty() {
            return Ok(ours);
        }
        let Some(found) = self.document(id).await? else {
            return Ok(Vec::new());
        };
        let traces = document::traces(&found);
        let ids: Vec<&str> = traces
            .iter()
            .map(|trace| trace.trace_id.as_str())
            .take(limit as usize)
            .collect();
        let documents = self.firestore.get(PATTERNS, &ids).await?;
        Ok(pattern::sorted(documents.iter().flatten()))
    }

    /// Firestore does not look for what is not there.
    pub(super) async fn undrafted(&self, limit: u32) -> Result<Vec<String>, EngineError> {
        let pages = Pages {
            filters: filters(&Filter {
                status: Some(SuggestionStatus::Pending),
                suggestion_type: Some(SuggestionType::Eval),
                ..Filter::default()
            }),
            direction: Direction::Descending,
            after: Vec::new(),
        };
        let waiting = |one: &Suggestion| one.suggestion_content.to_value()["eval_test"].is_null();
        let waiting = self.read(pages, limit, waiting).await?;
        Ok(waiting.into_iter().map(|one| one.suggestion_id).collect())
    }

    pub(super) async fn runs(&self, limit: u32) -> Result<Vec<EvalTestRun>, EngineError> {
        let query = Query {
            collection: RUNS,
            filters: Vec::new(),
            order: vec![("started_at", Direction::Descending)],
            after: Vec::new(),
            limit,
        };
        let found = self.firestore.query(&query).await?;
        let fields = found.into_iter().map(|document| Value::from(document.fields));
        Ok(fields
            .filter_map(|run| serde_json::from_value(run).ok())
            .collect())
    }

    pub(super) async fn errors(&self, run_id: &str, limit: u32) -> Result<Vec<EvalTestError>, EngineError> {
        let query = Query {
            collection: ERRORS,
            filters: vec![equal("run_id", run_id)],
            order: vec![(ID, Direction::Ascending)],
            after: Vec::new(),
            limit,
        };
        let found = self.firestore.query(&query).await?;
        let fields = found.into_iter().map(|document| Value::from(document.fields));
        Ok(fields
            .filter_map(|error| serde_json::from_value(error).ok())
            .collect())
    }

    async fn document(&self, id: &str) -> Result<Option<Document>, EngineError> {
        Ok(self.firestore.get(SUGGESTIONS, &[id]).await?.pop().flatten())
    }

    /// Those that can be read and are wanted, in the order of their making, at most `limit`.
    async fn read(
        &self,
        pages: Pages<'_>,
        limit: u32,
        is_wanted: impl Fn(&Suggestion) -> bool,
    ) -> Result<Vec<Suggestion>, EngineError> {
        let mut found = Vec::new();
        let mut after = pages.after;
        loop {
            let query = Query {
                collection: SUGGESTIONS,
                filters: pages.filters.clone(),
                order: vec![("created_at", pages.direction), (ID, pages.direction)],
                after,
                limit: PAGE.min(limit),
            };
            let page = self.firestore.query(&query).await?;
            found.extend(page.iter().filter_map(document::read).filter(&is_wanted));
            match page.last() {
                Some(last) if page.len() == query.limit as usize && found.len() < limit as usize => {
                    after = document::place(last);
                }
                _ => break,
            }
        }
        found.truncate(limit as usize);
        Ok(found)
    }

    /// With what our database knows of how often they were seen.
    async fn counted(&self, mut found: Vec<Suggestion>) -> Result<Vec<Suggestion>, EngineError> {
        let ids: Vec<String> = found.iter().map(|one| one.suggestion_id.clone()).collect();
        let mut scope = self.engine.store.read(Actor::Tenant(self.user)).await?;
        let seen = suggestions::seen(&mut scope, self.user, &ids).await?;
        let seen: HashMap<&str, &suggestions::Seen> = seen
            .iter()
            .map(|seen| (seen.suggestion_id.as_str(), seen))
            .collect();
        for suggestion in &mut found {
            if let Some(seen) = seen.get(suggestion.suggestion_id.as_str()) {
                suggestion.recurrence_count = seen.patterns;
                suggestion.affected_users = seen.users;
                suggestion.first_seen_at = Some(seen.first_at);
                suggestion.last_seen_at = Some(seen.last_at);
            }
        }
        Ok(found)
    }
}

/// Suggestions in the order of their making, a page at a time.
struct Pages<'a> {
    filters: Vec<FieldFilter<'a>>,
    direction: Direction,
    /// Where to go on.
    after: Vec<Value>,
}

fn filters<'a>(filter: &Filter) -> Vec<FieldFilter<'a>> {
    [
        ("status", filter.status.map(SuggestionStatus::as_str)),
        ("type", filter.suggestion_type.map(SuggestionType::as_str)),
        ("severity", filter.severity.map(Severity::as_str)),
    ]
    .into_iter()
    .filter_map(|(field, word)| Some(equal(field, word?)))
    .collect()
}

fn equal<'a>(field: &'a str, word: &str) -> FieldFilter<'a> {
    FieldFilter {
        field,
        comparison: Comparison::Equal,
        value: json!(word),
    }
}
