//! Lists of interactions: by filters, in several orders, a page at a time.

mod order;
mod searched;

use pawl_model::{Interaction, InteractionId, UserId};
use time::OffsetDateTime;

use self::order::Part;
pub use self::order::{InteractionOrder, InteractionPlace};
use super::sql::{Dialect, Sql};
use crate::search::DocumentId;
use crate::{Result, Scope, Value};

/// Which interactions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InteractionFilter {
    /// Of this time on.
    pub from: Option<OffsetDateTime>,
    /// Before this time.
    pub until: Option<OffsetDateTime>,
    /// With at least one of these flags.
    pub any_flags: Vec<String>,
    /// With all of these flags.
    pub all_flags: Vec<String>,
    /// With a score of at least this.
    pub least_score: Option<f64>,
    /// With a score of at most this.
    pub most_score: Option<f64>,
    /// That took at least so many milliseconds.
    pub least_latency_ms: Option<i32>,
    /// That took at most so many milliseconds.
    pub most_latency_ms: Option<i32>,
    /// What stands in prompt or response.
    pub search: Search,
}

/// What is looked for in prompts and responses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Search {
    /// Words that all stand in them, as the index has them.
    pub words: Vec<String>,
    /// Words that follow each other in them.
    pub pairs: Vec<[String; 2]>,
    /// Texts that stand in one of them as they are here, but for the case of ASCII letters.
    pub phrases: Vec<String>,
}

impl Search {
    /// Whether nothing is looked for.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.words.is_empty() && self.phrases.is_empty()
    }
}

/// A page of a list.
#[derive(Clone, Debug)]
pub struct InteractionQuery<'a> {
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

/// Interactions of a tenant.
///
/// # Errors
/// When the database fails.
pub async fn interactions(scope: &mut Scope, query: &InteractionQuery<'_>) -> Result<Vec<Interaction>> {
    if !query.filter.search.is_empty() {
        return searched::interactions(scope, query).await;
    }
    let mut found = Vec::new();
    for part in query.parts() {
        page(scope, query, *part, None, &mut found).await?;
    }
    Ok(found)
}

/// Adds rows until the page is full.
async fn page(
    scope: &mut Scope,
    query: &InteractionQuery<'_>,
    part: Part,
    among: Option<&[DocumentId]>,
    found: &mut Vec<Interaction>,
) -> Result<()> {
    let limit = i64::from(query.limit) - found.len() as i64;
    if limit <= 0 {
        return Ok(());
    }
    let mut sql = Sql::new(scope);
    sql.page(query, part, among, limit)?;
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            found.push(crate::interactions::read(row)?.0);
            Ok(())
        })
        .await
}

impl InteractionQuery<'_> {
    /// Those with what is sorted by come first.
    const fn parts(&self) -> &'static [Part] {
        match self.after {
            _ if self.order.by_time() => &[Part::With],
            Some(InteractionPlace { key: None, .. }) => &[Part::Without],
            _ => &[Part::With, Part::Without],
        }
    }
}

impl<'q> Sql<'q> {
    fn page(
        &mut self,
        query: &InteractionQuery<'q>,
        part: Part,
        among: Option<&[DocumentId]>,
        limit: i64,
    ) -> Result<()> {
        self.push(
            "select e.id, e.interaction_id, e.user_id, e.prompt, e.response, e.score, e.latency_ms, e.flags, \
             e.pii_tokens_redacted, e.created_at, e.received_at, e.sample_weight, e.trace, e.redactions, \
             null from evaluations e",
        );
        let Some(among) = among else {
            self.push(" where ");
            self.rows(query, part, limit);
            return Ok(());
        };
        // They are looked up by their numbers, whatever else there is an index of.
        self.push(match self.dialect {
            Dialect::Sqlite => " not indexed where ",
            Dialect::Postgres => " where ",
        });
        self.narrowed(query, part);
        self.among(among)?;
        self.phrases(&query.filter.search);
        self.in_order(query.order, part);
        self.push(" limit ");
        self.value(limit.into());
        Ok(())
    }

    /// Adds which rows, in their order.
    fn rows(&mut self, query: &InteractionQuery<'q>, part: Part, limit: i64) {
        if query.order.by_time() {
            self.picked(query, part, limit);
        } else {
            // The rows of a page are sorted out by what the index holds, and only they are read.
            let row = self.dialect.row();
            self.push(&[row, " in (select ", row, " from evaluations e where "].concat());
            self.picked(query, part, limit);
            self.push(") and ");
            self.tenant_again(query.user_id);
            self.in_order(query.order, part);
        }
    }

    /// Adds which rows are on a page, in their order.
    fn picked(&mut self, query: &InteractionQuery<'q>, part: Part, limit: i64) {
        self.narrowed(query, part);
        self.in_order(query.order, part);
        self.push(" limit ");
        self.value(limit.into());
    }

    /// Adds the conditions that an index can decide.
    fn narrowed(&mut self, query: &InteractionQuery<'q>, part: Part) {
        let filter = query.filter;
        self.push("e.user_id = ");
        self.value(query.user_id.into());
        self.push(" and ");
        self.tenant_again(query.user_id);
        self.bound("e.created_at", ">=", filter.from.map(Value::Timestamp));
        self.bound("e.created_at", "<", filter.until.map(Value::Timestamp));
        let score = InteractionOrder::LowestScore.column(self.dialect);
        self.bound(score, ">=", filter.least_score);
        self.bound(score, "<=", filter.most_score);
        self.bound("e.latency_ms", ">=", filter.least_latency_ms);
        self.bound("e.latency_ms", "<=", filter.most_latency_ms);
        self.flags(filter);
        self.behind(query, part);
    }

    /// Adds the condition that the actor sees rows of this tenant: row by row it is the same.
    fn tenant_again(&mut self, user: UserId) {
        let mark = [self.dialect.mark(), "1"].concat();
        let user = self.bind(user.into());
        self.push(&["(", &user, " = ", &mark, " or ", &mark, " is null)"].concat());
    }

    fn bound<V: Into<Value<'q>>>(&mut self, column: &str, comparison: &str, value: Option<V>) {
        if let Some(value) = value {
            self.push(&[" and ", column, " ", comparison, " "].concat());
            let value = value.into();
            let is_real = matches!(value, Value::Real(_));
            self.value(value);
            if is_real && self.dialect == Dialect::Postgres && column == "e.score" {
                self.push("::numeric");
            }
        }
    }

    fn flags(&mut self, filter: &'q InteractionFilter) {
        for (flags, all) in [(&filter.any_flags, false), (&filter.all_flags, true)] {
            if flags.is_empty() {
                continue;
            }
            let bound = self.bind(flags.as_slice().into());
            let text = match (self.dialect, all) {
                (Dialect::Postgres, false) => [" and e.flags && ", &bound].concat(),
                (Dialect::Postgres, true) => [" and e.flags @> ", &bound].concat(),
                (Dialect::Sqlite, false) => [
                    " and exists (select 1 from json_each(e.flags) f where f.value in (select value from json_each(",
                    &bound,
                    ")))",
                ]
                .concat(),
                (Dialect::Sqlite, true) => [
                    " and not exists (select value from json_each(",
                    &bound,
                    ") except select value from json_each(e.flags))",
                ]
                .concat(),
            };
            self.push(&text);
        }
    }

    /// Adds the condition that rows come after the last one of the page before.
    fn behind(&mut self, query: &InteractionQuery<'q>, part: Part) {
        let order = query.order;
        let column = order.column(self.dialect);
        if !order.by_time() {
            let presence = if part == Part::With {
                " is not null"
            } else {
                " is null"
            };
            self.push(&[" and ", column, presence].concat());
        }
        let Some(after) = query.after else { return };
        let behind = if order.descending() { " < " } else { " > " };
        let key = match (order.by_time(), after.key) {
            (true, _) => Some(Value::Timestamp(after.created_at)),
            (false, key) => key.map(Value::from),
        };
        match (key, part) {
            (Some(key), Part::With) => {
                if query.order.by_time() && self.dialect == Dialect::Postgres {
                    // Of a pair it looks nothing up in an index that has one of the two.
                    let key = self.bind(key.clone());
                    self.push(&[" and ", column, behind.trim_end(), "= ", &key].concat());
                }
                self.push(&[" and (", column, ", ", self.dialect.tie(order), ")", behind, "("].concat());
                self.value(key);
                if column == "e.score" {
                    self.push("::numeric");
                }
                self.push(", ");
                self.row_of(query, after.id);
                self.push(")");
            }
            (None, Part::Without) => {
                self.push(&[" and ", self.dialect.tie(order), behind].concat());
                self.row_of(query, after.id);
            }
            _ => {}
        }
    }

    /// Adds what rows of the same time, score or latency are sorted by, of this row.
    fn row_of(&mut self, query: &InteractionQuery<'q>, id: InteractionId) {
        let id = self.bind(id.into());
        if query.order.by_time() || self.dialect == Dialect::Postgres {
            self.push(&id);
            return;
        }
        let user = self.bind(query.user_id.into());
        // Where the row is gone by now its equals are shown again, which is better than not at all.
        let edge = if query.order.descending() {
            "9223372036854775807"
        } else {
            "0"
        };
        let number = "coalesce((select number from evaluations where id = ";
        self.push(&[number, &id, " and user_id = ", &user, "), ", edge, ")"].concat());
    }

    fn in_order(&mut self, order: InteractionOrder, part: Part) {
        let direction = if order.descending() { " desc" } else { "" };
        self.push(" order by ");
        if part == Part::With {
            self.push(&[order.column(self.dialect), direction, ", "].concat());
        }
        self.push(&[self.dialect.tie(order), direction].concat());
    }
}
