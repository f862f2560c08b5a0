//! Scoring what traces come to, by the online checks of their tenant and under the policy: for traces the sample and the
//! cap are of scorings.

use pawl_checks::sampling::{Decision, Signals, decide};
use pawl_model::{DropReason, Json, Score, Unscored};
use pawl_store::traces::Trace;

use super::tenant::Tenant;
use super::{Group, Prepared};
use crate::EngineError;
use crate::intake::online;

impl Group<'_> {
    /// Scores an interaction that has no verdict yet, or says why not. One that was scored before is scored anew without
    /// being counted again.
    pub(super) fn appraise(&mut self, trace: &mut Trace, prepared: &mut Prepared) -> Result<(), EngineError> {
        let known_reason = trace.unscored.take();
        let was_judged = trace.check_results.take().is_some();
        if prepared.interaction.score.is_some() {
            return Ok(());
        }
        let tenant = self.tenant_mut(trace.user_id)?;
        let Some(grading) = tenant.online_checks.clone() else {
            trace.unscored = Some(Unscored::NoCheck);
            return Ok(());
        };
        if !was_judged {
            if let Some(reason) = refusal(tenant, trace, prepared) {
                trace.unscored = Some(unscored(reason));
                if trace.unscored != known_reason {
                    let key = (trace.user_id, trace.trace_id.clone(), reason);
                    *self.drops.entry(key).or_default() += 1;
                }
                return Ok(());
            }
            tenant.used += 1;
            tenant.used_more = true;
        }
        let grade = online::judge(&grading, &prepared.interaction, trace.cost_usd);
        let score = grade.score.and_then(|score| Score::parse(&score.to_string()));
        trace.unscored = score.is_none().then_some(Unscored::NoCheck);
        trace.check_results = Json::from_serialize(&grade.results).ok();
        prepared.interaction.score = score;
        Ok(())
    }
}

/// Why the policy does not have a trace scored, where it does not.
fn refusal(tenant: &Tenant, trace: &Trace, prepared: &Prepared) -> Option<DropReason> {
    let signals = Signals {
        error_span: prepared.has_error,
        ..Signals::default()
    };
    match decide(&tenant.policy, &trace.trace_id, &signals) {
        Decision::SampledOut => Some(DropReason::SampledOut),
        Decision::Keep { .. } if !tenant.has_room(1) => Some(DropReason::OverCap),
        Decision::Keep { .. } => None,
    }
}

const fn unscored(reason: DropReason) -> Unscored {
    match reason {
        DropReason::SampledOut => Unscored::SampledOut,
        DropReason::OverCap => Unscored::OverCap,
    }
}
