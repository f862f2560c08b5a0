//! Numbers of payment cards: ISO/IEC 7812, with the check digit of Luhn.

use std::ops::Range;

use super::run::{Run, Separator};
use crate::mask::cue::Cue;
use crate::mask::stretch::Stretch;

/// How the digits of a card are grouped.
const SHAPES: [&[usize]; 10] = [
    &[4, 4, 4, 4, 3],
    &[4, 4, 4, 4],
    &[4, 6, 5],
    &[4, 6, 4],
    &[14],
    &[15],
    &[16],
    &[17],
    &[18],
    &[19],
];

/// Longer numbers without groups are cards only where a word says so: most of 64 bits have as many digits.
const LONGEST_UNSAID: usize = 16;

pub(super) fn find(run: &Run, stretch: Stretch<'_>, cue: Option<Cue>) -> Option<Range<usize>> {
    let is_card = |shape: &&[usize]| {
        let groups = shape.len();
        run.begins_with(shape)
            && (run.is_joined_by(Separator::Space, groups) && !(groups > 1 && run.follows_digits(stretch))
                || run.is_joined_by(Separator::Hyphen, groups))
            && (shape[0] <= LONGEST_UNSAID || cue == Some(Cue::Card))
            && run.may_end_behind(groups, stretch)
            && is_issued(run.digits_of(groups))
            && luhn(run.digits_of(groups))
    };
    if run.has_plus || run.has_bracket {
        return None;
    }
    SHAPES
        .into_iter()
        .find(is_card)
        .map(|shape| run.range(shape.len()))
}

/// Whether an issuer has numbers that begin so, and of this length.
fn is_issued(digits: &[u8]) -> bool {
    let first_six = digits[..6]
        .iter()
        .fold(0_u32, |number, digit| number * 10 + u32::from(*digit));
    match (first_six, digits.len()) {
        // Visa
        (400_000..=499_999, 16 | 19) => true,
        // Mastercard
        (510_000..=559_999 | 222_100..=272_099, 16) => true,
        // American Express
        (340_000..=349_999 | 370_000..=379_999, 15) => true,
        // Diners Club
        (300_000..=305_999 | 309_500..=309_599 | 360_000..=369_999 | 380_000..=399_999, 14 | 16) => true,
        // Discover
        (601_100..=601_199 | 644_000..=659_999, 16..=19) => true,
        // JCB
        (352_800..=358_999, 16..=19) => true,
        // UnionPay, RuPay
        (620_000..=629_999 | 810_000..=829_999 | 508_500..=508_999 | 606_985..=608_500, 16..=19) => true,
        // Mir
        (220_000..=220_499, 16..=19) => true,
        // Maestro
        (501_800..=501_899 | 502_000..=502_099 | 503_800..=503_899 | 589_300..=589_399, 16..=19) => true,
        (630_400..=630_499 | 675_900..=676_399, 16..=19) => true,
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, u32::from(*digit)) {
            (0, digit) => digit,
            (_, digit) if digit > 4 => 2 * digit - 9,
            (_, digit) => 2 * digit,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != digits[0])
}
