//! Runs and cases that are there, a page at a time.

use pawl_model::{CaseId, CaseRecord, EvalResults, Run, RunId, State, Tally};
pub use pawl_store::cases::Page as CasePlace;
pub use pawl_store::runs::{Filter as RunFilter, Place as RunPlace};
use pawl_store::{Actor, cases, runs};
use time::OffsetDateTime;

use super::report::RunReport;
use crate::{Engine, EngineError};

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Whether there is more behind the last one.
    pub more: bool,
}

/// How far a run is.
#[derive(Clone, Debug)]
pub struct RunProgress {
    /// The run as it stands in the database.
    pub run: Run,
    /// Its rows by state.
    pub tally: Tally,
    /// When the last row was stored; none where there is none.
    pub latest: Option<OffsetDateTime>,
}

impl<T> Page<T> {
    /// From up to one item more than fits on the page.
    fn of(mut items: Vec<T>, limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        Self { items, more }
    }
}

impl Engine {
    /// Runs that the actor sees, newest first, behind `after`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_runs(
        &self,
        actor: Actor,
        filter: &RunFilter<'_>,
        after: Option<RunPlace>,
        limit: u32,
    ) -> Result<Page<Run>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let runs = runs::list(&mut scope, filter, after, limit.saturating_add(1)).await?;
        Ok(Page::of(runs, limit))
    }

    /// A run that the actor sees and what its rows come to. It reads every row.
    ///
    /// # Errors
    /// When there is no such run, or the database fails.
    pub async fn run_report(&self, actor: Actor, id: RunId) -> Result<RunReport, EngineError> {
        let mut report = RunReport::new(self.run(actor, id).await?);
        self.each_case(actor, id, |case| {
            report.add(&case, &EvalResults::read(&case.eval_results.to_value()));
            Ok::<(), EngineError>(())
        })
        .await?;
        Ok(report)
    }

    /// How far a run that the actor sees is, cheaply enough to be asked again and again.
    ///
    /// # Errors
    /// When there is no such run, or the database fails.
    pub async fn run_progress(&self, actor: Actor, id: RunId) -> Result<RunProgress, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let run = runs::get(&mut scope, id).await?;
        let (tally, latest) = cases::tally(&mut scope, id).await?;
        Ok(RunProgress {
            run: run.ok_or(EngineError::UnknownRun { id })?,
            tally,
            latest,
        })
    }

    /// A case that the actor sees; none where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn case(&self, actor: Actor, id: CaseId) -> Result<Option<CaseRecord>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        Ok(cases::some(&mut scope, &[id]).await?.pop())
    }

    /// Cases of a run that the actor sees, in the order of the data set; of one state alone where one is given.
    ///
    /// # Errors
    /// When there is no such run, or the database fails.
    pub async fn list_cases(
        &self,
        actor: Actor,
        run: RunId,
        state: Option<State>,
        place: CasePlace,
    ) -> Result<Page<CaseRecord>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        if runs::get(&mut scope, run).await?.is_none() {
            return Err(EngineError::UnknownRun { id: run });
        }
        let limit = place.limit.saturating_add(1);
        let cases = match state {
            Some(state) => cases::list(&mut scope, run, state, CasePlace { limit, ..place }).await?,
            None => cases::page(&mut scope, run, place.after, limit).await?,
        };
        Ok(Page::of(cases, place.limit))
    }
}
