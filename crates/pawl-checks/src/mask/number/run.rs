//! Groups of digits with separators between them.

use std::ops::Range;

use crate::mask::stretch::{Stretch, is_word};

/// The most digits that are looked at: a card has at most 19.
const MAX_DIGITS: usize = 20;
const MAX_GROUPS: usize = 8;

/// What stands between two groups of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Space,
    Hyphen,
    Dot,
    Slash,
    /// An opening bracket, with a space before it or without.
    Open,
    /// A closing bracket, with another separator behind it or without.
    Close,
}

/// Digits without anything between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Its first digit among those of the run.
    first: usize,
    /// The first byte behind it.
    pub(super) end: usize,
    /// What stands before it; nothing before the first.
    pub(super) separator: Option<Separator>,
}

/// A run of groups, which begins with the first digit behind whatever else is before it.
#[derive(Debug)]
pub(super) struct Run {
    /// With the sign or bracket that belongs to the first group.
    start: usize,
    /// Whether a plus begins it.
    pub(super) has_plus: bool,
    /// Whether a bracket stands before the first digit.
    pub(super) has_bracket: bool,
    digits: [u8; MAX_DIGITS],
    groups: [Group; MAX_GROUPS],
    lengths: [usize; MAX_GROUPS],
    count: usize,
}

/// A character of a number.
enum Symbol {
    Digit(u8),
    Separator(Separator),
    Other,
}

/// Zeros of the decimal digits in other scripts, each followed by the other nine: Arabic-Indic, Persian, Devanagari,
/// Bengali, full width.
const ZEROS: [char; 5] = ['\u{660}', '\u{6f0}', '\u{966}', '\u{9e6}', '\u{ff10}'];

/// All digits as texts.
pub(super) fn digits() -> Vec<&'static str> {
    "0123456789٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯０１２３４５６７８９"
        .split("")
        .filter(|digit| !digit.is_empty())
        .collect()
}

fn symbol(c: char) -> Symbol {
    match c {
        '0'..='9' => Symbol::Digit(c as u8 - b'0'),
        ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' => Symbol::Separator(Separator::Space),
        '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{ff0d}' => Symbol::Separator(Separator::Hyphen),
        '.' => Symbol::Separator(Separator::Dot),
        '/' => Symbol::Separator(Separator::Slash),
        '(' | '（' => Symbol::Separator(Separator::Open),
        ')' | '）' => Symbol::Separator(Separator::Close),
        _ if c.is_ascii() => Symbol::Other,
        _ => digit_of_other_script(c).map_or(Symbol::Other, Symbol::Digit),
    }
}

fn digit_of_other_script(c: char) -> Option<u8> {
    let value = |zero: char| {
        u32::from(c)
            .checked_sub(u32::from(zero))
            .filter(|value| *value < 10)
    };
    ZEROS
        .into_iter()
        .find_map(value)
        .and_then(|value| u8::try_from(value).ok())
}

impl Run {
    /// Reads the run that begins with the digit at a place.
    pub(super) fn read(stretch: Stretch<'_>, at: usize) -> Self {
        let empty = Group {
            first: 0,
            end: at,
            separator: None,
        };
        let head = head(stretch, at);
        let mut run = Self {
            start: head.start,
            has_plus: head.has_plus,
            has_bracket: false,
            digits: [0; MAX_DIGITS],
            groups: [empty; MAX_GROUPS],
            lengths: [0; MAX_GROUPS],
            count: 0,
        };
        let mut next = Some((at, None));
        while let Some((from, separator)) = next {
            next = run.push_group(stretch, from, separator);
        }
        // A bracket belongs to the number if it closes behind the first group.
        if let (Some(bracket), Some(second)) = (head.bracket, run.groups().get(1))
            && second.separator == Some(Separator::Close)
        {
            run.start = bracket;
            run.has_bracket = true;
        }
        run
    }

    /// Reads one group; where the next one begins, and what stands before it.
    fn push_group(
        &mut self,
        stretch: Stretch<'_>,
        from: usize,
        separator: Option<Separator>,
    ) -> Option<(usize, Option<Separator>)> {
        let first = self.digits();
        let mut length = 0;
        let mut end = from;
        for c in stretch.rest(from).chars() {
            let Symbol::Digit(digit) = symbol(c) else { break };
            if first + length == MAX_DIGITS || self.count == MAX_GROUPS {
                return None;
            }
            self.digits[first + length] = digit;
            length += 1;
            end += c.len_utf8();
        }
        self.groups[self.count] = Group {
            first,
            end,
            separator,
        };
        self.lengths[self.count] = length;
        self.count += 1;
        let (behind, separator) = separator_at(stretch, end)?;
        Some((behind, Some(separator)))
    }

    pub(super) const fn start(&self) -> usize {
        self.start
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups[..self.count]
    }

    /// How many digits there are.
    pub(super) fn digits(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// The digits of the first groups.
    pub(super) fn digits_of(&self, groups: usize) -> &[u8] {
        &self.digits[..self.lengths[..groups].iter().sum()]
    }

    /// The digits of one group.
    pub(super) fn group_digits(&self, group: usize) -> &[u8] {
        let first = self.groups[group].first;
        &self.digits[first..first + self.lengths[group]]
    }

    /// How many digits the groups have.
    pub(super) fn lengths(&self) -> &[usize] {
        &self.lengths[..self.count]
    }

    /// Whether the first groups have these lengths.
    pub(super) fn begins_with(&self, lengths: &[usize]) -> bool {
        self.lengths().starts_with(lengths)
    }

    /// Whether this separator, and no other, stands between the first groups.
    pub(super) fn is_joined_by(&self, separator: Separator, groups: usize) -> bool {
        self.groups[1..groups]
            .iter()
            .all(|group| group.separator == Some(separator))
    }

    /// Whether this is the end of a longer word, or an amount.
    pub(super) fn is_part(&self, stretch: Stretch<'_>) -> bool {
        let bytes = &stretch.text.as_bytes()[..self.start];
        match bytes {
            [.., before, b'-' | b'/' | b'*'] => is_word(*before),
            [.., before, b'.' | b',' | b':'] => before.is_ascii_digit(),
            _ => {
                stretch.follows_word(self.start)
                    || matches!(
                        stretch.char_before(self.start),
                        Some('#' | '$' | '@' | '^' | '~' | '€' | '£' | '¥' | '₹')
                    )
            }
        }
    }

    /// Whether a number of JSON stands here: behind a key in quotes, without quotes itself.
    pub(super) fn is_json_number(&self, stretch: Stretch<'_>) -> bool {
        let before = stretch.text[..self.start].trim_end();
        !self.has_plus
            && before
                .strip_suffix(':')
                .is_some_and(|key| key.trim_end().ends_with('"'))
    }

    /// Whether digits stand before the run, with a space between.
    pub(super) fn follows_digits(&self, stretch: Stretch<'_>) -> bool {
        let bytes = &stretch.text.as_bytes()[..self.start];
        matches!(bytes, [.., before, b' '] if before.is_ascii_digit())
    }

    /// Whether a number may end behind the first groups: it does not go on as a word, a decimal or a longer number.
    pub(super) fn may_end_behind(&self, groups: usize, stretch: Stretch<'_>) -> bool {
        let end = self.groups[groups - 1].end;
        match separator_at(stretch, end) {
            Some((_, separator)) => {
                matches!(separator, Separator::Space | Separator::Open | Separator::Close)
            }
            None => match stretch.byte(end) {
                Some(b'.' | b',' | b':') => !stretch.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()),
                Some(b'-' | b'/') => !stretch.is_word_at(end + 1),
                Some(b'%' | b'@') => false,
                Some(byte) => !is_word(byte) || is_extension(stretch, end),
                None => true,
            },
        }
    }

    /// Whether another group follows the first groups, with a space between.
    pub(super) fn goes_on_behind(&self, groups: usize, stretch: Stretch<'_>) -> bool {
        let next = separator_at(stretch, self.groups[groups - 1].end);
        next.is_some_and(|(_, separator)| separator == Separator::Space)
    }

    /// Whether a date begins the run: `2024-01-31` or `31.01.2024`.
    pub(super) fn begins_with_date(&self) -> bool {
        let is_year = |group: usize| matches!(self.group_digits(group), [1, 9, _, _] | [2, 0, _, _]);
        let is_short = |group: usize| self.lengths[group] <= 2;
        let joined = self.groups().get(1).and_then(|group| group.separator);
        self.count >= 3
            && matches!(
                joined,
                Some(Separator::Hyphen | Separator::Dot | Separator::Slash)
            )
            && (is_year(0) && is_short(1) && is_short(2) || is_short(0) && is_short(1) && is_year(2))
    }

    /// Whether a decimal begins the run: `0.125`, and no dot behind it.
    pub(super) fn begins_with_decimal(&self) -> bool {
        let has_dot = |group: usize| {
            self.groups()
                .get(group)
                .is_some_and(|group| group.separator == Some(Separator::Dot))
        };
        has_dot(1) && !has_dot(2)
    }

    /// Whether the run is small numbers, with no zero that a telephone number begins with.
    pub(super) fn is_list(&self) -> bool {
        let has_trunk_zero = self.lengths[0] == 2 && self.digits[0] == 0;
        !self.has_bracket && !has_trunk_zero && self.lengths().iter().all(|length| *length <= 2)
    }

    /// Where the first groups stand.
    pub(super) fn range(&self, groups: usize) -> Range<usize> {
        self.start..self.groups[groups - 1].end
    }
}

/// Whether an extension such as `x123` stands at a place.
pub(super) fn is_extension(stretch: Stretch<'_>, at: usize) -> bool {
    stretch.byte(at) == Some(b'x') && stretch.byte(at + 1).is_some_and(|byte| byte.is_ascii_digit())
}

/// Whether so many digits follow from a place on, with nothing but separators between. What is not of ASCII may be either.
pub(super) fn has_digits(stretch: Stretch<'_>, at: usize, fewest: usize) -> bool {
    let mut digits = 0;
    for byte in &stretch.text.as_bytes()[at..] {
        match byte {
            b'0'..=b'9' => digits += 1,
            b' ' | b'-' | b'.' | b'/' | b'(' | b')' => {}
            _ => return !byte.is_ascii(),
        }
        if digits == fewest {
            return true;
        }
    }
    false
}

/// Where a run with its first digit at a place begins, and whether a plus and a bracket stand before that digit.
fn head(stretch: Stretch<'_>, at: usize) -> Head {
    let mut head = Head {
        start: at,
        has_plus: false,
        bracket: None,
    };
    let before = |place: usize| {
        stretch
            .char_before(place)
            .filter(|c| place - c.len_utf8() >= stretch.floor)
    };
    if let Some(plus @ ('+' | '＋')) = before(head.start) {
        head.has_plus = true;
        head.start -= plus.len_utf8();
    }
    if let Some(bracket @ ('(' | '（')) = before(head.start) {
        head.bracket = Some(head.start - bracket.len_utf8());
    }
    head
}

struct Head {
    start: usize,
    has_plus: bool,
    bracket: Option<usize>,
}

/// What stands between a group that ends at a place and the next one, and where that one begins.
fn separator_at(stretch: Stretch<'_>, end: usize) -> Option<(usize, Separator)> {
    let mut chars = stretch.rest(end).chars();
    let first = chars.next()?;
    let Symbol::Separator(one) = symbol(first) else {
        return None;
    };
    let behind = end + first.len_utf8();
    let second = chars.next()?;
    match (one, symbol(second)) {
        (_, Symbol::Digit(_)) => Some((behind, one)),
        (Separator::Space, Symbol::Separator(Separator::Open))
        | (
            Separator::Close,
            Symbol::Separator(Separator::Space | Separator::Hyphen | Separator::Slash | Separator::Dot),
        ) if matches!(chars.next().map(symbol), Some(Symbol::Digit(_))) => {
            let joined = if one == Separator::Close {
                one
            } else {
                Separator::Open
            };
            Some((behind + second.len_utf8(), joined))
        }
        _ => None,
    }
}
