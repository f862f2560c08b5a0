//! `pawl seed` and `pawl simulate`, as processes.

use pawl_engine::{Actor, Clock, Engine};
use pawl_model::{Policy, RunPolicy};
use pawl_testkit::{TestDatabase, on_both_engines, samples};
use serde_json::Value;

use crate::rig::{Rig, Said};
use crate::serve::Serving;

on_both_engines!(
    a_history_is_seeded_once_an_hour,
    an_agent_goes_by_the_policy_and_ceases_at_the_cap,
    agents_that_are_not_let_in_say_why,
);

async fn a_history_is_seeded_once_an_hour(database: TestDatabase) {
    let rig = Rig { database };
    let nobody = rig.say(&["seed"]).exits(2);
    assert!(nobody.err.contains("pawl user add"), "{}", nobody.err);
    rig.database.add_users(2).await;
    let several = rig.say(&["seed", "--rows", "10"]).exits(2);
    assert!(several.err.contains("name one by --user"), "{}", several.err);
    let words = [
        "seed",
        "--user",
        "user2@example.org",
        "--rows",
        "1500",
        "--days",
        "3",
        "--json",
    ];
    let seeded = rig.say(&words).exits(0).json();
    assert_eq!(
        (&seeded["rows"], &seeded["created"]),
        (&Value::from(1_500), &Value::from(1_500))
    );
    assert_eq!(seeded["incident"]["flag"], "stale_data");
    assert!(
        seeded["incident"]["interactions"].as_u64().unwrap() > 0,
        "{seeded}"
    );
    let stored = "select count(*) from evaluations";
    assert_eq!(rig.database.number(stored).await, 1_500);
    let told = rig
        .say(&["seed", "--user", "user1@example.org", "--rows", "10"])
        .exits(0);
    for part in [
        "10 interactions",
        "incident",
        "flagged stale_data",
        "random seed  0",
    ] {
        assert!(told.out.contains(part), "no {part:?} in\n{}", told.out);
    }
    rig.say(&["seed", "--rows", "0"]).exits(2);
    rig.say(&["seed", "--days", "401"]).exits(2);
}

/// A server over a database with a user of this policy, and the secret that agents show it.
async fn serving(rig: &Rig, change: impl FnOnce(&mut Policy)) -> (Serving, String) {
    rig.database.add_users(1).await;
    let engine = Engine::new(rig.database.store.clone(), Clock::new(|| samples::time(0)));
    let mut policy = Policy::default_of(samples::user(1).id);
    change(&mut policy);
    engine.set_policy(Actor::Service, policy).await.unwrap();
    let keys = rig.say(&["keys", "--json"]).exits(0).json();
    let secret = keys["ingestion_secret"].as_str().unwrap().to_owned();
    (Serving::new(rig), secret)
}

fn simulate(rig: &Rig, serving: &Serving, words: &[&str]) -> Said {
    let url = format!("http://{}", serving.address);
    let user = samples::user(1).id.to_string();
    let fixed = ["simulate", "--url", &url, "--user", &user];
    rig.say(&[&fixed, words].concat())
}

async fn an_agent_goes_by_the_policy_and_ceases_at_the_cap(database: TestDatabase) {
    let rig = Rig { database };
    let (serving, secret) = serving(&rig, |policy| {
        policy.run_policy = RunPolicy::Sampled;
        policy.sample_rate_pct = 40;
        policy.obfuscate_pii = true;
        policy.max_eval_per_day = 90;
    })
    .await;
    let agent = |seed: &str| {
        let words = [
            "--interactions",
            "150",
            "--random-seed",
            seed,
            "--secret",
            &secret,
            "--json",
        ];
        simulate(&rig, &serving, &words).exits(0).json()
    };
    let of = |wave: &Value, name: &str| wave[name].as_i64().unwrap();
    let number = async |query| rig.database.number(query).await;

    let first = agent("1");
    let (sent, created) = (of(&first, "sent"), of(&first, "created"));
    assert_eq!(of(&first, "seen"), 150);
    assert_eq!(of(&first, "sampled_out") + sent, 150, "{first}");
    assert_eq!(
        (of(&first, "over_cap"), of(&first, "duplicates")),
        (0, 0),
        "{first}"
    );
    assert!(created == sent && (40..90).contains(&sent), "{first}");
    assert!(
        of(&first, "failures_kept") > 0 && of(&first, "tokens_masked") > 0,
        "{first}"
    );
    assert_eq!(number("select count(*) from evaluations").await, created);
    let redacted = "select cast(sum(pii_tokens_redacted) as bigint) from evaluations";
    assert_eq!(number(redacted).await, of(&first, "tokens_masked"));
    assert_eq!(
        number("select count(*) from evaluations where prompt like '%@example.%'").await,
        0
    );
    let failures = "select count(*) from evaluations where sample_weight = 1";
    assert_eq!(number(failures).await, of(&first, "failures_kept"));
    let sampled = "select count(*) from evaluations where sample_weight = 2.5";
    assert_eq!(number(sampled).await, created - of(&first, "failures_kept"));

    let again = agent("1");
    assert_eq!(
        (of(&again, "created"), of(&again, "duplicates")),
        (0, created),
        "{again}"
    );

    // Another one fills what is left, and two that begin with the same room are held to it by the server.
    let (one, other) = std::thread::scope(|scope| {
        let one = scope.spawn(|| agent("2"));
        let other = agent("3");
        (one.join().unwrap(), other)
    });
    assert_eq!(number("select count(*) from evaluations").await, 90);
    assert_eq!(of(&one, "created") + of(&other, "created"), 90 - created);
    assert!(
        of(&one, "over_cap") > 0 && of(&other, "over_cap") > 0,
        "{one}\n{other}"
    );
    let told = simulate(&rig, &serving, &["--secret", &secret, "--interactions", "20"]).exits(0);
    for part in [
        "40 % sampled, failures kept, masked, 90 a day, 0 left",
        "over the cap",
        "it is full until",
    ] {
        assert!(told.out.contains(part), "no {part:?} in\n{}", told.out);
    }
    serving.stop().exits(0);
}

async fn agents_that_are_not_let_in_say_why(database: TestDatabase) {
    let rig = Rig { database };
    let (serving, secret) = serving(&rig, |_| ()).await;
    let without = simulate(&rig, &serving, &[]).exits(2);
    assert!(
        without.err.contains("--secret or INGESTION_API_SECRET"),
        "{}",
        without.err
    );
    let wrong = simulate(&rig, &serving, &["--secret", "guessed"]).exits(2);
    assert!(
        wrong.err.contains("`pawl keys` shows the right one"),
        "{}",
        wrong.err
    );
    assert!(!wrong.err.contains("guessed"), "{}", wrong.err);
    let url = format!("http://{}", serving.address);
    let stranger = samples::user(2).id.to_string();
    let unknown = rig
        .say(&[
            "simulate", "--url", &url, "--user", &stranger, "--secret", &secret,
        ])
        .exits(2);
    assert!(
        unknown.err.contains("`pawl user list` shows them"),
        "{}",
        unknown.err
    );
    serving.stop().exits(0);
    let user = samples::user(1).id.to_string();
    let gone = rig
        .say(&["simulate", "--url", &url, "--user", &user, "--secret", &secret])
        .exits(3);
    assert!(gone.err.contains("no answer from"), "{}", gone.err);
}
