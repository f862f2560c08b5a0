//! Which models let nobody set a temperature.

use crate::model::spec::{ModelSpec, Provider};

/// Whether the model refuses a temperature: those of OpenAI that reason (the o-series, and GPT from 5 on) and those of
/// Anthropic from Claude 4.7 on. A request that names one ends with 400 there.
pub(super) fn is_fixed(spec: &ModelSpec) -> bool {
    let model = spec.model();
    match spec.provider() {
        Provider::OpenAi => reasons(model),
        Provider::Anthropic => model.starts_with("claude-mythos") || claude_version(model) >= Some((4, 7)),
        Provider::Google | Provider::Vertex | Provider::Ollama => false,
    }
}

/// Whether a model of OpenAI reasons before it answers.
pub(super) fn reasons(model: &str) -> bool {
    let first_digit = |prefix: &str| {
        let digit = model.strip_prefix(prefix)?.chars().next()?.to_digit(10)?;
        Some(digit)
    };
    first_digit("o").is_some() || first_digit("gpt-") >= Some(5)
}

/// Major and minor version of a name such as `claude-opus-4-7` or `claude-sonnet-5`; dates are none.
fn claude_version(model: &str) -> Option<(u32, u32)> {
    let mut numbers = model
        .split('-')
        .skip_while(|part| part.parse::<u32>().is_err())
        .map_while(|part| part.parse().ok().filter(|number| *number < 1_000));
    let major = numbers.next()?;
    Some((major, numbers.next().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_set_it_themselves_are_known() {
        for (spec, fixed) in [
            ("openai:gpt-4o-mini", false),
            ("openai:gpt-3.5-turbo", false),
            ("openai:llama-3", false),
            ("openai:omni-moderation", false),
            ("openai:o3-mini", true),
            ("openai:gpt-5", true),
            ("openai:gpt-5.6-luna", true),
            ("openai:gpt-6-sol", true),
            ("anthropic:claude-3-5-haiku-20241022", false),
            ("anthropic:claude-sonnet-4-20250514", false),
            ("anthropic:claude-haiku-4-5-20251001", false),
            ("anthropic:claude-opus-4-6", false),
            ("anthropic:claude-opus-4-7", true),
            ("anthropic:claude-sonnet-5", true),
            ("anthropic:claude-mythos-preview", true),
            ("google:gemini-2.5-flash", false),
            ("ollama:gpt-5", false),
        ] {
            assert_eq!(is_fixed(&spec.parse().unwrap()), fixed, "{spec}");
        }
    }
}
