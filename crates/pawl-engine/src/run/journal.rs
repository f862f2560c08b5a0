//! The journal of a run: its own rows. What stands there is done, what does not is still to do.

use pawl_model::{CaseRecord, Run, RunId, RunStatus, Tally};
use pawl_store::response_cache::CachedResponse;
use pawl_store::runs::Finish;
use pawl_store::{Actor, cases, runs};

use super::cache::Cache;
use crate::{Engine, EngineError};

const PAGE: u32 = 1_000;

/// Which case and trial of a run are stored already.
#[derive(Debug)]
pub(crate) struct Done {
    trials: u16,
    bits: Vec<u64>,
}

impl Done {
    pub(crate) const fn nothing(trials: u16) -> Self {
        Self {
            trials,
            bits: Vec::new(),
        }
    }

    fn place(&self, ordinal: u32, trial: u16) -> (usize, u64) {
        let place = u64::from(ordinal) * u64::from(self.trials) + u64::from(trial) - 1;
        (
            usize::try_from(place / 64).unwrap_or(usize::MAX),
            1 << (place % 64),
        )
    }

    fn insert(&mut self, ordinal: u32, trial: u16) {
        let (word, bit) = self.place(ordinal, trial);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
    }

    pub(crate) fn contains(&self, ordinal: u32, trial: u16) -> bool {
        let (word, bit) = self.place(ordinal, trial);
        self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

impl Engine {
    pub(crate) async fn begin_run(&self, actor: Actor, run: &Run) -> Result<(), EngineError> {
        let mut scope = self.store.write(actor).await?;
        runs::insert(&mut scope, run).await?;
        scope.commit().await?;
        Ok(())
    }

    pub(crate) async fn reopen_run(&self, actor: Actor, run: RunId) -> Result<(), EngineError> {
        let mut scope = self.store.write(actor).await?;
        runs::reopen(&mut scope, run).await?;
        scope.commit().await?;
        Ok(())
    }

    /// Stores rows, and with them the answers that may be used again.
    pub(crate) async fn store_cases(
        &self,
        cache: &Cache,
        records: &[CaseRecord],
        answers: &[CachedResponse],
    ) -> Result<(), EngineError> {
        let mut scope = self.store.write(cache.actor).await?;
        cases::insert(&mut scope, records).await?;
        cache.keep(&mut scope, answers, self.clock.now()).await?;
        scope.commit().await?;
        Ok(())
    }

    pub(crate) async fn finish_run(
        &self,
        actor: Actor,
        run: &mut Run,
        tally: Tally,
        error: Option<String>,
    ) -> Result<(), EngineError> {
        run.status = if error.is_some() {
            RunStatus::Failed
        } else {
            RunStatus::Completed
        };
        run.completed_at = Some(self.clock.now());
        run.error = error;
        let count = |n: u64| i32::try_from(n).unwrap_or(i32::MAX);
        (run.total_cases, run.passed_cases, run.failed_cases) =
            (count(tally.total()), count(tally.passed), count(tally.failed));
        let finish = Finish {
            status: run.status.clone(),
            completed_at: self.clock.now(),
            error: run.error.as_deref(),
            tally,
        };
        let mut scope = self.store.write(actor).await?;
        runs::finish(&mut scope, run.id, &finish).await?;
        scope.commit().await?;
        Ok(())
    }

    /// A run that the actor sees.
    ///
    /// # Errors
    /// When there is no such run, or the database fails.
    pub async fn run(&self, actor: Actor, id: RunId) -> Result<Run, EngineError> {
        let mut scope = self.store.read(actor).await?;
        runs::get(&mut scope, id)
            .await?
            .ok_or(EngineError::UnknownRun { id })
    }

    /// Shows every row of a run to `see`, in the order of the data set, a page at a time.
    ///
    /// # Errors
    /// When the database fails, or `see` does.
    pub async fn each_case<E: From<EngineError>>(
        &self,
        actor: Actor,
        run: RunId,
        mut see: impl FnMut(CaseRecord) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = None;
        loop {
            let mut scope = self.store.read(actor).await.map_err(EngineError::from)?;
            let page = cases::page(&mut scope, run, after, PAGE)
                .await
                .map_err(EngineError::from)?;
            drop(scope);
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id);
            page.into_iter().try_for_each(&mut see)?;
        }
    }

    /// What of a run is stored, each row shown to `see`.
    pub(crate) async fn read_journal(
        &self,
        actor: Actor,
        run: RunId,
        trials: u16,
        mut see: impl FnMut(&CaseRecord),
    ) -> Result<Done, EngineError> {
        let mut done = Done::nothing(trials);
        self.each_case(actor, run, |case| {
            if let Some((ordinal, trial)) = case.id.position(run) {
                done.insert(ordinal, trial);
            }
            see(&case);
            Ok::<(), EngineError>(())
        })
        .await?;
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_known_by_case_and_trial() {
        let mut done = Done::nothing(3);
        for (ordinal, trial) in [(0, 1), (0, 3), (21, 2), (1_000_000, 1)] {
            done.insert(ordinal, trial);
            assert!(done.contains(ordinal, trial));
        }
        for (ordinal, trial) in [(0, 2), (1, 1), (21, 1), (21, 3), (1_000_000, 2), (2_000_000, 1)] {
            assert!(!done.contains(ordinal, trial), "{ordinal} {trial}");
        }
    }
}
