//! Interactions, mined and drafted.

use std::time::Duration;

use pawl_engine::draft::{DEFAULT_BATCH, DraftReport, DraftRequest, Overwrite};
use pawl_engine::intake::Terms;
use pawl_engine::mine::suggestions::Filter;
use pawl_engine::mine::{MineReport, MineRequest, MiningModels, Mode};
use pawl_engine::run::{CacheMode, Labels, PlannedRun, RunReport, RunRequest, SuiteChoice, TargetChoice};
use pawl_engine::{Actor, Clock, Engine, EngineError, ModelSettings, Models, SuggestionStore};
use pawl_model::{Json, NewInteraction, Score, Suggestion, TriggeredBy, Usd, UserId};
use pawl_providers::firestore::{Firestore, FirestoreSettings, Write};
use pawl_testkit::{ModelServer, TestDatabase, samples};
use serde_json::{Value, json};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

pub(crate) const MODEL: &str = "openai:gpt-4o-mini";
pub(crate) const BAD: &str = "Yes, opened software can be returned within 90 days.";

/// Somebody whose failures are mined and drafted.
pub(crate) struct Rig {
    pub(crate) engine: Engine,
    pub(crate) database: TestDatabase,
}

impl Rig {
    pub(crate) async fn new(database: TestDatabase) -> Self {
        database.add_users(1).await;
        let engine = Engine::new(database.store.clone(), Clock::new(|| samples::time(0)));
        let suggestions = match &database.firestore {
            None => SuggestionStore::Database,
            Some(emulator) => {
                let models = ModelSettings::from_variables(|_| None, || OffsetDateTime::UNIX_EPOCH);
                SuggestionStore::in_firestore(|name| emulator.variable(name), &models.unwrap()).unwrap()
            }
        };
        let engine = engine.with_suggestions(suggestions);
        Self { engine, database }
    }

    pub(crate) fn user(&self) -> UserId {
        samples::user(1).id
    }

    pub(crate) fn set_model(&mut self, server: &ModelServer, max_cost: Option<&str>) {
        let variables = server.variables();
        let lookup = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        let settings = ModelSettings::from_variables(lookup, || OffsetDateTime::UNIX_EPOCH);
        let models = Models::new(settings.unwrap());
        let spec = MODEL.parse().unwrap();
        self.engine = self.engine.clone().with_mining_models(MiningModels {
            max_cost: max_cost.map(|text| Usd::parse(text).unwrap()),
            ..MiningModels::named(&models, Some(&spec), None).unwrap()
        });
    }

    /// An interaction that failed, or one that went well.
    pub(crate) async fn store(&self, id: &str, texts: (&str, &str), flag: Option<&str>) {
        self.store_calling(id, texts, (&["search_policy".to_owned()], flag))
            .await;
    }

    /// The same of an agent that called these tools.
    pub(crate) async fn store_calling(
        &self,
        id: &str,
        (prompt, response): (&str, &str),
        (tools, flag): (&[String], Option<&str>),
    ) {
        let interaction = NewInteraction {
            prompt: prompt.to_owned(),
            response: response.to_owned(),
            score: Score::parse(if flag.is_some() { "0.1" } else { "0.95" }),
            flags: flag.into_iter().map(str::to_owned).collect(),
            tool_calls: Some(Json::from_serialize(&calls(tools)).unwrap()),
            ..samples::interaction(self.user(), id)
        };
        self.engine.ingest(vec![interaction], Terms::Whole).await.unwrap();
    }

    pub(crate) async fn incident(&self, id: &str) {
        let prompt = format!("Question {id}: can I return opened software?");
        self.store(id, (&prompt, BAD), Some("hallucination")).await;
    }

    /// By rules, whatever model makes drafts.
    pub(crate) async fn mine(&self) {
        self.try_mine(self.user()).await.unwrap();
    }

    /// The same of what failed of any user.
    pub(crate) async fn try_mine(&self, user_id: UserId) -> Result<MineReport, EngineError> {
        let request = MineRequest {
            user_id,
            since: OffsetDateTime::UNIX_EPOCH,
            triggered_by: TriggeredBy::Manual,
            mode: Mode::Store,
        };
        let by_rules = self.engine.clone().with_mining_models(MiningModels::default());
        by_rules.mine(request, &CancellationToken::new(), |_| {}).await
    }

    /// Runs the approved tests.
    pub(crate) async fn run_approved(&self, target: TargetChoice) -> RunReport {
        let actor = Actor::Tenant(self.user());
        let tests = self.engine.approved_tests(actor).await.unwrap();
        let request = run_request(SuiteChoice::Approved(tests.into()), target);
        let planned = PlannedRun::plan(&request).unwrap().pop().unwrap();
        let stop = CancellationToken::new();
        self.engine.execute(actor, planned, &stop, &|_| {}).await.unwrap()
    }

    pub(crate) fn request(&self) -> DraftRequest {
        DraftRequest {
            user_id: self.user(),
            suggestion_ids: None,
            batch_size: DEFAULT_BATCH,
            overwrite: Overwrite::Keep,
            mode: Mode::Store,
            triggered_by: TriggeredBy::Manual,
        }
    }

    pub(crate) async fn draft(&self, request: DraftRequest) -> DraftReport {
        self.engine.draft(&request).await.unwrap()
    }

    pub(crate) async fn suggestions(&self) -> Vec<Suggestion> {
        let actor = Actor::Tenant(self.user());
        let page = self
            .engine
            .suggestions(actor, &Filter::default(), 100)
            .await
            .unwrap();
        page.items
    }

    /// Documents of Firestore, behind the product's back.
    pub(crate) fn documents(&self) -> Option<Firestore> {
        let emulator = self.database.firestore.as_ref()?;
        let models = ModelSettings::from_variables(|_| None, || OffsetDateTime::UNIX_EPOCH);
        let settings = FirestoreSettings::from_variables(|name| emulator.variable(name));
        Some(Firestore::new(&settings, &models.unwrap()).unwrap())
    }

    /// Writes a field of the one suggestion, behind the product's back: by a statement, or in its document.
    pub(crate) async fn set(&self, statement: &'static str, fields: &[(&str, Value)]) {
        let Some(documents) = self.documents() else {
            return self.database.run(statement).await;
        };
        for suggestion in self.suggestions().await {
            let changes = fields.iter().cloned();
            let write = Write::update("suggestions", &suggestion.suggestion_id, changes);
            documents.commit(&[write]).await.unwrap();
        }
    }

    pub(crate) async fn content(&self) -> Value {
        self.suggestions().await[0].suggestion_content.to_value()
    }
}

/// Calls of these tools, without arguments.
pub(crate) fn calls(names: &[String]) -> Value {
    names
        .iter()
        .map(|name| json!({"name": name, "arguments": {}}))
        .collect()
}

/// One run of a suite, without models.
pub(crate) fn run_request(suite: SuiteChoice, target: TargetChoice) -> RunRequest {
    RunRequest {
        suite,
        checks: None,
        target,
        trials: 1,
        concurrency: None,
        timeout: Duration::from_secs(20),
        judge: None,
        embedder: None,
        models: crate::rig::Rig::models(&[]),
        cache: CacheMode::Off,
        labels: Labels::default(),
        resume: None,
    }
}

/// A draft as a model writes it.
pub(crate) fn answer() -> Value {
    json!({
        "title": "Opened software is not returned",
        "rationale": "The agent promised a refund that the policy does not have.",
        "input": {"prompt": "Can I return opened software?", "required_state": null, "tools_involved": ["search_policy"]},
        "assertions": {
            "required": ["Must call search_policy"],
            "forbidden": ["Must not contain \"within 90 days\""],
            "golden_output": "Opened software cannot be returned.",
            "notes": null
        },
        "status": "draft",
    })
}

/// The outcomes of a run: status and reason.
pub(crate) fn outcomes(report: &DraftReport) -> Vec<(&str, Option<&str>)> {
    let outcomes = report.run.suggestion_outcomes.iter();
    outcomes
        .map(|outcome| (outcome.status.as_str(), outcome.error_reason.as_deref()))
        .collect()
}
