//! Typed ids. All are UUIDs, so that PostgREST clients see plain uuids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::from_str(text).map(Self)
            }
        }
    };
}

uuid_id!(
    /// A tenant: one row of `auth.users`.
    UserId
);
uuid_id!(
    /// One headless execution: one row of `sb_eval_runs`.
    RunId
);
uuid_id!(
    /// One case of a run in one trial: one row of `sb_eval_cases`.
    CaseId
);
uuid_id!(
    /// One thing an agent did in production: one row of `evaluations`.
    InteractionId
);
uuid_id!(
    /// A log-in: one row of `auth.sessions`.
    SessionId
);
uuid_id!(
    /// A log-in by a browser: one row of `auth.browser_sessions`.
    BrowserSessionId
);
uuid_id!(
    /// A key of a program: one row of `auth.api_keys`.
    ApiKeyId
);
uuid_id!(
    /// A piece of work for a worker: one row of `jobs`.
    JobId
);
uuid_id!(
    /// Work that comes again and again: one row of `schedules`.
    ScheduleId
);

impl CaseId {
    /// The id of the `ordinal`-th case (from 0) of a run in its `trial`-th repetition (from 1).
    ///
    /// A function of its arguments, so that a resumed run can neither lose a case nor store it twice, and so
    /// that ordering by id is ordering by the data set. The layout is UUIDv8: the first 48 bits and 26 random
    /// bits of the run's own UUIDv7, then 32 bits of ordinal and 16 bits of trial.
    #[must_use]
    pub fn derive(run: RunId, ordinal: u32, trial: u16) -> Self {
        let run = run.0.as_u128();
        let timestamp = run & (0xffff_ffff_ffff << 80);
        let rand_a = run & (0xfff << 64);
        let rand_b = (run >> 48) & 0x3fff;
        let low = (rand_b << 48) | (u128::from(ordinal) << 16) | u128::from(trial);
        Self(Uuid::from_u128(
            timestamp | (0x8 << 76) | rand_a | (0b10 << 62) | low,
        ))
    }

    /// Ordinal and trial of an id made by [`CaseId::derive`] for this run; `None` for any other id.
    #[must_use]
    pub fn position(self, run: RunId) -> Option<(u32, u16)> {
        let low = self.0.as_u128();
        let ordinal = u32::try_from((low >> 16) & 0xffff_ffff).ok()?;
        let trial = u16::try_from(low & 0xffff).ok()?;
        (Self::derive(run, ordinal, trial) == self).then_some((ordinal, trial))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_ids_sort_by_position_and_read_back() {
        let run = RunId(Uuid::from_u128(0x0193_5d1e_8a4c_7def_9abc_def0_1234_5678));
        let mut previous = None;
        for ordinal in [0, 1, 255, 65_536, u32::MAX] {
            for trial in [1, 2, u16::MAX] {
                let id = CaseId::derive(run, ordinal, trial);
                assert_eq!(id.0.get_version_num(), 8);
                assert_eq!(id.position(run), Some((ordinal, trial)));
                assert!(previous < Some(id), "ids ascend");
                previous = Some(id);
            }
        }
    }

    #[test]
    fn an_id_of_another_run_has_no_position() {
        let run = RunId(Uuid::from_u128(0x0193_5d1e_8a4c_7def_9abc_def0_1234_5678));
        let other = RunId(Uuid::from_u128(0x0193_5d1e_8a4c_7dee_9abc_def0_1234_5678));
        assert_eq!(CaseId::derive(other, 3, 1).position(run), None);
        assert_eq!(CaseId(Uuid::from_u128(7)).position(run), None);
    }
}
