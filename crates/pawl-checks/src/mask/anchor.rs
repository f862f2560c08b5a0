//! The one pass over a text: an automaton that knows every literal at which a detector has to look.

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Input, MatchKind};

use super::label::Labelled;
use super::stretch::{Anchor, Stretch, Verdict};
use super::{address, assignment, email, header, jwt, name, number, pem, vendor};

/// How one kind of data is found: literals that each occurrence has, and what decides whether there is one.
pub(super) struct Detector {
    /// Those of ASCII stand for any case.
    pub(super) literals: fn() -> Vec<&'static str>,
    pub(super) verify: fn(Stretch<'_>, Anchor) -> Verdict,
}

const DETECTORS: [Detector; 9] = [
    number::DETECTOR,
    email::DETECTOR,
    address::DETECTOR,
    vendor::DETECTOR,
    jwt::DETECTOR,
    pem::DETECTOR,
    header::DETECTOR,
    assignment::DETECTOR,
    name::DETECTOR,
];

struct Anchors {
    automaton: DFA,
    /// For each literal of the automaton its detector, and its index among the detector's literals.
    owners: Vec<(usize, usize)>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let mut literals = Vec::new();
    let mut owners = Vec::new();
    for (detector, Detector { literals: own, .. }) in DETECTORS.iter().enumerate() {
        for (index, literal) in own().into_iter().enumerate() {
            literals.push(literal);
            owners.push((detector, index));
        }
    }
    #[expect(clippy::expect_used, reason = "constants that the tests build")]
    let automaton = DFA::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .ascii_case_insensitive(true)
        .prefilter(false)
        .build(&literals)
        .expect("literals fit into an automaton");
    Anchors { automaton, owners }
});

/// Adds what is found in a stretch: disjoint, in order.
pub(super) fn scan(mut stretch: Stretch<'_>, found: &mut Vec<Labelled>) {
    let Anchors { automaton, owners } = &*ANCHORS;
    let mut from = stretch.floor;
    while let Ok(Some(hit)) = automaton.try_find(&Input::new(stretch.text).range(from..)) {
        let (detector, literal) = owners[hit.pattern().as_usize()];
        let anchor = Anchor {
            start: hit.start(),
            end: hit.end(),
            literal,
        };
        match (DETECTORS[detector].verify)(stretch, anchor) {
            Verdict::Found(labelled) => {
                from = labelled.range.end.max(anchor.end);
                stretch.floor = labelled.range.end;
                found.push(labelled);
            }
            Verdict::Nothing { resume } => from = resume,
        }
    }
}
