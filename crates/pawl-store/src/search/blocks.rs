//! Blocks: the terms of a range, each with the places of its documents.
//!
//! A term is the distance to the one before it, the number of bytes that follow with a bit that says how to read them, and
//! the places: the distances between them, or a bit for every document where that takes less.

use super::varint::{put, take};

/// Blocks that are being written.
pub(super) struct Blocks {
    /// Into how many ranges the terms are divided.
    pub(super) count: u32,
    /// Bytes of a bit for each document.
    bits: usize,
    /// With their numbers; empty ones are left out.
    pub(super) written: Vec<(u32, Vec<u8>)>,
    last_term: u32,
    list: Vec<u8>,
}

impl Blocks {
    pub(super) fn new(documents: usize, count: usize) -> Self {
        Self {
            count: u32::try_from(count.max(1)).unwrap_or(u32::MAX),
            bits: documents.div_ceil(8),
            written: Vec::new(),
            last_term: 0,
            list: Vec::new(),
        }
    }

    /// Adds a term, which comes after those before, with its places in their order.
    pub(super) fn add(&mut self, term: u32, places: &[u16]) {
        let number = block_of(term, self.count);
        if self.written.last().is_none_or(|(last, _)| *last != number) {
            self.written.push((number, Vec::new()));
            self.last_term = 0;
        }
        let Some((_, block)) = self.written.last_mut() else {
            return;
        };
        put(block, u64::from(term - self.last_term));
        self.last_term = term;
        self.list.clear();
        // Every place takes a byte or two.
        if places.len() < self.bits {
            put_list(&mut self.list, places.iter().copied());
        }
        if (1..self.bits).contains(&self.list.len()) {
            put(block, (self.list.len() as u64) << 1);
        } else {
            self.list.clear();
            self.list.resize(self.bits, 0);
            for place in places {
                self.list[usize::from(place / 8)] |= 1 << (place % 8);
            }
            put(block, (self.bits as u64) << 1 | 1);
        }
        block.extend_from_slice(&self.list);
    }
}

/// The number of the block that has a term, of so many.
pub(super) const fn block_of(term: u32, blocks: u32) -> u32 {
    ((term as u64 * blocks as u64) >> 32) as u32
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
