//! Transactions: what they read has not changed when what they write is written.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::{FirestoreError, FirestoreErrorKind};
use super::proto::{
    BeginTransactionRequest, BeginTransactionResponse, Nothing, ReadWrite, RollbackRequest,
    TransactionOptions,
};
use super::{Document, Firestore, Query, Write};
use crate::attempt::retry::jitter;

/// How often a transaction is begun where others write the same documents.
const MAX_ATTEMPTS: u32 = 8;

/// Retries after which the wait grows no longer: up to 8 seconds.
const LONGEST_WAIT: u32 = 4;

/// A transaction that has begun. What it reads is of one moment; what it writes is kept until it is [finished].
///
/// [finished]: Self::finish
#[derive(Debug)]
pub struct Transaction {
    firestore: Firestore,
    id: Vec<u8>,
    writes: Vec<Write>,
    /// Whether a read was in the way of others; known outside, whatever becomes of the error.
    is_in_conflict: Arc<AtomicBool>,
}

/// What a transaction comes to: what is to be written, and a value.
#[derive(Debug)]
pub struct Outcome<T> {
    writes: Vec<Write>,
    value: T,
}

impl Transaction {
    /// The documents with these ids, each in its place; none where there is none.
    ///
    /// # Errors
    /// When Firestore fails.
    pub async fn get(&self, collection: &str, ids: &[&str]) -> Result<Vec<Option<Document>>, FirestoreError> {
        self.seen(self.firestore.get_in(collection, ids, Some(&self.id)).await)
    }

    /// The documents that a query finds.
    ///
    /// # Errors
    /// When Firestore fails.
    pub async fn query(&self, query: &Query<'_>) -> Result<Vec<Document>, FirestoreError> {
        self.seen(self.firestore.query_in(query, Some(&self.id)).await)
    }

    /// Writes with all others of the transaction. It does not see it.
    pub fn write(&mut self, write: Write) {
        self.writes.push(write);
    }

    /// Ends with a value. It is given to whoever asked once everything is written; where nothing is to be written,
    /// nothing is.
    #[must_use]
    pub fn finish<T>(self, value: T) -> Outcome<T> {
        Outcome {
            writes: self.writes,
            value,
        }
    }

    fn seen<T>(&self, result: Result<T, FirestoreError>) -> Result<T, FirestoreError> {
        if matches!(&result, Err(error) if error.kind == FirestoreErrorKind::Contention) {
            self.is_in_conflict.store(true, Ordering::Relaxed);
        }
        result
    }
}

impl Firestore {
    /// Does something in a transaction, and all of it again where others wrote what it read, a few times and after
    /// waits of random length. `body` must have no effect but through the transaction.
    ///
    /// A commit whose answer is lost is not done again: nobody knows what became of it.
    ///
    /// # Errors
    /// Those of `body`, after which nothing is written, and when Firestore fails.
    pub async fn transact<T, E, F, R>(&self, body: F) -> Result<T, E>
    where
        F: Fn(Transaction) -> R,
        R: Future<Output = Result<Outcome<T>, E>>,
        E: From<FirestoreError>,
    {
        let mut id = Vec::new();
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(jitter((attempt - 1).min(LONGEST_WAIT))).await;
            }
            id = self.begin(id).await?;
            let is_in_conflict = Arc::new(AtomicBool::new(false));
            let transaction = Transaction {
                firestore: self.clone(),
                id: id.clone(),
                writes: Vec::new(),
                is_in_conflict: Arc::clone(&is_in_conflict),
            };
            match body(transaction).await {
                Ok(outcome) if outcome.writes.is_empty() => {
                    self.roll_back(&id).await;
                    return Ok(outcome.value);
                }
                Ok(outcome) => match self.commit_in(&outcome.writes, id.clone()).await {
                    Ok(()) => return Ok(outcome.value),
                    Err(error) if error.kind == FirestoreErrorKind::Contention => {}
                    Err(error) => {
                        self.roll_back(&id).await;
                        return Err(error.into());
                    }
                },
                Err(_) if is_in_conflict.load(Ordering::Relaxed) => self.roll_back(&id).await,
                Err(error) => {
                    self.roll_back(&id).await;
                    return Err(error);
                }
            }
        }
        Err(FirestoreError::contention().into())
    }

    /// Begins a transaction, in place of one that was in conflict; empty for none.
    async fn begin(&self, retried: Vec<u8>) -> Result<Vec<u8>, FirestoreError> {
        let request = BeginTransactionRequest {
            database: self.connection.database().to_owned(),
            options: Some(TransactionOptions {
                read_write: Some(ReadWrite {
                    retry_transaction: retried,
                }),
            }),
        };
        let begun: BeginTransactionResponse = self.connection.write("BeginTransaction", request).await?;
        Ok(begun.transaction)
    }

    /// Lets others go on. Where it fails Firestore does so itself, after a minute.
    async fn roll_back(&self, id: &[u8]) {
        let request = RollbackRequest {
            database: self.connection.database().to_owned(),
            transaction: id.to_vec(),
        };
        let _: Result<Nothing, FirestoreError> = self.connection.write("Rollback", request).await;
    }
}
