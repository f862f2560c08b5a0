//! Firestore, as far as suggestions need it: documents are read by id and by query, and written in transactions.
//!
//! Only `BatchGetDocuments`, `RunQuery`, `BeginTransaction`, `Commit` and `Rollback` are called, with masks of fields on
//! what changes a document: what is not named stays as it is, whatever its type. Documents are JSON with times as texts;
//! in Firestore they are timestamps. Collections are named without the prefix.

mod failure;
mod proto;
mod query;
mod rpc;
mod settings;
mod transaction;
mod value;
mod write;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use failure::{FirestoreError, FirestoreErrorKind};
pub use query::{Comparison, Direction, Filter, MAX_RESULTS, Query};
pub use settings::FirestoreSettings;
pub use transaction::{Outcome, Transaction};
pub use write::Write;

use crate::ModelSettings;
use proto::{
    BatchGetDocumentsRequest, BatchGetDocumentsResponse, CommitRequest, Nothing, RunQueryRequest,
    RunQueryResponse,
};
use rpc::Connection;

/// Documents that are asked for at once.
const MAX_IDS: usize = 100;

/// Bytes that an id may take.
const MAX_ID: usize = 1_500;

/// A document.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Its id within its collection.
    pub id: String,
    /// What it holds.
    pub fields: Map<String, Value>,
}

/// A database of Firestore, and the prefix of the collections in it that are ours. Clones share one connection, which is
/// made when it is needed.
#[derive(Clone)]
pub struct Firestore {
    connection: Arc<Connection>,
    prefix: Arc<str>,
}

impl fmt::Debug for Firestore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Firestore")
            .field("database", &self.connection.database())
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl Firestore {
    /// The database that the settings name, with the credentials that models of Vertex AI are asked with. Nothing is
    /// asked yet. It has to be called within a runtime.
    ///
    /// # Errors
    /// When no project is named, or the credentials cannot be read.
    pub fn new(settings: &FirestoreSettings, models: &ModelSettings) -> Result<Self, FirestoreError> {
        Ok(Self {
            connection: Arc::new(Connection::new(settings, models)?),
            prefix: settings.prefix.as_str().into(),
        })
    }

    /// The documents with these ids, each in its place; none where there is none.
    ///
    /// # Errors
    /// When Firestore fails.
    pub async fn get(&self, collection: &str, ids: &[&str]) -> Result<Vec<Option<Document>>, FirestoreError> {
        self.get_in(collection, ids, None).await
    }

    /// The documents that a query finds.
    ///
    /// # Errors
    /// When Firestore fails.
    pub async fn query(&self, query: &Query<'_>) -> Result<Vec<Document>, FirestoreError> {
        self.query_in(query, None).await
    }

    /// Writes all of it, or nothing. It is not sent again where nobody knows what became of it.
    ///
    /// # Errors
    /// When a document is too large, is not there or is there already, or Firestore fails.
    pub async fn commit(&self, writes: &[Write]) -> Result<(), FirestoreError> {
        self.commit_in(writes, Vec::new()).await
    }

    async fn get_in(
        &self,
        collection: &str,
        ids: &[&str],
        transaction: Option<&[u8]>,
    ) -> Result<Vec<Option<Document>>, FirestoreError> {
        let mut found = vec![None; ids.len()];
        for (chunk, found) in ids.chunks(MAX_IDS).zip(found.chunks_mut(MAX_IDS)) {
            // There is nothing under an id that no document can have.
            let names: Vec<Option<String>> = chunk.iter().map(|id| self.name(collection, id).ok()).collect();
            let distinct: BTreeSet<String> = names.iter().flatten().cloned().collect();
            if distinct.is_empty() {
                continue;
            }
            let request = BatchGetDocumentsRequest {
                database: self.connection.database().to_owned(),
                documents: distinct.into_iter().collect(),
                transaction: transaction.map(<[u8]>::to_vec),
            };
            // They come in any order.
            let answers: Vec<BatchGetDocumentsResponse> =
                self.connection.read("BatchGetDocuments", request).await?;
            let documents: Vec<_> = answers.into_iter().filter_map(|answer| answer.found).collect();
            for (place, name) in found.iter_mut().zip(&names) {
                let named = |document: &&proto::Document| Some(&document.name) == name.as_ref();
                *place = documents.iter().find(named).map(document);
            }
        }
        Ok(found)
    }

    async fn query_in(
        &self,
        query: &Query<'_>,
        transaction: Option<&[u8]>,
    ) -> Result<Vec<Document>, FirestoreError> {
        let request = RunQueryRequest {
            parent: self.connection.documents(),
            structured_query: Some(query.message(self)?),
            transaction: transaction.map(<[u8]>::to_vec),
        };
        let answers: Vec<RunQueryResponse> = self.connection.read("RunQuery", request).await?;
        let documents = answers.into_iter().filter_map(|answer| answer.document);
        Ok(documents.map(|found| document(&found)).collect())
    }

    async fn commit_in(&self, writes: &[Write], transaction: Vec<u8>) -> Result<(), FirestoreError> {
        let writes = writes.iter().map(|write| write.message(self));
        let request = CommitRequest {
            database: self.connection.database().to_owned(),
            writes: writes.collect::<Result<_, _>>()?,
            transaction,
        };
        self.connection.write::<_, Nothing>("Commit", request).await?;
        Ok(())
    }

    /// The collection's name in the database.
    fn collection(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn name(&self, collection: &str, id: &str) -> Result<String, FirestoreError> {
        if !is_id(id) {
            let message = "no document of Firestore can have this id";
            return Err(FirestoreError::new(FirestoreErrorKind::Unfit, message));
        }
        let documents = self.connection.documents();
        Ok(format!("{documents}/{}/{id}", self.collection(collection)))
    }
}

/// Whether a document can have this id ([limits](https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields)).
fn is_id(id: &str) -> bool {
    let is_reserved = matches!(id, "." | "..") || id.len() > 3 && id.starts_with("__") && id.ends_with("__");
    !id.is_empty() && id.len() <= MAX_ID && !id.contains('/') && !is_reserved
}

fn document(found: &proto::Document) -> Document {
    Document {
        id: found.name.rsplit('/').next().unwrap_or_default().to_owned(),
        fields: value::object(found.fields.clone()),
    }
}
