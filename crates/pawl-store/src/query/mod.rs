//! The data API's statements: put together from the names of the table descriptions and from placeholders, with every
//! value bound and every table narrowed to the actor's tenant.

mod containment;
mod filter;
mod interactions;
mod read;
mod sql;
mod write;

pub use interactions::{
    InteractionFilter, InteractionOrder, InteractionPlace, InteractionQuery, Search, interactions,
};
pub(crate) use read::plain;
pub use read::{ANSWER_BYTES, EMBEDDED_ROWS, Lock, count, select};
pub(crate) use sql::Dialect;
pub use write::{NewRows, Written, delete, existing, insert, update};
