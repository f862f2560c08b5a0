//! What is written with the rows: the attempts that were dropped, what each hour came to, and the use of the day.

use pawl_model::UserId;
use pawl_store::intake::{DroppedAttempts, UsedDay};
use pawl_store::rollups::RolledHour;
use pawl_store::{Scope, intake, rollups};
use time::OffsetDateTime;

use super::Group;
use crate::EngineError;
use crate::intake::hour::{data, rollup};

impl Group<'_> {
    /// Writes what goes with the rows.
    pub(super) async fn write_beside(mut self, scope: &mut Scope) -> Result<(), EngineError> {
        self.write_drops(scope).await?;
        self.write_hours(scope).await?;
        let used: Vec<UsedDay> = self
            .tenants
            .iter()
            .filter(|(_, tenant)| tenant.used_more)
            .map(|(user, tenant)| UsedDay {
                user_id: *user,
                day: tenant.day,
                stored: tenant.used,
            })
            .collect();
        if !used.is_empty() {
            intake::set_days(scope, &used).await?;
        }
        Ok(())
    }

    async fn write_drops(&mut self, scope: &mut Scope) -> Result<(), EngineError> {
        if self.drops.is_empty() {
            return Ok(());
        }
        let drops = std::mem::take(&mut self.drops).into_iter();
        let drops: Vec<DroppedAttempts> = drops
            .filter_map(|((user_id, interaction_id, reason), attempts)| {
                Some(DroppedAttempts {
                    user_id,
                    interaction_id,
                    day: self.tenants.get(&user_id)?.day,
                    reason,
                    attempts,
                })
            })
            .collect();
        for (user, reason) in intake::record_drops(scope, &drops, self.now).await? {
            if let Some(tenant) = self.tenants.get(&user) {
                let hour = tenant.zone.hour_start(self.now);
                self.hours.entry((user, hour)).or_default().add_drops(reason, 1);
            }
        }
        Ok(())
    }

    async fn write_hours(&mut self, scope: &mut Scope) -> Result<(), EngineError> {
        if self.hours.is_empty() {
            return Ok(());
        }
        let keys: Vec<(UserId, OffsetDateTime)> = self.hours.keys().copied().collect();
        for known in rollups::get(scope, &keys).await? {
            if let Some(hour) = self.hours.get_mut(&(known.user_id, known.hour)) {
                hour.merge(&rollup(&known.data)?);
            }
        }
        let hours: Vec<RolledHour> = self
            .hours
            .iter()
            .map(|((user_id, hour), rollup)| {
                Ok(RolledHour {
                    user_id: *user_id,
                    hour: *hour,
                    data: data(rollup)?,
                })
            })
            .collect::<Result<_, EngineError>>()?;
        rollups::put(scope, &hours).await?;
        Ok(())
    }
}
