//! Calls of tools.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One call of a tool, in the form that interactions and targets name it in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// What it was given: mostly an object; a text where the caller wrote something that is not JSON.
    #[serde(default)]
    pub arguments: Value,
    /// What it answered, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// Why it answered nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}
