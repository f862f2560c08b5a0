//! A row of the list, and what all views of an interaction show alike.

use pawl_model::{Interaction, Policy, Score};

use super::query::ListQuery;
use crate::ui::marked::{Marker, Piece};
use crate::ui::moment::{Moment, Moments};
use crate::ui::number;

/// Characters of a text that a row can show.
const EXCERPT: usize = 160;

/// A row of the list.
pub(super) struct Row {
    pub(super) url: String,
    pub(super) when: Moment,
    pub(super) prompt: Vec<Piece>,
    pub(super) response: Vec<Piece>,
    pub(super) score: Option<ShownScore>,
    pub(super) latency: Option<String>,
    pub(super) flags: Vec<Flag>,
}

/// A score as it is shown.
pub(super) struct ShownScore {
    pub(super) text: String,
    /// Whether it is below what the policy calls failing.
    pub(super) is_failing: bool,
}

/// A flag as it is shown.
pub(super) struct Flag {
    pub(super) name: String,
    /// Whether it makes an interaction a failing one.
    pub(super) is_failing: bool,
}

impl ShownScore {
    /// A score to two digits.
    pub(super) fn rounded(score: &Score, policy: &Policy) -> Self {
        Self {
            text: format!("{:.2}", score.as_f64()),
            is_failing: score.as_f64() < policy.failure_score,
        }
    }

    /// A score to its last digit.
    pub(super) fn exact(score: &Score, policy: &Policy) -> Self {
        Self {
            text: score.as_str().to_owned(),
            ..Self::rounded(score, policy)
        }
    }
}

/// Flags, those that make the interaction a failing one first.
pub(super) fn flags(interaction: &Interaction, policy: &Policy) -> Vec<Flag> {
    let flag = |name: &String| Flag {
        name: name.clone(),
        is_failing: policy.failure_flags.contains(name),
    };
    let mut flags: Vec<Flag> = interaction.flags.iter().map(flag).collect();
    flags.sort_by_key(|flag| !flag.is_failing);
    flags
}

impl Row {
    pub(super) fn new(
        interaction: &Interaction,
        query: &ListQuery,
        (policy, moments, marker): (&Policy, &Moments, &Marker),
    ) -> Self {
        let list = ListQuery {
            after: String::new(),
            ..query.clone()
        };
        Self {
            url: list.url(&["/interactions/", &interaction.id.to_string()].concat()),
            when: moments.show(interaction.created_at),
            prompt: marker.excerpt(&interaction.prompt, EXCERPT),
            response: marker.excerpt(&interaction.response, EXCERPT),
            score: interaction
                .score
                .as_ref()
                .map(|score| ShownScore::rounded(score, policy)),
            latency: interaction.latency_ms.map(milliseconds),
            flags: flags(interaction, policy),
        }
    }
}

/// A latency without its unit.
pub(super) fn milliseconds(latency: i32) -> String {
    number::count(u64::try_from(latency).unwrap_or(0))
}
