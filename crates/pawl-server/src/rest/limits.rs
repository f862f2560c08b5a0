//! How much one request may ask for. How long its URL may be is decided where requests are read.

/// Rows of a page, and of what is embedded in one row; also where less or nothing is said.
pub(super) const PAGE_ROWS: u64 = 1_000;

/// Items that are selected, over all tables.
pub(super) const SELECTED_ITEMS: usize = 200;

/// How deep tables are embedded in others.
pub(super) const EMBEDDING_DEPTH: usize = 3;

/// Filters, over all tables.
pub(super) const FILTERS: usize = 100;

/// How deep `and` and `or` are nested.
pub(super) const LOGIC_DEPTH: usize = 16;

/// Values of an `in`.
pub(super) const LIST_VALUES: usize = 1_000;

/// Characters of a pattern.
pub(super) const PATTERN_LENGTH: usize = 10_000;

/// Values, objects and arrays of a document that rows are searched for.
pub(super) const CONTAINED_VALUES: usize = 100;

/// How deep that document is nested.
pub(super) const CONTAINED_DEPTH: usize = 16;

/// Terms of an order.
pub(super) const ORDER_TERMS: usize = 50;
