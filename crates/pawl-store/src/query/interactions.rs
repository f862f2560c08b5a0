//! Lists of interactions: by filters, in several orders, a page at a time.

use pawl_model::{Interaction, InteractionId, UserId};
use time::OffsetDateTime;

use super::sql::{Dialect, Sql};
use crate::{Result, Scope, Value};

/// Up to so many rows with the words that are looked for are found by the words and sorted; where there are more, rows
/// are looked through in their order until a page is full.
const SORTED_HITS: i64 = 20_000;

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
    /// In whose prompt or response all of these words and phrases stand.
    pub words: Vec<String>,
}

/// In which order; those without a score or latency come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InteractionOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first.
    Oldest,
    /// The worst first.
    LowestScore,
    /// The best first.
    HighestScore,
    /// The slowest first.
    Slowest,
    /// The fastest first.
    Fastest,
}

/// Where a page ends: the last interaction on it.
#[derive(Clone, Debug, PartialEq)]
pub struct InteractionPlace {
    /// What it is sorted by: microseconds since 1970, the score, the latency; none where it has none.
    pub key: Option<f64>,
    /// When it happened.
    pub created_at: OffsetDateTime,
    /// The row.
    pub id: InteractionId,
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

/// Whether rows have what they are sorted by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    With,
    Without,
}

impl InteractionOrder {
    const fn by_time(self) -> bool {
        matches!(self, Self::Newest | Self::Oldest)
    }

    const fn descending(self) -> bool {
        matches!(self, Self::Newest | Self::HighestScore | Self::Slowest)
    }

    const fn column(self, dialect: Dialect) -> &'static str {
        match (self, dialect) {
            (Self::Newest | Self::Oldest, _) => "e.created_at",
            (Self::LowestScore | Self::HighestScore, Dialect::Sqlite) => "cast(e.score as real)",
            (Self::LowestScore | Self::HighestScore, Dialect::Postgres) => "e.score",
            (Self::Slowest | Self::Fastest, _) => "e.latency_ms",
        }
    }

    /// The place of an interaction in this order.
    #[must_use]
    pub fn place(self, interaction: &Interaction) -> InteractionPlace {
        InteractionPlace {
            key: match self {
                Self::Newest | Self::Oldest => None,
                Self::LowestScore | Self::HighestScore => {
                    interaction.score.as_ref().map(pawl_model::Score::as_f64)
                }
                Self::Slowest | Self::Fastest => interaction.latency_ms.map(f64::from),
            },
            created_at: interaction.created_at,
            id: interaction.id,
        }
    }
}

/// Interactions of a tenant.
///
/// # Errors
/// When the database fails.
pub async fn interactions(scope: &mut Scope, query: &InteractionQuery<'_>) -> Result<Vec<Interaction>> {
    let few_hits = match query.filter.words.as_slice() {
        [] => true,
        words => hits(scope, query.user_id, words).await? <= SORTED_HITS,
    };
    let parts: &[Part] = match query.after {
        _ if query.order.by_time() => &[Part::With],
        Some(InteractionPlace { key: None, .. }) => &[Part::Without],
        _ => &[Part::With, Part::Without],
    };
    let mut found = Vec::new();
    for part in parts {
        let limit = i64::from(query.limit) - found.len() as i64;
        if limit <= 0 {
            break;
        }
        let mut sql = Sql::new(scope);
        sql.page(query, *part, few_hits, limit);
        scope
            .fetch_built(sql.text, &sql.values, |row| {
                found.push(crate::interactions::read(row)?.0);
                Ok(())
            })
            .await?;
    }
    Ok(found)
}

/// How many interactions have these words, as far as that is worth knowing.
async fn hits(scope: &mut Scope, user: UserId, words: &[String]) -> Result<i64> {
    let mut sql = Sql::new(scope);
    sql.push("select count(*) from (select 1 from _pawl_search s where ");
    sql.matches(user, words);
    sql.push(" limit ");
    sql.value((SORTED_HITS + 1).into());
    sql.push(") hits where ");
    sql.tenant_again(user);
    let mut count = 0;
    scope
        .fetch_built(sql.text, &sql.values, |row| {
            count = row.columns().read()?;
            Ok(())
        })
        .await?;
    Ok(count)
}

impl<'q> Sql<'q> {
    fn page(&mut self, query: &InteractionQuery<'q>, part: Part, few_hits: bool, limit: i64) {
        let filter = query.filter;
        self.push(
            "select e.id, e.interaction_id, e.user_id, e.prompt, e.response, e.score, e.latency_ms, e.flags, \
             e.pii_tokens_redacted, e.created_at, e.received_at, e.sample_weight, e.trace, e.redactions, \
             null from evaluations e where ",
        );
        self.push("e.user_id = ");
        self.value(query.user_id.into());
        self.push(" and ");
        self.tenant_again(query.user_id);
        self.bound("e.created_at", ">=", filter.from);
        self.bound("e.created_at", "<", filter.until);
        let score = InteractionOrder::LowestScore.column(self.dialect);
        self.bound(score, ">=", filter.least_score);
        self.bound(score, "<=", filter.most_score);
        self.bound("e.latency_ms", ">=", filter.least_latency_ms);
        self.bound("e.latency_ms", "<=", filter.most_latency_ms);
        self.flags(filter);
        if !filter.words.is_empty() {
            self.words(query.user_id, &filter.words, few_hits);
        }
        self.part(query, part);
        self.push(" limit ");
        self.value(limit.into());
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

    fn words(&mut self, user: UserId, words: &'q [String], few_hits: bool) {
        match (self.dialect, few_hits) {
            (Dialect::Sqlite, true) => self.push(" and e.number in (select s.rowid from _pawl_search s where "),
            (Dialect::Sqlite, false) => {
                self.push(" and exists (select 1 from _pawl_search s where s.rowid = +e.number and ");
            }
            (Dialect::Postgres, true) => {
                self.push(" and e.id in (select s.evaluation_id from _pawl_search s where ");
            }
            (Dialect::Postgres, false) => self.push(
                " and exists (select 1 from _pawl_search s where s.user_id = e.user_id and s.evaluation_id = e.id and ",
            ),
        }
        self.matches(user, words);
        self.push(")");
    }

    /// Adds the condition that a document of the index has the tenant as a word, and all of these.
    fn matches(&mut self, user: UserId, words: &[String]) {
        let tenant = user.0.simple().to_string();
        match self.dialect {
            Dialect::Sqlite => {
                // Within quotes nothing is an operator.
                let quoted: Vec<String> = words
                    .iter()
                    .map(|word| ["\"", &word.replace('"', "\"\""), "\""].concat())
                    .collect();
                let text = [
                    "tenant : ",
                    &tenant_word(&tenant),
                    " AND document : (",
                    &quoted.join(" AND "),
                    ")",
                ];
                self.push("_pawl_search match ");
                self.value(text.concat().into());
            }
            Dialect::Postgres => {
                self.push("s.user_id = ");
                self.value(user.into());
                self.push(" and s.document @@ (");
                self.value(["t", &tenant].concat().into());
                self.push("::tsquery");
                for word in words {
                    self.push(" && phraseto_tsquery('simple', ");
                    self.value(word.clone().into());
                    self.push(")");
                }
                self.push(")");
            }
        }
    }

    fn part(&mut self, query: &InteractionQuery<'q>, part: Part) {
        let (order, dialect) = (query.order, self.dialect);
        let column = order.column(dialect);
        let (behind, direction) = if order.descending() {
            ("<", " desc")
        } else {
            (">", "")
        };
        if !order.by_time() {
            let presence = if part == Part::With {
                " is not null"
            } else {
                " is null"
            };
            self.push(&[" and ", column, presence].concat());
        }
        let numeric = if column == "e.score" { "::numeric" } else { "" };
        if let Some(after) = query.after {
            let key = match (order.by_time(), after.key) {
                (true, _) => Some(Value::from(after.created_at)),
                (false, Some(key)) => Some(Value::from(key)),
                (false, None) => None,
            };
            match (key, part) {
                (Some(key), Part::With) => {
                    self.push(&[" and (", column, ", e.id) ", behind, " ("].concat());
                    self.value(key);
                    self.push(numeric);
                    self.push(", ");
                    self.value(after.id.into());
                    self.push(")");
                }
                (None, Part::Without) => {
                    self.push(&[" and e.id ", behind, " "].concat());
                    self.value(after.id.into());
                }
                _ => {}
            }
        }
        let by_key = if part == Part::With {
            [column, direction, ", "].concat()
        } else {
            String::new()
        };
        self.push(&[" order by ", &by_key, "e.id", direction].concat());
    }
}

fn tenant_word(tenant: &str) -> String {
    ["\"", tenant, "\""].concat()
}
