//! A part of the index: the terms of some documents, and in which of these each stands.
//!
//! It is stored as a list of its documents and as blocks (`blocks.rs`), each with the terms of a range.

use super::blocks::{Blocks, Entries, Places};
use super::varint::{put, take};

/// Documents of a segment at most: few enough to be rewritten in a moment, and their places take 16 bits.
pub(super) const MAX_DOCUMENTS: usize = 16_384;
/// Postings of a block, about: it is read whole for one of its terms, and four of them fill a page of SQLite.
const POSTINGS_PER_BLOCK: usize = 800;

/// What names a document: of SQLite its number, of PostgreSQL its id.
pub(crate) type DocumentId = u128;

/// A segment as it is stored.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// How many documents.
    pub(super) size: usize,
    pub(super) first: DocumentId,
    pub(super) last: DocumentId,
    /// The list of documents.
    pub(super) documents: Vec<u8>,
    /// Into how many ranges the terms are divided.
    pub(super) block_count: u32,
    /// Blocks with their numbers; empty ones are left out.
    pub(super) blocks: Vec<(u32, Vec<u8>)>,
}

/// Terms of a document from which on it is worth looking for those that it has several times.
const MANY_TERMS: usize = 1_000;

/// Documents with their terms.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// Each with the end of its terms among all.
    ends: Vec<(DocumentId, usize)>,
    terms: Vec<u32>,
}

impl Documents {
    /// Adds one whose terms `add` adds to those of others.
    pub(super) fn add(&mut self, id: DocumentId, add: impl FnOnce(&mut Vec<u32>)) {
        let begin = self.terms.len();
        add(&mut self.terms);
        if self.terms.len() - begin > MANY_TERMS {
            self.terms[begin..].sort_unstable();
            let mut own = self.terms.split_off(begin);
            own.dedup();
            self.terms.append(&mut own);
        }
        self.ends.push((id, self.terms.len()));
    }

    /// How many terms they have.
    pub(super) const fn terms(&self) -> usize {
        self.terms.len()
    }
}

impl Segment {
    /// Of documents in any order; none of none.
    pub(super) fn of(Documents { ends, terms }: &Documents) -> Option<Self> {
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by_key(|index| ends[*index].0);
        // A term, and 16 bits for a place.
        let mut postings: Vec<u64> = Vec::with_capacity(terms.len());
        for (place, index) in order.iter().enumerate() {
            let begin = index.checked_sub(1).map_or(0, |before| ends[before].1);
            let of_document = &terms[begin..ends[*index].1];
            postings.extend(
                of_document
                    .iter()
                    .map(|term| u64::from(*term) << 16 | place as u64),
            );
        }
        // Places are in their order, and those of equal terms stay in it.
        radsort::sort_by_key(&mut postings, |posting| (posting >> 16) as u32);
        postings.dedup();
        let documents: Vec<DocumentId> = order.into_iter().map(|index| ends[index].0).collect();
        let mut blocks = Blocks::new(documents.len(), postings.len() / POSTINGS_PER_BLOCK);
        let mut places = Vec::new();
        for entry in postings.chunk_by(|one, next| one >> 16 == next >> 16) {
            places.clear();
            places.extend(entry.iter().map(|posting| *posting as u16));
            blocks.add((entry[0] >> 16) as u32, &places);
        }
        Self::stored(&documents, blocks)
    }

    /// One of several; none where nothing is left. Where a part is damaged, that is said instead.
    pub(super) fn merged(parts: &[Part]) -> Result<Option<Self>, Damaged> {
        let mut documents: Vec<DocumentId> = Vec::new();
        let mut staying: Vec<(DocumentId, usize, usize)> = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let stays = |(place, _): &(usize, _)| part.gone.binary_search(&(*place as u16)).is_err();
            let of_part = part.documents.iter().enumerate().filter(stays);
            staying.extend(of_part.map(|(place, id)| (*id, number, place)));
        }
        staying.sort_unstable();
        let unknown = |part: &Part| vec![None; part.documents.len()];
        let mut new_places: Vec<Vec<Option<u16>>> = parts.iter().map(unknown).collect();
        for (id, number, place) in staying {
            if documents.last() != Some(&id) {
                documents.push(id);
            }
            new_places[number][place] = u16::try_from(documents.len() - 1).ok();
        }
        let mut blocks = Blocks::new(documents.len(), parts.iter().map(|part| part.blocks.len()).sum());
        let mut entries: Vec<_> = parts.iter().map(|part| part.entries().peekable()).collect();
        let mut places = Vec::new();
        loop {
            let mut next: Option<u32> = None;
            for entries in &mut entries {
                if let Some(entry) = entries.peek() {
                    let (term, _) = entry.ok_or(Damaged)?;
                    next = Some(next.map_or(term, |least| least.min(term)));
                }
            }
            let Some(term) = next else { break };
            places.clear();
            for (entries, new_places) in entries.iter_mut().zip(&new_places) {
                if let Some(Some((_, of_part))) =
                    entries.next_if(|entry| entry.is_some_and(|(other, _)| other == term))
                {
                    let new = |place| new_places.get(usize::from(place)).copied().flatten();
                    of_part.each(|place| places.extend(new(place))).ok_or(Damaged)?;
                }
            }
            places.sort_unstable();
            places.dedup();
            if !places.is_empty() {
                blocks.add(term, &places);
            }
        }
        Ok(Self::stored(&documents, blocks))
    }

    fn stored(documents: &[DocumentId], blocks: Blocks) -> Option<Self> {
        Some(Self {
            size: documents.len(),
            first: *documents.first()?,
            last: *documents.last()?,
            documents: document_bytes(documents),
            block_count: blocks.count,
            blocks: blocks.written,
        })
    }
}

/// A segment that becomes part of another.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) documents: Vec<DocumentId>,
    /// The places of those that are left out, in their order.
    pub(super) gone: Vec<u16>,
    /// All of its blocks, in their order.
    pub(super) blocks: Vec<Vec<u8>>,
}

impl Part {
    fn entries(&self) -> impl Iterator<Item = Option<(u32, Places<'_>)>> {
        self.blocks.iter().flat_map(|block| Entries::of(block))
    }
}

/// That bytes are of no segment.
#[derive(Debug)]
pub(super) struct Damaged;

/// A list of documents as it is stored.
fn document_bytes(documents: &[DocumentId]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0;
    for id in documents {
        let distance = id - before;
        // Numbers are near each other, and ids are not.
        let low = (distance as u64) & (u64::MAX >> 1);
        let high = distance >> 63;
        put(&mut bytes, low << 1 | u64::from(high > 0));
        if high > 0 {
            put(&mut bytes, (high & u128::from(u64::MAX)) as u64);
            put(&mut bytes, (high >> 64) as u64);
        }
        before = *id;
    }
    bytes
}

/// Reads a list of documents.
pub(super) fn read_documents(mut bytes: &[u8]) -> Option<Vec<DocumentId>> {
    let mut documents = Vec::new();
    let mut id: DocumentId = 0;
    while !bytes.is_empty() {
        let low = take(&mut bytes)?;
        let mut distance = u128::from(low >> 1);
        if low & 1 == 1 {
            let high = u128::from(take(&mut bytes)?) | u128::from(take(&mut bytes)?) << 64;
            distance |= high.checked_shl(63)?;
        }
        id = id.checked_add(distance)?;
        documents.push(id);
    }
    Some(documents)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::super::blocks::block_of;
    use super::*;

    type Documents = BTreeMap<DocumentId, Vec<u32>>;

    fn segment(documents: &Documents) -> Option<Segment> {
        let mut out_of_order = super::Documents::default();
        for (id, of_document) in documents.iter().rev() {
            out_of_order.add(*id, |terms| terms.extend(of_document));
        }
        Segment::of(&out_of_order)
    }

    fn part(segment: Option<Segment>, gone: Vec<u16>) -> Part {
        let bytes = segment.as_ref().map_or(&[][..], |segment| &segment.documents);
        Part {
            documents: read_documents(bytes).unwrap(),
            gone,
            blocks: segment
                .into_iter()
                .flat_map(|segment| segment.blocks)
                .map(|(_, block)| block)
                .collect(),
        }
    }

    /// Which documents each term stands in.
    fn postings(segment: Option<&Segment>) -> BTreeMap<u32, BTreeSet<DocumentId>> {
        let mut postings: BTreeMap<u32, BTreeSet<DocumentId>> = BTreeMap::new();
        let Some(segment) = segment else { return postings };
        let ids = read_documents(&segment.documents).unwrap();
        assert_eq!(
            (segment.size, Some(&segment.first), Some(&segment.last)),
            (ids.len(), ids.first(), ids.last())
        );
        for (number, block) in &segment.blocks {
            for entry in Entries::of(block) {
                let (term, places) = entry.unwrap();
                assert_eq!(block_of(term, segment.block_count), *number);
                places
                    .each(|place| {
                        assert!(postings.entry(term).or_default().insert(ids[usize::from(place)]));
                    })
                    .unwrap();
            }
        }
        postings
    }

    fn expected(documents: &Documents) -> BTreeMap<u32, BTreeSet<DocumentId>> {
        let mut expected: BTreeMap<u32, BTreeSet<DocumentId>> = BTreeMap::new();
        for (id, terms) in documents {
            for term in terms {
                expected.entry(*term).or_default().insert(*id);
            }
        }
        expected
    }

    /// Few terms, so that many documents have the same; ids near and far.
    fn documents() -> impl Strategy<Value = Documents> {
        let id = prop_oneof![
            (0..200_u128),
            any::<u128>(),
            Just(u128::MAX),
            (0..3_u128).prop_map(|number| (1 << 63) + number)
        ];
        let term = prop_oneof![0..8_u32, any::<u32>(), Just(u32::MAX)];
        btree_map(id, vec(term, 0..40), 0..60)
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read(documents in documents()) {
            let segment = segment(&documents);
            prop_assert_eq!(segment.is_none(), documents.is_empty());
            prop_assert_eq!(postings(segment.as_ref()), expected(&documents));
        }

        #[test]
        fn merging_is_as_building_at_once(parts in vec(documents(), 0..4), gone in vec(any::<u16>(), 0..9)) {
            let (mut all, mut merged) = (Documents::new(), Vec::new());
            for documents in &parts {
                let places = gone.iter().map(|place| *place % 64).filter(|place| usize::from(*place) < documents.len());
                let places: BTreeSet<u16> = places.collect();
                for (place, (id, terms)) in documents.iter().enumerate() {
                    if !places.contains(&(place as u16)) {
                        all.entry(*id).or_default().extend(terms);
                    }
                }
                merged.push(part(segment(documents), places.into_iter().collect()));
            }
            let merged = Segment::merged(&merged).unwrap();
            prop_assert_eq!(merged.as_ref().map_or(0, |merged| merged.size), all.len());
            prop_assert_eq!(postings(merged.as_ref()), expected(&all));
        }

        #[test]
        fn no_bytes_are_too_strange(documents: Vec<u8>, block: Vec<u8>) {
            let documents = read_documents(&documents);
            prop_assert!(documents.as_ref().is_none_or(|documents| documents.is_sorted()));
            let documents = documents.filter(|documents| documents.len() <= 9).unwrap_or_else(|| vec![1, 2]);
            let part = Part { documents, gone: vec![1], blocks: vec![block] };
            // Damaged or not: what comes of it can be read.
            if let Ok(merged) = Segment::merged(&[part]) {
                postings(merged.as_ref());
            }
        }
    }

    #[test]
    fn a_term_of_every_document_takes_a_bit_each() {
        let segment = segment(&(0..16_000).map(|id| (id, vec![7])).collect()).unwrap();
        let bytes: usize = segment.blocks.iter().map(|(_, block)| block.len()).sum();
        assert!((2_000..2_010).contains(&bytes), "{bytes}");
        // Documents that follow each other take a byte.
        assert!(segment.documents.len() <= 16_000);
    }
}
