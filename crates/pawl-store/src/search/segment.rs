//! A part of the index: the terms of some documents, and in which of these each stands.
//!
//! It is stored as a list of its documents and as blocks, each with the terms of a range. A term is the distance to the
//! one before it, the number of bytes that follow with a bit that says how to read them, and the places of its documents
//! in the list: the distances between them, or a bit for every document where that takes less.

use super::varint::{put, take};

/// Documents of a segment at most: few enough to be rewritten in a moment, and their places take 16 bits.
pub(super) const MAX_DOCUMENTS: usize = 16_384;
/// Postings of a block, about: it is read whole for one of its terms, and four of them fill a page of SQLite.
const POSTINGS_PER_BLOCK: usize = 800;

/// What names a document: of SQLite its number, of PostgreSQL its id.
pub(crate) type DocumentId = u128;

/// A segment in memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// In ascending order.
    documents: Vec<DocumentId>,
    /// Which terms stand in which of them, in ascending order: a term, and 16 bits for a place.
    postings: Vec<u64>,
}

/// A segment as it is stored.
#[derive(Debug)]
pub(super) struct Stored {
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

impl Segment {
    /// Of documents, each with the end of its terms in a list of all.
    pub(super) fn of(ends: &[(DocumentId, usize)], terms: &[u32]) -> Self {
        let mut order: Vec<usize> = (0..ends.len()).collect();
        order.sort_by_key(|index| ends[*index].0);
        let mut postings = Vec::with_capacity(terms.len());
        for (place, index) in order.iter().enumerate() {
            let begin = index.checked_sub(1).map_or(0, |before| ends[before].1);
            let of_document = &terms[begin..ends[*index].1];
            postings.extend(
                of_document
                    .iter()
                    .map(|term| u64::from(*term) << 16 | place as u64),
            );
        }
        postings.sort_unstable();
        postings.dedup();
        Self {
            documents: order.into_iter().map(|index| ends[index].0).collect(),
            postings,
        }
    }

    /// Of documents and all blocks; none where the blocks are none.
    pub(super) fn of_blocks<B: AsRef<[u8]>>(
        documents: Vec<DocumentId>,
        blocks: impl IntoIterator<Item = B>,
    ) -> Option<Self> {
        let mut postings = Vec::new();
        for block in blocks {
            for entry in Entries::of(block.as_ref()) {
                let (term, places) = entry?;
                places.each(|place| postings.push(u64::from(term) << 16 | u64::from(place)))?;
            }
        }
        Some(Self { documents, postings })
    }

    /// One of several, without the documents at these places of each.
    pub(super) fn merged(parts: &[(Self, Vec<u16>)]) -> Self {
        let mut documents: Vec<(DocumentId, usize, usize)> = Vec::new();
        for (number, (part, gone)) in parts.iter().enumerate() {
            let stays = |(place, _): &(usize, _)| gone.binary_search(&(*place as u16)).is_err();
            let staying = part.documents.iter().enumerate().filter(stays);
            documents.extend(staying.map(|(place, id)| (*id, number, place)));
        }
        documents.sort_unstable();
        let mut places: Vec<Vec<Option<u16>>> = parts
            .iter()
            .map(|(part, _)| vec![None; part.documents.len()])
            .collect();
        let mut merged = Self::default();
        for (id, number, place) in documents {
            if merged.documents.last() != Some(&id) {
                merged.documents.push(id);
            }
            places[number][place] = u16::try_from(merged.documents.len() - 1).ok();
        }
        for ((part, _), places) in parts.iter().zip(places) {
            merged.postings.extend(part.postings.iter().filter_map(|posting| {
                let place = (*places.get(*posting as u16 as usize)?)?;
                Some(posting >> 16 << 16 | u64::from(place))
            }));
        }
        // Of each part they are in order already, which this way of sorting makes use of.
        merged.postings.sort();
        merged.postings.dedup();
        merged
    }

    /// As it is stored; none where it is empty.
    pub(super) fn stored(&self) -> Option<Stored> {
        Some(Stored {
            size: self.documents.len(),
            first: *self.documents.first()?,
            last: *self.documents.last()?,
            documents: self.document_bytes(),
            block_count: self.block_count(),
            blocks: self.blocks(),
        })
    }

    fn document_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut before = 0;
        for id in &self.documents {
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

    const fn block_count(&self) -> u32 {
        (self.postings.len() / POSTINGS_PER_BLOCK) as u32 + 1
    }

    fn blocks(&self) -> Vec<(u32, Vec<u8>)> {
        let count = self.block_count();
        let mut blocks: Vec<(u32, Vec<u8>)> = Vec::new();
        let mut term_before = 0;
        for entry in self.postings.chunk_by(|one, next| one >> 16 == next >> 16) {
            let term = (entry[0] >> 16) as u32;
            let number = block_of(term, count);
            if blocks.last().is_none_or(|(last, _)| *last != number) {
                blocks.push((number, Vec::with_capacity(2 * POSTINGS_PER_BLOCK)));
                term_before = 0;
            }
            if let Some((_, block)) = blocks.last_mut() {
                put(block, u64::from(term - term_before));
                self.put_places(block, entry);
            }
            term_before = term;
        }
        blocks
    }

    fn put_places(&self, block: &mut Vec<u8>, entry: &[u64]) {
        let mut bits = vec![0; self.documents.len().div_ceil(8)];
        let places = entry.iter().map(|posting| *posting as u16);
        // Every place takes a byte or two.
        if entry.len() < bits.len() {
            let mut list = Vec::with_capacity(2 * entry.len());
            put_list(&mut list, places.clone());
            if list.len() < bits.len() {
                put(block, (list.len() as u64) << 1);
                block.extend(list);
                return;
            }
        }
        for place in places {
            bits[usize::from(place / 8)] |= 1 << (place % 8);
        }
        put(block, (bits.len() as u64) << 1 | 1);
        block.extend(bits);
    }
}

/// The number of the block that has a term, of so many.
pub(super) const fn block_of(term: u32, blocks: u32) -> u32 {
    ((term as u64 * blocks as u64) >> 32) as u32
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

/// Adds places in ascending order, as distances.
pub(super) fn put_list(out: &mut Vec<u8>, places: impl IntoIterator<Item = u16>) {
    let mut next = 0;
    for place in places {
        put(out, u64::from(place - next));
        next = place.saturating_add(1);
    }
}

/// Where a term stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Places<'a> {
    /// The distances between them.
    List(&'a [u8]),
    /// A bit for each document.
    Bits(&'a [u8]),
}

impl Places<'_> {
    /// Calls `found` with each place; none where the bytes are of no places.
    pub(super) fn each(self, mut found: impl FnMut(u16)) -> Option<()> {
        match self {
            Self::List(mut bytes) => {
                let mut next = 0_u64;
                while !bytes.is_empty() {
                    let place = next.checked_add(take(&mut bytes)?)?;
                    found(u16::try_from(place).ok()?);
                    next = place + 1;
                }
            }
            Self::Bits(bytes) => {
                for (index, byte) in bytes.iter().enumerate() {
                    let mut rest = *byte;
                    while rest != 0 {
                        found(u16::try_from(8 * index + rest.trailing_zeros() as usize).ok()?);
                        rest &= rest - 1;
                    }
                }
            }
        }
        Some(())
    }
}

/// The terms of a block, each with its places; none in place of what is no term, which ends it.
pub(super) struct Entries<'a> {
    rest: &'a [u8],
    term: u32,
}

impl<'a> Entries<'a> {
    pub(super) const fn of(block: &'a [u8]) -> Self {
        Self { rest: block, term: 0 }
    }

    fn entry(&mut self) -> Option<(u32, Places<'a>)> {
        let term = u64::from(self.term).checked_add(take(&mut self.rest)?)?;
        self.term = u32::try_from(term).ok()?;
        let length = take(&mut self.rest)?;
        let (bytes, rest) = self.rest.split_at_checked(usize::try_from(length >> 1).ok()?)?;
        self.rest = rest;
        let places = if length & 1 == 1 {
            Places::Bits(bytes)
        } else {
            Places::List(bytes)
        };
        Some((self.term, places))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Option<(u32, Places<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_none() {
            self.rest = &[];
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::collection::{btree_map, vec};
    use proptest::prelude::*;

    use super::*;

    type Documents = BTreeMap<DocumentId, Vec<u32>>;

    fn segment(documents: &Documents) -> Segment {
        let (mut ends, mut terms) = (Vec::new(), Vec::new());
        // Out of order.
        for (id, of_document) in documents.iter().rev() {
            terms.extend(of_document);
            ends.push((*id, terms.len()));
        }
        Segment::of(&ends, &terms)
    }

    fn stored_and_read(segment: &Segment) -> Segment {
        let blocks = segment.blocks();
        let documents = read_documents(&segment.document_bytes()).unwrap();
        Segment::of_blocks(documents, blocks.iter().map(|(_, block)| block)).unwrap()
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
            prop_assert_eq!(&stored_and_read(&segment), &segment);
            let ids: Vec<DocumentId> = documents.keys().copied().collect();
            prop_assert_eq!(&segment.documents, &ids);
            let mut expected: BTreeMap<u32, BTreeSet<DocumentId>> = BTreeMap::new();
            for (id, terms) in &documents {
                for term in terms {
                    expected.entry(*term).or_default().insert(*id);
                }
            }
            let blocks: BTreeMap<u32, Vec<u8>> = segment.blocks().into_iter().collect();
            for (term, with) in expected {
                let block = &blocks[&block_of(term, segment.block_count())];
                let entry = Entries::of(block).map(Option::unwrap).find(|(found, _)| *found == term);
                let mut found = BTreeSet::new();
                entry.unwrap().1.each(|place| { found.insert(ids[usize::from(place)]); }).unwrap();
                prop_assert_eq!(found, with);
            }
        }

        #[test]
        fn merging_is_as_building_at_once(parts in vec(documents(), 0..4), gone in vec(any::<u16>(), 0..9)) {
            let mut all: BTreeMap<DocumentId, Vec<u32>> = BTreeMap::new();
            let mut segments = Vec::new();
            for part in &parts {
                let segment = segment(part);
                let places = gone.iter().map(|place| *place % 64).filter(|place| usize::from(*place) < part.len());
                let places: BTreeSet<u16> = places.collect();
                for (place, (id, terms)) in part.iter().enumerate() {
                    if !places.contains(&(place as u16)) {
                        all.entry(*id).or_default().extend(terms);
                    }
                }
                segments.push((segment, places.into_iter().collect::<Vec<u16>>()));
            }
            prop_assert_eq!(Segment::merged(&segments), segment(&all));
        }

        #[test]
        fn no_bytes_are_too_strange(documents: Vec<u8>, block: Vec<u8>) {
            let documents = read_documents(&documents);
            prop_assert!(documents.is_none_or(|documents| documents.is_sorted()));
            if let Some(segment) = Segment::of_blocks(vec![1, 2], [block]) {
                let merged = Segment::merged(&[(segment, Vec::new())]);
                prop_assert!(merged.postings.iter().all(|posting| *posting as u16 <= 1));
            }
        }
    }

    #[test]
    fn a_term_of_every_document_takes_a_bit_each() {
        let documents = (0..16_000).map(|id| (id, vec![7])).collect();
        let blocks = segment(&documents).blocks();
        let bytes: usize = blocks.iter().map(|(_, block)| block.len()).sum();
        assert!((2_000..2_010).contains(&bytes), "{bytes}");
        // Documents that follow each other take a byte.
        assert!(segment(&documents).document_bytes().len() <= 16_000);
    }
}
