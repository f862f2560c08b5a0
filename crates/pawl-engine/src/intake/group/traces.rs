//! Storing traces: the spans of each are joined with those that are there, and the interaction that they make together
//! is written, or follows them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pawl_model::{InteractionId, Json, NewInteraction, UserId};
use pawl_store::interactions::{self, Known};
use pawl_store::traces::{self, Trace};
use pawl_store::{Actor, Scope};

use super::tenant::Tenant;
use super::{Context, Group, Prepared};
use crate::EngineError;
use crate::intake::content::ContentHasher;
use crate::intake::masking::{self, Redactions, redactions};
use crate::trace::{Addition, Assembled, Export, Span, SpanProblem, TraceSpans};

/// Traces that are held in memory at a time, with all their spans.
const AT_ONCE: usize = 16;

impl Context {
    /// Stores the spans of an export, and counts in it those for which there is no room.
    pub(crate) async fn store_traces(
        &self,
        user: UserId,
        hasher: &ContentHasher,
        export: &mut Export,
    ) -> Result<(), EngineError> {
        let mut by_trace: BTreeMap<String, Vec<Span>> = BTreeMap::new();
        for span in export.take_spans() {
            by_trace.entry(span.trace_id.clone()).or_default().push(span);
        }
        if by_trace.is_empty() {
            return Ok(());
        }
        let mut scope = self.store.write(Actor::Service).await?;
        let mut group = self.begin(&mut scope, BTreeSet::from([user])).await?;
        let mut arrived = by_trace.into_iter();
        loop {
            let some: BTreeMap<String, Vec<Span>> = arrived.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let mut joined = group.join(&mut scope, user, some, (hasher, &mut *export)).await?;
            group.look_up_interactions(&mut scope, user, &mut joined).await?;
            group.write(&mut scope, user, joined, hasher).await?;
        }
        group.write_beside(&mut scope).await?;
        scope.commit().await?;
        Ok(())
    }
}

/// A trace with what arrived of it now.
struct Joined {
    trace_id: String,
    /// As it was stored before.
    known: Option<Trace>,
    /// What it came to then.
    before: Option<Assembled>,
    spans: TraceSpans,
    /// Whom it happened to, as a hash.
    person: Option<String>,
    /// An interaction that was handed in under its id.
    handed_in: Option<InteractionId>,
}

impl Group<'_> {
    /// Joins spans with those that are stored of their traces. Traces of which nothing is new are left out.
    async fn join(
        &self,
        scope: &mut Scope,
        user: UserId,
        arrived: BTreeMap<String, Vec<Span>>,
        (hasher, export): (&ContentHasher, &mut Export),
    ) -> Result<Vec<Joined>, EngineError> {
        let tenant = self.tenant(user)?;
        let ids: Vec<&str> = arrived.keys().map(String::as_str).collect();
        let known = traces::get(scope, user, &ids).await?.into_iter();
        let mut known: HashMap<String, Trace> = known.map(|trace| (trace.trace_id.clone(), trace)).collect();
        let mut joined = Vec::new();
        for (trace_id, arrived) in arrived {
            let known = known.remove(&trace_id);
            let mut spans = known
                .as_ref()
                .map(|trace| TraceSpans::read(&trace.spans))
                .unwrap_or_default();
            let before = Assembled::of(&spans.in_order());
            let mut is_changed = false;
            let named = arrived.iter().filter_map(Span::end_user);
            // Of several the same one, in whatever order they come.
            let person = named.map(|name| hasher.person(user, name)).min();
            for mut span in arrived {
                if tenant.policy.obfuscate_pii {
                    masking::mask_span(&tenant.masker, &mut span);
                }
                match spans.add(span) {
                    Addition::Added => is_changed = true,
                    Addition::Known => {}
                    Addition::Full => export.reject(SpanProblem::TraceFull),
                }
            }
            if is_changed {
                if tenant.policy.obfuscate_pii {
                    // Those that came before the policy asked for it are written once more now.
                    masking::mask_spans(&tenant.masker, &mut spans);
                }
                joined.push(Joined {
                    trace_id,
                    known,
                    before,
                    spans,
                    person,
                    handed_in: None,
                });
            }
        }
        Ok(joined)
    }

    /// Finds the interactions that were handed in under the ids of traces without any.
    async fn look_up_interactions(
        &self,
        scope: &mut Scope,
        user: UserId,
        joined: &mut [Joined],
    ) -> Result<(), EngineError> {
        let has_none = |joined: &&mut Joined| {
            let known = joined.known.as_ref();
            known.is_none_or(|trace| trace.evaluation_id.is_none())
        };
        let mut without: Vec<&mut Joined> = joined.iter_mut().filter(has_none).collect();
        let keys: Vec<(UserId, &str)> = without
            .iter()
            .map(|joined| (user, joined.trace_id.as_str()))
            .collect();
        let known = interactions::known(scope, &keys).await?.into_iter();
        let by_id: HashMap<String, InteractionId> = known
            .map(
                |Known {
                     interaction_id, id, ..
                 }| (interaction_id, id),
            )
            .collect();
        for joined in &mut without {
            joined.handed_in = by_id.get(&joined.trace_id).copied();
        }
        Ok(())
    }

    /// Writes traces, and what they come to.
    async fn write(
        &mut self,
        scope: &mut Scope,
        user: UserId,
        joined: Vec<Joined>,
        hasher: &ContentHasher,
    ) -> Result<(), EngineError> {
        let mut rows = Vec::with_capacity(joined.len());
        for joined in joined {
            let spans = joined.spans.in_order();
            let first_seen = joined.known.as_ref().map_or(self.now, |trace| trace.first_seen);
            let began = spans.iter().filter_map(|span| span.began()).min();
            let mut row = Trace {
                created_at: began.unwrap_or(first_seen),
                spans: joined.spans.stored().map_err(EngineError::TraceData)?,
                last_seen: self.now,
                ..joined
                    .known
                    .clone()
                    .unwrap_or_else(|| self.new_trace(user, &joined.trace_id))
            };
            row.user_hash = [row.user_hash, joined.person].into_iter().flatten().min();
            row.evaluation_id = row.evaluation_id.or(joined.handed_in);
            if let Some(now) = Assembled::of(&spans) {
                let is_new = row.evaluation_id.is_none();
                row.input_tokens = now.input_tokens.and_then(|count| i64::try_from(count).ok());
                row.output_tokens = now.output_tokens.and_then(|count| i64::try_from(count).ok());
                row.cost_usd = now.cost_usd;
                if is_new || row.assembled && joined.before.as_ref() != Some(&now) {
                    row.assembled = true;
                    let mut prepared = self.prepare(&row, now, &spans, hasher)?;
                    self.appraise(&mut row, &mut prepared)?;
                    row.evaluation_id = Some(prepared.id);
                    if is_new {
                        self.store(prepared)?;
                    } else {
                        interactions::change(scope, &self.row(prepared)).await?;
                    }
                }
            }
            // What was handed in stays as it is; a span that is an error makes it a failing one all the same.
            if let Some(id) = row.evaluation_id.filter(|_| !row.assembled)
                && spans.iter().any(|span| span.is_error())
            {
                interactions::mark_error(scope, user, id).await?;
            }
            rows.push(row);
        }
        interactions::insert(scope, &std::mem::take(&mut self.rows)).await?;
        traces::put(scope, &rows).await?;
        Ok(())
    }

    /// The row of a trace that was not there before, without what its spans say.
    fn new_trace(&self, user: UserId, trace_id: &str) -> Trace {
        Trace {
            id: self.clock.fresh_id(),
            user_id: user,
            evaluation_id: None,
            created_at: self.now,
            spans: Json::empty_array(),
            trace_id: trace_id.to_owned(),
            assembled: false,
            input_tokens: None,
            output_tokens: None,
            cost_usd: None,
            unscored: None,
            check_results: None,
            first_seen: self.now,
            last_seen: self.now,
            user_hash: None,
        }
    }

    /// The interaction that a trace comes to, as it is to be stored.
    fn prepare(
        &self,
        trace: &Trace,
        assembled: Assembled,
        spans: &[&Span],
        hasher: &ContentHasher,
    ) -> Result<Prepared, EngineError> {
        let tenant = self.tenant(trace.user_id)?;
        let in_spans = redactions_of(spans);
        let interaction = NewInteraction {
            user_id: trace.user_id,
            interaction_id: trace.trace_id.clone(),
            prompt: assembled.prompt,
            response: assembled.response,
            score: assembled.score,
            latency_ms: assembled.latency_ms,
            flags: Vec::new(),
            pii_tokens_redacted: total(in_spans.as_ref()),
            created_at: Some(assembled.created_at.unwrap_or(trace.first_seen)),
            sample_weight: None,
            tool_calls: assembled.tool_calls,
            spans: None,
        };
        let hash = hasher.hash(&interaction);
        let (masked, counts) = tenant.masked(&interaction);
        let besides = counts.as_ref().map(redactions);
        Ok(Prepared {
            id: trace
                .evaluation_id
                .unwrap_or_else(|| InteractionId(self.clock.fresh_id())),
            interaction: masked,
            redactions: in_spans.map(|in_spans| sum([in_spans, besides.unwrap_or_default()])),
            hash,
            weight: 1.0,
            has_error: spans.iter().any(|span| span.is_error()),
        })
    }

    fn tenant(&self, user: UserId) -> Result<&Tenant, EngineError> {
        self.tenants
            .get(&user)
            .ok_or_else(|| EngineError::unknown_user(user))
    }

    pub(super) fn tenant_mut(&mut self, user: UserId) -> Result<&mut Tenant, EngineError> {
        self.tenants
            .get_mut(&user)
            .ok_or_else(|| EngineError::unknown_user(user))
    }
}

/// How much was masked in spans; none where one of them was not looked through.
fn redactions_of(spans: &[&Span]) -> Option<Redactions> {
    let of_spans: Option<Vec<Redactions>> = spans.iter().map(|span| span.redactions.clone()).collect();
    of_spans.map(sum)
}

fn sum(parts: impl IntoIterator<Item = Redactions>) -> Redactions {
    let mut sum = Redactions::new();
    for (kind, count) in parts.into_iter().flatten() {
        let known = sum.entry(kind).or_default();
        *known = known.saturating_add(count);
    }
    sum
}

fn total(redactions: Option<&Redactions>) -> i32 {
    let counts = redactions.into_iter().flat_map(Redactions::values);
    let total = counts.fold(0_u32, |total, count| total.saturating_add(*count));
    i32::try_from(total).unwrap_or(i32::MAX)
}
