//! What is looked for as numbers of 32 bits: words, and which words follow each other.

use super::EachWord;

/// How many kinds of pairs are told apart, in bits: few enough for pairs to take about a byte each, enough for a pair of
/// common words to leave one of a hundred texts that have both.
const PAIR_BITS: u32 = 13;

/// The terms of a text, in any order, some of them several times.
pub(super) fn terms_of(text: &str, each_word: EachWord, terms: &mut Vec<u32>) {
    let mut before = None;
    each_word(text, &mut |word| {
        let hash = hash(word);
        terms.push(of_hash(hash));
        if let Some(before) = before {
            terms.push(of_pair(before, hash));
        }
        before = Some(hash);
    });
}

/// The term of a word: an odd number. A text without the word is found where one of its words has the same: of a text
/// with a thousand words, once in two million.
pub(super) fn word(word: &str) -> u32 {
    of_hash(hash(word))
}

/// The term of two words that follow each other: an even number that it shares with many pairs.
pub(super) fn pair(first: &str, second: &str) -> u32 {
    of_pair(hash(first), hash(second))
}

const fn of_hash(hash: u64) -> u32 {
    (mixed(hash) >> 32) as u32 | 1
}

const fn of_pair(first: u64, second: u64) -> u32 {
    let pair = mixed(first.rotate_left(32) ^ second);
    ((pair >> 32) as u32) >> (32 - PAIR_BITS) << (32 - PAIR_BITS)
}

/// FNV-1a of 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Spreads what differs over all bits: the finaliser of MurmurHash3.
const fn mixed(mut hash: u64) -> u64 {
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, found: &mut dyn FnMut(&str)) {
        text.split(' ').for_each(found);
    }

    #[test]
    fn a_text_has_its_words_and_pairs() {
        let mut found = Vec::new();
        terms_of("to be or not", words, &mut found);
        let expected = [
            word("to"),
            word("be"),
            pair("to", "be"),
            word("or"),
            pair("be", "or"),
            word("not"),
            pair("or", "not"),
        ];
        assert_eq!(found, expected);
        assert_ne!(pair("to", "be"), pair("be", "to"));
    }

    /// No term is both, and words of one letter go to all parts of the index.
    #[test]
    fn words_are_odd_and_pairs_even_and_both_are_spread() {
        let letters: Vec<String> = ('a'..='z').map(String::from).collect();
        let terms: Vec<u32> = letters.iter().map(|letter| word(letter)).collect();
        assert!(terms.iter().all(|term| term % 2 == 1));
        assert!(letters.iter().all(|letter| pair("a", letter).is_multiple_of(2)));
        for quarter in 0..4 {
            let in_quarter = |term: &&u32| **term >> 30 == quarter;
            assert!(terms.iter().filter(in_quarter).count() >= 3, "{quarter}");
        }
    }
}
