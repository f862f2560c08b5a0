//! Interactions of 30 days, made up, stored and asked for; what it measures it prints as JSON.
//!
//!     history print USER COUNT           interactions of this moment, a line each, with @ID@ for their ids
//!     history fill DATABASE COUNT TEXTS  stores history of a tenant; TEXTS are usual or short
//!     history index DATABASE             indexes the words of what is stored
//!     history ask DATABASE ROUNDS        asks for it in many ways, so many times each

#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "interactions.rs"]
mod interactions;
#[path = "questions.rs"]
mod questions;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use interactions::{Interactions, Lengths};
use pawl_engine::auth::{EmailAddress, NewAccount, Page};
use pawl_engine::intake::{Outcome, Terms, received};
use pawl_engine::{Clock, Engine};
use pawl_model::UserId;
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// Interactions that are stored together.
const BATCH: usize = 2_000;
/// How far they go back.
const STRETCH: Duration = Duration::days(30);
/// What the made-up interactions are a function of.
const SEED: u64 = 1;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["print", user, count] => print(user, count.parse()?),
        ["fill", database, count, "usual"] => fill(database, count.parse()?, Lengths::USUAL).await,
        ["fill", database, count, "short"] => fill(database, count.parse()?, Lengths::SHORT).await,
        ["index", database] => index(database).await,
        ["ask", database, rounds] => ask(database, rounds.parse()?).await,
        _ => Err("usage: history print USER COUNT | fill DATABASE COUNT usual|short | index DATABASE | ask DATABASE ROUNDS".into()),
    }
}

#[expect(clippy::disallowed_methods, reason = "a program reads the machine's clock")]
fn clock() -> Clock {
    Clock::new(OffsetDateTime::now_utc)
}

async fn open(database: &str) -> Result<Engine, Box<dyn Error>> {
    Ok(Engine::open(Some(database), Path::new(""), clock()).await?)
}

/// The one tenant of the database.
async fn tenant(engine: &Engine) -> Result<UserId, Box<dyn Error>> {
    let (accounts, _) = engine.accounts(Page { limit: 1, offset: 0 }).await?;
    Ok(match accounts.first() {
        Some(account) => account.id,
        None => {
            let new = NewAccount::of(EmailAddress::parse("bench@example.org")?);
            engine.add_account(&new).await?.id
        }
    })
}

fn print(user: &str, count: usize) -> Result<(), Box<dyn Error>> {
    let mut interactions = Interactions::new(&user, Lengths::USUAL, SEED);
    let now = clock().now();
    for _ in 0..count {
        println!("{}", interactions.next("@ID@", now)?);
    }
    Ok(())
}

async fn fill(database: &str, count: usize, lengths: Lengths) -> Result<(), Box<dyn Error>> {
    let engine = open(database).await?;
    let user = tenant(&engine).await?;
    let mut interactions = Interactions::new(&user, lengths, SEED);
    let began = clock().now() - STRETCH;
    let mut json_bytes = 0;
    let mut storing = std::time::Duration::ZERO;
    for first in (0..count).step_by(BATCH) {
        let mut batch = Vec::with_capacity(BATCH);
        for number in first..count.min(first + BATCH) {
            let at = began + STRETCH * (number as f64 / count as f64);
            let text = interactions.next(&format!("interaction-{number}"), at)?;
            json_bytes += text.len();
            batch.push(received::read(&text)?);
        }
        let start = Instant::now();
        let outcomes = engine.ingest(batch, Terms::History).await?;
        storing += start.elapsed();
        if let Some(other) = outcomes
            .iter()
            .find(|outcome| !matches!(outcome, Outcome::Created { .. }))
        {
            return Err(format!("not stored: {other:?}").into());
        }
    }
    engine.close().await;
    println!(
        "{}",
        json!({"rows": count, "json_bytes": json_bytes, "seconds": storing.as_secs_f64()})
    );
    Ok(())
}

async fn index(database: &str) -> Result<(), Box<dyn Error>> {
    let engine = open(database).await?;
    let start = Instant::now();
    engine.catch_up().await?;
    let seconds = start.elapsed().as_secs_f64();
    engine.close().await;
    println!("{}", json!({"seconds": seconds}));
    Ok(())
}

async fn ask(database: &str, rounds: usize) -> Result<(), Box<dyn Error>> {
    let engine = open(database).await?;
    let user = tenant(&engine).await?;
    let now = clock().now();
    for question in questions::all(now)? {
        // The first time pages come from the disk, which is another question.
        questions::ask(&engine, user, &question, 0).await?;
        let mut times = Vec::with_capacity(rounds);
        let mut found = 0;
        for round in 0..rounds {
            let start = Instant::now();
            found += questions::ask(&engine, user, &question, round).await?;
            times.push(start.elapsed().as_secs_f64() * 1_000.0);
        }
        times.sort_unstable_by(f64::total_cmp);
        let share = |share: f64| times[((rounds - 1) as f64 * share).round() as usize];
        println!(
            "{}",
            json!({
                "question": question.name,
                "found": found / rounds,
                "p50": share(0.5),
                "p95": share(0.95),
            })
        );
    }
    engine.close().await;
    Ok(())
}
