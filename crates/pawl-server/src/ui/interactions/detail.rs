//! `/interactions/{id}`: one interaction with all that is known of it.

use askama::Template;
use axum::extract::{RawQuery, State};
use pawl_engine::intake::list::InteractionDetail;
use pawl_engine::intake::{List, Zone};
use pawl_engine::mine::suggestions::Mined;
use pawl_engine::review::Drafted;
use pawl_engine::trace::StoredTrace;
use pawl_model::{
    CheckResult, EvalResults, FailurePattern, Interaction, InteractionId, Json, Policy, Suggestion,
    SuggestionStatus, SuggestionType, Unscored,
};
use serde_json::Value;

use super::query::ListQuery;
use super::row::{Flag, ShownScore, flags, milliseconds};
use super::trace::{self, Node};
use crate::AppState;
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::ui::fold::folded_lines;
use crate::ui::marked::{Marker, Piece};
use crate::ui::moment::{Moment, Moments};
use crate::ui::number;
use crate::ui::page::Page;
use crate::ui::session::Visitor;
use crate::ui::shell::{Section, Shell};
use crate::ui::suggestions::{Stage, state_of};

#[derive(Template)]
#[template(path = "interaction.html")]
pub(in crate::ui) struct DetailPage {
    shell: Shell,
    id: InteractionId,
    interaction_id: String,
    /// Where the list is that it was opened from.
    list: String,
    previous: Option<String>,
    next: Option<String>,
    score: Option<ShownScore>,
    /// Why it has none, where that is known.
    unscored: Option<&'static str>,
    /// What the online checks said.
    checks: Vec<CheckResult>,
    /// What its models took, in words.
    usage: Option<String>,
    latency: Option<String>,
    flags: Vec<Flag>,
    weight: Option<String>,
    when: Moment,
    texts: [Text; 2],
    tool_calls: Vec<Node>,
    spans: Vec<Node>,
    masking: Masking,
    mined: Option<Finding>,
    history: Vec<Event>,
}

/// What mining made of it.
struct Finding {
    pattern: FailurePattern,
    suggestion: Suggestion,
    /// How sure the pattern is.
    confidence: String,
    /// How often it happened.
    seen: String,
    /// What is suggested, and what people decided.
    suggested: String,
    /// Its test, and how far that is.
    test: Option<(String, Stage)>,
}

/// A long text.
struct Text {
    name: &'static str,
    element: &'static str,
    pieces: Vec<Piece>,
    /// How many lines it takes, where that is more than are shown at first.
    lines: Option<usize>,
}

/// What was masked in it, and when.
struct Masking {
    /// In a sentence.
    summary: String,
    /// How many of each kind.
    kinds: Vec<(String, u64)>,
}

/// Something that happened to it.
struct Event {
    when: Moment,
    what: String,
}

/// One interaction.
pub(in crate::ui) async fn show(
    State(state): State<AppState>,
    visitor: Visitor,
    Path(id): Path<InteractionId>,
    RawQuery(query): RawQuery,
) -> Result<Page<DetailPage>, Problem> {
    let detail = state.engine.interaction(visitor.actor(), id).await?;
    let detail = detail.ok_or(Problem::new(ErrorCode::NotFound))?;
    let query = ListQuery::parse(&query.unwrap_or_default());
    let policy = &detail.policy;
    // Whatever of the address cannot be read restricts nothing.
    let wanted = query
        .wanted(&Zone::named_or_utc(&policy.timezone))
        .unwrap_or_default();
    let list = List {
        user_id: visitor.user(),
        filter: &wanted.filter,
        order: wanted.order,
    };
    let neighbours = state
        .engine
        .neighbours(visitor.actor(), list, &detail.interaction)
        .await?;
    let mined = state.engine.mined(visitor.actor(), id).await?;
    let url = |id: InteractionId| query.url(&["/interactions/", &id.to_string()].concat());
    let moments = Moments::new(&policy.timezone, state.engine.now());
    let marker = Marker::new(&query.search);
    let InteractionDetail {
        interaction, trace, ..
    } = &detail;
    Ok(Page(DetailPage {
        shell: visitor.shell(Section::Interactions, interaction.interaction_id.clone()),
        id,
        interaction_id: interaction.interaction_id.clone(),
        list: query.url("/interactions"),
        previous: neighbours.previous.map(url),
        next: neighbours.next.map(url),
        score: interaction
            .score
            .as_ref()
            .map(|score| ShownScore::exact(score, policy)),
        latency: interaction.latency_ms.map(milliseconds),
        flags: flags(interaction, policy),
        weight: (interaction.sample_weight != 1.0).then(|| interaction.sample_weight.to_string()),
        when: moments.show(interaction.created_at),
        texts: [
            Text::new(("Prompt", "prompt"), &interaction.prompt, &marker),
            Text::new(("Response", "response"), &interaction.response, &marker),
        ],
        tool_calls: trace::tool_calls(interaction.trace.as_ref()),
        spans: trace::spans(trace.as_ref().map(|trace| &trace.spans)),
        unscored: trace.as_ref().and_then(|trace| trace.unscored).map(why_unscored),
        checks: trace.as_ref().map(checks).unwrap_or_default(),
        usage: trace.as_ref().and_then(usage),
        masking: Masking::of(interaction, policy),
        history: history(interaction, mined.as_ref(), &moments),
        mined: mined.map(Finding::new),
    }))
}

impl Text {
    fn new((name, element): (&'static str, &'static str), text: &str, marker: &Marker) -> Self {
        Self {
            name,
            element,
            pieces: marker.pieces(text),
            lines: folded_lines(text),
        }
    }
}

impl Masking {
    fn of(interaction: &Interaction, policy: &Policy) -> Self {
        let kinds = interaction.redactions.as_ref().map(kinds);
        let by_us: u64 = kinds.iter().flatten().map(|(_, count)| count).sum();
        let redacted = u64::try_from(interaction.pii_tokens_redacted).unwrap_or(0);
        let by_sender = redacted.saturating_sub(by_us);
        let mut sentences = vec![match (&kinds, policy.obfuscate_pii) {
            (Some(_), _) if by_us == 0 => {
                "Looked through before it was stored: nothing was found.".to_owned()
            }
            (Some(_), _) => [
                "Masked before it was stored: ",
                &number::counted(by_us, "piece"),
                ".",
            ]
            .concat(),
            (None, true) => {
                "Stored as it was sent, before the policy asked for masking; masked in this view.".to_owned()
            }
            (None, false) => "Stored and shown as it was sent: the policy asks for no masking.".to_owned(),
        }];
        if by_sender > 0 {
            sentences.push(
                [
                    "The sender had masked ",
                    &number::counted(by_sender, "piece"),
                    ".",
                ]
                .concat(),
            );
        }
        Self {
            summary: sentences.join(" "),
            kinds: kinds.unwrap_or_default(),
        }
    }
}

const fn why_unscored(reason: Unscored) -> &'static str {
    match reason {
        Unscored::SampledOut => "not in the sample",
        Unscored::OverCap => "over the day's cap",
        Unscored::NoCheck => "no online check",
    }
}

fn checks(trace: &StoredTrace) -> Vec<CheckResult> {
    let results = trace.check_results.as_ref();
    results.map_or_else(Vec::new, |results| EvalResults::read(&results.to_value()).checks)
}

/// Tokens and dollars, as far as they are known.
fn usage(trace: &StoredTrace) -> Option<String> {
    let tokens = |count: Option<i64>, direction: &str| {
        let count = count.and_then(|count| u64::try_from(count).ok())?;
        Some([&number::count(count), " tokens ", direction].concat())
    };
    let parts = [
        tokens(trace.input_tokens, "in"),
        tokens(trace.output_tokens, "out"),
        trace.cost_usd.map(|cost| ["$", &cost.to_string()].concat()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// How many of each kind, the most first.
fn kinds(redactions: &Json) -> Vec<(String, u64)> {
    let Value::Object(counts) = redactions.to_value() else {
        return Vec::new();
    };
    let mut kinds: Vec<(String, u64)> = counts
        .into_iter()
        .filter_map(|(kind, count)| Some((kind, count.as_u64().filter(|count| *count > 0)?)))
        .collect();
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kinds
}

impl Finding {
    fn new(mined: Mined) -> Self {
        let Mined { pattern, suggestion } = mined;
        let others = suggestion.recurrence_count.saturating_sub(1);
        Self {
            confidence: [
                &pattern.confidence.percent().to_string(),
                " % sure: ",
                &pattern.confidence_rationale,
            ]
            .concat(),
            seen: match others {
                0 => "Nothing else is like it so far.".to_owned(),
                1 => "One other interaction is like it.".to_owned(),
                _ => [&number::count(others), " other interactions are like it."].concat(),
            },
            suggested: [
                match suggestion.suggestion_type {
                    SuggestionType::Eval => "A regression test is suggested, ",
                    SuggestionType::Guardrail => "A guardrail is suggested, ",
                    SuggestionType::Runbook => "A runbook is suggested, ",
                },
                match suggestion.status {
                    SuggestionStatus::Pending => "and waits for review.",
                    SuggestionStatus::Approved => "and was approved.",
                    SuggestionStatus::Rejected => "and was rejected.",
                },
            ]
            .concat(),
            test: Drafted::of(&suggestion)
                .ok()
                .flatten()
                .map(|drafted| (drafted.draft.title, state_of(&suggestion))),
            pattern,
            suggestion,
        }
    }
}

/// What happened to it so far, in its order.
fn history(interaction: &Interaction, mined: Option<&Mined>, moments: &Moments) -> Vec<Event> {
    let event = |at, what: &str| Event {
        when: moments.show(at),
        what: what.to_owned(),
    };
    let mut history = vec![
        event(interaction.created_at, "The agent answered."),
        event(interaction.received_at, "It was received and stored."),
    ];
    history.extend(mined.map(|mined| event(mined.pattern.extracted_at, "It was mined as a failure.")));
    history
}
