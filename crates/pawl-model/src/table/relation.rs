//! How rows of one table belong to rows of another, read from the foreign keys.

use super::{ColumnType, TABLES, Table};

/// How many rows of the other table belong to one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// At most one: this table refers to the other.
    ManyToOne,
    /// Any number: the other table refers to this one.
    OneToMany,
}

/// A way from the rows of one table to those of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The table at whose rows the way starts.
    pub from: &'static Table,
    /// Its column.
    pub from_column: &'static str,
    /// The table that it leads to.
    pub to: &'static Table,
    /// The column of that table with the same value.
    pub to_column: &'static str,
    /// How many rows it leads to.
    pub cardinality: Cardinality,
}

/// Why no relation, or not just one, goes by a name.
#[derive(Clone, Debug)]
pub enum RelationProblem {
    /// None does.
    Missing,
    /// These do.
    Ambiguous(Vec<Relation>),
}

impl Relation {
    /// The name of the constraint behind it.
    #[must_use]
    pub fn constraint(&self) -> String {
        match self.cardinality {
            Cardinality::ManyToOne => self.from.foreign_key_constraint(self.from_column),
            Cardinality::OneToMany => self.to.foreign_key_constraint(self.to_column),
        }
    }

    /// The type of the column where the way starts.
    #[must_use]
    pub fn from_kind(&self) -> ColumnType {
        kind(self.from, self.from_column)
    }

    /// The type of the column where it ends.
    #[must_use]
    pub fn to_kind(&self) -> ColumnType {
        kind(self.to, self.to_column)
    }

    /// The only relation of `from` that goes by `target`: a table, a column of ours that refers, or the name of a
    /// constraint; among several the one that `hint` names: a column or a constraint.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn find(from: &'static Table, target: &str, hint: Option<&str>) -> Result<Self, RelationProblem> {
        let named = |relation: &Self, name: &str| {
            relation.constraint() == name
                || match relation.cardinality {
                    Cardinality::ManyToOne => relation.from_column == name,
                    Cardinality::OneToMany => relation.to_column == name,
                }
        };
        let mut found: Vec<Self> = Self::all(from)
            .filter(|relation| {
                relation.to.name == target
                    || relation.constraint() == target
                    || (relation.cardinality == Cardinality::ManyToOne && relation.from_column == target)
            })
            .filter(|relation| hint.is_none_or(|hint| named(relation, hint)))
            .collect();
        match found.len() {
            1 => found.pop().ok_or(RelationProblem::Missing),
            0 => Err(RelationProblem::Missing),
            _ => Err(RelationProblem::Ambiguous(found)),
        }
    }

    fn all(from: &'static Table) -> impl Iterator<Item = Self> {
        let many_to_one = from.foreign_keys.iter().filter_map(move |key| {
            let to = Table::find(key.references)?;
            Some(Self {
                from,
                from_column: key.column,
                to,
                to_column: to.key(),
                cardinality: Cardinality::ManyToOne,
            })
        });
        let one_to_many = TABLES.iter().flat_map(move |to| {
            let keys = to.foreign_keys.iter();
            keys.filter(move |key| key.references == from.name)
                .map(move |key| Self {
                    from,
                    from_column: from.key(),
                    to,
                    to_column: key.column,
                    cardinality: Cardinality::OneToMany,
                })
        });
        many_to_one.chain(one_to_many)
    }
}

fn kind(table: &Table, column: &str) -> ColumnType {
    table
        .column(column)
        .map_or(ColumnType::Uuid, |column| column.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(from: &str, target: &str, hint: Option<&str>) -> Option<(&'static str, &'static str)> {
        let relation = Relation::find(Table::find(from).unwrap(), target, hint).ok()?;
        Some((relation.to.name, relation.to_column))
    }

    #[test]
    fn relations_go_both_ways_and_by_several_names() {
        let case_to_run = Some(("sb_eval_runs", "id"));
        assert_eq!(find("sb_eval_cases", "sb_eval_runs", None), case_to_run);
        assert_eq!(find("sb_eval_cases", "run_id", None), case_to_run);
        assert_eq!(
            find("sb_eval_cases", "sb_eval_cases_run_id_fkey", None),
            case_to_run
        );
        assert_eq!(find("sb_eval_cases", "sb_eval_runs", Some("run_id")), case_to_run);
        assert_eq!(find("sb_eval_cases", "sb_eval_runs", Some("story_id")), None);
        let run_to_cases = Some(("sb_eval_cases", "run_id"));
        assert_eq!(find("sb_eval_runs", "sb_eval_cases", None), run_to_cases);
        assert_eq!(
            find("sb_eval_runs", "sb_eval_cases", Some("sb_eval_cases_run_id_fkey")),
            run_to_cases
        );
        for stranger in ["run_id", "users", "auth.users", "sb_sessions", ""] {
            assert_eq!(find("sb_eval_runs", stranger, None), None, "{stranger}");
        }
    }
}
