//! Interactions as they come from outside: some cannot be read, and some name tenants whom the sender may not name.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use pawl_model::{NewInteraction, UserId};
use pawl_store::{Actor, policies};

use super::received::{FieldError, Unreadable};
use super::{IntakeError, Outcome, Terms};
use crate::{Engine, EngineError};

/// What came of an interaction that was received, or why it is none. [`Outcome::UnknownTenant`] is none of the outcomes
/// here: the tenant is a field like others.
pub type Receipt = Result<Outcome, Unreadable>;

impl Engine {
    /// Stores those of the interactions that could be read: a receipt for each, in their order.
    ///
    /// The service hands in for everybody, a tenant for itself alone: others are unknown to it.
    ///
    /// # Errors
    /// As [`Engine::ingest`].
    pub async fn receive(
        &self,
        read: Vec<Result<NewInteraction, Unreadable>>,
        sender: Actor,
        terms: Terms,
    ) -> Result<Vec<Receipt>, IntakeError> {
        let unknown = self
            .unknown_tenants(&read, sender)
            .await
            .map_err(|error| IntakeError::Failed(Arc::new(error)))?;
        let mut sound = Vec::with_capacity(read.len());
        let mut receipts: Vec<Receipt> = Vec::with_capacity(read.len());
        for read in read {
            receipts.push(match read {
                Ok(interaction) if may_name(sender, interaction.user_id) => {
                    sound.push(interaction);
                    // Until it is known better.
                    Ok(Outcome::UnknownTenant)
                }
                Ok(_) => Err(unknown_tenant(Vec::new())),
                Err(Unreadable::Fields {
                    user_id: Some(user),
                    errors,
                }) if unknown.contains(&user) => Err(unknown_tenant(errors)),
                Err(unreadable) => Err(unreadable),
            });
        }
        if sound.is_empty() {
            return Ok(receipts);
        }
        let outcomes = self.ingest(sound, terms).await?;
        let pending = receipts.iter_mut().filter(|receipt| receipt.is_ok());
        for (receipt, outcome) in pending.zip(outcomes) {
            *receipt = match outcome {
                Outcome::UnknownTenant => Err(unknown_tenant(Vec::new())),
                outcome => Ok(outcome),
            };
        }
        Ok(receipts)
    }

    /// Of the tenants that interactions with wrong fields name, those who are unknown to the sender.
    async fn unknown_tenants(
        &self,
        read: &[Result<NewInteraction, Unreadable>],
        sender: Actor,
    ) -> Result<BTreeSet<UserId>, EngineError> {
        let named = read.iter().filter_map(|read| match read {
            Err(Unreadable::Fields { user_id, .. }) => *user_id,
            _ => None,
        });
        let mut unknown: BTreeSet<UserId> = named.collect();
        let asked: Vec<UserId> = unknown
            .iter()
            .copied()
            .filter(|user| may_name(sender, *user))
            .collect();
        if !asked.is_empty() {
            let mut scope = self.store.read(Actor::Service).await?;
            for policy in policies::list(&mut scope, &asked).await? {
                unknown.remove(&policy.user_id);
            }
        }
        Ok(unknown)
    }
}

fn may_name(sender: Actor, user: UserId) -> bool {
    match sender {
        Actor::Service => true,
        Actor::Tenant(own) => own == user,
        Actor::Anonymous => false,
    }
}

/// That the tenant is unknown, before what else is wrong.
fn unknown_tenant(mut errors: Vec<FieldError>) -> Unreadable {
    errors.insert(
        0,
        FieldError {
            field: Cow::Borrowed("user_id"),
            message: Cow::Borrowed("is no user of this instance"),
        },
    );
    Unreadable::Fields {
        user_id: None,
        errors,
    }
}
