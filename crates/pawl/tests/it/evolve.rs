//! Evolving a prompt by commands: from a suite that fails to a prompt that is live, and across kills.

use std::process::Stdio;
use std::time::Duration;

use pawl_testkit::{Engine, ModelServer, Reply, Script, TestDatabase, on_both_engines};
use serde_json::Value;

use crate::rig::{Rig, Said, shown};

on_both_engines!(a_prompt_goes_from_failing_to_live_and_back);

/// A model that proposes one rule after the other.
fn script() -> Script {
    let block = |text: &str| Reply::text(format!("```\n{text}\n```")).with_usage(100, 20);
    Script::new()
        .on(
            "```\nAnswer. Say please.\n```",
            block("Answer. Say please. Say sorry."),
        )
        .otherwise(block("Answer. Say please."))
}

const AGENT: &str = "read -r request\nsleep ${1:-0}\ncase \"$request\" in\n*sorry.*) echo sorry, please ;;\n*please.*) echo please ;;\n*) echo no ;;\nesac\n";

fn suite() -> String {
    let tests: String = (0..30)
        .map(|n| {
            format!(
                "  - {{id: case-{n}, vars: {{input: q{n}}}, assert: [{{type: contains, value: please}}, {{type: contains, \
                 value: sorry}}]}}\n"
            )
        })
        .collect();
    format!("tests:\n{tests}")
}

struct Scene {
    rig: Rig,
    server: ModelServer,
    suite: String,
    target: String,
    prompt: String,
}

impl Scene {
    /// The agent takes so many seconds for an answer.
    async fn new(database: TestDatabase, seconds: &str) -> Self {
        let rig = Rig { database };
        rig.say(&["user", "add", "ada@example.org"]).exits(0);
        let agent = rig.file("agent.sh", AGENT);
        Self {
            server: ModelServer::start(script()).await,
            suite: shown(&rig.file("suite.yaml", &suite())),
            target: format!("exec:sh {} {seconds}", shown(&agent)),
            prompt: shown(&rig.file("support.txt", "Answer.\n")),
            rig,
        }
    }

    fn words<'w>(&'w self, more: &[&'w str]) -> Vec<&'w str> {
        let words = [
            "evolve",
            &self.suite,
            "--target",
            &self.target,
            "--reflector",
            "openai:gpt-4o",
            "--json",
        ];
        [&words, more].concat()
    }

    fn evolve(&self, more: &[&str]) -> Said {
        let mut command = self.rig.command(&self.words(more));
        command.envs(self.server.variables()).output().unwrap().into()
    }
}

async fn a_prompt_goes_from_failing_to_live_and_back(database: TestDatabase) {
    let scene = Scene::new(database, "0").await;
    let rig = &scene.rig;
    rig.say(&["prompt", "add", "support", &scene.prompt]).exits(0);
    rig.say(&["run", &scene.suite, "--target", &scene.target])
        .exits(1);
    let said = scene
        .evolve(&["--prompt", "support", "--max-metric-calls", "400"])
        .exits(0);
    assert!(said.err.contains("the limits buy"), "{}", said.err);
    let document = said.json();
    assert_eq!(
        document["best"]["instructions"], "Answer. Say please. Say sorry.",
        "{document}"
    );
    assert_eq!(document["run"]["status"], "completed");
    let candidate = document["best"]["id"].as_str().unwrap().to_owned();

    let promote = [
        "promote",
        &candidate,
        "--prompt",
        "support",
        "--by",
        "Ada",
        "--reason",
        "the suite passes",
    ];
    let promoted = rig.say(&promote).exits(0);
    assert!(
        promoted.out.starts_with("promoted  1 → 2  by Ada"),
        "{}",
        promoted.out
    );
    // The same again is no better than what is live: it is refused, and that is recorded.
    let refused = rig.say(&promote).exits(1);
    assert!(refused.out.contains("✕ on"), "{}", refused.out);
    let shown = rig.say(&["prompt", "show", "support", "--json"]).exits(0).json();
    assert_eq!(
        shown["live"]["components"][0]["text"],
        "Answer. Say please. Say sorry."
    );
    let kinds: Vec<&Value> = shown["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["kind"])
        .collect();
    assert_eq!(kinds, ["refused", "promoted", "initial"]);
    let back = [
        "rollback",
        "--prompt",
        "support",
        "--by",
        "Ada",
        "--reason",
        "only to see",
    ];
    let back = rig.say(&back).exits(0);
    assert!(back.out.starts_with("rolled_back  2 → 1"), "{}", back.out);
}

/// Kills of a run, at moments spread over half a second each.
fn kills() -> u32 {
    std::env::var("PAWL_TEST_KILLS").map_or(20, |kills| kills.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_is_killed_goes_on_as_if_it_had_not_been() {
    let kills = kills();
    // So slow that it is not over before the last kill.
    let seconds = (f64::from(kills) / 100.0).to_string();
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let scene = Scene::new(TestDatabase::new(engine).await, &seconds).await;
        let given = [
            "--prompt",
            &scene.prompt,
            "--max-metric-calls",
            "300",
            "--workers",
            "2",
            // What the whole one was answered would cost nothing, and take no time to be killed in.
            "--fresh",
        ];
        let whole = scene.evolve(&given).exits(0).json();
        let mut resume: Option<String> = None;
        let mut cut_short = 0;
        for kill in 0..kills {
            let id = resume.clone().unwrap_or_default();
            let more = ["--resume", id.as_str()];
            let words = match &resume {
                None => scene.words(&given),
                Some(_) => scene.words(&[&given[..], &more].concat()),
            };
            let mut child = scene
                .rig
                .command(&words)
                .envs(scene.server.variables())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            tokio::time::sleep(Duration::from_millis(80 + u64::from(kill) * 137 % 400)).await;
            if child.try_wait().unwrap().is_none() {
                cut_short += 1;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            let statement = "select count(*) from prompt_optimization_runs";
            if resume.is_none() && scene.rig.database.number(statement).await == 2 {
                resume = newest(&scene, &whole).await;
            }
        }
        assert!(
            cut_short >= kills / 2,
            "only {cut_short} of {kills} came before its end"
        );
        println!("{engine:?}: {cut_short} of {kills} kills came before the end");
        let id = resume.unwrap();
        let ended = scene
            .evolve(&[&given[..], &["--resume", &id]].concat())
            .exits(0)
            .json();
        assert_eq!(ended["best"]["instructions"], whole["best"]["instructions"]);
        assert_eq!(ended["run"]["best_score"], whole["run"]["best_score"]);
        let spent = |document: &Value| {
            let of = |part: &str| document[part]["metric_calls"].as_u64().unwrap();
            of("spent") + of("lost")
        };
        assert!(spent(&ended) <= 300, "{ended}");
        // No answer was paid twice.
        let twice = "select count(*) from (select e.candidate_id, e.example_id from prompt_evaluations e group by 1, 2 \
                     having count(*) > 1) t";
        assert_eq!(scene.rig.database.number(twice).await, 0);
    }
}

/// The optimisation that is not the first one.
async fn newest(scene: &Scene, whole: &Value) -> Option<String> {
    let engine = pawl_engine::Engine::new(scene.rig.database.store.clone(), pawl_engine::Clock::new(clock));
    let runs = engine
        .optimizations(pawl_engine::Actor::Service, 10)
        .await
        .unwrap();
    let first = whole["run"]["id"].as_str().unwrap();
    runs.into_iter().map(|run| run.id).find(|id| id != first)
}

fn clock() -> time::OffsetDateTime {
    time::OffsetDateTime::UNIX_EPOCH
}
