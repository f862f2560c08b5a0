//! The parameter `select`: what is read of each row, and rows of other tables within it.

use pawl_model::query::{Embed, Field, Filter, Form, Item, Join, Refusal, Select, Step};
use pawl_model::table::{Cardinality, Relation, RelationProblem, Table};

use super::cursor::{Cursor, FIELD_NAME};
use super::field::within;
use super::limits;

/// Reads what is selected of a table; without the parameter, all columns.
pub(super) fn parse(text: Option<&str>, table: &'static Table) -> Result<Select, Refusal> {
    let mut reader = SelectReader {
        cursor: Cursor::new("select parameter", text.unwrap_or("*")),
        items: 0,
        depth: 0,
    };
    let items = if text == Some("") {
        Vec::new()
    } else {
        reader.items(table)?
    };
    if !reader.cursor.at_end() {
        return Err(reader.cursor.expected("\",\" or end of input"));
    }
    Ok(of(table, items))
}

fn of(table: &'static Table, items: Vec<Item>) -> Select {
    Select {
        table,
        items,
        filter: Filter::EVERY,
        order: Vec::new(),
        offset: 0,
        limit: limits::PAGE_ROWS,
    }
}

struct SelectReader<'a> {
    cursor: Cursor<'a>,
    items: usize,
    depth: usize,
}

impl SelectReader<'_> {
    fn items(&mut self, table: &'static Table) -> Result<Vec<Item>, Refusal> {
        let mut items = Vec::new();
        loop {
            self.cursor.blanks();
            self.item(table, &mut items)?;
            self.cursor.blanks();
            if !self.cursor.take(",") {
                return Ok(items);
            }
        }
    }

    fn item(&mut self, table: &'static Table, items: &mut Vec<Item>) -> Result<(), Refusal> {
        self.items += 1;
        if self.items > limits::SELECTED_ITEMS {
            return Err(Refusal::too_much(format!(
                "at most {} items can be selected",
                limits::SELECTED_ITEMS
            )));
        }
        if self.cursor.rest().starts_with("...") {
            return Err(Refusal::not_supported("spreading an embedded table by `...`"));
        }
        if self.cursor.take("*") {
            items.extend(table.columns.iter().map(|column| Item::Field {
                name: column.name.to_owned(),
                field: Field::of(column),
                form: Form::Plain,
            }));
            return Ok(());
        }
        let mut name = self.cursor.field_name()?;
        let mut alias = None;
        if self.cursor.rest().starts_with(':') && !self.cursor.rest().starts_with("::") {
            self.cursor.take(":");
            alias = Some(std::mem::replace(&mut name, self.cursor.field_name()?));
        }
        match self.cursor.peek() {
            Some('!' | '(') => items.push(Item::Embed(self.embed(table, name, alias)?)),
            Some('.') => return Err(self.aggregate()),
            _ => items.push(self.field(table, &name, alias)?),
        }
        Ok(())
    }

    fn field(&mut self, table: &'static Table, name: &str, alias: Option<String>) -> Result<Item, Refusal> {
        let field = within(&mut self.cursor, table, name)?;
        let mut form = Form::Plain;
        if self.cursor.take("::") {
            let kind = self.cursor.field_name()?;
            if kind != "text" {
                return Err(Refusal::not_supported(format!(
                    "the cast of `{name}` to `{kind}`"
                )));
            }
            form = Form::Text;
        }
        if self.cursor.peek() == Some('.') {
            return Err(self.aggregate());
        }
        let last_key = field.path.iter().rev().find_map(|step| match step {
            Step::Key(key) => Some(key.clone()),
            Step::Index(_) => None,
        });
        Ok(Item::Field {
            name: alias.or(last_key).unwrap_or_else(|| name.to_owned()),
            field,
            form,
        })
    }

    /// What a `.` behind a name means.
    fn aggregate(&self) -> Refusal {
        let rest = self.cursor.rest();
        let aggregates = [".avg()", ".count()", ".max()", ".min()", ".sum()"];
        if aggregates.iter().any(|aggregate| rest.starts_with(aggregate)) {
            return no_aggregates();
        }
        self.cursor.expected("\",\" or end of input")
    }

    fn embed(
        &mut self,
        table: &'static Table,
        target: String,
        alias: Option<String>,
    ) -> Result<Embed, Refusal> {
        let (mut hint, mut join) = (None, Join::Left);
        while self.cursor.take("!") {
            match self.cursor.field_name()?.as_str() {
                "inner" => join = Join::Inner,
                "left" => join = Join::Left,
                named => hint = Some(named.to_owned()),
            }
        }
        self.cursor.expect("(")?;
        self.depth += 1;
        if self.depth > limits::EMBEDDING_DEPTH {
            return Err(Refusal::too_much(format!(
                "tables can be embedded {} deep",
                limits::EMBEDDING_DEPTH
            )));
        }
        let relation = match Relation::find(table, &target, hint.as_deref()) {
            Ok(relation) => relation,
            Err(_) if target == "count" && self.cursor.rest().starts_with(')') => return Err(no_aggregates()),
            Err(problem) => return Err(no_relation(table, &target, hint.as_deref(), &problem)),
        };
        self.cursor.blanks();
        let items = if self.cursor.peek() == Some(')') {
            Vec::new()
        } else {
            self.items(relation.to)?
        };
        if !self.cursor.take(")") {
            return Err(self.cursor.expected(FIELD_NAME));
        }
        self.depth -= 1;
        Ok(Embed {
            name: alias.unwrap_or(target),
            join,
            shown: !items.is_empty(),
            select: of(relation.to, items),
            relation,
        })
    }
}

fn no_aggregates() -> Refusal {
    Refusal::new("PGRST123", "Use of aggregate functions is not allowed")
}

fn no_relation(table: &Table, target: &str, hint: Option<&str>, problem: &RelationProblem) -> Refusal {
    let from = table.name;
    match problem {
        RelationProblem::Missing => {
            let by_hint = hint
                .map(|hint| format!("' using the hint '{hint}"))
                .unwrap_or_default();
            Refusal::new(
                "PGRST200",
                format!("Could not find a relationship between '{from}' and '{target}' in the schema cache"),
            )
            .details(format!(
                "Searched for a foreign key relationship between '{from}' and '{target}{by_hint}' in the schema \
                 'public', but no matches were found."
            ))
        }
        RelationProblem::Ambiguous(relations) => {
            let hints: Vec<String> = relations
                .iter()
                .map(|relation| format!("'{}!{}'", relation.to.name, relation.constraint()))
                .collect();
            let details: Vec<String> = relations.iter().map(described).collect();
            Refusal::new(
                "PGRST201",
                format!(
                    "Could not embed because more than one relationship was found for '{from}' and '{target}'"
                ),
            )
            .details(details.join("; "))
            .hint(format!(
                "Try changing '{target}' to one of the following: {}.",
                hints.join(", ")
            ))
        }
    }
}

fn described(relation: &Relation) -> String {
    let cardinality = match relation.cardinality {
        Cardinality::ManyToOne => "many-to-one",
        Cardinality::OneToMany => "one-to-many",
    };
    format!(
        "{cardinality}: {} using {}({}) and {}({})",
        relation.constraint(),
        relation.from.name,
        relation.from_column,
        relation.to.name,
        relation.to_column
    )
}
