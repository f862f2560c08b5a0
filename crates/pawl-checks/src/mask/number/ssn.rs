//! United States social security numbers.

use std::ops::Range;

use super::run::{Run, Separator};
use crate::mask::cue::Cue;
use crate::mask::stretch::Stretch;

/// With hyphens by themselves; with spaces, or as nine digits, where a word says what they are.
pub(super) fn find(run: &Run, stretch: Stretch<'_>, cue: Option<Cue>) -> Option<Range<usize>> {
    let is_said = cue == Some(Cue::Ssn);
    let groups = if run.begins_with(&[3, 2, 4]) {
        let is_shaped =
            run.is_joined_by(Separator::Hyphen, 3) || is_said && run.is_joined_by(Separator::Space, 3);
        is_shaped.then_some(3)?
    } else {
        (is_said && run.begins_with(&[9])).then_some(1)?
    };
    let is_whole = run.may_end_behind(groups, stretch) && !run.has_plus && !run.has_bracket;
    (is_whole && is_issued(run.digits_of(groups))).then(|| run.range(groups))
}

/// The rules of the Social Security Administration: no area 000, 666 or from 900 on, no group 00, no serial 0000.
fn is_issued(digits: &[u8]) -> bool {
    let (area, rest) = digits.split_at(3);
    let (group, serial) = rest.split_at(2);
    area != [0, 0, 0] && area != [6, 6, 6] && area[0] != 9 && group != [0, 0] && serial != [0, 0, 0, 0]
}
