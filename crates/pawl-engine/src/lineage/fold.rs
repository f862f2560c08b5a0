//! A tree of the lineage as people read it: of many of a kind the first ones, and how many more there are.

use pawl_model::LineageKind;

use super::Step;

/// Of one kind under the same node, how many are shown before the rest is folded.
const SHOWN: usize = 3;

/// A piece of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shown<'a> {
    /// A node.
    Node(&'a Step),
    /// The rest of a kind under the same node, with what stands under each.
    Rest {
        /// What they are.
        kind: LineageKind,
        /// How many they are, from two.
        count: usize,
        /// They, with what stands under them.
        steps: &'a [Step],
    },
}

/// A tree with the rest of many of a kind folded.
#[must_use]
pub fn folded(steps: &[Step]) -> Vec<Shown<'_>> {
    let mut shown = Vec::new();
    // By depth, the kind that stands there and how many of it did so far.
    let mut path: Vec<(LineageKind, usize)> = Vec::new();
    let mut place = 0;
    while let Some(step) = steps.get(place) {
        path.truncate(step.depth);
        let before = match path.get(step.depth - 1) {
            Some((kind, count)) if *kind == step.node.kind => *count,
            _ => 0,
        };
        if before >= SHOWN
            && let steps = rest(&steps[place..])
            && let count = steps.iter().filter(|other| other.depth == step.depth).count()
            && count > 1
        {
            let kind = step.node.kind;
            shown.push(Shown::Rest { kind, count, steps });
            place += steps.len();
            continue;
        }
        shown.push(Shown::Node(step));
        path.truncate(step.depth - 1);
        path.push((step.node.kind, before + 1));
        place += 1;
    }
    shown
}

/// The first node and the others of its kind behind it, with what stands under each.
fn rest(steps: &[Step]) -> &[Step] {
    let Some(first) = steps.first() else {
        return steps;
    };
    let is_behind = |step: &&Step| {
        step.depth < first.depth || (step.depth == first.depth && step.node.kind != first.node.kind)
    };
    let end = steps
        .iter()
        .position(|step| is_behind(&step))
        .unwrap_or(steps.len());
    &steps[..end]
}

#[cfg(test)]
mod tests {
    use pawl_model::LineageNode;
    use proptest::prelude::*;

    use super::*;

    fn step(depth: usize, kind: LineageKind) -> Step {
        Step {
            depth,
            node: LineageNode::new(kind, "id"),
            title: None,
            newest: None,
            is_repeated: false,
        }
    }

    /// As `pattern`, `  interaction`, `+2 pattern`.
    fn told(steps: &[Step]) -> Vec<String> {
        let tell = |shown: Shown<'_>| match shown {
            Shown::Node(step) => format!("{}{}", "  ".repeat(step.depth - 1), step.node.kind),
            Shown::Rest { kind, count, steps } => {
                format!("{}+{count} {kind}", "  ".repeat(steps[0].depth - 1))
            }
        };
        folded(steps).into_iter().map(tell).collect()
    }

    #[test]
    fn the_rest_of_a_kind_is_folded_with_what_stands_under_it() {
        use LineageKind::{Candidate, Interaction, Pattern, Suggestion};
        let mut steps = vec![step(1, Suggestion)];
        for _ in 0..5 {
            steps.extend([step(2, Pattern), step(3, Interaction)]);
        }
        steps.push(step(2, Candidate));
        let pattern = ["  pattern", "    interaction"];
        let expected = [
            &["suggestion"][..],
            &pattern,
            &pattern,
            &pattern,
            &["  +2 pattern", "  candidate"],
        ];
        assert_eq!(told(&steps), expected.concat());
    }

    #[test]
    fn one_more_is_shown_and_each_node_has_its_own_count() {
        use LineageKind::{Pattern, Suggestion};
        let mut steps = Vec::new();
        for patterns in [4, 5] {
            steps.push(step(1, Suggestion));
            steps.extend((0..patterns).map(|_| step(2, Pattern)));
        }
        let pattern = "  pattern";
        let first = ["suggestion", pattern, pattern, pattern, pattern];
        let second = ["suggestion", pattern, pattern, pattern, "  +2 pattern"];
        assert_eq!(told(&steps), [first, second].concat());
    }

    proptest! {
        /// Nothing is lost, and nothing moves.
        #[test]
        fn unfolded_it_is_the_same_tree(moves in prop::collection::vec((0..3usize, 0..3usize), 0..60)) {
            let mut steps: Vec<Step> = Vec::new();
            for (up, kind) in moves {
                let depth = steps.last().map_or(1, |last| (last.depth + 1).saturating_sub(up).max(1));
                steps.push(step(depth, LineageKind::ALL[kind]));
            }
            let mut unfolded = Vec::new();
            for shown in folded(&steps) {
                match shown {
                    Shown::Node(step) => unfolded.push(step.clone()),
                    Shown::Rest { steps, .. } => unfolded.extend_from_slice(steps),
                }
            }
            prop_assert_eq!(unfolded, steps);
        }
    }
}
