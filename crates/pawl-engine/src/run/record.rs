//! From what a target answered to the row that is stored.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pawl_checks::{Grade, Subject};
use pawl_model::{
    CaseId, CaseRecord, EvalResults, Json, JsonError, RunId, State, TargetFailure, TargetOutput,
    TargetRequest, UserId,
};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::judge::Judgement;
use super::suite::Case;

/// A case in a trial, before its target is called.
#[derive(Clone)]
pub(crate) struct Trial {
    pub run: RunId,
    pub owner: Option<UserId>,
    pub case: Case,
    pub number: u16,
}

/// What came of the call: an answer, or why there is none.
pub(crate) type Answer = Result<Reply, TargetFailure>;

/// An answer of the target.
pub(crate) struct Reply {
    pub(crate) output: TargetOutput,
    /// The time that it took, where that is known.
    pub(crate) latency_ms: Option<u64>,
    /// Whether it was answered before.
    pub(crate) is_cached: bool,
}

impl Trial {
    pub(crate) fn request(&self) -> TargetRequest {
        TargetRequest {
            id: self.case.id.clone(),
            input: self.case.input().clone(),
            vars: self.case.vars().clone(),
            trial: self.number,
            prompt: None,
        }
    }

    /// Whether a check has to be answered by somebody else.
    pub(crate) fn needs_judges(&self) -> bool {
        self.case.grading.questions().next().is_some()
    }

    /// The row and its check results: judged where there is an answer, an error where there is none or where it cannot be judged or stored.
    pub(crate) fn record(
        self,
        answer: Answer,
        judgement: &Judgement,
        now: OffsetDateTime,
    ) -> (CaseRecord, EvalResults) {
        let judged = answer.map_err(|failure| failure.message).and_then(|reply| {
            // A check that panics is a fault of ours, which must not end the run.
            let judge = || Judged::of(&self.case, &reply, judgement);
            catch_unwind(AssertUnwindSafe(judge))
                .unwrap_or_else(|_| Err("a check failed unexpectedly; please report this".to_owned()))
        });
        let (judged, broken) = match judged {
            Ok(judged) => (Some(judged), None),
            Err(message) => (None, Some(without_nul(message))),
        };
        let judged = judged.unwrap_or_default();
        let state = if broken.is_some() {
            State::Error
        } else {
            judged.state
        };
        let record = CaseRecord {
            id: CaseId::derive(self.run, self.case.ordinal, self.number),
            run_id: self.run,
            created_at: now,
            input_data: self.case.input_data,
            output_story: judged.story,
            session_id: None,
            story_id: None,
            action_id: None,
            eval_results: judged.document,
            passed: state == State::Passed,
            error: broken.or(judged.error),
            user_id: self.owner,
            trial: i32::from(self.number),
            status: Some(state),
            score: judged.score,
            latency_ms: judged.latency_ms,
            cost_usd: judged.cost_usd,
            output: judged.output,
            details: judged.details,
        };
        (record, judged.results)
    }
}

/// An answer with what the checks say of it, as it is stored.
struct Judged {
    state: State,
    story: Option<Json>,
    output: Option<String>,
    results: EvalResults,
    document: Json,
    error: Option<String>,
    score: Option<f64>,
    latency_ms: Option<i32>,
    cost_usd: Option<f64>,
    details: Option<Json>,
}

impl Default for Judged {
    fn default() -> Self {
        Self {
            state: State::Skipped,
            story: None,
            output: None,
            results: EvalResults::default(),
            document: Json::empty_object(),
            error: None,
            score: None,
            latency_ms: None,
            cost_usd: None,
            details: None,
        }
    }
}

impl Judged {
    fn of(case: &Case, reply: &Reply, judgement: &Judgement) -> Result<Self, String> {
        let Reply {
            output, latency_ms, ..
        } = reply;
        let subject = Subject::new(&output.output)
            .with_latency_ms(*latency_ms)
            .with_cost_usd(output.cost_usd)
            .with_tool_calls(output.tool_calls.as_ref())
            .with_opinions(&judgement.opinions);
        let grade = case.grading.judge(&subject);
        let (story, text) = stored_output(&subject)?;
        Ok(Self {
            state: grade.state,
            story,
            output: text,
            document: json(&grade.results, "check results")?,
            error: unjudged(&grade),
            score: grade.score,
            results: grade.results,
            latency_ms: latency_ms.map(|latency| i32::try_from(latency).unwrap_or(i32::MAX)),
            cost_usd: output.cost_usd,
            details: details(reply, judgement)?,
        })
    }
}

/// An object goes into `output_story`, anything else into `output` as text.
fn stored_output(subject: &Subject<'_>) -> Result<(Option<Json>, Option<String>), String> {
    match subject.json() {
        Some(object @ Value::Object(_)) => Ok((Some(json(object, "output")?), None)),
        _ => {
            let text = subject.text();
            if text.contains('\0') {
                return Err("the output holds the NUL character, which cannot be stored".to_owned());
            }
            Ok((None, Some(text.to_owned())))
        }
    }
}

fn unjudged(grade: &Grade) -> Option<String> {
    if grade.state == State::Error {
        grade.reason().map(without_nul)
    } else {
        None
    }
}

/// What else the target said, and what the judges took.
fn details(reply: &Reply, judgement: &Judgement) -> Result<Option<Json>, String> {
    let output = &reply.output;
    let members: Map<String, Value> = [
        ("tool_calls", output.tool_calls.clone()),
        ("tokens", output.tokens.clone()),
        ("reasoning", output.reasoning.clone()),
        ("judges", judgement.details()),
        ("cached", reply.is_cached.then_some(Value::Bool(true))),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect();
    if members.is_empty() {
        Ok(None)
    } else {
        json(&members, "answer").map(Some)
    }
}

fn json(value: &impl serde::Serialize, what: &str) -> Result<Json, String> {
    Json::from_serialize(value)
        .map_err(|JsonError { problem, .. }| format!("the {what} cannot be stored: {problem}"))
}

fn without_nul(message: String) -> String {
    if message.contains('\0') {
        message.replace('\0', "\u{fffd}")
    } else {
        message
    }
}
