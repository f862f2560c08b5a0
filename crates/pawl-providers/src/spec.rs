//! What a person writes to name a target.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;

use crate::model::{ModelSpec, ModelSpecError, Provider};

const FORMS: &str =
    "exec:COMMAND, http://HOST/PATH, https://HOST/PATH, a model such as openai:MODEL, or echo";

/// A target as written: `exec:COMMAND`, `http://…`, `https://…`, a model ([`ModelSpec`]) or `echo`.
///
/// `COMMAND` is split into words as a POSIX shell does, quotes and backslashes included, but no shell runs it: there
/// are no variables, pipes or globs. For those, name the shell: `exec:sh -c 'generate | tidy'`.
///
/// It displays as it was written, with the credentials of URLs masked: `https://***@host/`.
#[derive(Clone, PartialEq, Eq)]
pub struct TargetSpec {
    shown: String,
    kind: TargetKind,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum TargetKind {
    Echo,
    Exec(CommandLine),
    Http(Url),
    Model(ModelSpec),
}

/// A command split into words.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct CommandLine {
    pub(crate) program: String,
    pub(crate) arguments: Vec<String>,
}

/// Why a text names no target.
#[derive(Debug, thiserror::Error)]
pub enum TargetSpecError {
    /// A provider of models, but no model of it that could be a target.
    #[error(transparent)]
    Model(#[from] ModelSpecError),
    /// None of the forms.
    #[error("`{text}` is not a target: expected {FORMS}{}", did_you_mean(.hint.as_deref()))]
    Unknown {
        /// What was written.
        text: String,
        /// What may have been meant.
        hint: Option<String>,
    },
    /// `exec:` without a command.
    #[error("`exec:` needs a command, as in `exec:python3 agent.py`")]
    EmptyCommand,
    /// A command that does not split into words.
    #[error("`{0}` ends inside a quote or after a backslash")]
    UnfinishedQuote(String),
    /// Not a URL.
    #[error("`{text}` is not a URL")]
    Url {
        /// What was written.
        text: String,
        /// What is wrong with it.
        source: <Url as FromStr>::Err,
    },
    /// A URL with a blank in it.
    #[error("`{0}` is not a URL: it holds a blank")]
    BlankInUrl(String),
}

impl TargetSpec {
    /// Reads a target.
    ///
    /// # Errors
    /// When the text has none of the forms.
    pub fn parse(text: &str) -> Result<Self, TargetSpecError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
        match scheme {
            "echo" if text == "echo" => Ok(Self {
                shown: text.to_owned(),
                kind: TargetKind::Echo,
            }),
            "exec" if text != "exec" => Ok(Self {
                shown: masked(text),
                kind: TargetKind::Exec(CommandLine::parse(rest)?),
            }),
            "http" | "https" if rest.starts_with("//") => Self::http(text),
            _ if Provider::parse(scheme).is_some() && text != scheme => {
                let spec: ModelSpec = text.parse()?;
                Ok(Self {
                    shown: spec.to_string(),
                    kind: TargetKind::Model(spec),
                })
            }
            _ => Err(TargetSpecError::Unknown {
                text: masked(text),
                hint: hint(text),
            }),
        }
    }

    fn http(text: &str) -> Result<Self, TargetSpecError> {
        if text.contains(char::is_whitespace) {
            return Err(TargetSpecError::BlankInUrl(masked(text)));
        }
        let url = Url::parse(text).map_err(|source| TargetSpecError::Url {
            text: masked(text),
            source,
        })?;
        let mut shown = text.to_owned();
        if !url.username().is_empty() || url.password().is_some() {
            let mut public = url.clone();
            // Setting credentials fails only for URLs without a host, which http always has.
            let _ = public.set_username("***");
            let _ = public.set_password(None);
            shown = public.into();
        }
        Ok(Self {
            shown,
            kind: TargetKind::Http(url),
        })
    }

    /// Whether it answers without being waited for.
    #[must_use]
    pub const fn answers_at_once(&self) -> bool {
        matches!(self.kind, TargetKind::Echo)
    }

    /// The model, where it is one.
    #[must_use]
    pub const fn model(&self) -> Option<&ModelSpec> {
        match &self.kind {
            TargetKind::Model(spec) => Some(spec),
            _ => None,
        }
    }

    /// Whether answers may be kept and used again: those of models and endpoints, which others change. What a command
    /// answers changes with files that nobody looks at.
    #[must_use]
    pub const fn is_cacheable(&self) -> bool {
        matches!(self.kind, TargetKind::Model(_) | TargetKind::Http(_))
    }

    pub(crate) const fn kind(&self) -> &TargetKind {
        &self.kind
    }
}

impl FromStr for TargetSpec {
    type Err = TargetSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// As it displays: credentials stay out of logs.
impl fmt::Debug for TargetSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TargetSpec({})", self.shown)
    }
}

impl CommandLine {
    fn parse(text: &str) -> Result<Self, TargetSpecError> {
        let words =
            shlex::split(text).ok_or_else(|| TargetSpecError::UnfinishedQuote(masked(text.trim())))?;
        let mut words = words.into_iter();
        let program = words
            .next()
            .filter(|program| !program.is_empty())
            .ok_or(TargetSpecError::EmptyCommand)?;
        Ok(Self {
            program,
            arguments: words.collect(),
        })
    }
}

/// The text with the user and password of every URL in it replaced.
fn masked(text: &str) -> String {
    let mut parts = text.split("://");
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push_str("://");
        let authority_end = part
            .find(|character: char| "/\\?#'\"".contains(character) || character.is_whitespace())
            .unwrap_or(part.len());
        match part[..authority_end].rfind('@') {
            Some(at) => {
                shown.push_str("***");
                shown.push_str(&part[at..]);
            }
            None => shown.push_str(part),
        }
    }
    shown
}

fn hint(text: &str) -> Option<String> {
    if let Some(command) = text.strip_prefix("exec ") {
        return Some(format!("exec:{}", masked(command.trim_start())));
    }
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    if ["localhost", "127.0.0.1"].contains(&scheme) || rest.starts_with(|first: char| first.is_ascii_digit())
    {
        return Some(format!("http://{}", masked(text)));
    }
    let (distance, nearest) = ["exec", "http", "https", "echo"]
        .map(|known| (strsim::osa_distance(&scheme.to_lowercase(), known), known))
        .into_iter()
        .min()?;
    let likely = distance <= 2 && distance < scheme.len();
    likely.then(|| match nearest {
        "echo" => "echo".to_owned(),
        "exec" if rest.is_empty() => "exec:COMMAND".to_owned(),
        "exec" => format!("exec:{}", masked(rest)),
        _ => masked(&format!("{nearest}://{}", rest.trim_start_matches('/'))),
    })
}

fn did_you_mean(hint: Option<&str>) -> String {
    hint.map_or_else(String::new, |hint| format!("; did you mean `{hint}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        match TargetSpec::parse(text).unwrap().kind {
            TargetKind::Exec(line) => [vec![line.program], line.arguments].concat(),
            _ => panic!("{text} is no command"),
        }
    }

    fn refusal(text: &str) -> String {
        TargetSpec::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn the_forms_are_read_and_shown_as_written() {
        for text in [
            "echo",
            "exec:python3 agent.py",
            "http://localhost:8000/answer",
            "https://host/?a=b",
        ] {
            assert_eq!(text.parse::<TargetSpec>().unwrap().to_string(), text);
        }
        assert_eq!(TargetSpec::parse(" echo\n").unwrap().to_string(), "echo");
    }

    #[test]
    fn commands_are_split_as_a_shell_does() {
        assert_eq!(
            words("exec: sh -c 'a | b' \"c d\" e\\ f"),
            ["sh", "-c", "a | b", "c d", "e f"]
        );
        assert!(matches!(
            TargetSpec::parse("exec:  "),
            Err(TargetSpecError::EmptyCommand)
        ));
        assert!(matches!(
            TargetSpec::parse("exec:''"),
            Err(TargetSpecError::EmptyCommand)
        ));
        assert!(matches!(
            TargetSpec::parse("exec:sh -c 'a"),
            Err(TargetSpecError::UnfinishedQuote(_))
        ));
    }

    #[test]
    fn credentials_are_never_shown() {
        for text in [
            "http://user:secret@host/path",
            "http:///user:secret@host/path",
            "https://user:se@secret@host",
            "exec:curl 'http://user:secret@host/path' http://secret@other",
        ] {
            let spec = TargetSpec::parse(text).unwrap();
            assert!(!format!("{spec} {spec:?}").contains("secret"), "{spec}");
            assert!(spec.to_string().contains("***@"), "{spec}");
        }
        for text in [
            "http://user:secret@host:port/",
            "http://user:secret@ho st/",
            "htp://user:secret@host/",
        ] {
            assert!(!refusal(text).contains("secret"), "{}", refusal(text));
        }
    }

    #[test]
    fn models_are_targets() {
        for (text, shown) in [
            ("openai:gpt-4o", "openai:gpt-4o"),
            ("OpenAI:chat:gpt-4o", "openai:gpt-4o"),
            (
                "anthropic:messages:claude-haiku-4-5",
                "anthropic:claude-haiku-4-5",
            ),
            ("ollama:llama3.2:1b", "ollama:llama3.2:1b"),
        ] {
            let spec = TargetSpec::parse(text).unwrap();
            assert_eq!(spec.model().map(ToString::to_string).as_deref(), Some(shown));
            assert_eq!(spec.to_string(), shown);
        }
        assert_eq!(
            refusal("openai:image:x"),
            "`openai:image:` is not supported: models are asked as `openai:MODEL`"
        );
        assert_eq!(refusal("google:"), "`google:` names no model of google");
    }

    #[test]
    fn near_misses_get_a_hint() {
        for (text, meant) in [
            ("exce:python3 a.py", "exec:python3 a.py"),
            ("Exec:a", "exec:a"),
            ("exec python3 a.py", "exec:python3 a.py"),
            ("exec", "exec:COMMAND"),
            ("htpp://host/x", "http://host/x"),
            ("https:/host/x", "https://host/x"),
            ("localhost:8000/x", "http://localhost:8000/x"),
            ("agent.internal:80", "http://agent.internal:80"),
            ("Echo", "echo"),
            ("echo:", "echo"),
        ] {
            assert!(
                refusal(text).ends_with(&format!("did you mean `{meant}`?")),
                "{}",
                refusal(text)
            );
        }
        assert_eq!(
            refusal("file://agent.py"),
            format!("`file://agent.py` is not a target: expected {FORMS}")
        );
        assert!(refusal("").starts_with("`` is not a target"));
    }

    #[test]
    fn a_bad_url_keeps_its_reason() {
        let error = TargetSpec::parse("http://host:notaport/").unwrap_err();
        assert_eq!(error.to_string(), "`http://host:notaport/` is not a URL");
        assert_eq!(
            std::error::Error::source(&error).unwrap().to_string(),
            "invalid port number"
        );
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_accepted_reads_back_the_same(text in "(exec:|http://|https://|echo)?[a-z:/ '\"\\\\.|-]{0,20}") {
            if let Ok(spec) = TargetSpec::parse(&text) {
                proptest::prop_assert_eq!(TargetSpec::parse(&spec.to_string()).unwrap(), spec);
            }
        }
    }
}
