//! Cases that passed in one of two runs alone, with their rows.

use std::collections::HashMap;

use pawl_model::{CaseId, CaseRecord, Run};
use pawl_store::{Actor, cases, runs};

use super::compare::{Comparison, Direction};
use super::list::RunPlace;
use crate::{Engine, EngineError};

/// A case that passed in one of two runs alone.
#[derive(Clone, Debug)]
pub struct Flip {
    /// In which.
    pub direction: Direction,
    /// Its first row in the first run.
    pub a: CaseRecord,
    /// Its first row in the second run.
    pub b: CaseRecord,
}

impl Engine {
    /// The cases that a comparison names as lost or gained, in the order of the first run.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn flips(&self, actor: Actor, comparison: &Comparison) -> Result<Vec<Flip>, EngineError> {
        let ids: Vec<CaseId> = comparison
            .flips
            .iter()
            .flat_map(|rows| [rows.a, rows.b])
            .collect();
        let mut scope = self.store.read(actor).await?;
        let records = cases::some(&mut scope, &ids).await?;
        let mut records: HashMap<CaseId, CaseRecord> =
            records.into_iter().map(|record| (record.id, record)).collect();
        let mut flip = |rows: &super::compare::FlippedRows| {
            Some(Flip {
                direction: rows.direction,
                a: records.remove(&rows.a)?,
                b: records.remove(&rows.b)?,
            })
        };
        // A row that was deleted meanwhile is none to show.
        Ok(comparison.flips.iter().filter_map(&mut flip).collect())
    }

    /// The newest completed run of the same suite that began before this one; none where there is none, or the run is
    /// of no suite.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn previous_run(&self, actor: Actor, of: &Run) -> Result<Option<Run>, EngineError> {
        let Some(suite) = of.suite.as_deref() else {
            return Ok(None);
        };
        let filter = runs::Filter {
            status: Some("completed"),
            suite: Some(suite),
        };
        let place = RunPlace {
            created_at: of.created_at,
            id: of.id,
        };
        let page = self.list_runs(actor, &filter, Some(place), 1).await?;
        Ok(page.items.into_iter().next())
    }
}
