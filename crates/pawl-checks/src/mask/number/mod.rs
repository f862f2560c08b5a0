//! Whatever begins with a digit: addresses, IBANs, cards, social security numbers, telephone numbers.

mod card;
mod country;
mod iban;
mod phone;
mod run;
mod ssn;

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
    let before = stretch.byte_before(at);
    if before.is_some_and(|byte| byte.is_ascii_hexdigit() || byte == b':')
        || stretch.byte(at).is_some_and(may_be_address)
    {
        if let Some(range) = address::find(stretch, at).filter(|range| range.end > at) {
            return Verdict::found(range, Kind::Ip);
        }
    }
    if before.is_some_and(is_word) {
        return match iban::find(stretch, at) {
            Some(range) => Verdict::found(range, Kind::Iban),
            None => Verdict::Nothing {
                resume: stretch.run_end(anchor.end, is_word),
            },
        };
    }
    let run = Run::read(stretch, at);
    let resume = run.first_end().max(anchor.end);
    if run.digits() < FEWEST_DIGITS || run.is_part(stretch) {
        return Verdict::Nothing { resume };
    }
    let cue = Cue::before(stretch, run.start());
    let found = if cue == Some(Cue::Identifier) || run.is_json_number(stretch) {
        None
    } else {
        card::find(&run, stretch, cue)
            .map(|range| (range, Kind::Card))
            .or_else(|| ssn::find(&run, stretch, cue).map(|range| (range, Kind::Ssn)))
            .or_else(|| phone::find(&run, stretch, cue).map(|range| (range, Kind::Phone)))
    };
    match found {
        Some((range, kind)) => Verdict::found(range, kind),
        None => Verdict::Nothing { resume },
    }
}

const fn may_be_address(byte: u8) -> bool {
    byte.is_ascii_digit()
}
