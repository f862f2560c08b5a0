//! Vectors of texts, the same at any time and on any machine.

/// Numbers of a vector.
const DIMENSIONS: usize = 256;

/// A bag of words: each word, in lower case, is a hash that adds to one number. Texts that share words are near, texts
/// that share none mostly are at right angles. Its length is 1, unless there is no word.
pub(super) fn embedding(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    let words = text.split(|character: char| !character.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        let hash = fnv1a(&word.to_lowercase());
        vector[hash as usize % DIMENSIONS] += 1.0;
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in &mut vector {
            *number /= length;
        }
    }
    vector
}

/// FNV-1a with 64 bits (RFC 9923), since the hash of the standard library may change.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(one: &str, other: &str) -> f32 {
        let (one, other) = (embedding(one), embedding(other));
        one.iter().zip(&other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn texts_that_share_words_are_near() {
        let text = "The refund was sent to the wrong account";
        assert!((cosine(text, text) - 1.0).abs() < 1e-6);
        assert!(cosine(text, "the refund, sent to a wrong account!") > 0.7);
        assert!(cosine(text, "Paris is sunny today") < 0.3);
        assert_eq!(embedding(""), vec![0.0; DIMENSIONS]);
    }
}
