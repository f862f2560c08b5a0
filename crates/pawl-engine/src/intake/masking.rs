//! The one place where interactions are masked, before any write.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use pawl_checks::mask::{MaskCounts, Masked, Masker, TenantPattern};
use pawl_model::{Interaction, Json, NewInteraction, PiiPattern, Policy, UserId};
use serde_json::Value;

use crate::trace::{Span, TraceSpans};

/// How many tenants' patterns are kept compiled at a time.
const MAX_COMPILED: usize = 256;

/// What masks for each tenant, as their policies have it.
#[derive(Default)]
pub(crate) struct Maskers(Mutex<HashMap<UserId, Compiled>>);

/// Patterns and what they were compiled to.
type Compiled = (Vec<PiiPattern>, Arc<Masker>);

/// What masks for a tenant.
#[derive(Clone)]
pub(crate) enum TenantMasker {
    /// What masks for everybody.
    BuiltIn(&'static Masker),
    /// With patterns of their own.
    Own(Arc<Masker>),
}

impl Deref for TenantMasker {
    type Target = Masker;

    fn deref(&self) -> &Masker {
        match self {
            Self::BuiltIn(masker) => masker,
            Self::Own(masker) => masker,
        }
    }
}

impl Maskers {
    /// What masks for the tenant of a policy.
    pub(crate) fn of(&self, policy: &Policy) -> TenantMasker {
        let built_in = TenantMasker::BuiltIn(Masker::built_in());
        if policy.pii_patterns.is_empty() {
            return built_in;
        }
        let mut of_tenants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((patterns, masker)) = of_tenants.get(&policy.user_id)
            && *patterns == policy.pii_patterns
        {
            return TenantMasker::Own(Arc::clone(masker));
        }
        let Ok(masker) = Masker::new(&usable(&policy.pii_patterns)) else {
            return built_in;
        };
        if of_tenants.len() >= MAX_COMPILED {
            of_tenants.clear();
        }
        let masker = Arc::new(masker);
        of_tenants.insert(policy.user_id, (policy.pii_patterns.clone(), Arc::clone(&masker)));
        TenantMasker::Own(masker)
    }
}

/// Patterns that cannot be used can only have been written behind our back: they are passed over, one by one, rather
/// than the others being too.
fn usable(patterns: &[PiiPattern]) -> Vec<TenantPattern> {
    let mut usable = Vec::new();
    for PiiPattern { name, pattern } in patterns.iter().cloned() {
        usable.push(TenantPattern { name, pattern });
        if Masker::new(&usable).is_err() {
            usable.pop();
        }
    }
    usable
}

/// How many pieces were masked, by kind, as rows have it.
pub(crate) type Redactions = BTreeMap<String, u32>;

/// Counts as rows have them.
pub(crate) fn redactions(counts: &MaskCounts) -> Redactions {
    let counts = counts.iter();
    counts
        .map(|(kind, count)| (kind.to_ascii_lowercase(), count))
        .collect()
}

/// Masks a span, unless that was done already. Its ids are no texts: they stay.
pub(crate) fn mask_span(masker: &Masker, span: &mut Span) {
    if span.redactions.is_some() {
        return;
    }
    let mut counts = MaskCounts::default();
    let mut text = |text: &mut String| {
        if let (Some(masked), found) = as_text(masker, text) {
            counts.merge(&found);
            *text = masked;
        }
    };
    let origin = Arc::make_mut(&mut span.origin);
    text(&mut span.name);
    text(&mut span.status.message);
    text(&mut span.trace_state);
    text(&mut origin.scope);
    text(&mut origin.scope_version);
    text(&mut origin.schema_url);
    span.events.iter_mut().for_each(|event| text(&mut event.name));
    span.links.iter_mut().for_each(|link| text(&mut link.trace_state));
    let of_events = span.events.iter_mut().map(|event| &mut event.attributes);
    let of_links = span.links.iter_mut().map(|link| &mut link.attributes);
    let of_origin = [&mut origin.resource, &mut origin.scope_attributes];
    let all = std::iter::once(&mut span.attributes)
        .chain(of_events)
        .chain(of_links);
    for attributes in all.chain(of_origin) {
        let json = serde_json::to_string(attributes).unwrap_or_default();
        if let (Some(masked), found) = as_json(masker, &json) {
            counts.merge(&found);
            // What masking makes of an object is one again.
            *attributes = serde_json::from_str(&masked).unwrap_or_default();
        }
    }
    span.redactions = Some(redactions(&counts));
}

/// Masks the spans of a trace, those that were not yet.
pub(crate) fn mask_spans(masker: &Masker, spans: &mut TraceSpans) {
    spans.change(|span| mask_span(masker, span));
    spans.change_others(|other| masked_value(masker, other));
}

/// What was handed in as a span in some form, without personal data; none where it holds none.
fn masked_value(masker: &Masker, value: &Value) -> Option<Value> {
    let (masked, _) = as_json(masker, &value.to_string());
    masked.and_then(|masked| serde_json::from_str(&masked).ok())
}

/// An interaction without personal data, and what was masked in it. Ids are no texts: they stay.
pub(crate) fn masked(masker: &Masker, interaction: &NewInteraction) -> (NewInteraction, MaskCounts) {
    let mut counts = MaskCounts::default();
    let mut text = |text: &str, mask: fn(&Masker, &str) -> (Option<String>, MaskCounts)| {
        let (masked, found) = mask(masker, text);
        counts.merge(&found);
        masked.unwrap_or_else(|| text.to_owned())
    };
    let mut masked = NewInteraction {
        prompt: text(&interaction.prompt, as_text),
        response: text(&interaction.response, as_text),
        flags: interaction.flags.iter().map(|flag| text(flag, as_text)).collect(),
        tool_calls: None,
        spans: None,
        interaction_id: interaction.interaction_id.clone(),
        score: interaction.score.clone(),
        ..*interaction
    };
    let mut document = |json: &Option<Json>| {
        let json = json.as_ref()?;
        // What masking makes of a document in normal form is one again.
        Json::parse(&text(json.as_str(), as_json)).ok()
    };
    masked.tool_calls = document(&interaction.tool_calls);
    masked.spans = document(&interaction.spans);
    let by_us = i32::try_from(counts.total()).unwrap_or(i32::MAX);
    masked.pii_tokens_redacted = interaction.pii_tokens_redacted.saturating_add(by_us);
    (masked, counts)
}

/// Masks an interaction that was stored as it came; its counts stay those of what is stored.
pub(crate) fn mask_stored(masker: &Masker, interaction: &mut Interaction) {
    let replace = |text: &mut String| {
        if let (Some(masked), _) = as_text(masker, text) {
            *text = masked;
        }
    };
    replace(&mut interaction.prompt);
    replace(&mut interaction.response);
    interaction.flags.iter_mut().for_each(replace);
    interaction.trace = interaction
        .trace
        .as_ref()
        .map(|trace| masked_document(masker, trace));
}

/// A document without personal data.
pub(crate) fn masked_document(masker: &Masker, document: &Json) -> Json {
    match as_json(masker, document.as_str()) {
        (None, _) => document.clone(),
        // What masking makes of a document in normal form is one again.
        (Some(masked), _) => Json::parse(&masked).unwrap_or_else(|_| Json::empty_array()),
    }
}

fn as_text(masker: &Masker, text: &str) -> (Option<String>, MaskCounts) {
    changed(masker.mask(text))
}

fn as_json(masker: &Masker, text: &str) -> (Option<String>, MaskCounts) {
    changed(masker.mask_json(text))
}

fn changed(masked: Masked<'_>) -> (Option<String>, MaskCounts) {
    match masked.text {
        Cow::Borrowed(_) => (None, masked.counts),
        Cow::Owned(text) => (Some(text), masked.counts),
    }
}
