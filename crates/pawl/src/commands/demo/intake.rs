//! Intake: agents that are made up hand interactions in, over HTTP, under a policy.

use anyhow::Context as _;
use pawl_engine::auth::{EmailAddress, NewAccount};
use pawl_engine::intake::list::{InteractionFilter, InteractionOrder, ListRequest};
use pawl_engine::intake::overview::{Days, Overview, Step};
use pawl_engine::simulation::{Wave, WavePlan, run_wave};
use pawl_engine::{Actor, Engine, EngineError};
use pawl_model::{DropReason, Interaction, Policy, RunPolicy, UserId};
use pawl_server::{AppState, ServerSettings};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::commands::simulate::fresh_seed;
use crate::output;

/// Interactions of each agent.
const INTERACTIONS: u32 = 80;
/// How many of a hundred are evaluated.
const SAMPLE_RATE_PCT: u8 = 50;
/// How many interactions fit into the day's cap; more than one agent keeps, and less than two do.
const ROOM: u32 = 60;
/// Stored interactions among which an example is looked for.
const EXAMPLES: u32 = 60;

/// What came of it.
pub(super) struct Intake {
    waves: Vec<(&'static str, WavePlan, Wave)>,
    /// What is stored of today.
    stored: Overview,
    /// One in which something was masked.
    example: Option<Interaction>,
}

/// Whose demo it is: the one user, added where there is none yet.
pub(super) async fn owner(engine: &Engine) -> anyhow::Result<UserId> {
    if let Actor::Tenant(user) = engine.actor(None).await? {
        return Ok(user);
    }
    let email = EmailAddress::parse("demo@example.org").map_err(EngineError::from)?;
    let account = engine.add_account(&NewAccount::of(email)).await;
    Ok(account.map_err(EngineError::from)?.id)
}

/// Sets a policy that has room for some more today.
pub(super) async fn set_policy(engine: &Engine, user: UserId) -> anyhow::Result<()> {
    let today = engine.policy_today(user).await?;
    let used = today.map_or(0, |today| {
        u64::from(today.policy.max_eval_per_day).saturating_sub(today.remaining)
    });
    let policy = Policy {
        run_policy: RunPolicy::Sampled,
        sample_rate_pct: SAMPLE_RATE_PCT,
        obfuscate_pii: true,
        max_eval_per_day: u32::try_from(used).unwrap_or(u32::MAX).saturating_add(ROOM),
        ..Policy::default_of(user)
    };
    Ok(engine.set_policy(Actor::Tenant(user), policy).await?)
}

/// Starts a server, has one agent hand in what it keeps, then two at once, and reads back what is stored.
pub(super) async fn run(engine: &Engine, user: UserId, stop: &CancellationToken) -> anyhow::Result<Intake> {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .context("no port is free")?;
    let address = listener
        .local_addr()
        .context("cannot tell where the server listens")?;
    let keys = engine.keys().await.map_err(EngineError::from)?;
    let seed = fresh_seed();
    let plan = |agent: u64| WavePlan {
        url: format!("http://{address}"),
        secret: keys.ingestion_secret.clone(),
        user,
        interactions: INTERACTIONS,
        rate: None,
        random_seed: seed + agent,
    };
    let plans = [plan(0), plan(1), plan(2)];
    let done = CancellationToken::new();
    let state = AppState::new(engine.clone(), ServerSettings::default());
    let server = tokio::spawn(pawl_server::serve(listener, state, done.clone()));
    let work = async |plan| run_wave(plan, stop, &|_| ()).await;
    let waves = async {
        let first = work(&plans[0]).await?;
        let (second, third) = tokio::try_join!(work(&plans[1]), work(&plans[2]))?;
        Ok::<_, EngineError>([first, second, third])
    };
    let waves = waves.await;
    done.cancel();
    server.await.context("the server died")?;
    let names = ["first wave", "second wave, agent 1", "second wave, agent 2"];
    let waves = names.into_iter().zip(plans).zip(waves?);
    let today = crate::commands::machine_clock().now().date();
    let days = Days {
        first: today,
        last: today,
    };
    Ok(Intake {
        waves: waves.map(|((name, plan), wave)| (name, plan, wave)).collect(),
        stored: engine
            .overview(Actor::Tenant(user), user, days, Step::Day)
            .await?,
        example: masked_example(engine, user).await?,
    })
}

/// A prompt in which something was masked, of the newest ones.
async fn masked_example(engine: &Engine, user: UserId) -> Result<Option<Interaction>, EngineError> {
    let newest = ListRequest {
        user_id: user,
        filter: &InteractionFilter::default(),
        order: InteractionOrder::Newest,
        after: None,
        limit: EXAMPLES,
    };
    let page = engine.interactions(Actor::Tenant(user), &newest).await?;
    let mut items = page.items.into_iter();
    Ok(items.find(|interaction| interaction.pii_tokens_redacted > 0))
}

impl Intake {
    /// For people at a terminal.
    pub(super) fn write(&self, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
        let waves: Vec<(&str, &Wave)> = self.waves.iter().map(|(name, _, wave)| (*name, wave)).collect();
        output::write_waves(&waves, out)?;
        writeln!(out)?;
        output::write_overview(&self.stored, self.example.as_ref(), out)?;
        Ok(())
    }

    /// As a document.
    pub(super) fn document(&self) -> Value {
        let waves = self
            .waves
            .iter()
            .map(|(_, plan, wave)| output::wave_document(plan, wave));
        let total = &self.stored.total;
        json!({
            "waves": waves.collect::<Vec<_>>(),
            "stored_today": {
                "interactions": total.interactions(),
                "mean_score": total.mean_score().map(|mean| mean.value),
                "redacted": total.redacted(),
                "over_cap": total.drops(DropReason::OverCap),
            },
        })
    }
}
