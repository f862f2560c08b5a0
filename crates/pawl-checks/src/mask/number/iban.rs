//! International bank account numbers: ISO 13616, with the check digits of ISO 7064 (MOD 97-10).

use std::ops::Range;

use crate::mask::stretch::Stretch;

/// How long the numbers of a country are, in the order of the countries: the IBAN registry, release 99.
const LENGTHS: [(&[u8; 2], usize); 88] = [
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BI", 27),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DJ", 27),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FK", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HN", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MN", 20),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NI", 28),
    (b"NL", 18),
    (b"NO", 15),
    (b"OM", 23),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"RU", 33),
    (b"SA", 24),
    (b"SC", 31),
    (b"SD", 18),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"SO", 23),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

/// The number whose check digits begin at a place, contiguous or in groups with a space between.
pub(super) fn find(stretch: Stretch<'_>, digits: usize) -> Option<Range<usize>> {
    let start = digits.checked_sub(2).filter(|start| *start >= stretch.floor)?;
    let bytes = stretch.text.as_bytes();
    let country = [
        bytes[start].to_ascii_uppercase(),
        bytes[start + 1].to_ascii_uppercase(),
    ];
    let known = LENGTHS
        .binary_search_by_key(&&country, |(country, _)| *country)
        .ok()?;
    let length = LENGTHS[known].1;
    if stretch.follows_word(start) || !bytes.get(digits + 1)?.is_ascii_digit() {
        return None;
    }
    let mut check = Check::default();
    let mut at = digits + 2;
    for _ in 4..length {
        if bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        check.push(*bytes.get(at)?)?;
        at += 1;
    }
    for byte in &bytes[start..start + 4] {
        check.push(*byte)?;
    }
    (check.remainder == 1 && !stretch.is_word_at(at)).then_some(start..at)
}

/// The remainder by 97 of the number in which letters count 10 to 35.
#[derive(Default)]
struct Check {
    remainder: u32,
}

impl Check {
    fn push(&mut self, byte: u8) -> Option<()> {
        let value = char::from(byte).to_digit(36)?;
        let shift = if value < 10 { 10 } else { 100 };
        self.remainder = (self.remainder * shift + value) % 97;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(LENGTHS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
