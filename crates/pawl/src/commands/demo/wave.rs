//! An agent at work: it reads its live prompt, answers questions, and hands the interactions in over HTTP, under a policy.

use pawl_engine::auth::SecretString;
use pawl_engine::intake::overview::{Days, Overview, Step};
use pawl_engine::simulation::{HistoryPlan, SupportAgent, Wave, WavePlan, read_live_prompt, run_wave_of};
use pawl_model::{Json, NewInteraction, Score};
use serde_json::{Value, json};
use time::Duration;

use super::evolve::{NAME, texts};
use super::scene::Scene;
use crate::demo::support_agent::{Exchange, exchange};
use crate::output;
use crate::progress::Counter;

/// Questions of a wave.
const INTERACTIONS: u32 = 2_000;
/// Of how many one is of those that go wrong without their rule.
const ONE_IN: u32 = 6;
/// From eight to six.
const BEGINS: Duration = Duration::hours(8);
const BETWEEN: Duration = Duration::seconds(18);
/// Interactions of the month before.
const MONTH: u32 = 5_000;

/// What an agent did, and what came of it.
pub(super) struct Waved {
    wave: Wave,
    plan: WavePlan,
    /// The version of the prompt that it was given.
    pub(super) version: i64,
    /// What of its day is stored, as the dashboard has it.
    pub(super) stored: Overview,
}

/// The month before, so that there is something to compare with.
pub(super) async fn month(scene: &Scene) -> anyhow::Result<()> {
    let plan = HistoryPlan {
        user: scene.user,
        rows: MONTH,
        days: 28,
        until: Some(scene.day(1)),
        random_seed: 0,
    };
    scene.engine.write_history(plan, &scene.stop, &|_| {}).await?;
    Ok(())
}

/// A wave of questions. The prompt is what the server says is live, but where all of it was handed in before another became
/// live: then it is said again as it was.
pub(super) async fn run(scene: &Scene, number: u8) -> anyhow::Result<Waved> {
    let key: &SecretString = &scene.api_key;
    let live = read_live_prompt(&scene.url, key, NAME).await?;
    let (version, told) = if number == 1 && live.version > 1 {
        (1, texts(scene, 1).await?)
    } else {
        (
            live.version,
            live.prompt.values().filter_map(Value::as_str).collect(),
        )
    };
    let agent = SupportAgent {
        user_id: scene.user,
        random_seed: u64::from(number),
        session: session(number),
    };
    let starts = scene.day(number) + BEGINS;
    let says = |place: u32| {
        let mut interaction = agent.everyday(place);
        interaction.created_at = Some(starts + BETWEEN * i32::try_from(place).unwrap_or(i32::MAX));
        if place.is_multiple_of(ONE_IN) {
            asked(&mut interaction, &exchange((place / ONE_IN) as usize, &told));
        }
        interaction
    };
    let plan = WavePlan {
        url: scene.url.clone(),
        secret: scene.ingestion_secret.clone(),
        user: scene.user,
        interactions: INTERACTIONS,
        rate: None,
        random_seed: u64::from(number),
    };
    let counter = Counter::new("interactions", Some(u64::from(INTERACTIONS)));
    let wave = run_wave_of(&plan, &says, &scene.stop, &|seen| counter.reach(u64::from(seen))).await;
    counter.clear();
    let day = scene.day(number).date();
    let days = Days {
        first: day,
        last: day,
    };
    Ok(Waved {
        wave: wave?,
        plan,
        version,
        stored: scene
            .engine
            .overview(scene.actor, scene.user, days, Step::Hour)
            .await?,
    })
}

/// What the ids of a wave begin with.
pub(super) fn session(number: u8) -> String {
    format!("demo-{number}")
}

/// Makes an interaction one of those that go wrong without their rule.
fn asked(interaction: &mut NewInteraction, exchange: &Exchange) {
    let (flag, score) = match exchange.is_right {
        true => ("safe", "0.95"),
        false => ("hallucination", "0.2"),
    };
    interaction.prompt = exchange.question.to_owned();
    interaction.response = exchange.answer["output"].as_str().unwrap_or_default().to_owned();
    interaction.flags = vec![flag.to_owned()];
    interaction.score = Score::parse(score);
    interaction.tool_calls = Json::from_serialize(&exchange.answer["tool_calls"]).ok();
}

impl Waved {
    /// For people at a terminal.
    pub(super) fn write(&self, name: &str, out: &mut dyn std::io::Write) -> anyhow::Result<()> {
        output::write_waves(&[(name, &self.wave)], out)?;
        if self.wave.duplicates > 0 {
            writeln!(
                out,
                "{} were stored by an earlier demo already",
                self.wave.duplicates
            )?;
        }
        Ok(())
    }

    /// As a document.
    pub(super) fn document(&self) -> Value {
        let total = &self.stored.total;
        json!({
            "wave": output::wave_document(&self.plan, &self.wave), "prompt_version": self.version,
            "stored": total.interactions(), "redacted": total.redacted(),
            "success_rate": total
                .success_rate(self.stored.policy.success_threshold_pct)
                .map(|rate| json!({"value": rate.value, "interval": rate.interval.map(|i| [i.lower, i.upper])})),
        })
    }
}
