//! Whose items are stored: under which policy, and with how much room left in the day.

use std::sync::Arc;

use pawl_checks::Grading;
use pawl_checks::mask::MaskCounts;
use pawl_model::{NewInteraction, Policy};
use pawl_store::intake::Allowance;
use time::{Date, OffsetDateTime};

use super::Context;
use crate::intake::masking::{self, TenantMasker};
use crate::intake::zone::Zone;

impl Context {
    pub(super) fn tenant(&self, allowance: Allowance, now: OffsetDateTime) -> Tenant {
        let policy = &allowance.policy;
        let zone = Zone::named_or_utc(&policy.timezone);
        let day = zone.day(now);
        Tenant {
            masker: self.maskers.of(policy),
            online_checks: self.online_checks.of(policy),
            day,
            used: allowance.used(day),
            used_more: false,
            zone,
            policy: allowance.policy,
        }
    }
}

/// A tenant as this transaction finds it.
pub(super) struct Tenant {
    pub(super) policy: Policy,
    pub(super) zone: Zone,
    pub(super) masker: TenantMasker,
    pub(super) online_checks: Option<Arc<Grading>>,
    pub(super) day: Date,
    pub(super) used: u64,
    pub(super) used_more: bool,
}

impl Tenant {
    pub(super) fn has_room(&self, for_so_many: u64) -> bool {
        self.used + for_so_many <= u64::from(self.policy.max_eval_per_day)
    }

    pub(super) fn masked(&self, interaction: &NewInteraction) -> (NewInteraction, Option<MaskCounts>) {
        if self.policy.obfuscate_pii {
            let (masked, counts) = masking::masked(&self.masker, interaction);
            (masked, Some(counts))
        } else {
            (interaction.clone(), None)
        }
    }
}
