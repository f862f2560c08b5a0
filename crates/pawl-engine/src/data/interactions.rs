//! Rows of `evaluations` that are added by the data API: they go through intake, like all others.

use pawl_model::query::{Field, Filter, Insert, Record, Refusal, Resolution};
use pawl_model::table::{Datum, Table};
use pawl_model::{InteractionId, NewInteraction, Score, UserId};
use pawl_store::Actor;
use time::OffsetDateTime;

use super::{Change, DataError, Expected, keyed_records, page_of, primary_key, refuse_many, rows};
use crate::intake::Outcome;
use crate::intake::Terms;
use crate::intake::outcome::{Batch, Item};
use crate::{Engine, EngineError};

/// The table whose rows are interactions.
pub(super) const TABLE: &str = "evaluations";

/// Columns that intake fills in.
const FILLED_IN: [&str; 2] = ["received_at", "redactions"];

impl Engine {
    /// Adds interactions: masked, counted in the cap and in what their hours came to. All of them, or none.
    pub(super) async fn insert_interactions(
        &self,
        actor: Actor,
        insert: &Insert,
        expected: &Expected<'_>,
    ) -> Result<Change, DataError> {
        let table = insert.table;
        refuse_filled_in(insert)?;
        let ignores = match &insert.on_conflict {
            None => false,
            Some(conflict) if conflict.resolution == Resolution::Ignore => true,
            Some(_) => {
                let message = "interactions are added, not changed: an upsert cannot merge them";
                let hint = "Ask for Prefer: resolution=ignore-duplicates.";
                return Err(Refusal::new("0A000", message).hint(hint).into());
            }
        };
        let hasher = self.content_hasher().await.map_err(failed)?;
        let mut scope = self.store.write(actor).await?;
        let complete = rows::complete(&mut scope, &self.clock, insert).await?;
        // Whoever asks may add these rows; that they are added so is the service's business.
        drop(scope);
        let mut items = Vec::with_capacity(complete.len());
        for row in &complete {
            let Some((id, interaction)) = interaction(table, insert, row) else {
                let rows = rows::known(complete);
                let refusal = super::diagnosis::broken_rule(table, &rows);
                return Err(refusal.into());
            };
            items.push(Item {
                id: Some(id),
                hash: hasher.hash(&interaction),
                interaction,
            });
        }
        let batch = Batch {
            items,
            terms: Terms::Whole,
        };
        let mut scope = self.store.write(Actor::Service).await?;
        let stored = self.intake_context().store_in(&mut scope, &[&batch]).await;
        let outcomes = match stored {
            Ok(outcomes) => outcomes.into_iter().flatten().collect::<Vec<_>>(),
            Err(EngineError::Store(error)) => {
                drop(scope);
                return Err(self.diagnose(actor, table, &rows::known(complete), error).await);
            }
            Err(error) => return Err(failed(error)),
        };
        let (mut keys, mut over_cap) = (Vec::new(), None);
        for (outcome, item) in outcomes.iter().zip(&batch.items) {
            match outcome {
                Outcome::Created { id } => keys.push(Datum::Uuid(id.0)),
                Outcome::OverCap { next_day } => over_cap = Some(*next_day),
                Outcome::Duplicate { .. } | Outcome::Conflict { .. } if !ignores => {
                    return Err(taken(table, &item.interaction).into());
                }
                Outcome::UnknownTenant => {
                    drop(scope);
                    let rows = rows::known(complete);
                    return Err(self.missing_reference(actor, table, &rows).await?.into());
                }
                _ => {}
            }
        }
        if let Some(next_day) = over_cap {
            // What was dropped stands in the ledger.
            scope.commit().await?;
            return Err(over_the_cap(next_day).into());
        }
        super::check_rows(expected.rows, keys.len() as u64)?;
        if expected.shown.is_some() {
            refuse_many(keys.len() as u64)?;
        }
        scope.commit().await?;
        let records = self.added(actor, table, expected, &keys).await?;
        let only_key = match keys.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
        Ok(Change {
            rows: keys.len() as u64,
            added: keys.len() as u64,
            only_key,
            records,
        })
    }

    /// What is shown of the rows, in the order in which they were added.
    async fn added(
        &self,
        actor: Actor,
        table: &'static Table,
        expected: &Expected<'_>,
        keys: &[Datum],
    ) -> Result<Vec<Record>, DataError> {
        let Some(shown) = expected.shown else {
            return Ok(Vec::new());
        };
        let wanted = pawl_model::query::Select {
            filter: Filter::In(Field::of(primary_key(table)?), keys.to_vec()),
            ..page_of(shown)
        };
        let mut scope = self.store.read(actor).await?;
        let mut keyed = keyed_records(&mut scope, wanted, pawl_store::query::Lock::None).await?;
        if shown.order.is_empty() {
            keyed.sort_by_key(|(key, _)| keys.iter().position(|known| known == key));
        }
        Ok(keyed.into_iter().map(|(_, record)| record).collect())
    }
}

fn refuse_filled_in(insert: &Insert) -> Result<(), DataError> {
    let named = insert
        .columns
        .iter()
        .find(|column| FILLED_IN.contains(&column.name));
    match named {
        None => Ok(()),
        Some(column) => {
            let message = [
                "cannot insert a non-DEFAULT value into column \"",
                column.name,
                "\"",
            ]
            .concat();
            Err(Refusal::new("428C9", message)
                .details("Intake fills it in.")
                .into())
        }
    }
}

fn taken(table: &Table, interaction: &NewInteraction) -> Refusal {
    let message = [
        "duplicate key value violates unique constraint \"",
        table.name,
        "_user_id_interaction_id_key\"",
    ];
    Refusal::new("23505", message.concat()).details(format!(
        "Key (user_id, interaction_id)=({}, {}) already exists.",
        interaction.user_id, interaction.interaction_id
    ))
}

fn over_the_cap(next_day: OffsetDateTime) -> Refusal {
    let at = next_day
        .format(&time::format_description::well_known::Rfc3339)
        .unwrap_or_default();
    Refusal::new("PT429", "the rows do not fit what is left of the day's cap")
        .details(["The next day of the tenant begins at ", &at, "."].concat())
        .hint("Raise max_eval_per_day in evaluation_configs, or add fewer rows.")
}

/// A complete row as an interaction, and its id; none where it breaks a rule of its columns.
fn interaction(table: &Table, insert: &Insert, row: &[Datum]) -> Option<(InteractionId, NewInteraction)> {
    let value = |name: &str| {
        let place = table.columns.iter().position(|column| column.name == name);
        place.and_then(|place| row.get(place)).unwrap_or(&Datum::Null)
    };
    let is_named = |name: &str| insert.columns.iter().any(|column| column.name == name);
    let text = |name| match value(name) {
        Datum::Text(text) => Some(text.clone()),
        _ => None,
    };
    let count = |name| match value(name) {
        Datum::Int(count) => i32::try_from(*count).ok().filter(|count| *count >= 0),
        _ => None,
    };
    let id = |name| match value(name) {
        Datum::Uuid(id) => Some(*id),
        _ => None,
    };
    let json = |name| match value(name) {
        Datum::Json(json) => Some(json.clone()),
        _ => None,
    };
    let interaction = NewInteraction {
        user_id: UserId(id("user_id")?),
        interaction_id: text("interaction_id")?,
        prompt: text("prompt")?,
        response: text("response")?,
        score: match value("score") {
            Datum::Null => None,
            Datum::Decimal(score) => Some(Score::parse(score)?),
            _ => return None,
        },
        latency_ms: match value("latency_ms") {
            Datum::Null => None,
            _ => Some(count("latency_ms")?),
        },
        flags: match value("flags") {
            Datum::TextList(flags) => flags.clone(),
            _ => return None,
        },
        pii_tokens_redacted: count("pii_tokens_redacted")?,
        created_at: match value("created_at") {
            Datum::Timestamp(at) => Some(*at).filter(|_| is_named("created_at")),
            _ => return None,
        },
        sample_weight: match value("sample_weight") {
            Datum::Double(weight) if *weight > 0.0 => Some(*weight).filter(|_| is_named("sample_weight")),
            _ => return None,
        },
        tool_calls: json("trace"),
        spans: None,
    };
    Some((InteractionId(id("id")?), interaction))
}

fn failed(error: EngineError) -> DataError {
    match error {
        EngineError::Store(error) => error.into(),
        other => DataError::Failed(Box::new(other)),
    }
}
