//! What mining reads and writes: suggestions as groups of patterns.
//!
//! Patterns are rows of our database, and there is no transaction over both. So what is grouped is written here first, and a
//! pattern that is in a suggestion already belongs there: whatever is mined again after a failure in between comes to
//! the same.
//!
//! The vector that mining goes by is in a field of its own. `embedding` is written with a new document and left alone
//! after that: it may be another program's.

use std::collections::HashMap;

use pawl_model::{Json, LineageKind, LineageNode, SourceTrace, SuggestionType};
use pawl_providers::firestore::{Direction, Document, Query, Write};
use pawl_store::mining::GroupedPattern;
use pawl_store::suggestions::Group;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::write::text;
use super::{Documents, ID, PAGE, SUGGESTIONS, document};
use crate::EngineError;

/// Documents that are written in one transaction: with their vectors they have to fit into ten mebibytes.
const AT_ONCE: usize = 50;
/// Traces that a document names: the first one, then the newest.
const MAX_TRACES: usize = 500;
/// The mean of the vectors of a suggestion's patterns, and what makes them.
const VECTOR: &str = "mining_vector";

/// Where patterns are already: the suggestion, and how alike they were to what was there.
pub(crate) type Members = HashMap<String, (String, Option<f64>)>;

impl Documents {
    /// When a suggestion was changed last.
    pub(crate) async fn changed_at(&self) -> Result<Option<OffsetDateTime>, EngineError> {
        let query = Query {
            collection: SUGGESTIONS,
            filters: Vec::new(),
            order: vec![("updated_at", Direction::Descending)],
            after: Vec::new(),
            limit: 1,
        };
        let newest = self.firestore.query(&query).await?.pop();
        Ok(newest.and_then(|newest| document::time(newest.fields.get("updated_at")?)))
    }

    /// All suggestions, as groups, the oldest first, and which patterns are in them.
    pub(crate) async fn groups(&self) -> Result<(Vec<Group>, Members), EngineError> {
        let (mut groups, mut members) = (Vec::new(), Members::new());
        let mut after = Vec::new();
        loop {
            let query = Query {
                collection: SUGGESTIONS,
                filters: Vec::new(),
                order: vec![(ID, Direction::Ascending)],
                after,
                limit: PAGE,
            };
            let page = self.firestore.query(&query).await?;
            for found in &page {
                let Some(group) = group(found) else { continue };
                let traces = document::traces(found).into_iter();
                members.extend(traces.map(|trace| {
                    (
                        trace.pattern_id,
                        (group.suggestion_id.clone(), trace.similarity_score),
                    )
                }));
                groups.push(group);
            }
            match page.last() {
                Some(last) if page.len() == PAGE as usize => after = vec![json!(last.id)],
                _ => break,
            }
        }
        groups.sort_by(|one, other| {
            let (one, other) = (
                (one.created_at, &one.suggestion_id),
                (other.created_at, &other.suggestion_id),
            );
            one.cmp(&other)
        });
        Ok((groups, members))
    }

    /// Writes groups, and the patterns that were put into them: new ones, and of those that are there the severity, the
    /// vector and the traces. Says whether it did all of it: not where somebody has decided about one, or deleted it, since
    /// they were read.
    pub(crate) async fn put_groups(
        &self,
        groups: &[&Group],
        patterns: &[GroupedPattern],
    ) -> Result<bool, EngineError> {
        let mut added: HashMap<&str, Vec<SourceTrace>> = HashMap::new();
        for grouped in patterns {
            added
                .entry(&grouped.suggestion_id)
                .or_default()
                .push(SourceTrace {
                    trace_id: grouped.pattern.source_trace_id.clone(),
                    pattern_id: grouped.pattern.pattern_id.clone(),
                    added_at: grouped.pattern.extracted_at,
                    similarity_score: grouped.similarity_score,
                });
        }
        let added = &added;
        for part in groups.chunks(AT_ONCE) {
            let written = self.firestore.transact(|mut transaction| async move {
                let ids: Vec<&str> = part.iter().map(|group| group.suggestion_id.as_str()).collect();
                let found = transaction.get(SUGGESTIONS, &ids).await?;
                let mut writes = Vec::with_capacity(part.len());
                for (group, found) in part.iter().zip(&found) {
                    let added = added
                        .get(group.suggestion_id.as_str())
                        .map_or(&[][..], Vec::as_slice);
                    let Some(write) = write(group, added, found.as_ref()) else {
                        return Ok(transaction.finish(None));
                    };
                    writes.push((
                        LineageNode::new(LineageKind::Suggestion, &group.suggestion_id),
                        write,
                        found,
                    ));
                }
                let told: Vec<_> = writes
                    .iter()
                    .map(|(node, write, found)| (node.clone(), write, found.as_ref()))
                    .collect();
                let intended = self.intend(&told).await?;
                for (_, write, _) in writes {
                    transaction.write(write);
                }
                Ok::<_, EngineError>(transaction.finish(Some(intended)))
            });
            let Some(intended) = written.await? else {
                return Ok(false);
            };
            self.complete(intended, []).await?;
        }
        Ok(true)
    }
}

fn group(found: &Document) -> Option<Group> {
    let suggestion = document::read(found)?;
    let vector = found.fields.get(VECTOR).unwrap_or(&Value::Null);
    Some(Group {
        suggestion_id: suggestion.suggestion_id,
        status: suggestion.status,
        severity: suggestion.severity,
        pattern: suggestion.pattern,
        similarity_group: suggestion.similarity_group,
        recurrence_of: suggestion.recurrence_of,
        embedded_by: vector["embedded_by"].as_str().unwrap_or_default().to_owned(),
        embedding: Json::from_serialize(&vector["embedding"]).unwrap_or_else(|_| Json::empty_array()),
        version_history: suggestion.version_history,
        created_at: suggestion.created_at,
        updated_at: suggestion.updated_at,
        patterns: suggestion.recurrence_count,
    })
}

/// What is written of a group; none where it is not what was read.
fn write(group: &Group, added: &[SourceTrace], found: Option<&Document>) -> Option<Write> {
    let id = &group.suggestion_id;
    let Some(found) = found else {
        let is_new = added.iter().any(|trace| trace.similarity_score.is_none());
        return is_new.then(|| Write::create(SUGGESTIONS, id, document_of(group, added)));
    };
    let stored = document::read(found).filter(|stored| stored.status == group.status)?;
    let mut changes = vec![(VECTOR, vector(group))];
    if group.severity > stored.severity {
        changes.push(("severity", json!(group.severity)));
    }
    let mut traces = document::traces(found);
    let before = traces.len();
    for trace in added {
        if traces.iter().all(|known| known.pattern_id != trace.pattern_id) {
            traces.push(trace.clone());
        }
    }
    if traces.len() > before {
        if let Some(over @ 1..) = traces.len().checked_sub(MAX_TRACES) {
            traces.drain(1..=over);
        }
        changes.push(("source_traces", json!(traces)));
        changes.push(("updated_at", text(stored.updated_at.max(group.updated_at))));
    }
    Some(Write::update(SUGGESTIONS, id, changes))
}

fn document_of(group: &Group, traces: &[SourceTrace]) -> Map<String, Value> {
    let pattern = &group.pattern;
    let document = json!({
        "suggestion_id": group.suggestion_id,
        "type": SuggestionType::for_failure(pattern.failure_type),
        "status": group.status,
        "severity": group.severity,
        "source_traces": traces,
        "pattern": pattern,
        "embedding": group.embedding.to_value(),
        VECTOR: vector(group),
        "similarity_group": group.similarity_group,
        "recurrence_of": group.recurrence_of,
        "suggestion_content": {},
        "approval_metadata": null,
        "version_history": group.version_history.to_value(),
        "created_at": text(group.created_at),
        "updated_at": text(group.updated_at),
    });
    match document {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn vector(group: &Group) -> Value {
    json!({"embedded_by": group.embedded_by, "embedding": group.embedding.to_value()})
}
