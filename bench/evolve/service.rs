//! What a metric call takes of the service: a search whose target answers at once, over a database or in memory alone.
//!
//!     service migrate OWNER ROLE                        makes the tables, and prints the URL for the others
//!     service memory|DATABASE CALLS WORKERS SEARCHES    searches, one after the other
//!
//! The searches are the same; what each took is printed as a line of JSON.

#![allow(clippy::print_stdout, reason = "this is a program")]

use std::collections::HashMap;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pawl_checks::{AssertSpec, Check, Grading, Subject};
use pawl_engine::auth::{EmailAddress, NewAccount, Page};
use pawl_engine::evolve::{
    Cancel, Earlier, EvolveRequest, Limits, Part, PlannedEvolution, Settings, Weights,
};
use pawl_engine::run::{CacheMode, Labels, RunRequest, TargetChoice};
use pawl_engine::{Clock, Engine, ModelSettings, Models};
use pawl_evolve::{
    Acceptance, Candidate, Control, Evaluate, Example, Failure, FailureKind, MemoryJournal, Reflect,
    Reflection, Rollout, Run, Task, Trial,
};
use pawl_model::{PromptComponent, TargetRequest, UserId};
use pawl_providers::{
    ChatModel, ChatRequest, CommandContract, Message, ModelOptions, Target, TargetSettings,
};
use pawl_testkit::{ModelServer, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;
use time::OffsetDateTime;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CASES: usize = 200;
const COMPONENT: &str = "prompt";
const SEED: &str = "Answer the question.";
const TARGET: &str = "echo";
const REFLECTOR: &str = "openai:gpt-4o";
const TIMEOUT: Duration = Duration::from_secs(20);
/// What a reflection may say, in tokens.
const MAX_PROMPT: usize = 48_000;

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["migrate", owner, role] => {
            let migrated = Engine::migrate(owner, Some(role)).await?;
            println!("{}", migrated.runtime_url.ok_or("there is no role")?);
            Ok(())
        }
        ["memory", calls, workers, searches] => {
            searching(None, (calls.parse()?, workers.parse()?), searches.parse()?).await
        }
        [database, calls, workers, searches] => {
            let service = Service::open(database).await?;
            let limits = (calls.parse()?, workers.parse()?);
            searching(Some(&service), limits, searches.parse()?).await?;
            service.engine.close().await;
            Ok(())
        }
        _ => Err("usage: service migrate OWNER ROLE | memory|DATABASE CALLS WORKERS SEARCHES".into()),
    }
}

async fn searching(
    service: Option<&Service>,
    (calls, workers): (u64, usize),
    searches: usize,
) -> Outcome<()> {
    for _ in 0..searches {
        let server = ModelServer::start(script(calls)).await;
        let search = Search {
            calls,
            workers,
            models: models(&server)?,
        };
        let (began, cpu) = (Instant::now(), cpu_seconds()?);
        let mut found = match service {
            None => search.in_memory().await?,
            Some(service) => search.over(service).await?,
        };
        found["wall"] = began.elapsed().as_secs_f64().into();
        found["cpu"] = (cpu_seconds()? - cpu).into();
        println!("{found}");
    }
    Ok(())
}

/// Every text that the model proposes is a new one.
fn script(calls: u64) -> Script {
    let reply = |n| Reply::text(format!("```\n{SEED} This is draft {n}.\n```"));
    (0..calls / 4).fold(Script::new(), |script, n| script.next(1, reply(n)))
}

fn models(server: &ModelServer) -> Outcome<Models> {
    let variables = server.variables();
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    };
    Ok(Models::new(ModelSettings::from_variables(lookup, now)?))
}

#[expect(clippy::disallowed_methods, reason = "a program reads the machine's clock")]
fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

/// CPU time of this process, the scripted model's included.
fn cpu_seconds() -> Outcome<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit_once(')').ok_or("a line of /proc/self/stat")?.1;
    let ticks: Result<Vec<u64>, _> = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse)
        .collect();
    Ok(ticks?.into_iter().sum::<u64>() as f64 / 100.0)
}

/// A case, whose answer is its question: half of them say please, none of them sorry.
fn case(n: usize) -> (String, String) {
    let politeness = if n.is_multiple_of(2) { "please" } else { "now" };
    let input = format!(
        "Question {n}, {politeness}: where is the parcel with the number {}, which was sent to the old address and has \
         not arrived in the two weeks since then, and who pays for it when it is lost?",
        n * 7_919
    );
    (format!("case-{n}"), input)
}

/// What is asserted of each case.
fn checks() -> Value {
    json!([
        {"type": "contains", "value": "please", "metric": "polite"},
        {"type": "contains", "value": "sorry", "metric": "humble"},
        {"type": "regex", "value": "number \\d+", "metric": "exact"},
    ])
}

/// A search as both sides make it.
struct Search {
    calls: u64,
    workers: usize,
    models: Models,
}

impl Search {
    fn settings(&self) -> Settings {
        Settings {
            // What an echo says is as good under any prompt; so there are validations and rejections enough.
            acceptance: Acceptance::NotWorse,
            limits: Limits {
                metric_calls: Some(self.calls),
                idle_steps: u32::MAX,
                ..Limits::default()
            },
            ..Settings::default()
        }
    }

    fn reflector(&self) -> Outcome<ChatModel> {
        Ok(self.models.chat(&REFLECTOR.parse()?)?)
    }

    /// As the service makes it.
    async fn over(&self, service: &Service) -> Outcome<Value> {
        let suite = service.folder.path().join("suite.json");
        let tests: Vec<Value> = (0..CASES)
            .map(|n| {
                let (id, input) = case(n);
                json!({"id": id, "vars": {"input": input}, "assert": checks()})
            })
            .collect();
        std::fs::write(&suite, json!({"tests": tests}).to_string())?;
        let request = EvolveRequest {
            user_id: service.user,
            name: "bench".to_owned(),
            seed: vec![PromptComponent {
                name: COMPONENT.to_owned(),
                text: SEED.to_owned(),
            }],
            run: RunRequest {
                suite: suite.into(),
                checks: None,
                target: TargetChoice::Named(TARGET.to_owned()),
                trials: 1,
                concurrency: None,
                timeout: TIMEOUT,
                judge: None,
                embedder: None,
                models: self.models.clone(),
                cache: CacheMode::Off,
                labels: Labels::default(),
                resume: None,
            },
            reflector: self.reflector()?,
            settings: self.settings(),
            weights: Weights::new(),
            earlier: Earlier::Ignore,
            call_at_most: pawl_model::FLAT_CHARGE,
            workers: self.workers,
            resume: None,
        };
        let planned = PlannedEvolution::plan(&service.engine, request)?;
        let cancel = Cancel::new();
        let came = service.engine.evolve(planned, &cancel, &|_, _| {}).await?;
        Ok(json!({"spent": came.report.spent, "counts": came.report.counts}))
    }

    /// As the library alone makes it, with the same target, checks and model.
    async fn in_memory(&self) -> Outcome<Value> {
        let tries = Tries::new(&self.models)?;
        let examples = |part: Part| -> Vec<Example> {
            let cases = (0..CASES).map(case);
            let mine = cases.filter(|(id, _)| Part::of(id) == part);
            mine.map(|(id, input)| Example::new(id, input)).collect()
        };
        let seed = Candidate::new([(COMPONENT, SEED)])?;
        let task = Task::new(seed, examples(Part::Train), examples(Part::Validation))?;
        let run = Run {
            task: &task,
            settings: &self.settings(),
            evaluate: &tries,
            reflect: &Asking(self.reflector()?),
            journal: &MemoryJournal::default(),
            control: Control::with_workers(self.workers),
        };
        let report = run.evolve().await?;
        let seconds = |nanos: &AtomicU64| nanos.load(Ordering::Relaxed) as f64 / 1e9;
        Ok(json!({
            "spent": report.spent, "counts": report.counts,
            "target": seconds(&tries.calling), "checks": seconds(&tries.judging),
        }))
    }
}

/// An engine with its one tenant.
struct Service {
    engine: Engine,
    user: UserId,
    folder: TempDir,
}

impl Service {
    async fn open(url: &str) -> Outcome<Self> {
        let engine = Engine::open(Some(url), Path::new(""), Clock::new(now)).await?;
        let (accounts, _) = engine.accounts(Page { limit: 1, offset: 0 }).await?;
        let user = match accounts.first() {
            Some(account) => account.id,
            None => {
                let new = NewAccount::of(EmailAddress::parse("bench@example.org")?);
                engine.add_account(&new).await?.id
            }
        };
        Ok(Self {
            engine,
            user,
            folder: TempDir::new()?,
        })
    }
}

/// Tries candidates without an engine.
struct Tries {
    target: Target,
    cases: HashMap<String, (Value, Grading)>,
    calling: AtomicU64,
    judging: AtomicU64,
}

impl Tries {
    fn new(models: &Models) -> Outcome<Self> {
        let settings = TargetSettings {
            timeout: TIMEOUT,
            concurrency: NonZeroUsize::MIN,
            contract: CommandContract::PerCase,
            directory: None,
            models: models.clone(),
            model: ModelOptions::default(),
        };
        let mut cases = HashMap::new();
        for n in 0..CASES {
            let mut compiled = Vec::new();
            for entry in checks().as_array().into_iter().flatten() {
                compiled.extend(Check::compile(&AssertSpec::read(entry)?)?);
            }
            let (id, input) = case(n);
            cases.insert(id, (Value::from(input), Grading::of(compiled)));
        }
        Ok(Self {
            target: Target::new(&TARGET.parse()?, &settings)?,
            cases,
            calling: AtomicU64::new(0),
            judging: AtomicU64::new(0),
        })
    }
}

/// Adds the time since then.
fn add(sum: &AtomicU64, began: Instant) {
    let nanos = u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX);
    sum.fetch_add(nanos, Ordering::Relaxed);
}

impl Evaluate for Tries {
    async fn evaluate(&self, trial: Trial<'_>) -> Result<Rollout, Failure> {
        let broken = |message: &str| Failure::new(FailureKind::Infra, message);
        let id = &trial.example.id;
        let (input, grading) = self.cases.get(id).ok_or_else(|| broken("no such case"))?;
        let texts = trial.candidate.components().iter();
        let request = TargetRequest {
            id: id.clone(),
            input: input.clone(),
            vars: json!({"input": input}),
            trial: 1,
            prompt: Some(
                texts
                    .map(|one| (one.name.clone(), one.text.clone().into()))
                    .collect(),
            ),
        };
        let began = Instant::now();
        let reply = self.target.call(&request).await;
        add(&self.calling, began);
        let reply = reply.map_err(|failure| broken(&failure.message))?;
        let began = Instant::now();
        let grade = grading.judge(&Subject::new(&reply.output.output).with_latency_ms(Some(0)));
        add(&self.judging, began);
        let scores = grade.results.checks.iter().filter_map(|check| {
            let name = check.metric.clone()?;
            Some((name, check.effective_score()?))
        });
        Ok(Rollout {
            score: grade.score.ok_or_else(|| broken("there is no score"))?,
            dimensions: scores.collect(),
            feedback: grade.reason().unwrap_or_default(),
            trace: json!({"input": input, "output": reply.output.output}),
            ..Rollout::default()
        })
    }
}

/// Asks the scripted model.
struct Asking(ChatModel);

impl Reflect for Asking {
    async fn reflect(&self, reflection: Reflection<'_>) -> Result<pawl_evolve::Reply, Failure> {
        let asked = vec![Message::user(reflection.prompt(MAX_PROMPT))];
        let reply = self.0.complete(&ChatRequest::new(asked, TIMEOUT)).await;
        let reply = reply.map_err(|failure| Failure::new(FailureKind::Infra, failure.message))?;
        Ok(pawl_evolve::Reply {
            text: reply.text,
            ..pawl_evolve::Reply::default()
        })
    }
}
