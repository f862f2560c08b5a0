//! Queries.

use serde_json::Value;

use super::failure::{FirestoreError, FirestoreErrorKind};
use super::proto::{
    AND, CollectionSelector, CompositeFilter, Cursor, FieldFilter, FieldReference, Filter as FilterMessage,
    FilterKind, Kind, Order, StructuredQuery, Value as ValueMessage,
};
use super::{Firestore, value};

/// The most that a query may ask for.
pub const MAX_RESULTS: u32 = 10_000;

/// The name of a document: its id, in filters, orders and positions.
const NAME: &str = "__name__";

/// Which documents of a collection, and in which order.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The collection, without the prefix.
    pub collection: &'a str,
    /// All of them have to hold.
    pub filters: Vec<Filter<'a>>,
    /// Paths of fields, the first one above the others. `__name__` is the document's id.
    pub order: Vec<(&'a str, Direction)>,
    /// Only what comes after these values, one for each path of the order.
    pub after: Vec<Value>,
    /// The most, up to [`MAX_RESULTS`].
    pub limit: u32,
}

/// What holds for a field.
#[derive(Clone, Debug)]
pub struct Filter<'a> {
    /// Its path, as `suggestion_content.eval_test`.
    pub field: &'a str,
    /// How it is compared.
    pub comparison: Comparison,
    /// With what.
    pub value: Value,
}

/// How a field is compared with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// It is less.
    Less = 1,
    /// It is not greater.
    AtMost = 2,
    /// It is greater.
    Greater = 3,
    /// It is not less.
    AtLeast = 4,
    /// It is the same.
    Equal = 5,
    /// It is a list with it.
    Contains = 7,
    /// It is one of a list of up to 30.
    In = 8,
}

/// Which way documents are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The least first.
    Ascending = 1,
    /// The greatest first.
    Descending = 2,
}

impl Query<'_> {
    pub(super) fn message(&self, firestore: &Firestore) -> Result<StructuredQuery, FirestoreError> {
        let filters = self.filters.iter().map(|filter| self.filter(filter, firestore));
        let filters: Vec<FilterMessage> = filters.collect::<Result<_, _>>()?;
        let order_by = self.order.iter().map(|(path, direction)| Order {
            field: Some(field(path)),
            direction: *direction as i32,
        });
        if self.after.len() > self.order.len() {
            let message = "a position in a list has more values than its order has fields";
            return Err(FirestoreError::new(FirestoreErrorKind::Refused, message));
        }
        let positions = self.order.iter().zip(&self.after);
        let positions = positions.map(|((path, _), value)| self.value(value, path, firestore));
        let values: Vec<ValueMessage> = positions.collect::<Result<_, _>>()?;
        Ok(StructuredQuery {
            from: vec![CollectionSelector {
                collection_id: firestore.collection(self.collection),
            }],
            filter: (!filters.is_empty()).then(|| {
                filter(FilterKind::Composite(CompositeFilter {
                    operator: AND,
                    filters,
                }))
            }),
            order_by: order_by.collect(),
            limit: i32::try_from(self.limit.min(MAX_RESULTS)).ok(),
            start_at: (!values.is_empty()).then_some(Cursor {
                values,
                before: false,
            }),
        })
    }

    fn filter(&self, one: &Filter<'_>, firestore: &Firestore) -> Result<FilterMessage, FirestoreError> {
        Ok(filter(FilterKind::Field(FieldFilter {
            field: Some(field(one.field)),
            operator: one.comparison as i32,
            value: Some(self.value(&one.value, one.field, firestore)?),
        })))
    }

    fn value(&self, json: &Value, path: &str, firestore: &Firestore) -> Result<ValueMessage, FirestoreError> {
        match (path, json) {
            (NAME, Value::String(id)) => Ok(ValueMessage {
                kind: Some(Kind::Reference(firestore.name(self.collection, id)?)),
            }),
            _ => value::value(json, path),
        }
    }
}

fn filter(kind: FilterKind) -> FilterMessage {
    FilterMessage { kind: Some(kind) }
}

fn field(path: &str) -> FieldReference {
    FieldReference {
        field_path: path.to_owned(),
    }
}
