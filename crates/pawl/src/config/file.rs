//! `pawl.toml`.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU64};
use std::path::{Path, PathBuf};

use pawl_engine::auth::{SecretString, SignUp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::exit::Usage;

/// The file's name, in the current folder.
pub(super) const NAME: &str = "pawl.toml";

/// What the file may say. Any other key is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    pub(super) data: Option<PathBuf>,
    pub(super) database_url: Option<String>,
    pub(super) server: Server,
    pub(super) auth: Auth,
    pub(super) mining: Mining,
    pub(super) evolve: Evolve,
    pub(super) suggestions: Suggestions,
}

/// `[server]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Server {
    #[serde(deserialize_with = "listened")]
    pub(super) listen: Option<SocketAddr>,
    pub(super) url: Option<String>,
    pub(super) body_limit: Option<usize>,
    pub(super) request_timeout_s: Option<NonZeroU64>,
    pub(super) concurrency: Option<NonZeroU16>,
    pub(super) trusted_proxies: Option<u8>,
}

fn listened<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let address = String::deserialize(deserializer)?.parse();
    let expected = |_| D::Error::custom("listen is not an address and port, such as 127.0.0.1:8787");
    address.map(Some).map_err(expected)
}

/// `[auth]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Auth {
    pub(super) sign_up: Option<SignUpWord>,
    pub(super) jwt_secret: Option<SecretString>,
    pub(super) ingestion_secret: Option<SecretString>,
}

/// `[mining]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Mining {
    pub(super) model: Option<String>,
    pub(super) embedding_model: Option<String>,
    pub(super) max_cost_usd: Option<String>,
}

/// `[evolve]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Evolve {
    pub(super) targets: Option<BTreeMap<String, String>>,
    pub(super) suites: Option<PathBuf>,
}

/// `[suggestions]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Suggestions {
    pub(super) store: Option<KeptIn>,
    pub(super) collection_prefix: Option<String>,
}

/// Where suggestions are kept, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeptIn {
    /// With the rest of the data.
    Database,
    /// Those of the first user in Firestore.
    Firestore,
}

impl std::str::FromStr for KeptIn {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "database" => Ok(Self::Database),
            "firestore" => Ok(Self::Firestore),
            _ => Err(()),
        }
    }
}

impl std::fmt::Display for KeptIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Database => "database",
            Self::Firestore => "firestore",
        })
    }
}

/// [`SignUp`] as people write it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SignUpWord {
    Open,
    Closed,
}

impl std::str::FromStr for SignUpWord {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "open" => Ok(Self::Open),
            "closed" => Ok(Self::Closed),
            _ => Err(()),
        }
    }
}

impl From<SignUpWord> for SignUp {
    fn from(word: SignUpWord) -> Self {
        match word {
            SignUpWord::Open => Self::Open,
            SignUpWord::Closed => Self::Closed,
        }
    }
}

impl File {
    /// The file that was named, else the one of the current folder, else an empty one.
    pub(super) fn find(named: Option<PathBuf>) -> Result<(Option<PathBuf>, Self), Usage> {
        let is_named = named.is_some();
        let path = named.unwrap_or_else(|| PathBuf::from(NAME));
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok((Some(path.clone()), Self::parse(&text, &path)?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => Ok((None, Self::default())),
            Err(error) => Err(Usage(format!("cannot read {}: {error}", path.display()))),
        }
    }

    /// Reads a file's text; an error says its line.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, Usage> {
        toml::from_str(text).map_err(|error| {
            let before = error
                .span()
                .and_then(|span| text.get(..span.start))
                .unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Usage(format!("{}:{line}: {}", path.display(), error.message()))
        })
    }
}
