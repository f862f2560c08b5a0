//! Where the demo plays: a folder, a tenant with a policy, a server that listens, and an agent that has a key.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use pawl_engine::auth::{AccountChange, EmailAddress, NewAccount, SecretString};
use pawl_engine::evolve::Named;
use pawl_engine::run::{CacheMode, Labels, RunRequest, SuiteChoice, TargetChoice};
use pawl_engine::{Actor, Engine, EngineError, ModelSettings, Models};
use pawl_model::{KeyScope, Policy, RunPolicy, UserId};
use pawl_server::{AppState, ScriptedModel, ServerSettings};
use time::{Duration, OffsetDateTime};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::evolve::{FIRST_TEXT, NAME};
use crate::cli::{DatabaseArgs, DemoArgs};
use crate::commands::machine_time;
use crate::config::Settings;
use crate::demo::support_agent;
use crate::exit::Usage;

const OWNER: &str = "demo@example.org";
/// Where the server listens unless told otherwise, or where that is taken.
const USUAL: &str = "127.0.0.1:8787";
/// How many of a hundred interactions are kept beside those that fail.
const SAMPLE_RATE_PCT: u8 = 50;
/// How many are stored a day: more than the demo has.
const CAP: u32 = 10_000;
/// How long the agent may take for a question.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);
/// Letters of the password.
const PASSWORD: usize = 12;

/// Where the demo plays.
pub(super) struct Scene {
    pub(super) engine: Engine,
    pub(super) user: UserId,
    pub(super) actor: Actor,
    pub(super) folder: PathBuf,
    /// Where the server is.
    pub(super) url: String,
    /// What the agent shows the server.
    pub(super) ingestion_secret: SecretString,
    pub(super) api_key: SecretString,
    pub(super) stop: CancellationToken,
    /// The model that proposes texts, by a script.
    pub(super) models: Models,
    _scripted: ScriptedModel,
    /// The day on which the demo was first run.
    today: OffsetDateTime,
    server: JoinHandle<()>,
    done: CancellationToken,
}

impl Scene {
    /// Opens the folder, and starts the server.
    pub(super) async fn set(args: &DemoArgs, stop: &CancellationToken) -> anyhow::Result<Self> {
        let folder = match &args.data {
            Some(folder) => folder.clone(),
            None => Settings::resolve(&DatabaseArgs::default(), None)?
                .data_folder()?
                .join("demo"),
        };
        std::fs::create_dir_all(&folder)
            .map_err(|error| Usage(format!("cannot make the folder {}: {error}", folder.display())))?;
        let listener = listen(args).await?;
        let address = listener
            .local_addr()
            .context("cannot tell where the server listens")?;
        let scripted = ScriptedModel::start(support_agent::propose).await?;
        let lookup = |name: &str| (name == "OLLAMA_HOST").then(|| scripted.url());
        let models = Models::new(ModelSettings::from_variables(lookup, machine_time)?);
        let engine = Engine::open(None, &folder, crate::commands::machine_clock()).await?;
        // So that another search can be begun on the page of the prompt.
        let targets = BTreeMap::from([(NAME.to_owned(), target(&folder.join(FIRST_TEXT))?)]);
        let engine = engine.with_named(Named::new(targets, Some(folder.clone()), models.clone())?);
        let user = owner(&engine).await?;
        let created_at = engine.account(user).await.map_err(EngineError::from)?.created_at;
        set_policy(&engine, user).await?;
        let keys = engine.keys().await.map_err(EngineError::from)?;
        let done = CancellationToken::new();
        let state = AppState::new(engine.clone(), ServerSettings::default());
        Ok(Self {
            api_key: api_key(&engine, user).await?,
            server: tokio::spawn(pawl_server::serve(listener, state, done.clone())),
            actor: Actor::Tenant(user),
            url: format!("http://{address}"),
            ingestion_secret: keys.ingestion_secret,
            stop: stop.clone(),
            models,
            _scripted: scripted,
            today: created_at.replace_time(time::Time::MIDNIGHT),
            engine,
            user,
            folder,
            done,
        })
    }

    /// The day of a wave: the first is on the day before yesterday, the second on yesterday. The same however often the demo
    /// is run, so that it goes on where it was killed.
    pub(super) fn day(&self, wave: u8) -> OffsetDateTime {
        self.today - Duration::days(3 - i64::from(wave))
    }

    /// A file of the folder, with this text.
    pub(super) fn file(&self, name: &str, text: &str) -> anyhow::Result<PathBuf> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }

    /// A suite against the support agent, whose prompt is in a file.
    pub(super) fn request(&self, suite: SuiteChoice, prompt: &Path) -> anyhow::Result<RunRequest> {
        Ok(RunRequest {
            suite,
            checks: None,
            target: TargetChoice::Persistent(target(prompt)?),
            trials: 1,
            concurrency: None,
            timeout: TIMEOUT,
            judge: None,
            embedder: None,
            models: crate::commands::models()?,
            cache: CacheMode::Off,
            labels: Labels {
                model: Some("support-script".to_owned()),
                ..Labels::default()
            },
            resume: None,
        })
    }

    /// A fresh password for the owner, and their address.
    pub(super) async fn log_in(&self) -> anyhow::Result<(&'static str, String)> {
        // The last letters of an id are random.
        let random = crate::commands::machine_clock().fresh_id().simple().to_string();
        let password = random[random.len() - PASSWORD..].to_owned();
        let change = AccountChange {
            password: Some(password.clone().into()),
            ..AccountChange::default()
        };
        self.engine
            .change_account(self.user, &change)
            .await
            .map_err(EngineError::from)?;
        Ok((OWNER, password))
    }

    /// Serves the pages, and works on what they ask for, until the program is to stop.
    pub(super) async fn stay(&self) {
        self.engine
            .run_worker(crate::commands::work::beside_server(), &self.stop)
            .await;
    }

    pub(super) async fn end(self) -> anyhow::Result<()> {
        self.done.cancel();
        self.server.await.context("the server died")?;
        self.engine.close().await;
        Ok(())
    }
}

/// The support agent, whose prompt is in a file.
fn target(prompt: &Path) -> anyhow::Result<String> {
    let ourselves = std::env::current_exe().context("cannot tell where this program is")?;
    Ok(format!(
        "exec:{} support-agent --prompt {}",
        quoted(&ourselves),
        quoted(prompt)
    ))
}

/// The address that was named; else the usual one, or any where that is taken. Nobody looks where the server does not stay.
async fn listen(args: &DemoArgs) -> anyhow::Result<TcpListener> {
    let any: SocketAddr = ([127, 0, 0, 1], 0).into();
    if let Some(address) = args.listen {
        return crate::commands::serve::listen(address).await;
    }
    if args.stays()
        && let Ok(listener) = TcpListener::bind(USUAL).await
    {
        return Ok(listener);
    }
    crate::commands::serve::listen(any).await
}

/// Whose demo it is: the one user, added where there is none yet.
async fn owner(engine: &Engine) -> anyhow::Result<UserId> {
    if let Actor::Tenant(user) = engine.actor(None).await? {
        return Ok(user);
    }
    let email = EmailAddress::parse(OWNER).map_err(EngineError::from)?;
    let account = engine.add_account(&NewAccount::of(email)).await;
    Ok(account.map_err(EngineError::from)?.id)
}

async fn set_policy(engine: &Engine, user: UserId) -> anyhow::Result<()> {
    let policy = Policy {
        run_policy: RunPolicy::Sampled,
        sample_rate_pct: SAMPLE_RATE_PCT,
        obfuscate_pii: true,
        max_eval_per_day: CAP,
        sample_salt: "demo".to_owned(),
        ..Policy::default_of(user)
    };
    let today = engine.policy_today(user).await?;
    if today.is_some_and(|today| today.policy.max_eval_per_day == CAP) {
        return Ok(());
    }
    Ok(engine.set_policy(Actor::Tenant(user), policy).await?)
}

/// A key that reads, in place of those of earlier demos, whose texts nobody knows any more.
async fn api_key(engine: &Engine, user: UserId) -> anyhow::Result<SecretString> {
    for old in engine.api_keys(user).await.map_err(EngineError::from)? {
        engine
            .revoke_api_key(user, old.id)
            .await
            .map_err(EngineError::from)?;
    }
    let key = engine.create_api_key(user, KeyScope::Read).await;
    Ok(key.map_err(EngineError::from)?.text)
}

/// One word of a command line.
pub(super) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}
