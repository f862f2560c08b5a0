//! Where models are and how to get in: keys and base URLs, as variables of the environment name them.

use std::path::PathBuf;

use reqwest::Url;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::ModelError;
use super::spec::{ModelSpec, Provider};

/// Keys and addresses of all providers. It knows nothing of the environment: a function looks variables up.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    pub(super) openai: KeyedSettings,
    pub(super) google: KeyedSettings,
    pub(super) anthropic: KeyedSettings,
    pub(super) vertex: VertexSettings,
    pub(super) ollama: Url,
    /// What time it is: tokens of service accounts are asked for in signed texts with a date.
    pub(super) now: fn() -> OffsetDateTime,
}

/// A provider that is reached with a key.
#[derive(Clone, Debug)]
pub(super) struct KeyedSettings {
    pub(super) key: Option<SecretString>,
    pub(super) base: Option<Url>,
}

/// What Vertex AI is reached with.
#[derive(Clone, Debug)]
pub(super) struct VertexSettings {
    pub(super) project: Option<String>,
    pub(super) location: String,
    pub(super) base: Option<Url>,
    /// The file that a person named.
    pub(super) credentials: Option<PathBuf>,
    /// Where `gcloud auth application-default login` puts its file.
    pub(super) default_credentials: Option<PathBuf>,
    /// The host of the metadata server of a machine in Google's cloud.
    pub(super) metadata_host: String,
}

const OPENAI_KEY: &str = "OPENAI_API_KEY";
const OPENAI_BASE: &str = "OPENAI_BASE_URL";
const GOOGLE_KEY: &str = "GEMINI_API_KEY";
const GOOGLE_BASE: &str = "GEMINI_BASE_URL";
const ANTHROPIC_KEY: &str = "ANTHROPIC_API_KEY";
const ANTHROPIC_BASE: &str = "ANTHROPIC_BASE_URL";
const VERTEX_PROJECT: &str = "GOOGLE_CLOUD_PROJECT";
const VERTEX_LOCATION: &str = "VERTEX_AI_LOCATION";
const VERTEX_BASE: &str = "VERTEX_BASE_URL";
const VERTEX_CREDENTIALS: &str = "GOOGLE_APPLICATION_CREDENTIALS";
const OLLAMA_HOST: &str = "OLLAMA_HOST";

/// Newer models are offered nowhere else.
const DEFAULT_LOCATION: &str = "global";
const DEFAULT_OLLAMA: &str = "127.0.0.1";
const OLLAMA_PORT: u16 = 11434;
const DEFAULT_METADATA_HOST: &str = "metadata.google.internal";

impl ModelSettings {
    /// The settings that these variables make; an empty one is as good as none. Nothing is read from disk yet.
    ///
    /// # Errors
    /// When one that should hold a URL holds none.
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<String>,
        now: fn() -> OffsetDateTime,
    ) -> Result<Self, ModelError> {
        let text = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let base = |name: &'static str| text(name).map(|value| base_url(name, &value)).transpose();
        let keyed = |key: &str, url: &'static str| {
            Ok(KeyedSettings {
                key: text(key).map(|key| SecretString::from(key.trim())),
                base: base(url)?,
            })
        };
        let folder = text("CLOUDSDK_CONFIG").map(PathBuf::from);
        let folder = folder.or_else(|| Some(PathBuf::from(text("HOME")?).join(".config/gcloud")));
        Ok(Self {
            openai: keyed(OPENAI_KEY, OPENAI_BASE)?,
            google: keyed(GOOGLE_KEY, GOOGLE_BASE)?,
            anthropic: keyed(ANTHROPIC_KEY, ANTHROPIC_BASE)?,
            vertex: VertexSettings {
                project: text(VERTEX_PROJECT),
                location: text(VERTEX_LOCATION).unwrap_or_else(|| DEFAULT_LOCATION.to_owned()),
                base: base(VERTEX_BASE)?,
                credentials: text(VERTEX_CREDENTIALS).map(PathBuf::from),
                default_credentials: folder.map(|folder| folder.join("application_default_credentials.json")),
                metadata_host: text("GCE_METADATA_HOST").unwrap_or_else(|| DEFAULT_METADATA_HOST.to_owned()),
            },
            ollama: ollama_url(&text(OLLAMA_HOST).unwrap_or_else(|| DEFAULT_OLLAMA.to_owned()))?,
            now,
        })
    }

    /// The same settings with one provider at another base URL.
    pub(super) fn at(&self, provider: Provider, base: &str) -> Result<Self, ModelError> {
        let base = base_url("the base URL of the provider", base)?;
        let mut settings = self.clone();
        match provider {
            Provider::OpenAi => settings.openai.base = Some(base),
            Provider::Google => settings.google.base = Some(base),
            Provider::Anthropic => settings.anthropic.base = Some(base),
            Provider::Vertex => settings.vertex.base = Some(base),
            Provider::Ollama => settings.ollama = base,
        }
        Ok(settings)
    }

    /// What is configured of a provider, fit to be shown: keys and credentials are masked. `None` where nothing is.
    #[must_use]
    pub fn shown(&self, provider: Provider) -> Option<String> {
        let at = |base: &Option<Url>| {
            base.as_ref()
                .map(|url| format!("at {}", without_credentials(url)))
        };
        let keyed = |settings: &KeyedSettings| {
            let key = settings.key.is_some().then(|| "key ***".to_owned());
            parts([key, at(&settings.base)])
        };
        match provider {
            Provider::OpenAi => keyed(&self.openai),
            Provider::Google => keyed(&self.google),
            Provider::Anthropic => keyed(&self.anthropic),
            Provider::Vertex => {
                let vertex = &self.vertex;
                let project = vertex
                    .project
                    .as_ref()
                    .map(|project| format!("project {project}"));
                let file = vertex.credentials.as_ref();
                let file = file.map(|file| format!("credentials in {}", file.display()));
                let found = parts([project, file, at(&vertex.base)])?;
                Some(format!("{found}, location {}", vertex.location))
            }
            Provider::Ollama => Some(format!("at {}", without_credentials(&self.ollama))),
        }
    }

    /// Where a provider is, as far as that is configured; empty where it is where everybody finds it.
    #[must_use]
    pub fn address(&self, provider: Provider) -> String {
        let base = match provider {
            Provider::OpenAi => self.openai.base.as_ref(),
            Provider::Google => self.google.base.as_ref(),
            Provider::Anthropic => self.anthropic.base.as_ref(),
            Provider::Vertex => self.vertex.base.as_ref(),
            Provider::Ollama => Some(&self.ollama),
        };
        base.map_or_else(String::new, ToString::to_string)
    }

    /// A model to converse with where nobody names one: of the first provider that there is a key for, in the order
    /// OpenAI, Anthropic, Google.
    #[must_use]
    pub fn default_chat(&self) -> Option<ModelSpec> {
        let models = [
            (&self.openai, Provider::OpenAi, "gpt-5.4-mini"),
            (&self.anthropic, Provider::Anthropic, "claude-haiku-4-5"),
            (&self.google, Provider::Google, "gemini-2.5-flash"),
        ];
        first_with_key(models)
    }

    /// The same for embeddings: of OpenAI or Google.
    #[must_use]
    pub fn default_embedder(&self) -> Option<ModelSpec> {
        let models = [
            (&self.openai, Provider::OpenAi, "text-embedding-3-small"),
            (&self.google, Provider::Google, "gemini-embedding-001"),
        ];
        first_with_key(models)
    }

    /// The key of a provider and where it is. A server of one's own may do without a key.
    pub(super) fn keyed(&self, provider: Provider) -> Result<(Option<&SecretString>, Url), ModelError> {
        let (settings, variable, default) = match provider {
            Provider::Google => (
                &self.google,
                GOOGLE_KEY,
                "https://generativelanguage.googleapis.com",
            ),
            Provider::Anthropic => (&self.anthropic, ANTHROPIC_KEY, "https://api.anthropic.com"),
            _ => (&self.openai, OPENAI_KEY, "https://api.openai.com/v1"),
        };
        if settings.key.is_none() && settings.base.is_none() {
            return Err(ModelError::Missing { provider, variable });
        }
        let base = settings.base.clone();
        let base = base.map_or_else(|| base_url(variable, default), Ok)?;
        Ok((settings.key.as_ref(), base))
    }
}

fn first_with_key<const N: usize>(models: [(&KeyedSettings, Provider, &str); N]) -> Option<ModelSpec> {
    let mut models = models.into_iter();
    let (_, provider, model) = models.find(|(settings, ..)| settings.key.is_some())?;
    Some(ModelSpec::new(provider, model))
}

impl VertexSettings {
    /// The project, from the variable or else from the file with the credentials.
    pub(super) fn project<'a>(&'a self, of_credentials: Option<&'a str>) -> Result<&'a str, ModelError> {
        self.project
            .as_deref()
            .or(of_credentials)
            .ok_or(ModelError::Missing {
                provider: Provider::Vertex,
                variable: VERTEX_PROJECT,
            })
    }

    /// Where the location's service is.
    pub(super) fn base(&self) -> Result<Url, ModelError> {
        match (&self.base, self.location.as_str()) {
            (Some(base), _) => Ok(base.clone()),
            (None, "global") => base_url(VERTEX_LOCATION, "https://aiplatform.googleapis.com"),
            (None, location) => {
                let host = format!("https://{location}-aiplatform.googleapis.com");
                base_url(VERTEX_LOCATION, &host)
            }
        }
    }
}

/// What there is of some parts, on one line.
fn parts<const N: usize>(parts: [Option<String>; N]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn without_credentials(url: &Url) -> Url {
    let mut url = url.clone();
    if !url.username().is_empty() || url.password().is_some() {
        // Setting credentials fails only for URLs without a host, which the settings take none of.
        let _ = url.set_username("***");
        let _ = url.set_password(None);
    }
    url
}

fn base_url(variable: &'static str, text: &str) -> Result<Url, ModelError> {
    let url = Url::parse(text.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or(ModelError::Url { variable })
}

/// `OLLAMA_HOST` as Ollama reads it: a host, a port or both, or a URL; one that listens everywhere is reached here.
fn ollama_url(text: &str) -> Result<Url, ModelError> {
    let text = text.trim();
    let has_scheme = text.contains("://");
    let text = match text.strip_prefix(':') {
        Some(port) => format!("{DEFAULT_OLLAMA}:{port}"),
        None => text.replacen("0.0.0.0", DEFAULT_OLLAMA, 1),
    };
    if has_scheme {
        return base_url(OLLAMA_HOST, &text);
    }
    let mut url = base_url(OLLAMA_HOST, &format!("http://{text}"))?;
    let names_port = text.split('/').next().unwrap_or_default().ends_with(":80");
    if url.port().is_none() && !names_port {
        url.set_port(Some(OLLAMA_PORT)).map_err(|()| ModelError::Url {
            variable: OLLAMA_HOST,
        })?;
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<ModelSettings, ModelError> {
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        ModelSettings::from_variables(lookup, || OffsetDateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_key_or_a_server_of_ones_own_is_needed() {
        for (provider, variable) in [
            (Provider::OpenAi, "OPENAI_API_KEY"),
            (Provider::Google, "GEMINI_API_KEY"),
            (Provider::Anthropic, "ANTHROPIC_API_KEY"),
        ] {
            let error = settings(&[(variable, " ")]).unwrap().keyed(provider).unwrap_err();
            assert_eq!(error.to_string(), format!("{provider}: models need {variable}"));
            let with_key = settings(&[(variable, "sk-1")]).unwrap();
            let (key, url) = with_key.keyed(provider).unwrap();
            assert!(key.is_some() && url.scheme() == "https");
            assert!(!format!("{with_key:?}").contains("sk-1"));
        }
        let own = settings(&[("OPENAI_BASE_URL", "http://localhost:8000/v1")]).unwrap();
        let (key, url) = own.keyed(Provider::OpenAi).unwrap();
        assert!(key.is_none() && url.as_str() == "http://localhost:8000/v1");
    }

    #[test]
    fn what_is_shown_holds_no_secret() {
        let settings = settings(&[
            ("OPENAI_API_KEY", "sk-secret"),
            ("OPENAI_BASE_URL", "https://user:secret@proxy/v1"),
            ("GEMINI_BASE_URL", "http://localhost:1"),
            ("GOOGLE_CLOUD_PROJECT", "acme"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/keys/pawl.json"),
        ])
        .unwrap();
        let shown = Provider::ALL.map(|provider| settings.shown(provider));
        assert_eq!(
            shown.map(Option::unwrap_or_default),
            [
                "key ***, at https://***@proxy/v1",
                "at http://localhost:1/",
                "project acme, credentials in /keys/pawl.json, location global",
                "",
                "at http://127.0.0.1:11434/",
            ]
        );
    }

    #[test]
    fn the_first_key_decides_where_nobody_does() {
        let default = |variables: &[(&str, &str)]| {
            let settings = settings(variables).unwrap();
            let shown = |spec: Option<ModelSpec>| spec.map(|spec| spec.to_string());
            (shown(settings.default_chat()), shown(settings.default_embedder()))
        };
        let names = |chat: &str, embedder: &str| (Some(chat.to_owned()), Some(embedder.to_owned()));
        let (openai, google, anthropic) = (
            ("OPENAI_API_KEY", "k"),
            ("GEMINI_API_KEY", "k"),
            ("ANTHROPIC_API_KEY", "k"),
        );
        assert_eq!(
            default(&[google, anthropic, openai]),
            names("openai:gpt-5.4-mini", "openai:text-embedding-3-small")
        );
        assert_eq!(
            default(&[google, anthropic]),
            names("anthropic:claude-haiku-4-5", "google:gemini-embedding-001")
        );
        assert_eq!(default(&[]), (None, None));
    }

    #[test]
    fn a_variable_that_holds_no_url_is_named() {
        for variable in ["OPENAI_BASE_URL", "VERTEX_BASE_URL", "OLLAMA_HOST"] {
            let error = settings(&[(variable, "ftp://host")]).unwrap_err();
            assert_eq!(
                error.to_string(),
                format!("{variable} is not an http or https URL")
            );
        }
    }

    #[test]
    fn ollama_is_found_as_it_finds_itself() {
        for (host, url) in [
            (None, "http://127.0.0.1:11434/"),
            (Some("0.0.0.0"), "http://127.0.0.1:11434/"),
            (Some(":9000"), "http://127.0.0.1:9000/"),
            (Some("gpu.internal"), "http://gpu.internal:11434/"),
            (Some("gpu.internal:80"), "http://gpu.internal/"),
            (
                Some("https://ollama.example.org/api"),
                "https://ollama.example.org/api",
            ),
        ] {
            let variables: Vec<_> = host.map(|host| ("OLLAMA_HOST", host)).into_iter().collect();
            assert_eq!(settings(&variables).unwrap().ollama.as_str(), url);
        }
    }

    #[test]
    fn vertex_has_a_service_per_location() {
        for (location, host) in [
            ("", "aiplatform.googleapis.com"),
            ("us-central1", "us-central1-aiplatform.googleapis.com"),
        ] {
            let vertex = settings(&[("VERTEX_AI_LOCATION", location)]).unwrap().vertex;
            assert_eq!(vertex.base().unwrap().host_str(), Some(host));
        }
        let vertex = settings(&[("GOOGLE_CLOUD_PROJECT", "")]).unwrap().vertex;
        assert_eq!(vertex.project(Some("of-file")).unwrap(), "of-file");
        assert_eq!(
            vertex.project(None).unwrap_err().to_string(),
            "vertex: models need GOOGLE_CLOUD_PROJECT"
        );
    }
}
