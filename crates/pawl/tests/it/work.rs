//! Workers as processes, and what is left when they are killed.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use pawl_engine::intake::Terms;
use pawl_engine::worker::ScheduleChange;
use pawl_engine::{Clock, Engine};
use pawl_model::{NewInteraction, Score, UserId};
use pawl_testkit::{Engine as Database, TestDatabase, on_both_engines, samples};

use crate::rig::Rig;
use crate::serve::Serving;

on_both_engines!(the_command_line_mines_and_shows_the_queue);

const TENANTS: u32 = 4;
const KILLS: usize = 20;
/// Failing interactions that each tenant has before each kill.
const EACH: usize = 120;

/// A worker beside the servers.
struct Worker(Child);

impl Worker {
    fn new(rig: &Rig) -> Self {
        let mut command = rig.command(&["work", "--concurrency", "2"]);
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn failing(user: UserId, round: usize, number: usize) -> NewInteraction {
    NewInteraction {
        prompt: format!("Question of kind {} in round {round}", number % 7),
        response: format!("Answer of kind {} that is made up", number % 5),
        score: Score::parse("0.1"),
        flags: vec!["hallucination".to_owned()],
        ..samples::interaction(user, &format!("{round}-{number}"))
    }
}

#[expect(clippy::disallowed_methods, reason = "the workers go by the machine's clock")]
fn clock() -> Clock {
    Clock::new(time::OffsetDateTime::now_utc)
}

/// Two servers and two workers over one database: one of the workers is killed again and again, and everything that was
/// to be done is done, once.
#[tokio::test(flavor = "multi_thread")]
async fn what_workers_do_is_done_once_however_they_die() {
    let database = TestDatabase::new(Database::Postgres).await;
    database.add_users(TENANTS).await;
    let engine = Engine::new(database.store.clone(), clock());
    let pause = ScheduleChange {
        enabled: Some(false),
        ..ScheduleChange::default()
    };
    for name in ["mine", "draft"] {
        assert!(engine.change_schedule(name, pause).await.unwrap());
    }
    let rig = Rig { database };
    let servers = [Serving::new(&rig), Serving::new(&rig)];
    let mut workers = [Worker::new(&rig), Worker::new(&rig)];
    let number = async |query| rig.database.number(query).await;
    let mut at_work = 0;
    for round in 0..KILLS {
        for tenant in 1..=TENANTS {
            let user = samples::user(tenant).id;
            let interactions = (0..EACH).map(|n| failing(user, round, n)).collect();
            engine.ingest(interactions, Terms::History).await.unwrap();
            engine.queue_mining(user).await.unwrap();
        }
        // At a moment of its own in each round.
        tokio::time::sleep(Duration::from_millis((round as u64 * 37) % 180)).await;
        at_work += number("select count(*) from jobs where state = 'running'").await;
        workers[round % 2].kill();
        workers[round % 2] = Worker::new(&rig);
    }
    assert!(at_work > 0, "no worker was at work when it was killed");
    let deadline = Instant::now() + Duration::from_secs(120);
    while number("select count(*) from jobs where state in ('queued', 'running')").await > 0 {
        assert!(Instant::now() < deadline, "jobs are left behind");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for server in servers {
        server.stop().exits(0);
    }
    let all = i64::from(TENANTS) * (KILLS * EACH) as i64;
    assert_eq!(number("select count(*) from evaluations").await, all);
    assert_eq!(number("select count(*) from failure_patterns").await, all);
    // What the runs say that they did is what there is.
    for (said, there) in [
        (
            "select sum(pattern_count) from mining_runs",
            "select count(*) from failure_patterns",
        ),
        (
            "select sum(suggestion_count) from mining_runs",
            "select count(*) from suggestions",
        ),
        (
            "select sum(joined_count) from mining_runs",
            "select count(*) from failure_patterns where similarity_score is not null",
        ),
        (
            "select count(*) from mining_runs where finished_at is not null",
            "select count(*) from jobs where state = 'finished'",
        ),
        (
            "select count(distinct job_id) from mining_runs",
            "select count(*) from mining_runs",
        ),
        (
            "select count(*) from jobs where state <> 'finished'",
            "select 0::bigint",
        ),
    ] {
        assert_eq!(number(said).await, number(there).await, "{said} and {there}");
    }
}

async fn the_command_line_mines_and_shows_the_queue(database: TestDatabase) {
    database.add_users(1).await;
    let engine = Engine::new(database.store.clone(), clock());
    let user = samples::user(1).id;
    let interactions = (0..3).map(|n| failing(user, 0, n * 35)).collect();
    engine.ingest(interactions, Terms::History).await.unwrap();
    let rig = Rig { database };

    let dry = rig.say(&["mine", "--dry-run"]).exits(0);
    assert!(
        dry.out
            .starts_with("3 failure patterns · by rules · nothing is written\n"),
        "{}",
        dry.out
    );
    let report = rig.say(&["mine", "--json"]).exits(0).json();
    assert_eq!(
        (&report["pattern_count"], &report["suggestion_count"]),
        (&3.into(), &1.into())
    );
    assert_eq!(report["suggestions"][0]["failure_type"], "hallucination");
    assert_eq!(report["suggestions"][0]["recurrence_count"], 3);
    let again = rig.say(&["mine"]).exits(0);
    assert!(
        again.out.contains("nothing is failing that has no pattern yet"),
        "{}",
        again.out
    );

    assert!(engine.queue_mining(user).await.unwrap());
    let listed = rig
        .say(&["jobs", "list", "--state", "queued", "--json"])
        .exits(0)
        .json();
    assert_eq!(
        (&listed["kind"], &listed["state"]),
        (&"mine".into(), &"queued".into())
    );
    let schedules = rig.say(&["jobs", "schedules"]).exits(0);
    for name in ["draft", "mine"] {
        let line = format!("{name:<5}  every 600 s  next at ");
        assert!(schedules.out.contains(&line), "{}", schedules.out);
    }
    rig.say(&["jobs", "schedule", "mine", "--off"]).exits(0);
    assert!(rig.say(&["jobs", "schedules"]).exits(0).out.contains("paused"));
    for (words, said) in [
        (
            &["jobs", "schedule", "mime", "--on"][..],
            "there is no schedule `mime`",
        ),
        (&["jobs", "schedule", "mine"], "say what is to change"),
        (
            &["jobs", "retry", "00000000-0000-0000-0000-000000000001"],
            "there is no dead job",
        ),
        (
            &["jobs", "list", "--state", "lost"],
            "expected queued, running, finished or dead",
        ),
        (&["mine", "--since", "yesterday"], "expected 30m, 24h, 7d, all"),
    ] {
        let refused = rig.say(words).exits(2);
        assert!(refused.err.contains(said), "{}", refused.err);
    }
}
