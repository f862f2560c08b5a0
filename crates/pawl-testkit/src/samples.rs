//! Rows to test with. Everything in them is fixed, so that both engines are given the same.

use pawl_model::{
    CandidateStatus, CaseId, CaseRecord, CheckResult, EvalResults, Json, NewInteraction, Optimization,
    OptimizationStatus, PromptCandidate, PromptComponent, Run, RunId, RunStatus, State, User, UserId,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The `n`-th sample point in time, with microseconds that end in a zero.
#[must_use]
pub fn time(n: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH
        + Duration::days(20_000)
        + Duration::seconds(n)
        + Duration::microseconds(123_450)
}

/// The `n`-th sample user.
#[must_use]
pub fn user(n: u32) -> User {
    User {
        id: UserId(Uuid::from_u128(
            0xa1b2_c3d4_e5f6_4890_abcd_0000_0000_0000 + u128::from(n),
        )),
        email: Some(["user", &n.to_string(), "@example.org"].concat()),
        created_at: time(i64::from(n)),
    }
}

/// An interaction of a tenant under this id, of which nothing more is known.
#[must_use]
pub fn interaction(user_id: UserId, id: &str) -> NewInteraction {
    NewInteraction {
        user_id,
        interaction_id: id.to_owned(),
        prompt: String::new(),
        response: String::new(),
        score: None,
        latency_ms: None,
        flags: Vec::new(),
        pii_tokens_redacted: 0,
        created_at: None,
        sample_weight: None,
        tool_calls: None,
        spans: None,
    }
}

/// A prompt of one text.
#[must_use]
pub fn components(text: &str) -> Vec<PromptComponent> {
    vec![PromptComponent {
        name: "prompt".to_owned(),
        text: text.to_owned(),
    }]
}

/// An optimisation of the prompt `support` that is over, without a result.
#[must_use]
pub fn optimization() -> Optimization {
    Optimization {
        id: "aor_test".to_owned(),
        name: "support".to_owned(),
        status: OptimizationStatus::Completed,
        config: Json::empty_object(),
        best_score: None,
        best_candidate_id: None,
        iterations: 0,
        dimension_weights: Json::empty_object(),
        finish: None,
        error: None,
        elapsed_ms: 0,
        created_at: time(0),
        completed_at: None,
    }
}

/// A candidate of [`optimization`] that nothing led to; its digest is its id.
#[must_use]
pub fn candidate(id: &str, text: &str, status: CandidateStatus) -> PromptCandidate {
    PromptCandidate {
        id: id.to_owned(),
        run_id: optimization().id,
        instructions: text.to_owned(),
        components: components(text),
        digest: id.to_owned(),
        status,
        parents: Vec::new(),
        edited: vec!["prompt".to_owned()],
        reason: None,
        step: 0,
        generation: 0,
        coverage: 0,
        avg_score: None,
        dimension_scores: std::collections::BTreeMap::new(),
        created_at: time(0),
    }
}

/// The `n`-th sample run, without an owner.
#[must_use]
pub fn run(n: u32) -> Run {
    Run {
        id: RunId(Uuid::from_u128(
            0x0193_5d1e_8a4c_7def_9abc_0000_0000_0000 + (u128::from(n) << 48),
        )),
        created_at: time(i64::from(n)),
        run_name: Some("nightly".to_owned()),
        dataset_version: "v1.0".to_owned(),
        model: None,
        prompt_version: None,
        total_cases: 0,
        passed_cases: 0,
        failed_cases: 0,
        status: RunStatus::Running,
        completed_at: None,
        error: None,
        user_id: None,
        suite: Some("stories".to_owned()),
        target: Some("echo".to_owned()),
        suite_hash: None,
        dataset_hash: None,
        settings: Json::parse(r#"{"trials": 1, "timeout_s": 2.50}"#).ok(),
    }
}

/// The `ordinal`-th case of a run in this state.
#[must_use]
pub fn case(run: &Run, ordinal: u32, state: State) -> CaseRecord {
    let check = CheckResult::new(
        "contains",
        state,
        (state != State::Passed).then(|| "no such text".to_owned()),
    );
    CaseRecord {
        id: CaseId::derive(run.id, ordinal, 1),
        run_id: run.id,
        created_at: time(100 + i64::from(ordinal)),
        input_data: document(&["{\"id\": \"seed_", &ordinal.to_string(), "\", \"goal\": \"x\"}"].concat()),
        output_story: Some(document(r#"{"title": "T", "n": 1.50}"#)),
        session_id: None,
        story_id: None,
        action_id: None,
        eval_results: Json::from_serialize(&EvalResults::of(vec![check]))
            .unwrap_or_else(|_| Json::empty_object()),
        passed: state == State::Passed,
        error: (state == State::Error).then(|| "it broke".to_owned()),
        user_id: run.user_id,
        trial: 1,
        status: Some(state),
        score: (state == State::Passed).then_some(0.1 + 0.2),
        latency_ms: Some(0),
        cost_usd: None,
        output: None,
        details: None,
    }
}

fn document(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|_| Json::empty_object())
}
