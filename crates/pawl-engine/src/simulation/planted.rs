//! Incidents that are planted among what the agent does: each is one and the same mistake, in several wordings.

use std::sync::LazyLock;

use pawl_model::{Json, NewInteraction, Score};
use serde::Deserialize;

use super::draw::Draw;

/// Streams of draws beside those of the interactions themselves.
const STREAM: u64 = 4 << 32;
/// Of how many interactions one is of an incident.
const ONE_IN: usize = 150;

/// A wording of an incident.
#[derive(Deserialize)]
struct Wording {
    prompt: String,
    response: String,
    flags: Vec<String>,
    score: serde_json::Number,
    tool_calls: Option<serde_json::Value>,
}

/// Ten incidents that share their flag and their service, in four wordings each.
static WORDINGS: LazyLock<Vec<Wording>> = LazyLock::new(|| {
    include_str!("incidents.jsonl")
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
});

/// Makes an interaction one of an incident, where the draw of its number says so.
pub(super) fn plant(interaction: &mut NewInteraction, random_seed: u64, number: u32) {
    let mut draw = Draw::new(random_seed, STREAM + u64::from(number));
    if draw.below(ONE_IN) > 0 || WORDINGS.is_empty() {
        return;
    }
    let wording = draw.one_of(&WORDINGS);
    interaction.prompt.clone_from(&wording.prompt);
    interaction.response.clone_from(&wording.response);
    interaction.flags.clone_from(&wording.flags);
    interaction.score = Score::parse(&wording.score.to_string());
    interaction.tool_calls = wording
        .tool_calls
        .as_ref()
        .and_then(|calls| Json::from_serialize(calls).ok());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wording_is_read() {
        assert_eq!(WORDINGS.len(), include_str!("incidents.jsonl").lines().count());
        assert!(
            WORDINGS
                .iter()
                .all(|wording| Score::parse(&wording.score.to_string()).is_some())
        );
    }
}
