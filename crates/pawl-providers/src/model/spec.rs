//! What a person writes to name a model.

use std::fmt;
use std::str::FromStr;

/// Who runs models, and so which wire format is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// OpenAI, and every server that speaks its chat completions.
    OpenAi,
    /// The Gemini API of Google.
    Google,
    /// Vertex AI of Google Cloud.
    Vertex,
    /// Anthropic.
    Anthropic,
    /// Ollama, on a machine of one's own.
    Ollama,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::OpenAi,
        Self::Google,
        Self::Vertex,
        Self::Anthropic,
        Self::Ollama,
    ];

    /// What stands before the colon.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Google => "google",
            Self::Vertex => "vertex",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// The provider of this name, in any case.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.name().eq_ignore_ascii_case(name))
    }

    /// The words that may stand between the provider and the model and change nothing.
    const fn kinds(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi | Self::Ollama => &["chat", "embedding", "embeddings"],
            Self::Google | Self::Vertex => &["embedding", "embeddings"],
            Self::Anthropic => &["messages"],
        }
    }

    /// The words there that name another interface than those we speak.
    const fn foreign_kinds(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[
                "assistant",
                "completion",
                "image",
                "moderation",
                "realtime",
                "responses",
                "speech",
                "transcription",
                "video",
            ],
            Self::Google | Self::Vertex => &["image", "live", "video"],
            Self::Anthropic => &["claude-agent-sdk", "completion"],
            Self::Ollama => &["completion"],
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A model as written: `openai:gpt-4o-mini`, `google:gemini-2.5-flash`, `vertex:…`, `anthropic:…` or `ollama:…`.
///
/// promptfoo's spellings with the interface in between (`openai:chat:M`, `openai:embedding:M`, `anthropic:messages:M`,
/// `ollama:chat:M`) are read as well; it displays without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelSpec {
    provider: Provider,
    model: String,
}

/// Why a text names no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelSpecError {
    /// It names no provider.
    #[error(
        "`{0}` is not a model: expected openai:MODEL, google:MODEL, vertex:MODEL, anthropic:MODEL or ollama:MODEL"
    )]
    Provider(String),
    /// The provider is all it names, or the name could be none.
    #[error("`{text}` names no model of {provider}")]
    Model {
        /// What was written.
        text: String,
        /// The provider.
        provider: Provider,
    },
    /// It names an interface that is not spoken here.
    #[error("`{provider}:{kind}:` is not supported: models are asked as `{provider}:MODEL`")]
    Kind {
        /// The provider.
        provider: Provider,
        /// The interface.
        kind: &'static str,
    },
}

/// Bytes of a model's name.
const MAX_NAME: usize = 200;

impl ModelSpec {
    /// The model of this name.
    #[must_use]
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
        }
    }

    /// Who runs it.
    #[must_use]
    pub const fn provider(&self) -> Provider {
        self.provider
    }

    /// Its name there.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for ModelSpec {
    type Err = ModelSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let provider = Provider::parse(name).ok_or_else(|| ModelSpecError::Provider(text.to_owned()))?;
        let (first, after) = rest.split_once(':').unwrap_or((rest, ""));
        if let Some(kind) = provider.foreign_kinds().iter().find(|kind| **kind == first) {
            return Err(ModelSpecError::Kind { provider, kind });
        }
        let model = if provider.kinds().contains(&first) {
            after
        } else {
            rest
        };
        let is_name =
            !model.is_empty() && model.len() <= MAX_NAME && model.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_name {
            let text = text.to_owned();
            return Err(ModelSpecError::Model { text, provider });
        }
        Ok(Self::new(provider, model))
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read_and_one_is_shown() {
        for (given, shown) in [
            ("openai:gpt-4o-mini", "openai:gpt-4o-mini"),
            (" OpenAI:chat:gpt-4o ", "openai:gpt-4o"),
            (
                "openai:embedding:text-embedding-3-small",
                "openai:text-embedding-3-small",
            ),
            ("openai:chat:ft:gpt-4o:team::id", "openai:ft:gpt-4o:team::id"),
            (
                "anthropic:messages:claude-haiku-4-5",
                "anthropic:claude-haiku-4-5",
            ),
            ("ollama:chat:llama3.2:1b", "ollama:llama3.2:1b"),
            ("ollama:llama3.2:1b", "ollama:llama3.2:1b"),
            ("google:gemini-2.5-flash", "google:gemini-2.5-flash"),
            ("vertex:gemini-2.5-pro@001", "vertex:gemini-2.5-pro@001"),
        ] {
            assert_eq!(given.parse::<ModelSpec>().unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_names_no_model_is_refused() {
        let refusal = |text: &str| text.parse::<ModelSpec>().unwrap_err().to_string();
        assert!(
            refusal("mistral:large").starts_with("`mistral:large` is not a model: expected openai:MODEL")
        );
        for text in ["openai", "openai:", "openai:chat:", "google:a b", "google:ä"] {
            assert!(refusal(text).contains("names no model"), "{text}");
        }
        assert_eq!(
            refusal("openai:responses:gpt-5"),
            "`openai:responses:` is not supported: models are asked as `openai:MODEL`"
        );
    }

    proptest::proptest! {
        #[test]
        fn what_is_shown_reads_back(text in "(openai|ollama|anthropic|google):(chat:|messages:)?[a-z:.0-9 -]{0,12}") {
            if let Ok(spec) = text.parse::<ModelSpec>() {
                let again = spec.to_string().parse::<ModelSpec>();
                // A model called like an interface can only be written with one before it.
                if !spec.model().contains(':') {
                    proptest::prop_assert_eq!(again, Ok(spec));
                }
            }
        }
    }
}
