//! The data API's part of the OpenAPI document, from the descriptions of the tables.

use pawl_model::table::{Column, ColumnDefault, ColumnType, TABLES, Table, Verb};
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

/// The paths and schemas of every exposed table.
///
/// # Panics
/// Never: a test builds it.
pub(crate) fn openapi() -> OpenApi {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for table in TABLES {
        paths.insert(["/rest/v1/", table.name].concat(), path(table));
        schemas.insert(table.name.to_owned(), schema(table));
    }
    schemas.insert("PostgrestError".to_owned(), error_schema());
    let document = json!({
        "openapi": "3.1.0",
        "info": {"title": "Data API", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "components": {"schemas": schemas},
    });
    serde_json::from_value(document).unwrap_or_default()
}

fn path(table: &Table) -> Value {
    let mut operations = json!({
        "get": operation(table, "select", "Reads rows: those of the caller, or with the service key all.", &[200, 206]),
        "post": with_body(
            table,
            operation(table, "insert", "Adds rows, or merges them by `Prefer: resolution=merge-duplicates`.", &[200, 201]),
        ),
        "patch": with_body(table, operation(table, "update", "Changes the rows that the filters let pass.", &[200, 204])),
        "delete": operation(table, "delete", "Removes the rows that the filters let pass.", &[200, 204]),
    });
    for (method, verb) in [
        ("post", Verb::Insert),
        ("patch", Verb::Update),
        ("delete", Verb::Delete),
    ] {
        if let Some(operations) = operations.as_object_mut()
            && !table.service_may.contains(&verb)
        {
            operations.remove(method);
        }
    }
    operations
}

fn operation(table: &Table, verb: &str, summary: &str, success: &[u16]) -> Value {
    let parameters: Vec<Value> = parameters(table, verb);
    let mut responses = Map::new();
    for status in success {
        let mut response = json!({"description": description(*status)});
        if *status != 204 {
            response["content"] = json!({"application/json": {"schema": {
                "type": "array", "items": reference(table.name)}}});
        }
        responses.insert(status.to_string(), response);
    }
    for status in [400, 401, 403, 404, 406, 409, 416] {
        responses.insert(
            status.to_string(),
            json!({
                "description": description(status),
                "content": {"application/json": {"schema": reference("PostgrestError")}},
            }),
        );
    }
    json!({
        "operationId": format!("{verb}_{}", table.name),
        "summary": summary,
        "description": table.about,
        "tags": ["data"],
        "parameters": parameters,
        "responses": responses,
        "security": [{"anon_key": []}, {"anon_key": [], "user": []}, {"anon_key": [], "service": []}],
    })
}

fn description(status: u16) -> &'static str {
    match status {
        200 => "The rows",
        201 => "The rows were added",
        204 => "Done; the rows were not asked for",
        206 => "A page of the rows, of which there are more",
        400 => "The request is not understood, or a value breaks a rule",
        401 => "The token is missing or not valid",
        403 => "The row is not the caller's",
        404 => "There is no such table",
        406 => "Not exactly one row, or no such media type",
        409 => "A key is there already, or one that is referred to is not",
        _ => "The page begins behind the last row",
    }
}

fn parameters(table: &Table, verb: &str) -> Vec<Value> {
    let mut parameters: Vec<Value> = vec![
        query(
            "select",
            "Columns, aliases (`a:column`), `->` into documents, tables embedded as `table(columns)`",
        ),
        header(
            "Prefer",
            "return=…, count=exact, resolution=…, missing=default, handling=strict",
        ),
    ];
    if verb == "select" {
        parameters.extend([
            query(
                "order",
                "`column.asc|desc.nullsfirst|nullslast`, several by commas",
            ),
            query("limit", "Rows at most; 1,000 where nothing or more is said"),
            query("offset", "Rows to leave out first"),
            header("Range", "`first-last`, from 0"),
        ]);
    }
    if verb == "insert" {
        parameters.extend([
            query("columns", "The columns that the body's rows are read for"),
            query(
                "on_conflict",
                "The key by which rows are merged; the primary key where nothing is said",
            ),
        ]);
        return parameters;
    }
    parameters.extend([
        query("and", "`(column.operator.value,…)`"),
        query("or", "`(column.operator.value,…)`"),
    ]);
    parameters.extend(table.columns.iter().map(|column| {
        query(
            column.name,
            "`operator.value`, as `eq.…`, `in.(…,…)`, `not.is.null`",
        )
    }));
    parameters
}

fn query(name: &str, description: &str) -> Value {
    json!({"name": name, "in": "query", "required": false, "description": description, "schema": {"type": "string"}})
}

fn header(name: &str, description: &str) -> Value {
    json!({"name": name, "in": "header", "required": false, "description": description, "schema": {"type": "string"}})
}

fn with_body(table: &Table, mut operation: Value) -> Value {
    let row = reference(table.name);
    operation["requestBody"] = json!({
        "required": true,
        "content": {
            "application/json": {"schema": {"oneOf": [row, {"type": "array", "items": row}]}},
            "text/csv": {"schema": {"type": "string"}},
        },
    });
    operation
}

fn reference(schema: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{schema}")})
}

fn schema(table: &Table) -> Value {
    let properties: Map<String, Value> = table
        .columns
        .iter()
        .map(|column| (column.name.to_owned(), property(column)))
        .collect();
    json!({"type": "object", "description": table.about, "properties": properties})
}

fn property(column: &Column) -> Value {
    let (kind, format) = match column.kind {
        ColumnType::Uuid => ("string", Some("uuid")),
        ColumnType::Text => ("string", None),
        ColumnType::Int => ("integer", Some("int32")),
        ColumnType::BigInt => ("integer", Some("int64")),
        ColumnType::Real => ("number", Some("float")),
        ColumnType::Double => ("number", Some("double")),
        ColumnType::Numeric => ("number", None),
        ColumnType::Bool => ("boolean", None),
        ColumnType::TimestampTz | ColumnType::Timestamp => ("string", Some("date-time")),
        ColumnType::TextList => ("array", None),
        ColumnType::Jsonb => {
            return json!({
                "type": ["object", "array", "string", "number", "boolean", "null"],
                "description": "Any JSON",
            });
        }
    };
    let mut property = match column.nullable {
        true => json!({"type": [kind, "null"]}),
        false => json!({"type": kind}),
    };
    if let Some(format) = format {
        property["format"] = json!(format);
    }
    if column.kind == ColumnType::TextList {
        property["items"] = json!({"type": "string"});
    }
    match column.default {
        Some(ColumnDefault::Int(number)) => property["default"] = json!(number),
        Some(ColumnDefault::Bool(truth)) => property["default"] = json!(truth),
        Some(ColumnDefault::Text(text)) => property["default"] = json!(text),
        Some(ColumnDefault::Double(number)) => property["default"] = json!(number),
        Some(ColumnDefault::Texts(texts)) => property["default"] = json!(texts),
        _ => {}
    }
    property
}

fn error_schema() -> Value {
    let text = json!({"type": ["string", "null"]});
    json!({
        "type": "object",
        "description": "An error as PostgREST writes it",
        "required": ["code", "message"],
        "properties": {"code": {"type": "string"}, "details": text, "hint": text, "message": {"type": "string"}},
    })
}
