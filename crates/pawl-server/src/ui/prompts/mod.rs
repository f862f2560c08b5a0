//! `/prompts`: what is live, why, and what is being evolved; and `/optimizations/{id}`.

mod optimization;

use askama::Template;
use axum::extract::State;
use pawl_model::{Optimization, OptimizationStatus, PromotionVerdict, PromptVersion, VerdictKind};

pub(super) use self::optimization::show as show_optimization;
use super::difference::{Change, changes};
use super::moment::{Moment, Moments};
use super::page::Page;
use super::session::Visitor;
use super::shell::{Section, Shell};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};

/// Optimisations that are listed.
const RUNS: u32 = 50;

#[derive(Template)]
#[template(path = "prompts.html")]
pub(super) struct ListPage {
    shell: Shell,
    prompts: Vec<Row>,
    optimizations: Vec<RunRow>,
}

/// A prompt in the list.
struct Row {
    href: String,
    name: String,
    version: i64,
    origin: String,
    text: String,
    since: Moment,
}

/// An optimisation in a list.
pub(super) struct RunRow {
    href: String,
    name: String,
    status: &'static str,
    class: &'static str,
    best: Option<String>,
    steps: i64,
    why: String,
    began: Moment,
}

#[derive(Template)]
#[template(path = "prompt.html")]
pub(super) struct PromptPage {
    shell: Shell,
    name: String,
    version: i64,
    texts: Vec<(String, String)>,
    versions: Vec<Version>,
    verdicts: Vec<Verdict>,
}

/// A version, and how it differs from the one before.
struct Version {
    number: i64,
    is_live: bool,
    origin: String,
    when: Moment,
    changes: Option<Vec<Change>>,
}

/// What was decided.
struct Verdict {
    word: &'static str,
    class: &'static str,
    change: String,
    by: String,
    reason: String,
    when: Moment,
    findings: Vec<String>,
    objections: Vec<String>,
}

/// The list.
pub(super) async fn list(State(state): State<AppState>, visitor: Visitor) -> Result<Page<ListPage>, Problem> {
    let prompts = state.engine.prompts(visitor.user()).await?;
    let optimizations = state.engine.optimizations(visitor.actor(), RUNS).await?;
    let moments = Moments::of(&state, &visitor).await?;
    Ok(Page(ListPage {
        shell: visitor.shell(Section::Prompts, "Prompts"),
        prompts: prompts
            .iter()
            .map(|prompt| Row {
                href: ["/prompts/", &prompt.name].concat(),
                name: prompt.name.clone(),
                version: prompt.version,
                origin: origin(prompt),
                text: whole(prompt).chars().take(160).collect(),
                since: moments.show(prompt.created_at),
            })
            .collect(),
        optimizations: optimizations
            .iter()
            .map(|run| RunRow::of(run, &moments))
            .collect(),
    }))
}

/// A prompt with its history.
pub(super) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(name): Path<String>,
) -> Result<Page<PromptPage>, Problem> {
    let detail = state.engine.prompt(visitor.user(), &name).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    let moments = Moments::of(&state, &visitor).await?;
    let versions = &detail.versions;
    let shown = versions.iter().enumerate().map(|(place, version)| Version {
        number: version.version,
        is_live: version.version == detail.live.version,
        origin: origin(version),
        when: moments.show(version.created_at),
        changes: versions
            .get(place + 1)
            .and_then(|before| changes(&whole(before), &whole(version))),
    });
    Ok(Page(PromptPage {
        shell: visitor.shell(Section::Prompts, name.clone()),
        name,
        version: detail.live.version,
        texts: detail
            .live
            .components
            .iter()
            .map(|one| (one.name.clone(), one.text.clone()))
            .collect(),
        versions: shown.collect(),
        verdicts: detail
            .verdicts
            .iter()
            .map(|one| Verdict::of(one, &moments))
            .collect(),
    }))
}

/// All texts of a version.
fn whole(version: &PromptVersion) -> String {
    match version.components.as_slice() {
        [only] => only.text.clone(),
        several => several
            .iter()
            .map(|one| format!("# {}\n\n{}\n", one.name, one.text))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn origin(version: &PromptVersion) -> String {
    version
        .candidate_id
        .clone()
        .unwrap_or_else(|| "by hand".to_owned())
}

impl RunRow {
    pub(super) fn of(run: &Optimization, moments: &Moments) -> Self {
        let (status, class) = words(run.status);
        Self {
            href: ["/optimizations/", &run.id].concat(),
            name: run.name.clone(),
            status,
            class,
            best: run.best_score.map(|score| format!("{score:.3}")),
            steps: run.iterations,
            why: run
                .error
                .clone()
                .or_else(|| run.finish.clone())
                .unwrap_or_default(),
            began: moments.show(run.created_at),
        }
    }
}

pub(super) const fn words(status: OptimizationStatus) -> (&'static str, &'static str) {
    match status {
        OptimizationStatus::Pending => ("pending", "skipped"),
        OptimizationStatus::Running => ("running", "skipped"),
        OptimizationStatus::Completed => ("completed", "passed"),
        OptimizationStatus::Failed => ("failed", "error"),
        OptimizationStatus::Cancelled => ("stopped", "skipped"),
    }
}

impl Verdict {
    fn of(verdict: &PromotionVerdict, moments: &Moments) -> Self {
        let (word, class) = match verdict.kind {
            VerdictKind::Initial => ("added", "passed"),
            VerdictKind::Promoted => ("promoted", "passed"),
            VerdictKind::Refused => ("refused", "failed"),
            VerdictKind::Overridden => ("overridden", "error"),
            VerdictKind::RolledBack => ("rolled back", "skipped"),
        };
        let number =
            |version: Option<i64>| version.map_or_else(|| "–".to_owned(), |version| version.to_string());
        let findings = verdict.findings.to_value();
        let objections = findings["objections"].as_array().into_iter().flatten();
        let side = &findings["hold_out"];
        let scores = &side["comparison"]["scores"];
        let mut found = Vec::new();
        if let (Some(before), Some(after)) = (scores["first_mean"].as_f64(), scores["second_mean"].as_f64()) {
            let interval = &scores["difference"]["interval"];
            let interval = match (interval["lower"].as_f64(), interval["upper"].as_f64()) {
                (Some(lower), Some(upper)) => format!(" ({lower:+.3} to {upper:+.3})"),
                _ => String::new(),
            };
            found.push(format!(
                "{before:.3} → {after:.3} on {} held-out examples, {:+.3}{interval}",
                side["examples"],
                after - before
            ));
        }
        for (what, part) in [("approved tests", "approved"), ("controls", "controls")] {
            if let Some(tests) = findings[part]["tests"].as_u64().filter(|tests| *tests > 0) {
                let failed = findings[part]["failed"].as_array().map_or(0, Vec::len);
                found.push(format!("{what}: {failed} of {tests} fail"));
            }
        }
        Self {
            word,
            class,
            change: format!(
                "{} → {}",
                number(verdict.from_version),
                number(verdict.to_version)
            ),
            by: verdict.decided_by.clone(),
            reason: verdict.reason.clone(),
            when: moments.show(verdict.created_at),
            findings: found,
            objections: objections
                .filter_map(|one| one.as_str().map(str::to_owned))
                .collect(),
        }
    }
}
