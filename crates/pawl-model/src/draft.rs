//! Drafts of regression tests, as they stand in a suggestion's `suggestion_content.eval_test`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;
use time::OffsetDateTime;

use crate::words::words;

words! {
    /// How far a draft is.
    DraftStatus {
        /// It can be looked at and approved.
        Draft = "draft",
        /// A person has to write something first.
        NeedsHumanInput = "needs_human_input",
    }
}

words! {
    /// Who wrote what a draft says.
    EditSource {
        /// We did.
        Generated = "generated",
        /// A person: it is never overwritten without being told to.
        Human = "human",
    }
}

/// Characters of a title.
pub const MAX_DRAFT_TITLE: usize = 200;
/// Characters of the other texts.
pub const MAX_DRAFT_TEXT: usize = 800;
/// Characters of a tool's name.
pub const MAX_DRAFT_TOOL: usize = 100;
/// Characters of a sentence.
pub const MAX_DRAFT_SENTENCE: usize = 300;
/// Items of each list that people and models write.
pub const MAX_DRAFT_ITEMS: usize = 20;

/// A member that may be absent, null or a value; what is read is written again the same.
pub type Optional<T> = Option<Option<T>>;

/// A regression test that was made of what went wrong.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvalTestDraft {
    /// `eval_` and the suggestion's id.
    pub eval_test_id: String,
    /// What is tested, in a few words.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_DRAFT_TITLE)))]
    pub title: String,
    /// From what went wrong to what the test is for.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_DRAFT_TEXT)))]
    pub rationale: String,
    /// Where it comes from.
    pub source: DraftSource,
    /// What the agent is to be asked.
    pub input: DraftInput,
    /// What its answer must be, and must not.
    pub assertions: DraftAssertions,
    /// How far it is.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = DraftStatus::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())))]
    pub status: DraftStatus,
    /// Who wrote it.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = EditSource::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>())))]
    pub edit_source: EditSource,
    /// When it was generated first.
    #[serde(with = "time::serde::rfc3339")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub generated_at: OffsetDateTime,
    /// When it was changed last.
    #[serde(with = "time::serde::rfc3339")]
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("format" = "date-time")))]
    pub updated_at: OffsetDateTime,
    /// How it was generated.
    pub generator_meta: GeneratorMeta,
}

/// Where a draft comes from.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftSource {
    /// The suggestion.
    pub suggestion_id: String,
    /// The trace that it is made of.
    pub canonical_trace_id: String,
    /// Its pattern.
    pub canonical_pattern_id: String,
    /// All traces of the suggestion.
    pub trace_ids: Vec<String>,
    /// Their patterns.
    pub pattern_ids: Vec<String>,
}

/// What the agent is to be asked.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftInput {
    /// The prompt, without personal data.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = MAX_DRAFT_TEXT)))]
    pub prompt: String,
    /// What has to be so beforehand.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(max = MAX_DRAFT_TEXT)))]
    pub required_state: Optional<String>,
    /// The tools that were involved.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_DRAFT_ITEMS), inner(length(max = MAX_DRAFT_TOOL))))]
    pub tools_involved: Vec<String>,
}

/// What the answer must be, and must not.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraftAssertions {
    /// Sentences that must hold.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_DRAFT_ITEMS), inner(length(max = MAX_DRAFT_SENTENCE))))]
    pub required: Vec<String>,
    /// Sentences about what must not be.
    #[cfg_attr(feature = "schema", schemars(length(max = MAX_DRAFT_ITEMS), inner(length(max = MAX_DRAFT_SENTENCE))))]
    pub forbidden: Vec<String>,
    /// An answer that is right, where there is one only and it is short.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(max = MAX_DRAFT_TEXT)))]
    pub golden_output: Optional<String>,
    /// For whoever looks at it.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>", length(max = MAX_DRAFT_TEXT)))]
    pub notes: Optional<String>,
}

/// How a draft was generated.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorMeta {
    /// The model, or `template_` and the reason for there being none.
    pub model: String,
    /// How much chance there was in its answer.
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub temperature: Number,
    /// `sha256:` and the hash of the prompt.
    pub prompt_hash: String,
    /// `sha256:` and the hash of the answer as it came.
    pub response_sha256: String,
    /// The run that made it.
    pub run_id: String,
}

impl EvalTestDraft {
    /// Its JSON Schema.
    #[cfg(feature = "schema")]
    #[must_use]
    pub fn json_schema() -> serde_json::Value {
        let mut schema = schemars::schema_for!(Self).to_value();
        schema["$id"] = "/schemas/eval-test-draft.json".into();
        schema
    }
}

/// A member that is there, be it null: [`Default`] stands for one that is not.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Optional<T>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn sample() -> Value {
        json!({
            "eval_test_id": "eval_sugg_abc123",
            "title": "Prevent stale product recommendations",
            "rationale": "A production incident showed discontinued products being recommended.",
            "source": {
                "suggestion_id": "sugg_abc123",
                "canonical_trace_id": "dd_trace_67890",
                "canonical_pattern_id": "pattern_dd_trace_67890",
                "trace_ids": ["dd_trace_12345", "dd_trace_67890"],
                "pattern_ids": ["pattern_dd_trace_12345", "pattern_dd_trace_67890"]
            },
            "input": {
                "prompt": "Recommend a laptop under $1000.",
                "required_state": "Inventory contains discontinued items.",
                "tools_involved": ["inventory_lookup"]
            },
            "assertions": {
                "required": ["Must recommend only in-stock SKUs"],
                "forbidden": ["Must not recommend discontinued SKUs"],
                "golden_output": null
            },
            "status": "draft",
            "edit_source": "generated",
            "generated_at": "2025-12-29T12:00:00Z",
            "updated_at": "2025-12-29T12:00:00Z",
            "generator_meta": {
                "model": "gemini-2.5-flash",
                "temperature": 0.2,
                "prompt_hash": "sha256:aa",
                "response_sha256": "sha256:bb",
                "run_id": "run_20251229_120000_ab12cd34"
            }
        })
    }

    #[test]
    fn a_draft_is_written_as_it_was_read() {
        let text = sample().to_string();
        let draft: EvalTestDraft = serde_json::from_str(&text).unwrap();
        assert_eq!(draft.assertions.golden_output, Some(None));
        assert_eq!(draft.assertions.notes, None);
        assert_eq!(serde_json::to_string(&draft).unwrap(), text);
        let mut other = sample();
        other["assertions"]["notes"] = Value::Null;
        other["assertions"]
            .as_object_mut()
            .unwrap()
            .remove("golden_output");
        other["input"]["required_state"] = Value::Null;
        let draft: EvalTestDraft = serde_json::from_value(other.clone()).unwrap();
        assert_eq!(serde_json::to_value(&draft).unwrap(), other);
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_schema_says_what_the_types_do() {
        let schema = EvalTestDraft::json_schema();
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        let agrees = |draft: &Value, is_a_draft: bool| {
            assert_eq!(validator.is_valid(draft), is_a_draft, "{draft}");
            assert_eq!(
                serde_json::from_value::<EvalTestDraft>(draft.clone()).is_ok(),
                is_a_draft,
                "{draft}"
            );
        };
        agrees(&sample(), true);
        for member in sample().as_object().unwrap().keys() {
            let mut draft = sample();
            draft.as_object_mut().unwrap().remove(member);
            agrees(&draft, false);
        }
        for (pointer, value) in [
            ("/status", json!("done")),
            ("/edit_source", json!("robot")),
            ("/generated_at", json!("yesterday")),
            ("/assertions/required", json!("Must be one")),
            ("/generator_meta/temperature", json!("warm")),
            (
                "/input",
                json!({"prompt": "x", "tools_involved": [], "colour": "red"}),
            ),
        ] {
            let mut draft = sample();
            *draft.pointer_mut(pointer).unwrap() = value;
            agrees(&draft, false);
        }
        let mut draft = sample();
        draft["assertions"]["notes"] = Value::Null;
        draft["input"].as_object_mut().unwrap().remove("required_state");
        agrees(&draft, true);
        // Bounds are the schema's alone: what others have written is read whatever its length.
        draft["title"] = "x".repeat(201).into();
        assert!(!validator.is_valid(&draft));
    }

    #[test]
    fn what_is_missing_or_unknown_is_refused() {
        for member in ["title", "source", "status", "generator_meta"] {
            let mut draft = sample();
            draft.as_object_mut().unwrap().remove(member);
            let error = serde_json::from_value::<EvalTestDraft>(draft).unwrap_err();
            assert_eq!(error.to_string(), format!("missing field `{member}`"));
        }
        for (place, member) in [("", "colour"), ("input", "colour"), ("assertions", "colour")] {
            let mut draft = sample();
            let object = match place {
                "" => &mut draft,
                place => &mut draft[place],
            };
            object[member] = "red".into();
            assert!(serde_json::from_value::<EvalTestDraft>(draft).is_err(), "{place}");
        }
        let mut draft = sample();
        draft["status"] = "done".into();
        assert!(serde_json::from_value::<EvalTestDraft>(draft).is_err());
    }
}
