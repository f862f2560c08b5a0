//! What people and generation write.

use pawl_model::{EvalTestError, EvalTestRun, Json, SuggestionStatus};
use pawl_providers::firestore::{Document, Transaction, Write};
use pawl_store::drafts::{Decision, drafted};
use serde::Serialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::{Documents, ERRORS, RUNS, SUGGESTIONS, document};
use crate::EngineError;
use crate::suggestions::{DraftChange, Trouble};
use crate::worker::Work;

const DRAFT: &str = "suggestion_content.eval_test";
const PROOF: &str = "suggestion_content.eval_test_proof";

impl Documents {
    pub(in crate::suggestions) async fn put_draft(
        &self,
        change: DraftChange<'_>,
    ) -> Result<bool, EngineError> {
        let id = change.suggestion.suggestion_id.as_str();
        let was = (
            &change.suggestion.suggestion_content,
            &change.suggestion.version_history,
        );
        let (node, parents) = drafted(id);
        let written = self.firestore.transact(|mut transaction| async move {
            let Some(found) = as_it_was(&transaction, id, was).await? else {
                return Ok(transaction.finish(None));
            };
            let mut changes = vec![
                (DRAFT, json!(change.draft)),
                ("updated_at", text(change.draft.updated_at)),
            ];
            if let Some(history) = change.history {
                changes.push(("version_history", history.to_value()));
            }
            let write = Write::update(SUGGESTIONS, id, changes);
            let intended = self.intend(&[(drafted(id).0, &write, Some(&found))]).await?;
            transaction.write(write);
            Ok(transaction.finish(Some(intended)))
        });
        let Some(intended) = unless_contended(written.await)? else {
            return Ok(false);
        };
        self.complete(intended, parents).await?;
        let node = &node;
        let proven = self.firestore.transact(|mut transaction| async move {
            let found = transaction.get(SUGGESTIONS, &[id]).await?.pop().flatten();
            let pending = found.as_ref().filter(|found| document::is_pending(found));
            // Another draft by now has a proof of its own.
            if pending.and_then(document::drafted_at) != Some(change.draft.updated_at) {
                return Ok(transaction.finish(None));
            }
            let write = Write::update(SUGGESTIONS, id, [(PROOF, json!(change.card))]);
            let intended = self.intend(&[(node.clone(), &write, found.as_ref())]).await?;
            transaction.write(write);
            Ok(transaction.finish(Some(intended)))
        });
        if let Some(intended) = unless_contended(proven.await)? {
            self.complete(intended, []).await?;
        }
        Ok(true)
    }

    pub(in crate::suggestions) async fn decide(&self, decision: &Decision<'_>) -> Result<bool, EngineError> {
        let id = decision.suggestion_id;
        let decided = self.firestore.transact(|mut transaction| async move {
            let Some(found) = as_it_was(&transaction, id, decision.was).await? else {
                return Ok(transaction.finish(None));
            };
            let changes = [
                ("status", json!(decision.status)),
                ("approval_metadata", decision.approval_metadata.to_value()),
                ("version_history", decision.version_history.to_value()),
                ("updated_at", text(decision.at)),
            ];
            let write = Write::update(SUGGESTIONS, id, changes);
            let intended = self
                .intend(&[(decision.lineage().0, &write, Some(&found))])
                .await?;
            transaction.write(write);
            Ok(transaction.finish(Some(intended)))
        });
        let Some(intended) = unless_contended(decided.await)? else {
            return Ok(false);
        };
        self.complete(intended, decision.lineage().1).await?;
        Ok(true)
    }

    pub(in crate::suggestions) async fn end_run(
        &self,
        work: &Work,
        told: Option<(&EvalTestRun, &[EvalTestError])>,
        at: OffsetDateTime,
    ) -> Result<(), EngineError> {
        if let Some((run, errors)) = told {
            let mut writes = vec![Write::create(RUNS, &run.run_id, fields(run))];
            writes.extend(errors.iter().map(|error| {
                let id = format!("{}:{}", error.run_id, error.suggestion_id);
                Write::create(ERRORS, &id, fields(error))
            }));
            self.firestore.commit(&writes).await?;
        }
        crate::suggestions::end(work, work.begin(&self.engine).await?, at).await
    }
}

/// The document of a suggestion that is pending, where its content and history are what they were when they were read.
async fn as_it_was(
    transaction: &Transaction,
    id: &str,
    was: (&Json, &Json),
) -> Result<Option<Document>, EngineError> {
    let found = transaction.get(SUGGESTIONS, &[id]).await?.pop().flatten();
    Ok(found.filter(|found| {
        document::read(found).is_some_and(|now| {
            now.status == SuggestionStatus::Pending && (&now.suggestion_content, &now.version_history) == was
        })
    }))
}

/// Who never gets a turn finds something else than was read as soon as the others are done.
fn unless_contended<T>(done: Result<Option<T>, EngineError>) -> Result<Option<T>, EngineError> {
    match done {
        Err(EngineError::Suggestions(error)) if error.trouble == Trouble::Contention => Ok(None),
        done => done,
    }
}

pub(super) fn text(at: OffsetDateTime) -> Value {
    json!(at.format(&Rfc3339).unwrap_or_default())
}

fn fields(document: &impl Serialize) -> Map<String, Value> {
    match json!(document) {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
