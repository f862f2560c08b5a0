//! The one door to suggestions, whichever store keeps them.
//!
//! They are rows of our database, or documents of Firestore, where those of the first user can be kept: one tenant for one
//! prefix of collections. Those of other users are rows all the same. Failure patterns are rows in any case.

mod database;
mod error;
#[cfg(feature = "firestore")]
mod firestore;

use std::collections::HashMap;

use pawl_model::{
    EvalTestDraft, EvalTestError, EvalTestRun, FailurePattern, Json, ProofCard, SourceTrace, Suggestion,
};
use pawl_store::drafts::Decision;
use pawl_store::lineage::Hash;
use pawl_store::suggestions::Filter;
use pawl_store::{Actor, Scope};
use time::OffsetDateTime;

use self::database::Rows;
pub use self::error::{SuggestionStoreError, Trouble};
#[cfg(feature = "firestore")]
pub(crate) use self::firestore::Documents;
use crate::worker::Work;
use crate::{Engine, EngineError, ModelSettings};

/// Where suggestions are kept.
#[derive(Clone, Default)]
pub enum SuggestionStore {
    /// In our database.
    #[default]
    Database,
    /// Those of the first user in Firestore.
    #[cfg(feature = "firestore")]
    Firestore {
        /// The database and the prefix of its collections.
        firestore: pawl_providers::firestore::Firestore,
        /// Both in words.
        place: String,
    },
}

impl SuggestionStore {
    /// In Firestore, as variables of the environment name it: `GOOGLE_CLOUD_PROJECT`, `FIRESTORE_COLLECTION_PREFIX`,
    /// `FIRESTORE_EMULATOR_HOST`. Nothing is asked yet. It has to be called within a runtime.
    ///
    /// # Errors
    /// When no project is named, the credentials cannot be read, or this was built without Firestore.
    #[cfg(feature = "firestore")]
    pub fn in_firestore(
        variable: impl Fn(&str) -> Option<String>,
        models: &ModelSettings,
    ) -> Result<Self, SuggestionStoreError> {
        let settings = pawl_providers::firestore::FirestoreSettings::from_variables(variable);
        Ok(Self::Firestore {
            firestore: pawl_providers::firestore::Firestore::new(&settings, models)?,
            place: settings.shown(),
        })
    }

    /// Not in Firestore.
    ///
    /// # Errors
    /// Always: this was built without it.
    #[cfg(not(feature = "firestore"))]
    pub fn in_firestore(
        _variable: impl Fn(&str) -> Option<String>,
        _models: &ModelSettings,
    ) -> Result<Self, SuggestionStoreError> {
        Err(SuggestionStoreError::not_built())
    }
}

/// What is to stand in a suggestion in place of what was read.
#[derive(Clone, Copy)]
pub(crate) struct DraftChange<'a> {
    /// As it was read.
    pub suggestion: &'a Suggestion,
    /// The draft.
    pub draft: &'a EvalTestDraft,
    /// Its proof.
    pub card: &'a ProofCard,
    /// The history with what is added to it; none where nothing is.
    pub history: Option<&'a Json>,
}

/// The suggestions that an actor sees, and the runs that make drafts of them.
pub(crate) enum Suggestions {
    Rows(Rows),
    #[cfg(feature = "firestore")]
    Documents(Documents),
}

/// Does the same with either.
macro_rules! either {
    ($suggestions:expr, $kept:ident => $does:expr) => {
        match $suggestions {
            Suggestions::Rows($kept) => $does,
            #[cfg(feature = "firestore")]
            Suggestions::Documents($kept) => $does,
        }
    };
}

impl Suggestions {
    /// The newest first.
    pub(crate) async fn list(&self, filter: &Filter, limit: u32) -> Result<Vec<Suggestion>, EngineError> {
        either!(self, kept => kept.list(filter, limit).await)
    }

    /// The worst first, and of those that are as bad the oldest; those that come after the one with the id `after`.
    pub(crate) async fn queue(
        &self,
        filter: &Filter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Suggestion>, EngineError> {
        either!(self, kept => kept.queue(filter, after, limit).await)
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Option<Suggestion>, EngineError> {
        either!(self, kept => kept.get(id).await)
    }

    /// With the first of its traces, then the newest, at most `limit`.
    pub(crate) async fn get_with_sources(
        &self,
        id: &str,
        limit: u32,
    ) -> Result<Option<(Suggestion, Vec<SourceTrace>)>, EngineError> {
        either!(self, kept => kept.get_with_sources(id, limit).await)
    }

    /// The patterns of a suggestion, those that are surest first, then the latest.
    pub(crate) async fn patterns(&self, id: &str, limit: u32) -> Result<Vec<FailurePattern>, EngineError> {
        either!(self, kept => kept.patterns(id, limit).await)
    }

    /// The ids of pending suggestions of tests without a draft, the newest first.
    pub(crate) async fn undrafted(&self, limit: u32) -> Result<Vec<String>, EngineError> {
        either!(self, kept => kept.undrafted(limit).await)
    }

    /// Writes a draft in place of what was read, and then its proof. Says whether it did: not where somebody has decided, or
    /// written something else, since it was read.
    pub(crate) async fn put_draft(&self, work: &Work, change: DraftChange<'_>) -> Result<bool, EngineError> {
        match self {
            Self::Rows(rows) => rows.put_draft(work, change).await,
            #[cfg(feature = "firestore")]
            Self::Documents(documents) => documents.put_draft(change).await,
        }
    }

    /// Decides about a pending suggestion, and changes nothing else of it. Says whether it did, as [`Self::put_draft`] does.
    pub(crate) async fn decide(&self, decision: &Decision<'_>) -> Result<bool, EngineError> {
        either!(self, kept => kept.decide(decision).await)
    }

    /// Ends a run, which is written with what went wrong in it where it is worth telling. A job that it is the work of
    /// ends with it, unless that was stopped.
    pub(crate) async fn end_run(
        &self,
        work: &Work,
        told: Option<(&EvalTestRun, &[EvalTestError])>,
        at: OffsetDateTime,
    ) -> Result<(), EngineError> {
        either!(self, kept => kept.end_run(work, told, at).await)
    }

    /// The hashes of documents, by id; none where suggestions are rows.
    #[cfg_attr(
        not(feature = "firestore"),
        expect(unused_variables, reason = "rows have none")
    )]
    pub(crate) async fn hashes(&self, ids: &[String]) -> Result<Option<HashMap<String, Hash>>, EngineError> {
        match self {
            Self::Rows(_) => Ok(None),
            #[cfg(feature = "firestore")]
            Self::Documents(documents) => documents.hashes(ids).await.map(Some),
        }
    }

    /// Runs, the newest first.
    pub(crate) async fn runs(&self, limit: u32) -> Result<Vec<EvalTestRun>, EngineError> {
        either!(self, kept => kept.runs(limit).await)
    }

    /// What went wrong in a run.
    pub(crate) async fn errors(&self, run_id: &str, limit: u32) -> Result<Vec<EvalTestError>, EngineError> {
        either!(self, kept => kept.errors(run_id, limit).await)
    }
}

/// Ends the transaction that a run ends with.
async fn end(work: &Work, scope: Scope, at: OffsetDateTime) -> Result<(), EngineError> {
    if work.is_stopped() {
        return Ok(scope.commit().await?);
    }
    work.finish(scope, at).await
}

impl Engine {
    /// With suggestions kept elsewhere than in the database.
    #[must_use]
    pub fn with_suggestions(mut self, store: SuggestionStore) -> Self {
        self.suggestions = store;
        self
    }

    /// Asks the store of suggestions for a little, to see whether it answers: where it is and whose suggestions are in it,
    /// in words.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping_suggestions(&self) -> Result<String, EngineError> {
        match &self.suggestions {
            SuggestionStore::Database => Ok("in the database".to_owned()),
            #[cfg(feature = "firestore")]
            SuggestionStore::Firestore { firestore, place } => {
                firestore::ping(firestore).await?;
                let first = self.first_user().await?;
                let whose = first.map_or("the first user".to_owned(), |user| {
                    user.email.unwrap_or_else(|| user.id.to_string())
                });
                Ok(format!("those of {whose} in Firestore, {place}"))
            }
        }
    }

    /// The suggestions that an actor sees.
    pub(crate) async fn suggestions_of(&self, actor: Actor) -> Result<Suggestions, EngineError> {
        #[cfg(feature = "firestore")]
        if let SuggestionStore::Firestore { firestore, .. } = &self.suggestions
            && let Some(user) = actor.tenant()
            && self.first_user().await?.is_some_and(|first| first.id == user)
        {
            return Ok(Suggestions::Documents(Documents {
                firestore: firestore.clone(),
                engine: self.clone(),
                user,
            }));
        }
        Ok(Suggestions::Rows(Rows {
            engine: self.clone(),
            actor,
        }))
    }

    #[cfg(feature = "firestore")]
    async fn first_user(&self) -> Result<Option<pawl_model::User>, EngineError> {
        let mut scope = self.store.read(Actor::Service).await?;
        Ok(pawl_store::users::list(&mut scope, 1).await?.pop())
    }
}
