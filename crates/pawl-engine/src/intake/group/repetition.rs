//! Items whose id is taken: the same again, or a conflict.

use pawl_model::InteractionId;
use pawl_store::interactions::Known;
use pawl_store::{Scope, interactions};

use super::tenant::Tenant;
use crate::EngineError;
use crate::intake::content::{Beside, differing_fields};
use crate::intake::masking;
use crate::intake::outcome::{Item, Outcome};

/// An item whose id is taken by one before it in the same transaction.
pub(super) fn again(id: InteractionId, first: &Item, item: &Item) -> Outcome {
    if first.hash == item.hash {
        return Outcome::Duplicate { id };
    }
    let fields = differing_fields(&first.interaction, &item.interaction);
    Outcome::Conflict { id, fields }
}

/// An item whose id is taken by a row that was there before.
pub(super) async fn known_before(
    scope: &mut Scope,
    tenant: &Tenant,
    known: &Known,
    item: &Item,
) -> Result<Outcome, EngineError> {
    let id = known.id;
    if known.content_hash.as_deref() == Some(&item.hash) {
        return Ok(Outcome::Duplicate { id });
    }
    let Some((stored, stored_spans)) = interactions::get(scope, id).await? else {
        return Ok(Outcome::Duplicate { id });
    };
    let masked = match &stored.redactions {
        Some(_) => masking::masked(&tenant.masker, &item.interaction).0,
        None => item.interaction.clone(),
    };
    let beside = Beside {
        received: &item.interaction,
        masked: &masked,
        stored: &stored,
        stored_spans: stored_spans.as_ref(),
    };
    let fields = beside.differing_fields();
    Ok(if fields.is_empty() {
        Outcome::Duplicate { id }
    } else {
        Outcome::Conflict { id, fields }
    })
}
