//! Patterns are put into groups, and both are written.
//!
//! Rows of both are written in one transaction, in which nobody else groups patterns of the tenant. Where suggestions are
//! documents they are written first, outside any transaction of our database: whoever stores interactions does not wait
//! for Firestore.

use std::collections::HashSet;

use pawl_model::{ExtractionError, InteractionId, MiningCounts, UserId};
use pawl_store::mining::{self, GroupedPattern, RunPart};
use pawl_store::suggestions as rows;
use pawl_store::{Actor, Scope};
use time::OffsetDateTime;

use super::Mode;
use super::groups::{Groups, Placing};
use super::run::{Run, Ungrouped};
use crate::suggestions::Suggestions;
#[cfg(feature = "firestore")]
use crate::suggestions::{Documents, SuggestionStoreError};
use crate::worker::Work;
use crate::{Engine, EngineError};

/// How often patterns are put into groups anew where people decide about these meanwhile.
#[cfg(feature = "firestore")]
const MAX_ATTEMPTS: u32 = 5;

/// Patterns that were put into groups.
struct Part {
    patterns: Vec<GroupedPattern>,
    counts: MiningCounts,
}

impl Run {
    /// Reads the suggestions. Those that another model made vectors for get new ones, so that patterns can be compared
    /// with them.
    pub(super) async fn read_groups(&mut self, engine: &Engine, work: &Work) -> Result<(), EngineError> {
        let user = self.request.user_id;
        match &self.suggestions {
            Suggestions::Rows(_) => {
                let mut scope = engine.store.read(Actor::Service).await?;
                self.seen = Some(rows::stamp(&mut scope, user).await?);
                self.groups = Groups::read(rows::groups(&mut scope, user).await?);
            }
            #[cfg(feature = "firestore")]
            Suggestions::Documents(documents) => {
                self.seen = Some((0, documents.changed_at().await?));
                self.groups = groups_of(documents).await?;
            }
        }
        let (places, suggested) = self.groups.made_by_others(&self.embedded_by);
        if places.is_empty() {
            return Ok(());
        }
        let vectors = engine.mining.vectors_again(&suggested, &self.budget).await?;
        self.groups.embed_again(&places, vectors, &self.embedded_by);
        if self.request.mode == Mode::Store {
            let changed = self.groups.take_changed();
            match &self.suggestions {
                Suggestions::Rows(_) => {
                    let mut scope = work.begin(engine).await?;
                    mining::hold(&mut scope, user).await?;
                    rows::put(&mut scope, user, &changed).await?;
                    scope.commit().await?;
                }
                #[cfg(feature = "firestore")]
                Suggestions::Documents(documents) => {
                    documents.put_groups(&changed, &[]).await?;
                }
            }
            // Whatever was changed meanwhile is read again.
            self.seen = None;
        }
        Ok(())
    }

    /// Puts patterns into groups and writes both.
    pub(super) async fn add(
        &mut self,
        engine: &Engine,
        ungrouped: Ungrouped,
        work: &Work,
    ) -> Result<(), EngineError> {
        let part = match &self.suggestions {
            Suggestions::Rows(_) => self.add_rows(engine, &ungrouped, work).await?,
            #[cfg(feature = "firestore")]
            Suggestions::Documents(documents) => {
                let documents = documents.clone();
                self.add_documents((engine, work), &documents, &ungrouped).await?
            }
        };
        self.counts.add(&part.counts);
        for grouped in part.patterns {
            let added = self.added.entry(grouped.suggestion_id).or_default();
            added.0 += 1;
            added.1 |= grouped.similarity_score.is_none();
        }
        Ok(())
    }

    async fn add_rows(
        &mut self,
        engine: &Engine,
        ungrouped: &Ungrouped,
        work: &Work,
    ) -> Result<Part, EngineError> {
        let user = self.request.user_id;
        let is_stored = self.request.mode == Mode::Store;
        let mut scope = match self.request.mode {
            Mode::Store => work.begin(engine).await?,
            Mode::DryRun => engine.store.read(Actor::Service).await?,
        };
        if is_stored {
            mining::hold(&mut scope, user).await?;
        }
        let known = mined(&mut scope, user, ungrouped).await?;
        let stamp = rows::stamp(&mut scope, user).await?;
        // A dry run's groups are nowhere else.
        if is_stored && self.seen != Some(stamp) {
            self.groups = Groups::read(rows::groups(&mut scope, user).await?);
        }
        let part = self.place(ungrouped, &known, engine.clock.now());
        if is_stored {
            rows::put(&mut scope, user, &self.groups.take_changed()).await?;
            self.write(&mut scope, &part, &ungrouped.errors).await?;
            self.seen = Some(rows::stamp(&mut scope, user).await?);
            scope.commit().await?;
        }
        Ok(part)
    }

    #[cfg(feature = "firestore")]
    async fn add_documents(
        &mut self,
        (engine, work): (&Engine, &Work),
        documents: &Documents,
        ungrouped: &Ungrouped,
    ) -> Result<Part, EngineError> {
        let user = self.request.user_id;
        let mut scope = engine.store.read(Actor::Service).await?;
        let known = mined(&mut scope, user, ungrouped).await?;
        drop(scope);
        for _ in 0..MAX_ATTEMPTS {
            if self.request.mode == Mode::Store {
                let stamp = (0, documents.changed_at().await?);
                if self.seen != Some(stamp) {
                    self.groups = groups_of(documents).await?;
                    self.seen = Some(stamp);
                }
            }
            let now = engine.clock.now();
            let mut part = self.place(ungrouped, &known, now);
            if self.request.mode == Mode::DryRun {
                return Ok(part);
            }
            if !documents
                .put_groups(&self.groups.take_changed(), &part.patterns)
                .await?
            {
                self.seen = None;
                continue;
            }
            self.seen = self.seen.map(|(count, at)| (count, at.max(Some(now))));
            let mut scope = work.begin(engine).await?;
            mining::hold(&mut scope, user).await?;
            part.leave_out(&mined(&mut scope, user, ungrouped).await?);
            self.write(&mut scope, &part, &ungrouped.errors).await?;
            scope.commit().await?;
            return Ok(part);
        }
        Err(EngineError::Suggestions(SuggestionStoreError::contention()))
    }

    /// Puts patterns into groups, but for those of interactions that are mined already.
    fn place(&mut self, ungrouped: &Ungrouped, known: &HashSet<InteractionId>, now: OffsetDateTime) -> Part {
        let mut part = Part {
            patterns: Vec::with_capacity(ungrouped.patterns.len()),
            counts: MiningCounts {
                picked_up: ungrouped.patterns.len() as u64,
                errors: ungrouped.errors.len() as u64,
                ..MiningCounts::default()
            },
        };
        let patterns = ungrouped.patterns.iter().zip(&ungrouped.user_hashes);
        for ((pattern, user_hash), vector) in patterns.zip(&ungrouped.vectors) {
            if known.contains(&pattern.evaluation_id) {
                part.counts.skipped += 1;
                continue;
            }
            let placed = self.groups.place(&Placing {
                user: self.request.user_id,
                pattern,
                vector,
                embedded_by: &self.embedded_by,
                run_id: &self.id,
                now,
            });
            let grouped = GroupedPattern {
                pattern: pattern.clone(),
                user_hash: user_hash.clone(),
                suggestion_id: placed.suggestion_id,
                similarity_score: placed.similarity,
            };
            part.counts.patterns += 1;
            *part.count_of(&grouped) += 1;
            part.patterns.push(grouped);
        }
        part
    }

    /// Writes patterns, and what came of them.
    async fn write(
        &self,
        scope: &mut Scope,
        part: &Part,
        errors: &[ExtractionError],
    ) -> Result<(), EngineError> {
        let user = self.request.user_id;
        mining::insert_patterns(scope, user, &part.patterns).await?;
        let run = RunPart {
            user_id: user,
            run_id: &self.id,
            counts: part.counts,
            cost_usd: &self.cost_usd(),
            errors,
        };
        Ok(mining::add(scope, &run).await?)
    }
}

impl Part {
    /// Those that joined a suggestion, or those that made one.
    const fn count_of(&mut self, grouped: &GroupedPattern) -> &mut u64 {
        match grouped.similarity_score {
            Some(_) => &mut self.counts.joined,
            None => &mut self.counts.suggestions,
        }
    }

    /// Leaves out what others have mined meanwhile.
    #[cfg(feature = "firestore")]
    fn leave_out(&mut self, known: &HashSet<InteractionId>) {
        let is_known = |grouped: &GroupedPattern| known.contains(&grouped.pattern.evaluation_id);
        let (mined, patterns) = std::mem::take(&mut self.patterns).into_iter().partition(is_known);
        self.patterns = patterns;
        for grouped in &mined as &Vec<GroupedPattern> {
            self.counts.patterns -= 1;
            self.counts.skipped += 1;
            *self.count_of(grouped) -= 1;
        }
    }
}

/// Which interactions have a pattern by now, or are gone.
async fn mined(
    scope: &mut Scope,
    user: UserId,
    ungrouped: &Ungrouped,
) -> Result<HashSet<InteractionId>, EngineError> {
    let ids: Vec<InteractionId> = ungrouped.patterns.iter().map(|one| one.evaluation_id).collect();
    Ok(mining::mined(scope, user, &ids).await?.into_iter().collect())
}

#[cfg(feature = "firestore")]
async fn groups_of(documents: &Documents) -> Result<Groups, EngineError> {
    let (groups, members) = documents.groups().await?;
    Ok(Groups::read(groups).with_members(members))
}
