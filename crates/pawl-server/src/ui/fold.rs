//! Which texts are folded at first.

/// Lines of a text that are shown at first.
const SHOWN: usize = 12;
/// Characters of a line, before it goes on in the next.
const LINE: usize = 80;

/// About how many lines a text takes, where they are too many to be shown at first.
pub(super) fn folded_lines(text: &str) -> Option<usize> {
    let lines = text
        .lines()
        .map(|line| line.chars().count().div_ceil(LINE).max(1))
        .sum();
    (lines > SHOWN).then_some(lines)
}
