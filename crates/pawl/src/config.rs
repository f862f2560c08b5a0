//! Configuration: flags over environment over `pawl.toml` over defaults, each setting with where it comes from.

mod file;
mod targets;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::Context as _;
use pawl_engine::auth::{AuthSettings, SecretString, SignUp};
use pawl_engine::{EngineError, Location, ModelSpec};
use pawl_model::Usd;
use pawl_server::ServerSettings;

use self::file::File;
pub(crate) use self::file::KeptIn;
use self::targets::Targets;
use crate::cli::DatabaseArgs;
use crate::exit::Usage;

/// The address that is listened on where nothing else is said.
const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8787);

/// Where a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The command line.
    Flag,
    /// This variable of the environment.
    Environment(&'static str),
    /// The configuration file.
    File,
    /// Nobody said anything.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Flag => "command line",
            Self::Environment(name) => name,
            Self::File => file::NAME,
            Self::Default => "default",
        })
    }
}

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    /// Its value.
    pub(crate) value: T,
    /// Where it comes from.
    pub(crate) origin: Origin,
}

impl<T> Setting<Option<T>> {
    /// Takes what a flag says, where it says something.
    pub(crate) fn or_given(&mut self, flag: Option<T>) {
        if flag.is_some() {
            self.value = flag;
            self.origin = Origin::Flag;
        }
    }
}

/// What one source says, if it says anything.
type Said<T> = Option<Setting<T>>;

fn said<T>(value: Option<T>, origin: Origin) -> Said<T> {
    value.map(|value| Setting { value, origin })
}

fn or_default<T>(said: Said<T>, value: T) -> Setting<T> {
    let origin = Origin::Default;
    said.unwrap_or(Setting { value, origin })
}

fn or_none<T>(said: Said<T>) -> Setting<Option<T>> {
    match said {
        Some(Setting { value, origin }) => Setting {
            value: Some(value),
            origin,
        },
        None => Setting {
            value: None,
            origin: Origin::Default,
        },
    }
}

/// Everything that can be configured, as it is in force.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
    /// The database; none: the embedded one of the data folder.
    pub(crate) database_url: Setting<Option<String>>,
    /// The data folder; none: no home folder is known either.
    pub(crate) data: Setting<Option<PathBuf>>,
    /// Where to listen.
    pub(crate) listen: Setting<SocketAddr>,
    /// Where browsers and agents reach the server; none: where they say that they did.
    pub(crate) url: Setting<Option<String>>,
    /// Bytes of a request's body.
    pub(crate) body_limit: Setting<usize>,
    /// How long a request may take.
    pub(crate) request_timeout: Setting<Duration>,
    /// Requests under way at once.
    pub(crate) concurrency: Setting<usize>,
    /// Proxies in front, which say where a request comes from.
    pub(crate) trusted_proxies: Setting<u8>,
    /// Who may sign up.
    pub(crate) sign_up: Setting<SignUp>,
    /// Signs tokens and keys; none: the one that is kept with the data.
    pub(crate) jwt_secret: Setting<Option<SecretString>>,
    /// What programs show that hand in interactions; none: the one that is kept with the data.
    pub(crate) ingestion_secret: Setting<Option<SecretString>>,
    /// The model that makes failure patterns; none: rules do.
    pub(crate) mining_model: Setting<Option<ModelSpec>>,
    /// The model that makes vectors of them; none: their words do.
    pub(crate) embedding_model: Setting<Option<ModelSpec>>,
    /// What a run of mining may cost; none: the default.
    pub(crate) mining_max_cost: Setting<Option<Usd>>,
    /// Targets that optimisations may name which are started from outside; none: none of these is started.
    pub(crate) evolve_targets: Setting<Option<Targets>>,
    /// The folder whose suites they may name; none: the approved tests alone.
    pub(crate) evolve_suites: Setting<Option<PathBuf>>,
    /// Where suggestions are kept.
    pub(crate) suggestions: Setting<KeptIn>,
    /// What the names of collections of Firestore begin with; none: with nothing else.
    pub(crate) collection_prefix: Setting<Option<String>>,
}

impl Settings {
    /// Reads all sources.
    ///
    /// # Errors
    /// [`Usage`] for a value that a setting cannot have, with its place, and for a file that cannot be read.
    pub(crate) fn resolve(database: &DatabaseArgs, listen: Option<SocketAddr>) -> anyhow::Result<Self> {
        let environment = |name: &str| std::env::var(name).ok();
        let named = environment("PAWL_CONFIG").filter(|path| !path.is_empty());
        let (path, file) = File::find(named.map(PathBuf::from))?;
        let mut settings = Self::of(&Environment(&environment), file, database, listen)?;
        settings.file = path;
        settings.check_url()?;
        Ok(settings)
    }

    fn of(
        environment: &Environment<'_>,
        file: File,
        database: &DatabaseArgs,
        listen: Option<SocketAddr>,
    ) -> anyhow::Result<Self> {
        let defaults = ServerSettings::default();
        let (server, auth, mining, suggestions) = (file.server, file.auth, file.mining, file.suggestions);
        let evolve = file.evolve;
        let in_file = Origin::File;
        Ok(Self {
            file: None,
            database_url: or_none(
                environment
                    .given(database.database_url.as_ref(), "PAWL_DATABASE_URL")
                    .or_else(|| environment.text("DATABASE_URL"))
                    .or(said(file.database_url, in_file)),
            ),
            data: match environment
                .given(database.data.as_ref(), "PAWL_DATA_DIR")
                .or(said(file.data, in_file))
            {
                Some(named) => or_none(Some(named)),
                None => Setting {
                    value: environment.home(),
                    origin: Origin::Default,
                },
            },
            listen: or_default(
                said(listen, Origin::Flag)
                    .or(environment.parsed("PAWL_LISTEN", "an address and port, such as 127.0.0.1:8787")?)
                    .or(said(server.listen, in_file)),
                LISTEN,
            ),
            url: or_none(environment.text("PAWL_URL").or(said(server.url, in_file))),
            body_limit: or_default(said(server.body_limit, in_file), defaults.body_limit),
            request_timeout: or_default(
                said(
                    server.request_timeout_s.map(|s| Duration::from_secs(s.get())),
                    in_file,
                ),
                defaults.request_timeout,
            ),
            concurrency: or_default(
                said(server.concurrency.map(|n| usize::from(n.get())), in_file),
                defaults.concurrency,
            ),
            trusted_proxies: or_default(
                environment
                    .parsed("PAWL_TRUSTED_PROXIES", "a number from 0 to 255")?
                    .or(said(server.trusted_proxies, in_file)),
                0,
            ),
            sign_up: or_default(
                environment
                    .parsed::<file::SignUpWord>("PAWL_SIGN_UP", "`open` or `closed`")?
                    .or(said(auth.sign_up, in_file))
                    .map(|Setting { value, origin }| Setting {
                        value: value.into(),
                        origin,
                    }),
                SignUp::default(),
            ),
            jwt_secret: or_none(
                environment
                    .secret("PAWL_JWT_SECRET")
                    .or(said(auth.jwt_secret, in_file)),
            ),
            ingestion_secret: or_none(
                environment
                    .secret("INGESTION_API_SECRET")
                    .or(said(auth.ingestion_secret, in_file)),
            ),
            mining_model: or_none(read(
                environment
                    .text("PAWL_MINING_MODEL")
                    .or(said(mining.model, in_file)),
                |text| ModelSpec::from_str(text).map_err(|error| error.to_string()),
            )?),
            embedding_model: or_none(read(
                environment
                    .text("PAWL_EMBEDDING_MODEL")
                    .or(said(mining.embedding_model, in_file)),
                |text| ModelSpec::from_str(text).map_err(|error| error.to_string()),
            )?),
            mining_max_cost: or_none(read(
                environment
                    .text("PAWL_MINING_MAX_COST")
                    .or(said(mining.max_cost_usd, in_file)),
                |text| {
                    Usd::parse(text)
                        .ok_or_else(|| format!("`{text}` is no amount of US dollars, such as 2.50"))
                },
            )?),
            evolve_targets: or_none(
                read(environment.text("PAWL_EVOLVE_TARGETS"), Targets::parse)?
                    .or(said(evolve.targets.map(Targets), in_file)),
            ),
            evolve_suites: or_none(
                said(
                    environment
                        .text("PAWL_EVOLVE_SUITES")
                        .map(|text| PathBuf::from(text.value)),
                    Origin::Environment("PAWL_EVOLVE_SUITES"),
                )
                .or(said(evolve.suites, in_file)),
            ),
            suggestions: or_default(
                environment
                    .parsed("PAWL_SUGGESTIONS", "`database` or `firestore`")?
                    .or(said(suggestions.store, in_file)),
                KeptIn::Database,
            ),
            collection_prefix: or_none(
                environment
                    .text("FIRESTORE_COLLECTION_PREFIX")
                    .or(said(suggestions.collection_prefix, in_file)),
            ),
        })
    }

    fn check_url(&self) -> Result<(), Usage> {
        let schemes = ["http://", "https://"];
        match &self.url {
            Setting {
                value: Some(url),
                origin,
            } if !schemes.iter().any(|scheme| url.starts_with(scheme)) => Err(Usage(format!(
                "{url} ({origin}) is no address of a server, such as https://pawl.example.org"
            ))),
            _ => Ok(()),
        }
    }

    /// The bounds of requests.
    pub(crate) fn server(&self) -> ServerSettings {
        ServerSettings {
            body_limit: self.body_limit.value,
            request_timeout: self.request_timeout.value,
            concurrency: self.concurrency.value,
            trusted_proxies: usize::from(self.trusted_proxies.value),
            url: self
                .url
                .value
                .as_deref()
                .map(|url| url.trim_end_matches('/').to_owned()),
            ..ServerSettings::default()
        }
    }

    /// How people are let in.
    pub(crate) fn auth(&self) -> AuthSettings {
        AuthSettings {
            jwt_secret: self.jwt_secret.value.clone(),
            ingestion_secret: self.ingestion_secret.value.clone(),
            sign_up: self.sign_up.value,
        }
    }

    /// Where the data is.
    ///
    /// # Errors
    /// As [`Settings::data_folder`]; for a URL that names no database that we know.
    pub(crate) fn location(&self) -> anyhow::Result<Location> {
        match &self.database_url.value {
            Some(url) => Ok(Location::parse(url).map_err(EngineError::from)?),
            None => Ok(Location::in_folder(&self.data_folder()?)),
        }
    }

    /// The data folder.
    ///
    /// # Errors
    /// [`Usage`] where none is named and no home folder is known.
    pub(crate) fn data_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.data.value.clone();
        folder
            .ok_or_else(|| {
                Usage("no home folder is known: name a folder by --data or PAWL_DATA_DIR".to_owned())
            })
            .context("cannot tell where the data is")
    }
}

/// What a text that was said means.
fn read<T>(given: Said<String>, parse: impl Fn(&str) -> Result<T, String>) -> Result<Said<T>, Usage> {
    let Some(Setting { value, origin }) = given else {
        return Ok(None);
    };
    match parse(&value) {
        Ok(value) => Ok(said(Some(value), origin)),
        Err(problem) => Err(Usage(format!("{problem} ({origin})"))),
    }
}

/// The variables of the environment. An empty one says nothing.
struct Environment<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Environment<'_> {
    fn text(&self, name: &'static str) -> Said<String> {
        said(
            (self.0)(name).filter(|value| !value.is_empty()),
            Origin::Environment(name),
        )
    }

    fn secret(&self, name: &'static str) -> Said<SecretString> {
        said(
            self.text(name).map(|text| text.value.into()),
            Origin::Environment(name),
        )
    }

    /// Of a flag that the command line fills from this variable as well.
    fn given<T: Clone + FromStr + PartialEq>(&self, flag: Option<&T>, name: &'static str) -> Said<T> {
        let flag = flag?.clone();
        let from_variable = self.text(name).and_then(|text| text.value.parse().ok()) == Some(flag.clone());
        let origin = if from_variable {
            Origin::Environment(name)
        } else {
            Origin::Flag
        };
        said(Some(flag), origin)
    }

    fn parsed<T: FromStr>(&self, name: &'static str, rule: &str) -> Result<Said<T>, Usage> {
        let Some(Setting { value, origin }) = self.text(name) else {
            return Ok(None);
        };
        match value.parse() {
            Ok(value) => Ok(said(Some(value), origin)),
            Err(_) => Err(Usage(format!("{name} is not {rule}"))),
        }
    }

    /// The folder for data of programs in the user's own.
    fn home(&self) -> Option<PathBuf> {
        let folder = |name| self.text(name).map(|folder| PathBuf::from(folder.value));
        let base = folder("XDG_DATA_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/share")));
        base.map(|base| base.join("pawl"))
    }
}
