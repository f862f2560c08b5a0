//! The messages of Firestore that are sent and read, as far as they are: package `google.firestore.v1`, with its numbers of
//! fields.

use std::collections::BTreeMap;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Document {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(btree_map = "string, message", tag = "2")]
    pub(super) fields: BTreeMap<String, Value>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Value {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 5, 6, 8, 9, 10, 11, 17, 18")]
    pub(super) kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Kind {
    #[prost(bool, tag = "1")]
    Boolean(bool),
    #[prost(int64, tag = "2")]
    Integer(i64),
    #[prost(double, tag = "3")]
    Double(f64),
    #[prost(string, tag = "5")]
    Reference(String),
    #[prost(message, tag = "6")]
    Map(MapValue),
    #[prost(message, tag = "8")]
    GeoPoint(GeoPoint),
    #[prost(message, tag = "9")]
    Array(ArrayValue),
    #[prost(message, tag = "10")]
    Timestamp(Timestamp),
    /// The enumeration's only value is 0.
    #[prost(int32, tag = "11")]
    Null(i32),
    #[prost(string, tag = "17")]
    Text(String),
    #[prost(bytes, tag = "18")]
    Bytes(Vec<u8>),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct MapValue {
    #[prost(btree_map = "string, message", tag = "1")]
    pub(super) fields: BTreeMap<String, Value>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ArrayValue {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<Value>,
}

#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct GeoPoint {
    #[prost(double, tag = "1")]
    pub(super) latitude: f64,
    #[prost(double, tag = "2")]
    pub(super) longitude: f64,
}

/// `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(super) struct Timestamp {
    #[prost(int64, tag = "1")]
    pub(super) seconds: i64,
    #[prost(int32, tag = "2")]
    pub(super) nanos: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BatchGetDocumentsRequest {
    #[prost(string, tag = "1")]
    pub(super) database: String,
    #[prost(string, repeated, tag = "2")]
    pub(super) documents: Vec<String>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(super) transaction: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct BatchGetDocumentsResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) found: Option<Document>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RunQueryRequest {
    #[prost(string, tag = "1")]
    pub(super) parent: String,
    #[prost(message, optional, tag = "2")]
    pub(super) structured_query: Option<StructuredQuery>,
    #[prost(bytes = "vec", optional, tag = "5")]
    pub(super) transaction: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct RunQueryResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) document: Option<Document>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct StructuredQuery {
    #[prost(message, repeated, tag = "2")]
    pub(super) from: Vec<CollectionSelector>,
    #[prost(message, optional, tag = "3")]
    pub(super) filter: Option<Filter>,
    #[prost(message, repeated, tag = "4")]
    pub(super) order_by: Vec<Order>,
    /// `google.protobuf.Int32Value`.
    #[prost(message, optional, tag = "5")]
    pub(super) limit: Option<i32>,
    #[prost(message, optional, tag = "7")]
    pub(super) start_at: Option<Cursor>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct CollectionSelector {
    #[prost(string, tag = "2")]
    pub(super) collection_id: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Filter {
    #[prost(oneof = "FilterKind", tags = "1, 2")]
    pub(super) kind: Option<FilterKind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum FilterKind {
    #[prost(message, tag = "1")]
    Composite(CompositeFilter),
    #[prost(message, tag = "2")]
    Field(FieldFilter),
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CompositeFilter {
    #[prost(int32, tag = "1")]
    pub(super) operator: i32,
    #[prost(message, repeated, tag = "2")]
    pub(super) filters: Vec<Filter>,
}

/// All filters have to hold.
pub(super) const AND: i32 = 1;

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct FieldFilter {
    #[prost(message, optional, tag = "1")]
    pub(super) field: Option<FieldReference>,
    #[prost(int32, tag = "2")]
    pub(super) operator: i32,
    #[prost(message, optional, tag = "3")]
    pub(super) value: Option<Value>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct FieldReference {
    #[prost(string, tag = "2")]
    pub(super) field_path: String,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct Order {
    #[prost(message, optional, tag = "1")]
    pub(super) field: Option<FieldReference>,
    #[prost(int32, tag = "2")]
    pub(super) direction: i32,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Cursor {
    #[prost(message, repeated, tag = "1")]
    pub(super) values: Vec<Value>,
    /// Whether it stands before what it names, or after.
    #[prost(bool, tag = "2")]
    pub(super) before: bool,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct BeginTransactionRequest {
    #[prost(string, tag = "1")]
    pub(super) database: String,
    #[prost(message, optional, tag = "2")]
    pub(super) options: Option<TransactionOptions>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct TransactionOptions {
    #[prost(message, optional, tag = "3")]
    pub(super) read_write: Option<ReadWrite>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct ReadWrite {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) retry_transaction: Vec<u8>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct BeginTransactionResponse {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) transaction: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CommitRequest {
    #[prost(string, tag = "1")]
    pub(super) database: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) writes: Vec<Write>,
    /// Empty: none.
    #[prost(bytes = "vec", tag = "3")]
    pub(super) transaction: Vec<u8>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Write {
    #[prost(message, optional, tag = "1")]
    pub(super) update: Option<Document>,
    #[prost(message, optional, tag = "3")]
    pub(super) update_mask: Option<DocumentMask>,
    #[prost(message, optional, tag = "4")]
    pub(super) current_document: Option<Precondition>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct DocumentMask {
    #[prost(string, repeated, tag = "1")]
    pub(super) field_paths: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(super) struct Precondition {
    #[prost(bool, optional, tag = "1")]
    pub(super) exists: Option<bool>,
}

#[derive(Clone, PartialEq, Eq, prost::Message)]
pub(super) struct RollbackRequest {
    #[prost(string, tag = "1")]
    pub(super) database: String,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) transaction: Vec<u8>,
}

/// What is not read of an answer, as that of a commit.
#[derive(Clone, Copy, PartialEq, Eq, prost::Message)]
pub(super) struct Nothing {}
