//! Whatever begins with a digit: addresses, IBANs, cards, social security numbers, telephone numbers.

mod card;
mod country;
mod iban;
mod phone;
mod run;
mod ssn;

use std::ops::Range;

use super::Kind;
use super::address;
use super::anchor::Detector;
use super::cue::Cue;
use super::stretch::{Anchor, Stretch, Verdict, is_word};
use run::Run;

pub(super) const DETECTOR: Detector = Detector {
    literals: run::digits,
    verify,
};

/// A number may be one of these only from so many digits on.
const FEWEST_DIGITS: usize = 7;

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    let at = anchor.start;
    let digits_end = stretch.run_end(at, |byte| byte.is_ascii_digit()).max(anchor.end);
    if address::may_be_at(stretch, at, digits_end)
        && let Some(range) = address::find(stretch, at).filter(|range| range.end > at)
    {
        return Verdict::found(range, Kind::Ip);
    }
    let follows_word = stretch.follows_word(at);
    if follows_word && let Some(range) = iban::find(stretch, at) {
        return Verdict::found(range, Kind::Iban);
    }
    if follows_word || stretch.is_word_at(digits_end) && !run::is_extension(stretch, digits_end) {
        let resume = stretch.run_end(anchor.end, is_word);
        return Verdict::Nothing { resume };
    }
    match found(stretch, at) {
        Some((range, kind)) => Verdict::found(range, kind),
        None => Verdict::Nothing { resume: digits_end },
    }
}

/// The card, social security number or telephone number that begins with the digit at a place.
fn found(stretch: Stretch<'_>, at: usize) -> Option<(Range<usize>, Kind)> {
    if !run::has_digits(stretch, at, FEWEST_DIGITS) {
        return None;
    }
    let run = Run::read(stretch, at);
    let is_other = !run.has_plus && (run.begins_with_date() || run.begins_with_decimal() || run.is_list());
    if run.digits() < FEWEST_DIGITS || is_other || run.is_part(stretch) || run.is_json_number(stretch) {
        return None;
    }
    let cue = Cue::before(stretch, run.start());
    if cue == Some(Cue::Identifier) {
        return None;
    }
    card::find(&run, stretch, cue)
        .map(|range| (range, Kind::Card))
        .or_else(|| ssn::find(&run, stretch, cue).map(|range| (range, Kind::Ssn)))
        .or_else(|| phone::find(&run, stretch, cue).map(|range| (range, Kind::Phone)))
}
