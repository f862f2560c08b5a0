//! International telephone numbers: ITU-T E.164.

/// The most digits a number has, with its country code.
const MAX_DIGITS: usize = 15;

/// Country codes whose numbers have lengths of their own, in digits behind the code: fewest and most.
const LENGTHS: [(&[u8], usize, usize); 36] = [
    (b"1", 10, 10),
    (b"7", 10, 10),
    (b"20", 8, 10),
    (b"27", 9, 9),
    (b"30", 10, 10),
    (b"31", 9, 9),
    (b"32", 8, 9),
    (b"33", 9, 9),
    (b"34", 9, 9),
    (b"36", 8, 9),
    (b"39", 6, 11),
    (b"40", 9, 9),
    (b"41", 9, 9),
    (b"43", 6, 13),
    (b"44", 9, 10),
    (b"45", 8, 8),
    (b"46", 7, 9),
    (b"47", 8, 8),
    (b"48", 9, 9),
    (b"49", 6, 13),
    (b"52", 10, 11),
    (b"54", 10, 11),
    (b"55", 10, 11),
    (b"60", 8, 10),
    (b"61", 9, 9),
    (b"64", 8, 10),
    (b"65", 8, 8),
    (b"81", 9, 10),
    (b"82", 8, 10),
    (b"86", 10, 11),
    (b"90", 10, 10),
    (b"91", 10, 10),
    (b"351", 9, 9),
    (b"353", 7, 9),
    (b"380", 9, 9),
    (b"971", 8, 9),
];

/// The other codes of two digits; all others have three.
const TWO_DIGITS: [&[u8]; 13] = [
    b"51", b"53", b"56", b"57", b"58", b"62", b"63", b"66", b"84", b"92", b"93", b"94", b"95",
];
/// Codes of three digits that are assigned, those of a region that uses nearly all by their first two.
const THREE_DIGITS: [&[u8]; 22] = [
    b"211", b"212", b"213", b"216", b"218", b"22", b"23", b"24", b"25", b"26", b"29", b"35", b"37", b"38",
    b"42", b"50", b"59", b"67", b"68", b"85", b"88", b"96",
];

/// Whether digits are a country code and a number of a length that the country has.
pub(super) fn is_international(digits: &[u8]) -> bool {
    let begins =
        |code: &[u8]| code.len() < digits.len() && code.iter().zip(digits).all(|(a, b)| a - b'0' == *b);
    if let Some((code, fewest, most)) = LENGTHS.iter().find(|(code, ..)| begins(code)) {
        return (*fewest..=*most).contains(&(digits.len() - code.len()));
    }
    let is_code =
        TWO_DIGITS.into_iter().any(begins) || THREE_DIGITS.into_iter().any(begins) || is_late(digits);
    is_code && (8..=MAX_DIGITS).contains(&digits.len())
}

/// `69x`, `80x`, `87x`, `97x`, `98` and those of `99x` that are assigned.
fn is_late(digits: &[u8]) -> bool {
    matches!(
        digits,
        [6, 9, ..] | [8, 0 | 7, ..] | [9, 7 | 8, ..] | [9, 9, 2..=6 | 8, ..]
    )
}
