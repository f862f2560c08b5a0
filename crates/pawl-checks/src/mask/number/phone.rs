//! Telephone numbers: E.164, shapes that only telephone numbers have, and digits that a word before them calls so.

use std::ops::{Range, RangeInclusive};

use super::country::is_international;
use super::run::{Run, Separator};
use crate::mask::cue::Cue;
use crate::mask::stretch::Stretch;

/// The longest number that begins the run.
pub(super) fn find(run: &Run, stretch: Stretch<'_>, cue: Option<Cue>) -> Option<Range<usize>> {
    let candidates = || {
        let counts = (1..=run.groups().len()).rev();
        counts
            .filter(|groups| run.may_end_behind(*groups, stretch))
            .map(|groups| Candidate { run, groups })
            .filter(|found| !found.is_decimal())
    };
    let is_said = matches!(cue, Some(Cue::Phone | Cue::Call));
    let stands_alone = |found: &Candidate<'_>| {
        is_said
            || !found.is_spaced()
            || !run.goes_on_behind(found.groups, stretch) && !run.follows_digits(stretch)
    };
    let found = if run.has_plus {
        candidates().find(|found| is_international(&found.without_trunk_zero()))
    } else {
        candidates()
            .find(|found| found.has_own_shape(is_said) && stands_alone(found))
            .or_else(|| candidates().find(|found| cue == Some(Cue::Phone) && found.may_be_phone()))
    };
    found.map(|found| run.range(found.groups))
}

/// The first groups of a run.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    run: &'a Run,
    groups: usize,
}

impl Candidate<'_> {
    fn digits(&self) -> &[u8] {
        self.run.digits_of(self.groups)
    }

    /// How many digits each group has.
    fn lengths(&self) -> &[usize] {
        &self.run.lengths()[..self.groups]
    }

    fn separators(&self) -> impl Iterator<Item = Separator> {
        self.run.groups()[..self.groups]
            .iter()
            .filter_map(|group| group.separator)
    }

    /// Whether it is two groups with a dot between.
    fn is_decimal(&self) -> bool {
        self.groups == 2 && self.separators().all(|separator| separator == Separator::Dot)
    }

    /// Whether nothing but spaces holds the groups together.
    fn is_spaced(&self) -> bool {
        !self.run.has_bracket && self.separators().all(|separator| separator == Separator::Space)
    }

    /// The digits without the zero of `+49 (0)30`, which is not dialled from abroad.
    fn without_trunk_zero(&self) -> Vec<u8> {
        let groups = 0..self.groups;
        let is_zero = |group: &usize| {
            *group > 0
                && self.run.group_digits(*group) == [0]
                && self.run.groups()[*group].separator == Some(Separator::Open)
        };
        groups
            .filter(|group| !is_zero(group))
            .flat_map(|group| self.run.group_digits(group))
            .copied()
            .collect()
    }

    fn has_own_shape(&self, is_said: bool) -> bool {
        match self.digits() {
            [0, 0, rest @ ..] if is_said || self.groups > 1 => {
                self.lengths()[0] > 1 && is_international(rest)
            }
            [0, 1..=9, ..] => {
                self.has_trunk_zero() || self.is_in_brackets() || is_said && self.is_contiguous(10..=11)
            }
            [8, ..] if self.lengths().starts_with(&[1, 3]) => self.is_russian(),
            _ => self.is_north_american(is_said) || self.is_in_brackets(),
        }
    }

    /// Whether it is one group of so many digits.
    fn is_contiguous(&self, digits: RangeInclusive<usize>) -> bool {
        self.groups == 1 && digits.contains(&self.digits().len())
    }

    /// A zero for calls within the country, as in most of Europe, in Japan and Korea.
    fn has_trunk_zero(&self) -> bool {
        let lengths = self.lengths();
        let (first, others) = (lengths[0], &lengths[1..]);
        let has_dots = self.separators().any(|separator| separator == Separator::Dot);
        let slashes = self
            .separators()
            .skip(1)
            .filter(|separator| *separator == Separator::Slash);
        let is_pairs = first == 2 && others.iter().all(|length| *length == 2);
        (2..=5).contains(&first)
            && !others.is_empty()
            && (!is_pairs || others.len() == 4)
            // A ZIP code and its addition.
            && lengths != [5, 4]
            && others.iter().all(|length| *length >= 2)
            && (9..=13).contains(&self.digits().len())
            && (!has_dots || self.separators().all(|separator| separator == Separator::Dot))
            && slashes.count() == 0
    }

    /// `(11) 91234-5678`: an area code in brackets, which is no year.
    fn is_in_brackets(&self) -> bool {
        let lengths = self.lengths();
        let is_year = lengths[0] == 4 && matches!(self.digits(), [1, 9, ..] | [2, 0, ..]);
        self.run.has_bracket
            && (2..=5).contains(&lengths[0])
            && !is_year
            && lengths.len() > 1
            && lengths[1..].iter().all(|length| *length >= 2)
            && (9..=13).contains(&self.digits().len())
    }

    /// `8 (495) 123-45-67`.
    fn is_russian(&self) -> bool {
        self.digits().len() == 11 && !self.is_spaced()
    }

    /// `212-555-0123`, with a one before it or without. With spaces only, a word must say so.
    fn is_north_american(&self, is_said: bool) -> bool {
        let (digits, lengths) = (self.digits(), self.lengths());
        let (national, lengths) = match (digits, lengths) {
            ([1, national @ ..], [1, lengths @ ..]) => (national, lengths),
            ([1, national @ ..], [11]) => (national, lengths),
            (national, lengths) => (national, lengths),
        };
        let last = self.separators().last();
        let is_even = last != Some(Separator::Slash)
            && self.separators().all(|separator| {
                Some(separator) == last
                    || matches!(separator, Separator::Space | Separator::Open | Separator::Close)
            });
        let is_shaped = lengths == [3, 3, 4] || is_said && self.is_contiguous(10..=11);
        is_shaped
            && national.len() == 10
            && (2..=9).contains(&national[0])
            && (2..=9).contains(&national[3])
            && is_even
            && (is_said || !self.is_spaced())
    }

    /// Digits enough and not too many, where a word says that they are a telephone number.
    fn may_be_phone(&self) -> bool {
        let groups = || (0..self.groups).map(|group| self.run.group_digits(group));
        let is_year = |digits: &[u8]| matches!(digits, [1, 9, _, _] | [2, 0, _, _]);
        let is_list = self.groups > 1 && groups().all(|digits| digits.len() <= 2) && self.digits()[0] != 0;
        (7..=15).contains(&self.digits().len())
            && groups().skip(1).all(|digits| digits.len() >= 2)
            && !is_list
            && !(self.groups > 1 && groups().all(is_year))
    }
}
