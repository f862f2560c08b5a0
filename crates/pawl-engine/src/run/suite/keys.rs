//! Which keys of promptfoo's configuration are read, which are ignored because they change no result, and which are
//! refused by name because a run without them would not mean the same.

use super::cursor::Cursor;
use super::error::SuiteError;
use serde_json::Value;

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    Read,
    Ignored,
    /// Refused unless empty, with what to do instead where there is something.
    Refused(&'static str),
}

/// The known keys of one kind of object.
pub(super) struct Keys(&'static [(&'static str, Rule)]);

use Rule::{Ignored, Read, Refused};

/// The whole configuration.
pub(super) const CONFIGURATION: Keys = Keys(&[
    ("description", Read),
    ("prompts", Read),
    ("providers", Read),
    ("targets", Read),
    ("tests", Read),
    ("defaultTest", Read),
    ("assertionTemplates", Read),
    ("evaluateOptions", Read),
    ("commandLineOptions", Read),
    ("$schema", Ignored),
    ("metadata", Ignored),
    ("outputPath", Ignored),
    ("sharing", Ignored),
    ("tags", Ignored),
    ("writeLatestResults", Ignored),
    ("derivedMetrics", Refused("")),
    (
        "env",
        Refused("set the variables in the environment of the target"),
    ),
    ("extensions", Refused("")),
    ("nunjucksFilters", Refused("")),
    ("redteam", Refused("")),
    (
        "scenarios",
        Refused("write the combinations as tests, or as lists of variables"),
    ),
    ("tracing", Refused("")),
    ("transform", Refused("")),
]);

/// `evaluateOptions` and `commandLineOptions`.
pub(super) const RUN_OPTIONS: Keys = Keys(&[
    ("cache", Ignored),
    ("grader", Refused("")),
    ("interactiveProviders", Ignored),
    ("maxConcurrency", Ignored),
    ("output", Ignored),
    ("progressBar", Ignored),
    ("share", Ignored),
    ("noShare", Ignored),
    ("showProgressBar", Ignored),
    ("table", Ignored),
    ("tableCellMaxLength", Ignored),
    ("verbose", Ignored),
    ("watch", Ignored),
    ("write", Ignored),
    ("delay", Refused("use `--concurrency` to spare the target")),
    ("filterFailing", Refused("")),
    ("filterFirstN", Refused("")),
    ("filterPattern", Refused("")),
    ("filterSample", Refused("")),
    ("generateSuggestions", Refused("")),
    ("maxEvalTimeMs", Refused("use `--timeout` for the time of a case")),
    ("promptPrefix", Refused("use `options.prefix` of `defaultTest`")),
    ("promptSuffix", Refused("use `options.suffix` of `defaultTest`")),
    ("repeat", Refused("use `--trials`")),
    ("timeoutMs", Refused("use `--timeout`")),
    ("var", Refused("use `vars` of `defaultTest`")),
]);

/// A test case.
pub(super) const TEST: Keys = Keys(&[
    ("id", Read),
    ("description", Read),
    ("vars", Read),
    ("assert", Read),
    ("threshold", Read),
    ("metadata", Read),
    ("options", Read),
    ("assertScoringFunction", Refused("")),
    (
        "prompts",
        Refused("put the tests of a prompt in a suite of their own"),
    ),
    (
        "provider",
        Refused("put the tests of a provider in a suite of their own"),
    ),
    (
        "providers",
        Refused("put the tests of a provider in a suite of their own"),
    ),
    ("providerOutput", Refused("use `--outputs` for recorded outputs")),
]);

/// `defaultTest`.
pub(super) const DEFAULT_TEST: Keys = Keys(&[
    ("vars", Read),
    ("assert", Read),
    ("threshold", Read),
    ("metadata", Read),
    ("options", Read),
    ("description", Ignored),
    ("assertScoringFunction", Refused("")),
    ("prompts", Refused("")),
    ("provider", Refused("")),
    ("providers", Refused("")),
    ("providerOutput", Refused("use `--outputs` for recorded outputs")),
]);

/// `options` of a test case.
pub(super) const TEST_OPTIONS: Keys = Keys(&[
    ("disableDefaultAsserts", Read),
    ("disableVarExpansion", Read),
    ("prefix", Read),
    ("suffix", Read),
    ("disableConversationVar", Ignored),
    ("factuality", Refused("")),
    ("postprocess", Refused("")),
    ("provider", Read),
    ("rubricPrompt", Refused("")),
    ("runSerially", Refused("use `--concurrency 1`")),
    ("storeOutputAs", Refused("")),
    ("transform", Refused("")),
    ("transformVars", Refused("")),
]);

/// A row of a JSON Lines file: what a test case has, and what data sets call things.
pub(super) const ROW: Keys = Keys(&[
    ("id", Read),
    ("input", Read),
    ("expected", Read),
    ("description", Read),
    ("vars", Read),
    ("assert", Read),
    ("threshold", Read),
    ("metadata", Read),
    ("options", Read),
    ("assertScoringFunction", Refused("")),
    ("prompts", Refused("")),
    ("provider", Refused("")),
    ("providers", Refused("")),
    ("providerOutput", Refused("use `--outputs` for recorded outputs")),
]);

/// A prompt.
pub(super) const PROMPT: Keys = Keys(&[
    ("id", Read),
    ("label", Read),
    ("raw", Read),
    ("display", Ignored),
    ("config", Refused("")),
    ("function", Refused("")),
]);

/// A provider.
pub(super) const PROVIDER: Keys = Keys(&[
    ("id", Read),
    ("label", Read),
    ("config", Read),
    ("delay", Refused("use `--concurrency` to spare the target")),
    (
        "env",
        Refused("set the variables in the environment of the target"),
    ),
    ("inputs", Refused("")),
    ("prompts", Refused("")),
    ("transform", Refused("")),
]);

/// The `config` of a provider that is a model.
pub(super) const MODEL_CONFIG: Keys = Keys(&[
    ("apiBaseUrl", Read),
    ("generationConfig", Read),
    ("max_completion_tokens", Read),
    ("max_tokens", Read),
    ("maxOutputTokens", Read),
    ("num_predict", Read),
    ("response_format", Read),
    ("temperature", Read),
    ("apiHost", Refused("use `apiBaseUrl`")),
    (
        "apiKey",
        Refused("set the provider's variable in the environment, such as OPENAI_API_KEY"),
    ),
    (
        "apiKeyEnvar",
        Refused("set the provider's variable in the environment, such as OPENAI_API_KEY"),
    ),
    ("cost", Refused("")),
    ("frequency_penalty", Refused("")),
    ("functionToolCallbacks", Refused("")),
    ("functions", Refused("")),
    ("headers", Refused("")),
    ("organization", Refused("")),
    ("passthrough", Refused("")),
    ("presence_penalty", Refused("")),
    (
        "projectId",
        Refused("set GOOGLE_CLOUD_PROJECT in the environment"),
    ),
    ("reasoning", Refused("")),
    ("reasoning_effort", Refused("")),
    ("region", Refused("set VERTEX_AI_LOCATION in the environment")),
    ("responseSchema", Refused("")),
    ("safetySettings", Refused("")),
    ("seed", Refused("")),
    ("stop", Refused("")),
    ("stopSequences", Refused("")),
    ("stream", Refused("")),
    ("systemInstruction", Refused("write a prompt of chat messages")),
    ("thinking", Refused("")),
    ("tool_choice", Refused("")),
    ("tools", Refused("")),
    ("topK", Refused("")),
    ("topP", Refused("")),
    ("top_k", Refused("")),
    ("top_p", Refused("")),
]);

/// `generationConfig` of Google's models.
pub(super) const GENERATION_CONFIG: Keys = Keys(&[
    ("maxOutputTokens", Read),
    ("temperature", Read),
    ("response_schema", Refused("")),
    ("responseMimeType", Refused("")),
    ("responseSchema", Refused("")),
    ("stopSequences", Refused("")),
    ("thinkingConfig", Refused("")),
    ("topK", Refused("")),
    ("topP", Refused("")),
]);

/// Whom a suite has judge: a model, or one for each kind of question.
pub(super) const JUDGE: Keys = Keys(&[
    ("id", Read),
    ("text", Read),
    ("embedding", Read),
    ("classification", Refused("")),
    ("config", Refused("")),
    ("label", Ignored),
    ("moderation", Refused("")),
]);

/// The file of `--checks`, where it is an object.
pub(super) const CHECKS_FILE: Keys = Keys(&[
    ("$schema", Ignored),
    ("assert", Read),
    ("assertionTemplates", Read),
]);

/// A seed-style file of inputs.
pub(super) const INPUTS_FILE: Keys = Keys(&[
    ("inputs", Read),
    ("description", Read),
    ("version", Read),
    ("$schema", Ignored),
    ("created_at", Ignored),
    ("metadata", Ignored),
    ("name", Ignored),
]);

impl Keys {
    /// Checks that an object has only keys that can be honoured. Keys that start with `x-` hold YAML anchors and are
    /// left alone.
    pub(super) fn check(&self, object: &Cursor<'_>) -> Result<(), SuiteError> {
        for (key, value) in object.object()? {
            match self.0.iter().find(|(name, _)| name == key).map(|(_, rule)| rule) {
                Some(Read | Ignored) => {}
                Some(Refused(_)) if is_empty(value) => {}
                Some(Refused(help)) => {
                    let error = not_supported(object, key);
                    return Err(if help.is_empty() {
                        error
                    } else {
                        error.with_help(*help)
                    });
                }
                None if key.starts_with("x-") => {}
                None => {
                    let guess = did_you_mean(key, self.0.iter().map(|(name, _)| *name));
                    return Err(object.key_error(key, format!("unknown key `{key}`{guess}")));
                }
            }
        }
        Ok(())
    }
}

/// The error for a key that is known and cannot be honoured.
pub(super) fn not_supported(object: &Cursor<'_>, key: &str) -> SuiteError {
    object.key_error(key, format!("`{key}` is not supported yet"))
}

/// Whether a value asks for nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
    }
}

/// `` (did you mean `assert`?)`` if one of the known names is close, else nothing.
pub(super) fn did_you_mean<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    // One slip for every three letters; a swap of neighbours is one slip.
    let most = given.chars().count().div_ceil(3).min(3);
    known
        .map(|name| (strsim::osa_distance(given, name), name))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, name)| format!(" (did you mean `{name}`?)"))
        .unwrap_or_default()
}
