//! What the demo brings along: inputs, and agents that are flawed on purpose.

use serde_json::Value;

pub(crate) mod story_agent;
pub(crate) mod support_agent;

/// Our 50 inputs for user stories, edge cases among them.
pub(crate) const INPUTS: &str = include_str!("../../../../examples/stories/inputs.json");

/// Our inputs, each as a small, a middling and a large wish: a gate needs more than fifty to tell.
pub(crate) fn in_three_sizes() -> serde_json::Result<Value> {
    let mut file: Value = serde_json::from_str(INPUTS)?;
    if let Some(inputs) = file["inputs"].as_array_mut() {
        let sized = inputs.iter().flat_map(|input| {
            ["low", "medium", "high"].map(|size| {
                let mut input = input.clone();
                input["id"] = [input["id"].as_str().unwrap_or_default(), "-", size]
                    .concat()
                    .into();
                input["context"]["complexity"] = size.into();
                input
            })
        });
        *inputs = sized.collect();
    }
    Ok(file)
}
