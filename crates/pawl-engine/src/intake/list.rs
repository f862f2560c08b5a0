//! Interactions that are stored: a page at a time, one with all that is known of it, and all of them for an export.

use pawl_checks::words::each_word;
use pawl_model::{Interaction, InteractionId, Policy, UserId};
use pawl_store::query::{self, InteractionQuery};
pub use pawl_store::query::{InteractionFilter, InteractionOrder, InteractionPlace, Search};
use pawl_store::{Actor, interactions, policies, search, traces};
use time::OffsetDateTime;

use super::masking;
use crate::trace::{StoredTrace, TraceSpans};
use crate::{Engine, EngineError};

/// Rows of an export that are read at a time.
const PAGE: u32 = 1_000;

/// What of the interactions is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ListRequest<'a> {
    /// The tenant.
    pub user_id: UserId,
    /// Which.
    pub filter: &'a InteractionFilter,
    /// In which order.
    pub order: InteractionOrder,
    /// Behind this one.
    pub after: Option<&'a InteractionPlace>,
    /// At most so many.
    pub limit: u32,
}

/// A page of interactions.
#[derive(Clone, Debug)]
pub struct InteractionPage {
    /// What is on it, masked as the policy says.
    pub items: Vec<Interaction>,
    /// Where the next page goes on; none on the last one.
    pub next: Option<InteractionPlace>,
    /// Up to when words were looked for; none where no words were.
    pub searched_until: Option<OffsetDateTime>,
}

/// An interaction with all that is known of it.
#[derive(Clone, Debug)]
pub struct InteractionDetail {
    /// The interaction, masked as the policy says.
    pub interaction: Interaction,
    /// The trace behind it, masked likewise.
    pub trace: Option<StoredTrace>,
    /// The tenant's policy.
    pub policy: Policy,
}

/// Words of a search; further ones are left out.
const MAX_WORDS: usize = 32;

/// What a text looks for. Words are found whatever their case and accents. What stands in quotes, and a word with other
/// characters in it, is found as it is written, but for the case of ASCII letters. What holds neither letter nor digit
/// looks for nothing.
#[must_use]
pub fn search(text: &str) -> Search {
    let mut search = Search::default();
    for (index, part) in text.split('"').enumerate() {
        if index % 2 == 1 {
            add(&mut search, part.trim());
        } else {
            let no_letter = |letter: char| !letter.is_alphanumeric();
            part.split_whitespace()
                .for_each(|word| add(&mut search, word.trim_matches(no_letter)));
        }
    }
    search.words.sort_unstable();
    search.words.dedup();
    search.words.truncate(MAX_WORDS);
    search.pairs.truncate(MAX_WORDS);
    search.phrases.truncate(MAX_WORDS);
    search
}

fn add(search: &mut Search, term: &str) {
    let mut words: Vec<String> = Vec::new();
    each_word(term, |word| words.push(word.to_owned()));
    if !words.is_empty() && !term.chars().all(char::is_alphanumeric) {
        search.phrases.push(term.to_owned());
        let pairs = words.windows(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
        search.pairs.extend(pairs);
    }
    search.words.append(&mut words);
}

impl Engine {
    /// A page of a tenant's interactions.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interactions(
        &self,
        actor: Actor,
        request: &ListRequest<'_>,
    ) -> Result<InteractionPage, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let query = InteractionQuery {
            user_id: request.user_id,
            filter: request.filter,
            order: request.order,
            after: request.after,
            limit: request.limit.saturating_add(1),
        };
        let mut items = query::interactions(&mut scope, &query).await?;
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items
            .last()
            .filter(|_| more)
            .map(|last| request.order.place(last));
        let searched_until = if request.filter.search.is_empty() {
            None
        } else {
            let behind_since = search::behind_since(&mut scope).await?;
            Some(behind_since.unwrap_or_else(|| self.clock.now()))
        };
        if let Some(policy) = policies::list(&mut scope, &[request.user_id]).await?.pop() {
            items
                .iter_mut()
                .for_each(|item| self.mask_for_view(&policy, item));
        }
        Ok(InteractionPage {
            items,
            next,
            searched_until,
        })
    }

    /// An interaction that the actor sees; none where there is none.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn interaction(
        &self,
        actor: Actor,
        id: InteractionId,
    ) -> Result<Option<InteractionDetail>, EngineError> {
        let mut scope = self.store.read(actor).await?;
        let Some((mut interaction, _)) = interactions::get(&mut scope, id).await? else {
            return Ok(None);
        };
        let ids = [interaction.interaction_id.as_str()];
        let mut trace = traces::get(&mut scope, interaction.user_id, &ids).await?.pop();
        let policy = policies::list(&mut scope, &[interaction.user_id]).await?.pop();
        let policy = policy.unwrap_or_else(|| Policy::default_of(interaction.user_id));
        self.mask_for_view(&policy, &mut interaction);
        if let Some(trace) = &mut trace {
            self.mask_trace_for_view(&policy, trace)?;
        }
        Ok(Some(InteractionDetail {
            interaction,
            trace,
            policy,
        }))
    }

    /// Shows every interaction of a tenant that a filter lets through to `see`, in their order, a page at a time.
    ///
    /// # Errors
    /// When the database fails, or `see` does.
    pub async fn each_interaction<E: From<EngineError>>(
        &self,
        actor: Actor,
        user_id: UserId,
        filter: &InteractionFilter,
        mut see: impl FnMut(Interaction) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut after = None;
        loop {
            let request = ListRequest {
                user_id,
                filter,
                order: InteractionOrder::Oldest,
                after: after.as_ref(),
                limit: PAGE,
            };
            let page = self.interactions(actor, &request).await?;
            page.items.into_iter().try_for_each(&mut see)?;
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// As [`Engine::mask_for_view`].
    pub(super) fn mask_trace_for_view(
        &self,
        policy: &Policy,
        trace: &mut StoredTrace,
    ) -> Result<(), EngineError> {
        if policy.obfuscate_pii {
            let mut spans = TraceSpans::read(&trace.spans);
            masking::mask_spans(&self.maskers().of(policy), &mut spans);
            trace.spans = spans.stored().map_err(EngineError::TraceData)?;
        }
        Ok(())
    }

    /// What was stored while the policy did not ask for it is masked on its way out.
    fn mask_for_view(&self, policy: &Policy, interaction: &mut Interaction) {
        if policy.obfuscate_pii && interaction.redactions.is_none() {
            masking::mask_stored(&self.maskers().of(policy), interaction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::search;

    #[test]
    fn quotes_keep_words_together() {
        let found = search("Refund,  \"order Number\" -- user_id straße\" x");
        assert_eq!(
            found.words,
            ["id", "number", "order", "refund", "strasse", "user", "x"]
                .map(|word| word.replace("strasse", "straße"))
        );
        assert_eq!(found.phrases, ["order Number", "user_id"]);
        assert_eq!(
            found.pairs,
            [["order", "number"], ["user", "id"]].map(|pair| pair.map(str::to_owned))
        );
        assert!(search(" \"\" - ").is_empty());
    }

    #[test]
    fn a_search_is_bounded() {
        let many: Vec<String> = (0..100).map(|number| format!("a-{number}")).collect();
        let found = search(&many.join(" "));
        let counts = (found.words.len(), found.pairs.len(), found.phrases.len());
        assert_eq!(counts, (32, 32, 32));
    }
}
