//! Finding: which interactions of a tenant have all of some terms.

use std::collections::HashMap;

use pawl_model::UserId;
use serde_json::json;

use super::blocks::{Entries, block_of};
use super::segment::DocumentId;
use super::{BLOCKS, Described, damaged, documents_of, segments, terms};
use crate::query::Search;
use crate::statement::documents;
use crate::{Result, Scope, Value};

/// Blocks that are read at a time.
const BLOCKS_AT_ONCE: usize = 2_000;

/// The interactions that were found.
pub(crate) struct Found {
    user: UserId,
    /// How many were looked through.
    pub(crate) indexed: usize,
    segments: Vec<InSegment>,
}

struct InSegment {
    number: i64,
    first: DocumentId,
    last: DocumentId,
    places: Bits,
    /// Once they were needed.
    documents: Option<Vec<DocumentId>>,
}

/// A bit for each document.
struct Bits(Vec<u64>);

impl Bits {
    fn of_none(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    fn set(&mut self, place: u16) {
        if let Some(bits) = self.0.get_mut(usize::from(place / 64)) {
            *bits |= 1 << (place % 64);
        }
    }

    fn clear(&mut self, place: u16) {
        if let Some(bits) = self.0.get_mut(usize::from(place / 64)) {
            *bits &= !(1 << (place % 64));
        }
    }

    fn has(&self, place: usize) -> bool {
        self.0
            .get(place / 64)
            .is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }

    fn keep(&mut self, other: &Self) {
        self.0
            .iter_mut()
            .zip(&other.0)
            .for_each(|(bits, other)| *bits &= other);
    }

    fn count(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }
}

/// Looks all indexed interactions of a tenant through. Some that are found may not have a pair of words that is looked
/// for, and some are no more.
pub(crate) async fn find(scope: &mut Scope, user: UserId, search: &Search) -> Result<Found> {
    let words = search.words.iter().map(|word| terms::word(word));
    let pairs = search
        .pairs
        .iter()
        .map(|[first, second]| terms::pair(first, second));
    let mut wanted: Vec<u32> = words.chain(pairs).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let described = segments(scope, user).await?;
    let blocks = read_blocks(scope, user, &described, &wanted).await?;
    let mut found = Found {
        user,
        indexed: described.iter().map(|segment| segment.size).sum(),
        segments: Vec::new(),
    };
    for segment in described {
        let Some(mut places) = with_all(&segment, &wanted, &blocks)? else {
            continue;
        };
        segment.gone()?.into_iter().for_each(|place| places.clear(place));
        if places.count() > 0 {
            found.segments.push(InSegment {
                number: segment.number,
                first: segment.first,
                last: segment.last,
                places,
                documents: None,
            });
        }
    }
    Ok(found)
}

/// The blocks in which the terms are, by segment and number.
type Blocks = HashMap<(i64, u32), Vec<u8>>;

async fn read_blocks(
    scope: &mut Scope,
    user: UserId,
    segments: &[Described],
    wanted: &[u32],
) -> Result<Blocks> {
    let mut keys: Vec<(i64, u32)> = Vec::with_capacity(segments.len() * wanted.len());
    for segment in segments {
        keys.extend(
            wanted
                .iter()
                .map(|term| (segment.number, block_of(*term, segment.blocks))),
        );
    }
    // Terms are in their order, and so are their blocks.
    keys.dedup();
    let mut blocks = Blocks::with_capacity(keys.len());
    for keys in keys.chunks(BLOCKS_AT_ONCE) {
        let keys = documents(keys.iter().map(|(segment, block)| json!([segment, block])))?;
        let rows = scope.fetch(&BLOCKS, &[user.into(), Value::from(&keys)]).await?;
        for row in rows {
            let mut columns = row.columns();
            let segment = columns.read()?;
            let block = u32::try_from(columns.read::<i64>()?).map_err(|_| damaged())?;
            blocks.insert((segment, block), columns.read()?);
        }
    }
    Ok(blocks)
}

/// The places of the documents of a segment that have all of the terms; none where there are none.
fn with_all(segment: &Described, wanted: &[u32], blocks: &Blocks) -> Result<Option<Bits>> {
    let mut all: Option<Bits> = None;
    for term in wanted {
        let block = blocks.get(&(segment.number, block_of(*term, segment.blocks)));
        let Some(mut places) = block
            .map(|block| places_of(*term, block, segment.size))
            .transpose()?
            .flatten()
        else {
            return Ok(None);
        };
        if let Some(all) = &all {
            places.keep(all);
        }
        all = Some(places);
    }
    Ok(all)
}

fn places_of(term: u32, block: &[u8], size: usize) -> Result<Option<Bits>> {
    for entry in Entries::of(block) {
        let (found, places) = entry.ok_or_else(damaged)?;
        if found == term {
            let mut bits = Bits::of_none(size);
            places.each(|place| bits.set(place)).ok_or_else(damaged)?;
            return Ok(Some(bits));
        }
        if found > term {
            break;
        }
    }
    Ok(None)
}

impl Found {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.segments.iter().map(|segment| segment.places.count()).sum()
    }

    /// All of them.
    pub(crate) async fn all(&mut self, scope: &mut Scope) -> Result<Vec<DocumentId>> {
        self.read_documents(scope, |_| true).await?;
        let of_segment = |segment: &InSegment| -> Vec<DocumentId> {
            let documents = segment.documents.iter().flatten().enumerate();
            documents
                .filter(|(place, _)| segment.places.has(*place))
                .map(|(_, id)| *id)
                .collect()
        };
        Ok(self.segments.iter().flat_map(of_segment).collect())
    }

    /// Those of these that are among them.
    pub(crate) async fn among(&mut self, scope: &mut Scope, ids: &[DocumentId]) -> Result<Vec<DocumentId>> {
        let (Some(least), Some(most)) = (ids.iter().min(), ids.iter().max()) else {
            return Ok(Vec::new());
        };
        self.read_documents(scope, |segment| segment.first <= *most && *least <= segment.last)
            .await?;
        let is_found = |id: &DocumentId| {
            self.segments.iter().any(|segment| {
                let in_range = (segment.first..=segment.last).contains(id);
                let documents = segment.documents.as_deref().filter(|_| in_range);
                let place = documents.and_then(|documents| documents.binary_search(id).ok());
                place.is_some_and(|place| segment.places.has(place))
            })
        };
        Ok(ids.iter().copied().filter(is_found).collect())
    }

    async fn read_documents(&mut self, scope: &mut Scope, wanted: impl Fn(&InSegment) -> bool) -> Result<()> {
        let missing = |segment: &&InSegment| segment.documents.is_none() && wanted(segment);
        let numbers: Vec<i64> = self
            .segments
            .iter()
            .filter(missing)
            .map(|segment| segment.number)
            .collect();
        let mut read = documents_of(scope, self.user, numbers).await?;
        for segment in &mut self.segments {
            if let Some(documents) = read.remove(&segment.number) {
                segment.documents = Some(documents);
            }
        }
        Ok(())
    }
}
