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
    pub(super) first: usize,
    pub(super) length: usize,
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
    count: usize,
    /// The last group goes on, or the run does behind it.
    pub(super) is_cut: bool,
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
            length: 0,
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
            count: 0,
            is_cut: false,
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
                self.is_cut = true;
                return None;
            }
            self.digits[first + length] = digit;
            length += 1;
            end += c.len_utf8();
        }
        self.groups[self.count] = Group {
            first,
            length,
            end,
            separator,
        };
        self.count += 1;
        let (behind, separator) = separator_at(stretch, end)?;
        Some((behind, Some(separator)))
    }

    pub(super) const fn start(&self) -> usize {
        self.start
    }

    /// The end of the first group.
    pub(super) const fn first_end(&self) -> usize {
        self.groups[0].end
    }

    pub(super) fn groups(&self) -> &[Group] {
        &self.groups[..self.count]
    }

    /// How many digits there are.
    pub(super) fn digits(&self) -> usize {
        self.groups().last().map_or(0, |group| group.first + group.length)
    }

    /// The digits of the first groups.
    pub(super) fn digits_of(&self, groups: usize) -> &[u8] {
        let last = &self.groups[groups - 1];
        &self.digits[..last.first + last.length]
    }

    /// The digits of one group.
    pub(super) fn group_digits(&self, group: usize) -> &[u8] {
        let group = &self.groups[group];
        &self.digits[group.first..group.first + group.length]
    }

    /// Whether the first groups have these lengths.
    pub(super) fn begins_with(&self, lengths: &[usize]) -> bool {
        let own = self.groups().iter().map(|group| group.length);
        self.count >= lengths.len() && own.zip(lengths).all(|(own, length)| own == *length)
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
        match self.groups().get(groups) {
            Some(next) => matches!(
                next.separator,
                Some(Separator::Space | Separator::Open | Separator::Close)
            ),
            None if self.is_cut && groups == self.count => {
                !matches!(symbol_at(stretch, end), Symbol::Digit(_)) && !stretch.is_word_at(end)
            }
            None => match stretch.byte(end) {
                Some(b'.' | b',' | b':') => !stretch.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()),
                Some(b'-' | b'/') => !stretch.is_word_at(end + 1),
                Some(b'%' | b'@') => false,
                // An extension.
                Some(b'x') => stretch.byte(end + 1).is_some_and(|byte| byte.is_ascii_digit()),
                Some(byte) => !is_word(byte),
                None => true,
            },
        }
    }

    /// Whether another group follows the first groups, with a space between.
    pub(super) fn goes_on_behind(&self, groups: usize) -> bool {
        let next = self.groups().get(groups);
        next.is_some_and(|next| next.separator == Some(Separator::Space))
    }

    /// Whether a date begins the run: `2024-01-31` or `31.01.2024`.
    pub(super) fn begins_with_date(&self) -> bool {
        let is_year = |group: usize| matches!(self.group_digits(group), [1, 9, _, _] | [2, 0, _, _]);
        let is_short = |group: usize| self.groups[group].length <= 2;
        let joined = self.groups().get(1).and_then(|group| group.separator);
        self.count >= 3
            && matches!(
                joined,
                Some(Separator::Hyphen | Separator::Dot | Separator::Slash)
            )
            && (is_year(0) && is_short(1) && is_short(2) || is_short(0) && is_short(1) && is_year(2))
    }

    /// Where the first groups stand.
    pub(super) fn range(&self, groups: usize) -> Range<usize> {
        self.start..self.groups[groups - 1].end
    }
}

fn symbol_at(stretch: Stretch<'_>, at: usize) -> Symbol {
    stretch.char_at(at).map_or(Symbol::Other, symbol)
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
