//! Random numbers that are a pure function of (seed, stream, position).

/// The counter-based generator Philox4x64 with 10 rounds.
///
/// The key is (seed, stream), the counter counts blocks of four numbers from 0: streams of one seed are independent, and
/// nothing but the key decides what comes out. Bit for bit the Philox of Random123 and of NumPy.
///
/// Source: Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3", SC '11, section 4.
#[derive(Clone, Debug)]
pub struct Philox {
    key: [u64; 2],
    next_block: u64,
    block: [u64; 4],
    used: usize,
}

/// The multipliers of the paper's table 2.
const MULTIPLIERS: [u64; 2] = [0xD2E7_470E_E14C_6C93, 0xCA5A_8263_9512_1157];
/// The key increments: the golden ratio, and √3 − 1.
const KEY_INCREMENTS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];
const ROUNDS: usize = 10;

impl Philox {
    /// The stream at its beginning.
    #[must_use]
    pub const fn new(seed: u64, stream: u64) -> Self {
        Self {
            key: [seed, stream],
            next_block: 0,
            block: [0; 4],
            used: 4,
        }
    }

    /// 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        if self.used == self.block.len() {
            self.block = block(self.key, self.next_block);
            self.next_block = self.next_block.wrapping_add(1);
            self.used = 0;
        }
        let value = self.block[self.used];
        self.used += 1;
        value
    }

    /// A uniform index below `bound`, by the high half of a product; the bias is below `bound` · 2⁻⁶⁴.
    ///
    /// Source: Lemire (2019), "Fast random integer generation in an interval", ACM TOMACS 29, section 3.
    pub fn index_below(&mut self, bound: usize) -> usize {
        let (_, high) = self.next_u64().carrying_mul(bound as u64, 0);
        high as usize
    }

    /// A uniform number in [0, 1) with 53 random bits.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn block(mut key: [u64; 2], number: u64) -> [u64; 4] {
    let mut state = [number, 0, 0, 0];
    for _ in 0..ROUNDS {
        let (low_0, high_0) = state[0].carrying_mul(MULTIPLIERS[0], 0);
        let (low_1, high_1) = state[2].carrying_mul(MULTIPLIERS[1], 0);
        state = [
            high_1 ^ state[1] ^ key[0],
            low_1,
            high_0 ^ state[3] ^ key[1],
            low_0,
        ];
        key[0] = key[0].wrapping_add(KEY_INCREMENTS[0]);
        key[1] = key[1].wrapping_add(KEY_INCREMENTS[1]);
    }
    state
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_vector() {
        // Random123, kat_vectors: philox4x64 10 with counter 0 and key 0.
        let mut random = Philox::new(0, 0);
        let expected = [
            0x1655_4d9e_ca36_314c,
            0xdb20_fe9d_672d_0fdc,
            0xd7e7_72ce_e186_176b,
            0x7e68_b68a_ec7b_a23b,
        ];
        assert_eq!([(); 4].map(|()| random.next_u64()), expected);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Philox::new(seed, stream).next_u64();
        assert_ne!(first(1, 0), first(0, 1));
        assert_ne!(first(1, 0), first(1, 1));
        assert_eq!(first(7, 3), first(7, 3));
    }

    #[test]
    fn indices_are_uniform() {
        let mut random = Philox::new(1, 0);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.index_below(7)] += 1;
        }
        // 10,000 ± 5 standard deviations of a binomial count.
        assert!(
            counts.iter().all(|count| (9_537..=10_463).contains(count)),
            "{counts:?}"
        );
        assert!((0..1_000).all(|_| (0.0..1.0).contains(&random.unit())));
    }
}
