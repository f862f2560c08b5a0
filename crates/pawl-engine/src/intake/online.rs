//! Online checks: what scores arriving traces, as the policy of their tenant has it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pawl_checks::{Grade, Grading, Subject};
use pawl_model::{NewInteraction, Policy, UserId};
use serde_json::Value;

use crate::run::suite::{self, SuiteError};

/// How many bytes the checks of a tenant may have.
const MAX_BYTES: usize = 64 * 1024;
/// How many tenants' checks are kept compiled at a time.
const MAX_COMPILED: usize = 256;
/// What errors call the checks of a tenant.
const NAME: &str = "online checks";

/// The checks of tenants, compiled.
#[derive(Default)]
pub(crate) struct OnlineChecks(Mutex<HashMap<UserId, Compiled>>);

/// Checks, and what judges by them.
type Compiled = (String, Arc<Grading>);

impl OnlineChecks {
    /// What judges by the checks of a policy. Such as cannot be made can only have been written behind our back: then
    /// there are none.
    pub(crate) fn of(&self, policy: &Policy) -> Option<Arc<Grading>> {
        let text = policy.online_checks.as_ref()?;
        let mut of_tenants = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, grading)) = of_tenants.get(&policy.user_id)
            && known == text
        {
            return Some(Arc::clone(grading));
        }
        let grading = Arc::new(suite::grading(NAME, text).ok()?);
        if of_tenants.len() >= MAX_COMPILED {
            of_tenants.clear();
        }
        of_tenants.insert(policy.user_id, (text.clone(), Arc::clone(&grading)));
        Some(grading)
    }
}

/// What is wrong with the checks of a tenant, with its place.
pub(crate) fn problem(text: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return Some(format!("{NAME} may have {MAX_BYTES} bytes"));
    }
    suite::grading(NAME, text)
        .err()
        .map(|error: SuiteError| error.to_string())
}

/// What checks say of an interaction as it is to be stored.
pub(crate) fn judge(grading: &Grading, interaction: &NewInteraction, cost_usd: Option<f64>) -> Grade {
    let response = Value::String(interaction.response.clone());
    let latency = interaction
        .latency_ms
        .and_then(|latency| u64::try_from(latency).ok());
    let subject = Subject::new(&response)
        .with_latency_ms(latency)
        .with_cost_usd(cost_usd);
    grading.judge(&subject)
}
