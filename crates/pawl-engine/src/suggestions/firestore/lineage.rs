//! Documents in the lineage: there is no transaction over both stores, so what is to be written is told before, and that it
//! was, behind it. Whoever finds the one without the other looks at the document.

use std::collections::HashMap;

use pawl_model::{Json, LineageNode};
use pawl_providers::firestore::{Document, Write};
use pawl_store::Actor;
use pawl_store::lineage::Hash;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{Documents, PAGE, SUGGESTIONS};
use crate::EngineError;

/// The fields of a document that are hashed: all that we write, but for vectors, which are made of the rest.
const FIELDS: [&str; 13] = [
    "approval_metadata",
    "created_at",
    "pattern",
    "recurrence_of",
    "severity",
    "similarity_group",
    "source_traces",
    "status",
    "suggestion_content",
    "suggestion_id",
    "type",
    "updated_at",
    "version_history",
];

impl Documents {
    /// Tells what documents are about to say, before they do. `found` is what they say now.
    pub(super) async fn intend(
        &self,
        writes: &[(LineageNode, &Write, Option<&Document>)],
    ) -> Result<Vec<(LineageNode, Hash)>, EngineError> {
        let nothing = Map::new();
        let mut intended = Vec::with_capacity(writes.len());
        let mut scope = self.engine.store.write(Actor::Service).await?;
        for (node, write, found) in writes {
            let before = found.map_or(&nothing, |found| &found.fields);
            let sha256 = hash(&write.applied_to(before))?;
            // Vectors alone are no change that is told.
            if found.is_some() && hash(before)? == sha256 {
                continue;
            }
            scope.intends(self.user, node.clone(), sha256);
            intended.push((node.clone(), sha256));
        }
        scope.commit().await?;
        Ok(intended)
    }

    /// Tells that documents say what was intended.
    pub(super) async fn complete(
        &self,
        intended: Vec<(LineageNode, Hash)>,
        parents: impl IntoIterator<Item = LineageNode> + Clone,
    ) -> Result<(), EngineError> {
        let mut scope = self.engine.store.write(Actor::Service).await?;
        for document in intended {
            scope.completes(self.user, document, parents.clone());
        }
        Ok(scope.commit().await?)
    }

    /// The hashes of those documents that are there.
    pub(in crate::suggestions) async fn hashes(
        &self,
        ids: &[String],
    ) -> Result<HashMap<String, Hash>, EngineError> {
        let mut hashes = HashMap::new();
        for ids in ids.chunks(PAGE as usize) {
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            for found in self.firestore.get(SUGGESTIONS, &ids).await?.into_iter().flatten() {
                hashes.insert(found.id, hash(&found.fields)?);
            }
        }
        Ok(hashes)
    }
}

/// SHA-256 of the fields as a JSON object in normal form. One that is not there is null.
fn hash(fields: &Map<String, Value>) -> Result<Hash, EngineError> {
    let hashed: Map<String, Value> = FIELDS
        .into_iter()
        .map(|name| (name.to_owned(), fields.get(name).cloned().unwrap_or_default()))
        .collect();
    let text = Json::from_serialize(&hashed).map_err(EngineError::TraceData)?;
    Ok(Sha256::digest(text.as_str()).into())
}
