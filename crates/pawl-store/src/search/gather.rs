//! Gathering: what waits to be indexed, with its terms.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use pawl_model::UserId;

use super::change::Change;
use super::segment::{DocumentId, Documents, Segment};
use super::{CLAIM, EachWord, UNINDEXED, document_id, terms};
use crate::query::Dialect;
use crate::{Result, Row, Scope};

/// Makes sure that further changes of about `limit` interactions that wait are queued, as the service. They can be
/// gathered in a transaction that writes nothing then, so that storing goes on meanwhile.
///
/// # Errors
/// [`crate::StoreError::ForeignRow`] for a tenant.
pub async fn claim(scope: &mut Scope, limit: u32) -> Result<()> {
    scope.require_service()?;
    scope.execute(&CLAIM, &[i64::from(limit).into()]).await?;
    Ok(())
}

/// Terms that are held in memory, but for those of the last that were queued together: about twice what usual texts come
/// to.
const ENOUGH_TERMS: usize = 4_000_000;

/// Interactions whose words wait to be indexed, with their terms.
#[derive(Debug, Default)]
pub struct Gathered {
    /// What is taken from the queue.
    queued: Vec<i64>,
    /// The first and the last of those that are new, where those are not queued.
    new: Option<(i64, i64)>,
    /// Those that are there.
    present: BTreeMap<UserId, Documents>,
    /// Those that earlier segments may have.
    changed: BTreeMap<UserId, Vec<DocumentId>>,
}

impl Gathered {
    /// Gathers about `limit` of those that wait, as the service; none where none do.
    ///
    /// # Errors
    /// [`crate::StoreError::ForeignRow`] for a tenant.
    pub async fn read(scope: &mut Scope, limit: u32, each_word: EachWord) -> Result<Option<Self>> {
        scope.require_service()?;
        let dialect = scope.dialect();
        let mut gathered = Self::default();
        // One that was changed since it was added waits twice.
        let mut seen = HashSet::new();
        let take = |row: &Row| gathered.take(row, dialect, &mut seen, each_word);
        scope
            .fetch_each(&UNINDEXED, &[i64::from(limit).into()], take)
            .await?;
        let is_empty = gathered.queued.is_empty() && gathered.new.is_none();
        Ok(Some(gathered).filter(|_| !is_empty))
    }

    fn take(
        &mut self,
        row: &Row,
        dialect: Dialect,
        seen: &mut HashSet<DocumentId>,
        each_word: EachWord,
    ) -> Result<ControlFlow<()>> {
        let mut columns = row.columns();
        let queued: Option<i64> = columns.read()?;
        let is_part_of_the_last = queued.is_some() && queued == self.queued.last().copied();
        if !is_part_of_the_last && self.terms() >= ENOUGH_TERMS {
            return Ok(ControlFlow::Break(()));
        }
        let id = document_id(&mut columns, dialect)?;
        match queued {
            Some(_) if is_part_of_the_last => {}
            Some(number) => self.queued.push(number),
            None => {
                let first = self.new.map_or(id as i64, |(first, _)| first);
                self.new = Some((first, id as i64));
            }
        }
        if let Some(user) = columns.read::<Option<UserId>>()? {
            self.changed.entry(user).or_default().push(id);
        }
        let (user, text): (Option<UserId>, Option<String>) = (columns.read()?, columns.read()?);
        if let (Some(user), Some(text)) = (user, text)
            && seen.insert(id)
        {
            let documents = self.present.entry(user).or_default();
            documents.add(id, |terms| terms::terms_of(&text, each_word, terms));
        }
        Ok(ControlFlow::Continue(()))
    }

    fn terms(&self) -> usize {
        self.present.values().map(Documents::terms).sum()
    }

    /// What it comes to: a segment for each tenant. This takes a while, and needs no database.
    #[must_use]
    pub fn into_change(self) -> Change {
        let segment = |(user, documents)| Some((user, Segment::of(&documents)?));
        Change {
            queued: self.queued,
            new: self.new,
            changed: self.changed,
            added: self.present.into_iter().filter_map(segment).collect(),
            ..Change::default()
        }
    }
}
