//! A support agent at work: it goes by its tenant's policy and hands interactions in to a server.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use pawl_checks::mask::Masker;
use pawl_checks::sampling::{Decision, Signals, decide, is_failing};
use pawl_model::{NewInteraction, Policy, UserId};
pub use pawl_providers::LivePrompt;
use pawl_providers::{IngestClient, IngestError, Receipt};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::{Interval, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::agent::{Conditions, SupportAgent};
use crate::EngineError;
use crate::intake::{PolicyToday, masking, signals};

/// Requests that an agent has under way at once.
const UNDER_WAY: usize = 16;

/// An agent, and how much it does.
#[derive(Clone, Debug)]
pub struct WavePlan {
    /// Where the server is.
    pub url: String,
    /// The ingestion secret of the instance.
    pub secret: SecretString,
    /// Whose agent it is.
    pub user: UserId,
    /// How many interactions it has.
    pub interactions: u32,
    /// How many of them a second; none for as fast as the server takes them.
    pub rate: Option<f64>,
    /// Decides everything, ids included.
    pub random_seed: u64,
}

/// What an agent did.
#[derive(Clone, Debug)]
pub struct Wave {
    /// The policy that it went by, and what was left of the day's cap when it began.
    pub policy: PolicyToday,
    /// Interactions that it had.
    pub seen: u32,
    /// Of these, how many the sample left out.
    pub sampled_out: u32,
    /// How many are failing ones, and kept for that reason whatever the sample says.
    pub failures_kept: u32,
    /// How many pieces of personal data it masked in what it kept.
    pub tokens_masked: u32,
    /// How many it sent.
    pub sent: u32,
    /// How many of these the server stored.
    pub created: u32,
    /// How many it had stored before.
    pub duplicates: u32,
    /// How many it refused since it has others under their ids.
    pub conflicts: u32,
    /// How many were kept and yet not stored, since the day's cap was reached: not sent, or refused.
    pub over_cap: u32,
}

/// Has the agent that is made up work through a plan.
///
/// # Errors
/// As [`run_wave_of`].
pub async fn run_wave(
    plan: &WavePlan,
    stop: &CancellationToken,
    seen: &(dyn Fn(u32) + Sync),
) -> Result<Wave, EngineError> {
    let agent = SupportAgent {
        user_id: plan.user,
        random_seed: plan.random_seed,
        session: format!("session-{}", plan.random_seed),
    };
    run_wave_of(
        plan,
        &|number| agent.interaction(number, Conditions::Usual),
        stop,
        seen,
    )
    .await
}

/// The texts of the live version of a prompt, as an agent reads them from a server, with an API key.
///
/// # Errors
/// [`EngineError::Ingest`] when the server has no such prompt, does not take the key, or cannot be reached.
pub async fn read_live_prompt(url: &str, key: &SecretString, name: &str) -> Result<LivePrompt, EngineError> {
    let client = IngestClient::new(url, "")?;
    Ok(client.live_prompt(key.expose_secret(), name).await?)
}

/// Has an agent work through a plan: it fetches the policy, samples, masks, and hands in one by one, until the day's cap
/// is reached. What it sees after that is dropped. `seen` is told how many it has seen. When `stop` is cancelled it
/// ends early.
///
/// # Errors
/// [`EngineError::Ingest`] when the server does not take what it sends, or cannot be reached.
pub async fn run_wave_of(
    plan: &WavePlan,
    agent: &(dyn Fn(u32) -> NewInteraction + Sync),
    stop: &CancellationToken,
    seen: &(dyn Fn(u32) + Sync),
) -> Result<Wave, EngineError> {
    let client = IngestClient::new(&plan.url, plan.secret.expose_secret())?;
    let fetched = client.policy(plan.user).await?;
    let policy = PolicyToday {
        policy: fetched.policy,
        remaining: fetched.remaining_today,
        next_day: fetched.resets_at,
    };
    let mut work = Work::begin(policy);
    let mut pace = plan.rate.map(pace);
    let mut under_way = FuturesUnordered::new();
    for number in 0..plan.interactions {
        if let Some(pace) = &mut pace
            && !work.has_ceased
        {
            tokio::select! {
                _ = pace.tick() => {}
                () = stop.cancelled() => {}
            }
        }
        if stop.is_cancelled() {
            break;
        }
        let kept = work.see(agent(number));
        seen(work.wave.seen);
        let Some(interaction) = kept else { continue };
        // What is under way may turn out to be stored already, and leave room.
        while under_way.len() >= UNDER_WAY || (work.room == 0 && !under_way.is_empty()) {
            if let Some(receipt) = under_way.next().await {
                work.settle(receipt?);
            }
        }
        if work.room == 0 {
            work.has_ceased = true;
            work.wave.over_cap += 1;
            continue;
        }
        work.room -= 1;
        work.wave.sent += 1;
        under_way.push(send(&client, interaction));
    }
    while let Some(receipt) = under_way.next().await {
        work.settle(receipt?);
    }
    Ok(work.wave)
}

async fn send(client: &IngestClient, interaction: NewInteraction) -> Result<Receipt, IngestError> {
    client.send(&interaction).await
}

fn pace(rate: f64) -> Interval {
    let mut pace = interval(Duration::from_secs_f64(1.0 / rate));
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pace
}

/// How far an agent is.
struct Work {
    wave: Wave,
    /// How many more the day's cap has room for, as far as is known.
    room: u64,
    has_ceased: bool,
}

impl Work {
    fn begin(policy: PolicyToday) -> Self {
        Self {
            room: policy.remaining,
            has_ceased: false,
            wave: Wave {
                policy,
                seen: 0,
                sampled_out: 0,
                failures_kept: 0,
                tokens_masked: 0,
                sent: 0,
                created: 0,
                duplicates: 0,
                conflicts: 0,
                over_cap: 0,
            },
        }
    }

    /// What is to be sent of an interaction, if it is one of those that are.
    fn see(&mut self, interaction: NewInteraction) -> Option<NewInteraction> {
        let wave = &mut self.wave;
        wave.seen += 1;
        let policy: &Policy = &wave.policy.policy;
        let signals = Signals {
            score: interaction.score.as_ref(),
            flags: &interaction.flags,
            error_span: signals::has_error(&interaction),
        };
        let Decision::Keep { weight } = decide(policy, &interaction.interaction_id, &signals) else {
            wave.sampled_out += 1;
            return None;
        };
        if policy.keep_failures && is_failing(policy, &signals) {
            wave.failures_kept += 1;
        }
        let mut kept = interaction;
        if policy.obfuscate_pii {
            let (masked, counts) = masking::masked(Masker::built_in(), &kept);
            wave.tokens_masked += counts.total();
            kept = masked;
        }
        kept.sample_weight = Some(weight);
        Some(kept)
    }

    fn settle(&mut self, receipt: Receipt) {
        let wave = &mut self.wave;
        match receipt {
            Receipt::Created => wave.created += 1,
            Receipt::OverCap => {
                wave.over_cap += 1;
                self.room = 0;
                self.has_ceased = true;
            }
            // Neither takes of the cap.
            Receipt::Duplicate | Receipt::Conflict => {
                let count = if receipt == Receipt::Duplicate {
                    &mut wave.duplicates
                } else {
                    &mut wave.conflicts
                };
                *count += 1;
                if !self.has_ceased {
                    self.room += 1;
                }
            }
        }
    }
}
