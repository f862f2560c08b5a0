//! Containment of documents and lists on SQLite, which has no operator for it: the document that is looked for is
//! known, so it is unfolded into conditions. The rules are those of `jsonb` (PostgreSQL manual, 8.14.3).

use pawl_model::table::Datum;
use serde_json::Value as Tree;

use super::sql::Sql;
use crate::Value;

/// A document as SQL sees it: its type and its value, which for an object or array is its text.
struct Place {
    kind: String,
    value: String,
}

impl Place {
    fn whole(document: &str) -> Self {
        Self {
            kind: ["json_type(", document, ")"].concat(),
            value: ["(", document, " ->> '$')"].concat(),
        }
    }

    fn element(alias: &str) -> Self {
        Self {
            kind: [alias, ".type"].concat(),
            value: [alias, ".value"].concat(),
        }
    }
}

impl<'q> Sql<'q> {
    /// Adds the condition that a document or list contains this one.
    pub(super) fn document_contains(&mut self, document: &str, wanted: &'q Datum) {
        let place = Place::whole(document);
        let tree = tree(wanted);
        if tree.is_object() || tree.is_array() {
            return self.contains_tree(&place, &tree);
        }
        // As an exception, an array contains a bare value; but only at the top.
        self.push("(");
        self.contains_tree(&place, &tree);
        self.push(" or ");
        self.contains_tree(&place, &Tree::Array(vec![tree]));
        self.push(")");
    }

    /// Adds the condition that this document or list contains the one there.
    pub(super) fn document_is_within(&mut self, document: &str, outer: &'q Datum) {
        let place = Place::whole(document);
        let tree = tree(outer);
        self.push("(");
        self.is_within_tree(&place, &tree);
        if let Tree::Array(elements) = &tree {
            for element in elements
                .iter()
                .filter(|element| !element.is_object() && !element.is_array())
            {
                self.push(" or ");
                self.equals_scalar(&place, element);
            }
        }
        self.push(")");
    }

    fn contains_tree(&mut self, place: &Place, wanted: &Tree) {
        match wanted {
            Tree::Object(members) => {
                self.is_of_kind(place, "object");
                for (key, member) in members {
                    self.has_element(place, Some(key), |sql, element| {
                        sql.contains_tree(element, member);
                    });
                }
            }
            Tree::Array(elements) => {
                self.is_of_kind(place, "array");
                for wanted in elements {
                    self.has_element(place, None, |sql, element| sql.contains_tree(element, wanted));
                }
            }
            scalar => return self.equals_scalar(place, scalar),
        }
        self.push(" else false end)");
    }

    fn is_within_tree(&mut self, place: &Place, outer: &Tree) {
        let alias = self.alias();
        let element = Place::element(&alias);
        match outer {
            Tree::Object(members) => {
                self.is_of_kind(place, "object");
                self.push(" and not exists (select 1 from json_each(");
                self.push(&place.value);
                self.push(&[") as ", &alias, " where not ("].concat());
                self.push("false");
                for (key, member) in members {
                    self.push(&[" or (", &alias, ".key = "].concat());
                    self.value(Value::from(key.clone()));
                    self.push(" and ");
                    self.is_within_tree(&element, member);
                    self.push(")");
                }
            }
            Tree::Array(elements) => {
                self.is_of_kind(place, "array");
                self.push(" and not exists (select 1 from json_each(");
                self.push(&place.value);
                self.push(&[") as ", &alias, " where not ("].concat());
                self.push("false");
                for outer in elements {
                    self.push(" or ");
                    self.is_within_tree(&element, outer);
                }
            }
            scalar => return self.equals_scalar(place, scalar),
        }
        self.push(")) else false end)");
    }

    /// Begins a condition that looks into a document only if it is of the kind.
    fn is_of_kind(&mut self, place: &Place, kind: &str) {
        self.push(&["(case when ", &place.kind, " = '", kind, "' then true"].concat());
    }

    fn has_element(&mut self, place: &Place, key: Option<&str>, condition: impl FnOnce(&mut Self, &Place)) {
        let alias = self.alias();
        self.push(" and exists (select 1 from json_each(");
        self.push(&place.value);
        self.push(&[") as ", &alias, " where "].concat());
        if let Some(key) = key {
            self.push(&[&alias, ".key = "].concat());
            self.value(Value::from(key.to_owned()));
            self.push(" and ");
        }
        condition(self, &Place::element(&alias));
        self.push(")");
    }

    fn equals_scalar(&mut self, place: &Place, scalar: &Tree) {
        let (kind, value) = match scalar {
            Tree::Null => ("= 'null'", None),
            Tree::Bool(true) => ("= 'true'", None),
            Tree::Bool(false) => ("= 'false'", None),
            Tree::String(text) => ("= 'text'", Some(Value::from(text.clone()))),
            number => {
                let value = match number.as_i64() {
                    Some(whole) => Value::Int(whole),
                    None => Value::Real(number.as_f64().unwrap_or(0.0)),
                };
                ("in ('integer', 'real')", Some(value))
            }
        };
        self.push(&["(", &place.kind, " ", kind].concat());
        if let Some(value) = value {
            self.push(&[" and ", &place.value, " = "].concat());
            self.value(value);
        }
        self.push(")");
    }
}

fn tree(datum: &Datum) -> Tree {
    match datum {
        Datum::Json(json) => json.to_value(),
        Datum::TextList(texts) => Tree::from(texts.clone()),
        _ => Tree::Null,
    }
}
