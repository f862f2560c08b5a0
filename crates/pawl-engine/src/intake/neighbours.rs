//! What stands before and behind an interaction in a list.

use pawl_model::{Interaction, InteractionId, UserId};
use pawl_store::query::{self, InteractionFilter, InteractionOrder, InteractionQuery};
use pawl_store::{Actor, Scope};

use crate::{Engine, EngineError};

/// What stands before and behind an interaction in a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The one before.
    pub previous: Option<InteractionId>,
    /// The one behind.
    pub next: Option<InteractionId>,
}

/// A list of a tenant's interactions.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The tenant.
    pub user_id: UserId,
    /// Which.
    pub filter: &'a InteractionFilter,
    /// In which order.
    pub order: InteractionOrder,
}

impl Engine {
    /// What stands before and behind an interaction in a list, which need not hold it. Of interactions without what
    /// the list is sorted by, which come last, the first one is told of none before it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn neighbours(
        &self,
        actor: Actor,
        list: List<'_>,
        interaction: &Interaction,
    ) -> Result<Neighbours, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let backwards = List {
            order: list.order.reversed(),
            ..list
        };
        let previous = behind(&mut scope, backwards, interaction).await?;
        // Those without come last backwards as well, though in the list they stand before nothing that has it.
        let part = |interaction: &Interaction| list.order.place(interaction).key.is_some();
        let previous = previous.filter(|previous| part(previous) == part(interaction));
        Ok(Neighbours {
            previous: previous.map(|previous| previous.id),
            next: behind(&mut scope, list, interaction).await?.map(|next| next.id),
        })
    }
}

async fn behind(
    scope: &mut Scope,
    list: List<'_>,
    interaction: &Interaction,
) -> Result<Option<Interaction>, EngineError> {
    let query = InteractionQuery {
        user_id: list.user_id,
        filter: list.filter,
        order: list.order,
        after: Some(&list.order.place(interaction)),
        limit: 1,
    };
    Ok(query::interactions(scope, &query).await?.pop())
}
