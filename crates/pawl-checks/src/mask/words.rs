//! Tables of words: each row is a meaning and the words that have it.

/// Words with `, ` between them.
pub(super) fn split(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split(", ")
}

/// The words of a table, each with its meaning.
pub(super) fn entries<M: Copy>(table: &[(M, &'static str)]) -> Vec<(M, &'static str)> {
    let rows = table.iter();
    rows.flat_map(|(meaning, words)| split(words).map(|word| (*meaning, word)))
        .collect()
}
