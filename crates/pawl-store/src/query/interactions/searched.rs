//! Lists of interactions in which something is looked for.

use pawl_model::Interaction;

use super::{InteractionPlace, InteractionQuery, Part, Search, page};
use crate::query::sql::{Dialect, Sql};
use crate::search::{DocumentId, Found, document_id, document_ids, find};
use crate::{Result, Scope};

/// Rows that are looked through first, for each that is expected to have the words.
const LEEWAY: usize = 2;
/// How many times as many are looked through next, where those were not enough.
const GROWTH: usize = 4;
/// Rows that are looked through at a time.
const LOOKED_THROUGH: std::ops::RangeInclusive<usize> = 100..=20_000;

/// Interactions with what is looked for.
pub(super) async fn interactions(
    scope: &mut Scope,
    query: &InteractionQuery<'_>,
) -> Result<Vec<Interaction>> {
    let mut found = Vec::new();
    let mut hits = find(scope, query.user_id, &query.filter.search).await?;
    if hits.are_many(query.limit as usize) {
        for part in query.parts() {
            look_through(scope, query, *part, &mut hits, &mut found).await?;
        }
        return Ok(found);
    }
    let hits = hits.all(scope).await?;
    if !hits.is_empty() {
        for part in query.parts() {
            page(scope, query, *part, Some(&hits), &mut found).await?;
        }
    }
    Ok(found)
}

/// Adds rows until the page is full: those among the hits, of all in their order.
async fn look_through(
    scope: &mut Scope,
    query: &InteractionQuery<'_>,
    part: Part,
    hits: &mut Found,
    found: &mut Vec<Interaction>,
) -> Result<()> {
    let dialect = scope.dialect();
    let mut place = query.after.cloned();
    let mut amount = hits.each_nth().saturating_mul(query.limit as usize);
    while found.len() < query.limit as usize {
        amount = amount.clamp(*LOOKED_THROUGH.start(), *LOOKED_THROUGH.end());
        let from_here = InteractionQuery {
            after: place.as_ref(),
            ..*query
        };
        let mut sql = Sql::new(scope);
        sql.places(&from_here, part, amount as i64);
        let (mut rows, mut last) = (Vec::with_capacity(amount), None);
        scope
            .fetch_built(sql.text, &sql.values, |row| {
                let mut columns = row.columns();
                rows.push(document_id(&mut columns, dialect)?);
                last = Some(InteractionPlace {
                    id: columns.read()?,
                    created_at: columns.read()?,
                    key: columns.read()?,
                });
                Ok(())
            })
            .await?;
        let is_last = rows.len() < amount;
        let among = hits.among(scope, &rows).await?;
        if !among.is_empty() {
            page(scope, query, part, Some(&among), found).await?;
        }
        if is_last {
            break;
        }
        place = last;
        amount = amount.saturating_mul(GROWTH);
    }
    Ok(())
}

impl Found {
    /// Whether it takes less to look rows through in their order until a page is full than to read all that were found
    /// and sort them.
    fn are_many(&self, limit: usize) -> bool {
        let looked_through = limit.saturating_mul(self.each_nth());
        self.count() > looked_through
    }

    /// Of how many rows one is expected to be a hit, with some leeway.
    fn each_nth(&self) -> usize {
        LEEWAY * self.indexed.div_ceil(self.count().max(1))
    }
}

impl<'q> Sql<'q> {
    /// Where rows are that are looked through.
    fn places(&mut self, query: &InteractionQuery<'q>, part: Part, limit: i64) {
        let key = match (part, query.order.by_time(), self.dialect) {
            (Part::Without, ..) | (_, true, _) => "null".to_owned(),
            (_, _, Dialect::Sqlite) => ["cast(", query.order.column(self.dialect), " as real)"].concat(),
            (_, _, Dialect::Postgres) => [query.order.column(self.dialect), "::float8"].concat(),
        };
        self.push(
            &[
                "select ",
                self.dialect.row(),
                ", e.id, e.created_at, ",
                &key,
                " from evaluations e where ",
            ]
            .concat(),
        );
        self.rows(query, part, limit);
    }

    /// Adds the condition that a row is one of these.
    pub(super) fn among(&mut self, ids: &[DocumentId]) -> Result<()> {
        let ids = self.bind(document_ids(self.dialect, ids)?);
        self.push(&match self.dialect {
            Dialect::Sqlite => [" and e.number in (select value from json_each(", &ids, "))"].concat(),
            Dialect::Postgres => [" and e.id = any(", &ids, "::text[]::uuid[])"].concat(),
        });
        Ok(())
    }

    /// Adds the condition that texts hold the phrases.
    pub(super) fn phrases(&mut self, search: &Search) {
        for phrase in &search.phrases {
            let phrase = self.bind(phrase.to_ascii_lowercase().into());
            let condition = match self.dialect {
                Dialect::Sqlite => [
                    " and (instr(lower(e.prompt), ",
                    &phrase,
                    ") > 0 or instr(lower(e.response), ",
                    &phrase,
                    ") > 0)",
                ],
                Dialect::Postgres => [
                    " and (position(",
                    &phrase,
                    " in lower(e.prompt collate \"C\")) > 0 or position(",
                    &phrase,
                    " in lower(e.response collate \"C\")) > 0)",
                ],
            };
            self.push(&condition.concat());
        }
    }
}
