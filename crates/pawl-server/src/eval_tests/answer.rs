//! What `/eval-tests` answers.

use pawl_engine::draft::{DEFAULT_BATCH, DraftHealth};
use pawl_model::{DraftOutcome, EvalTestDraft, EvalTestRun, ProofCard, Suggestion};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

/// What came of a run.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunSummary {
    run_id: String,
    #[serde(with = "time::serde::rfc3339")]
    started_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    finished_at: OffsetDateTime,
    /// `manual` or `scheduled`.
    triggered_by: &'static str,
    batch_size: u32,
    /// Suggestions that were looked at: those below together.
    picked_up_count: u32,
    generated_count: u32,
    skipped_count: u32,
    error_count: u32,
    processing_duration_ms: i64,
    /// What models cost, in US dollars.
    cost_usd: f64,
    suggestion_outcomes: Vec<OutcomeAnswer>,
}

/// What became of a suggestion.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DraftOutcome)]
struct OutcomeAnswer {
    suggestion_id: String,
    /// `generated`, `skipped` or `error`.
    status: &'static str,
    /// Why it was skipped or went wrong, or why the template was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_reason: Option<String>,
}

impl From<DraftOutcome> for OutcomeAnswer {
    fn from(outcome: DraftOutcome) -> Self {
        Self {
            suggestion_id: outcome.suggestion_id,
            status: outcome.status.as_str(),
            error_reason: outcome.error_reason,
        }
    }
}

impl From<EvalTestRun> for RunSummary {
    fn from(run: EvalTestRun) -> Self {
        let took = (run.finished_at - run.started_at).whole_milliseconds();
        Self {
            run_id: run.run_id,
            started_at: run.started_at,
            finished_at: run.finished_at,
            triggered_by: run.triggered_by.as_str(),
            batch_size: run.batch_size,
            picked_up_count: run.picked_up_count,
            generated_count: run.generated_count,
            skipped_count: run.skipped_count,
            error_count: run.error_count,
            processing_duration_ms: i64::try_from(took).unwrap_or(i64::MAX),
            cost_usd: run.cost_usd,
            suggestion_outcomes: run
                .suggestion_outcomes
                .into_iter()
                .map(OutcomeAnswer::from)
                .collect(),
        }
    }
}

/// What became of one suggestion, with its draft.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Generated {
    run_id: String,
    #[serde(flatten)]
    outcome: OutcomeAnswer,
    /// The draft, in snake case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    eval_test: Option<EvalTestDraft>,
    /// What trying it showed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    eval_test_proof: Option<ProofCard>,
}

impl Generated {
    pub(super) fn new(
        run_id: String,
        outcome: DraftOutcome,
        draft: Option<(EvalTestDraft, ProofCard)>,
    ) -> Self {
        let (eval_test, eval_test_proof) = draft.unzip();
        Self {
            run_id,
            outcome: outcome.into(),
            eval_test,
            eval_test_proof,
        }
    }
}

/// A draft with what people decided.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Artifact {
    suggestion_id: String,
    /// `pending`, `approved` or `rejected`.
    suggestion_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    approval_metadata: Option<Value>,
    #[schema(value_type = Object)]
    eval_test: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Option<Object>)]
    eval_test_proof: Value,
}

impl Artifact {
    /// None where there is no draft yet.
    pub(crate) fn of(suggestion: &Suggestion) -> Option<Self> {
        let mut content = suggestion.suggestion_content.to_value();
        let eval_test = content["eval_test"].take();
        if eval_test.is_null() {
            return None;
        }
        Some(Self {
            suggestion_id: suggestion.suggestion_id.clone(),
            suggestion_status: suggestion.status.as_str(),
            approval_metadata: suggestion.approval_metadata.as_ref().map(|json| json.to_value()),
            eval_test,
            eval_test_proof: content["eval_test_proof"].take(),
        })
    }
}

/// How the generation of drafts is doing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DraftsHealth)]
pub(crate) struct Health {
    /// `ok`, or `degraded` where the last run had errors.
    status: &'static str,
    /// Suggestions that wait for a draft, a thousand at most.
    pending_count: usize,
    last_run: Option<RunSummary>,
    config: HealthConfig,
}

/// What is configured.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DraftsConfig)]
struct HealthConfig {
    /// The model; none: the template.
    model: Option<String>,
    batch_size: u32,
    /// What a suggestion may cost, in US dollars.
    per_suggestion_budget_usd: f64,
    per_suggestion_timeout_s: u64,
}

impl From<DraftHealth> for Health {
    fn from(health: DraftHealth) -> Self {
        let has_errors = health.last_run.as_ref().is_some_and(|run| run.error_count > 0);
        Self {
            status: if has_errors { "degraded" } else { "ok" },
            pending_count: health.pending,
            last_run: health.last_run.map(RunSummary::from),
            config: HealthConfig {
                model: health.model,
                batch_size: DEFAULT_BATCH,
                per_suggestion_budget_usd: health.per_suggestion.as_f64(),
                per_suggestion_timeout_s: health.timeout.as_secs(),
            },
        }
    }
}
