//! The OpenAPI document as Markdown, for the manual.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::problem::ErrorCode;

/// How errors of ours are written.
const PROBLEM: &str = "[Problem](#problem)";

const HEAD: &str = "\
# HTTP reference

Every operation, made from the OpenAPI document by `cargo xtask docs`; a server has the document itself at
[`/openapi.json`](http://127.0.0.1:8787/openapi.json), and a page to try it on at [`/docs/api`](http://127.0.0.1:8787/docs/api).
What holds for all operations (who may call, errors, pages, limits) stands in [the HTTP API](API-DESIGN.md).
";

/// Families in the order of the document, each with what stands behind its title.
const FAMILIES: [(&str, &str); 10] = [
    (
        "intake",
        "Handing in what agents did: [interactions](INTAKE.md) and [traces](TRACES.md).",
    ),
    ("interactions", "What was handed in."),
    ("suggestions", "[Mining](MINING.md), and [review](DRAFTS.md)."),
    (
        "drafts",
        "Drafts of regression tests: see [drafts and review](DRAFTS.md).",
    ),
    ("runs", "What suites found."),
    ("prompts", "[What is live](EVOLVE.md#what-agents-read)."),
    (
        "lineage",
        "[What led to what](LINEAGE.md), and whether it is as it was written.",
    ),
    (
        "auth",
        "As Supabase Auth has it: see [coming from Supabase](FROM-SUPABASE.md).",
    ),
    (
        "data",
        "As PostgREST has it: see [the data API](API-DESIGN.md#data-api).",
    ),
    ("operations", "See [operations](OPERATIONS.md)."),
];

/// The document as Markdown.
pub(super) fn markdown(document: &Value) -> String {
    let mut page = HEAD.to_owned();
    let mut families: BTreeMap<(usize, &str), String> = BTreeMap::new();
    for (path, methods) in object(&document["paths"]) {
        for (method, operation) in object(methods) {
            let family = text(&operation["tags"][0]);
            let place = FAMILIES
                .iter()
                .position(|(name, _)| *name == family)
                .unwrap_or(FAMILIES.len());
            let part = families.entry((place, family)).or_default();
            if family != "data" {
                write_operation(part, &[&method.to_uppercase(), " ", path].concat(), operation);
            }
        }
    }
    for ((place, name), operations) in &families {
        let about = FAMILIES.get(*place).map_or("", |(_, about)| about);
        _ = write!(page, "\n## {}\n\n{about}\n", capitalised(name));
        if *name == "data" {
            write_tables(&mut page, document);
        }
        page.push_str(operations);
    }
    page.push_str("\n## Documents\n\nWhat bodies and answers are made of.\n");
    let tables = tables(document);
    for (name, schema) in object(&document["components"]["schemas"]) {
        if !tables.contains(&name.as_str()) {
            write_schema(&mut page, name, schema);
        }
    }
    page
}

fn write_operation(page: &mut String, title: &str, operation: &Value) {
    _ = write!(page, "\n### {title}\n\n{}.", text(&operation["summary"]));
    if let Some(description) = operation["description"].as_str() {
        _ = write!(page, " {}", cell(description));
    }
    _ = write!(page, "\n\nWho: {}.\n", callers(operation));
    let parameters = operation["parameters"].as_array();
    if let Some(parameters) = parameters.filter(|parameters| !parameters.is_empty()) {
        page.push_str("\n| parameter | in | type | |\n|---|---|---|---|\n");
        for parameter in parameters {
            let (name, place) = (text(&parameter["name"]), text(&parameter["in"]));
            let required = if parameter["required"] == true && place != "path" {
                "required; "
            } else {
                ""
            };
            let about = cell(text(&parameter["description"]));
            let kind = kind(&parameter["schema"]);
            _ = writeln!(page, "| `{name}` | {place} | {kind} | {required}{about} |");
        }
    }
    let contents = object(&operation["requestBody"]["content"]);
    let bodies: Vec<String> = contents
        .map(|(media, content)| format!("`{media}`: {}", kind(&content["schema"])))
        .collect();
    if !bodies.is_empty() {
        _ = writeln!(page, "\nBody: {}.", bodies.join(", "));
    }
    write_answers(page, operation);
}

fn write_answers(page: &mut String, operation: &Value) {
    page.push_str("\n| status | what it means | body |\n|--:|---|---|\n");
    let mut problems = Vec::new();
    for (status, response) in object(&operation["responses"]) {
        let body = object(&response["content"])
            .next()
            .map(|(_, content)| kind(&content["schema"]));
        let body = body.unwrap_or_default();
        let about = text(&response["description"]);
        if body == PROBLEM {
            problems.push(format!("{status} {}", codes(about)));
        } else {
            _ = writeln!(page, "| {status} | {} | {body} |", cell(about));
        }
    }
    if !problems.is_empty() {
        _ = write!(page, "\nErrors, each a {PROBLEM}: {}.\n", problems.join("; "));
    }
}

/// The codes that a description of ours names, each with its page.
fn codes(description: &str) -> String {
    let quoted = description.split('`').skip(1).step_by(2);
    let known = quoted.filter(|code| ErrorCode::ALL.iter().any(|known| known.as_str() == *code));
    let links: Vec<String> = known
        .map(|code| format!("[`{code}`](errors/{code}.md)"))
        .collect();
    links.join(", ")
}

/// Who may call, as `security` has it.
fn callers(operation: &Value) -> String {
    let requirements = operation["security"].as_array().into_iter().flatten();
    let callers: Vec<String> = requirements
        .map(|requirement| {
            let schemes = object(requirement).map(|(scheme, scopes)| {
                let scopes = scopes.as_array().into_iter().flatten().map(text);
                let scopes: Vec<&str> = scopes.collect();
                if scopes.is_empty() {
                    format!("`{scheme}`")
                } else {
                    format!("`{scheme}` ({})", scopes.join(", "))
                }
            });
            let schemes: Vec<String> = schemes.collect();
            schemes.join(" with ")
        })
        .collect();
    if callers.is_empty() || callers.contains(&String::new()) {
        "everybody".to_owned()
    } else {
        callers.join(", ")
    }
}

/// The names of the tables behind the data API.
fn tables(document: &Value) -> Vec<&str> {
    let paths = object(&document["paths"]).filter_map(|(path, _)| path.strip_prefix("/rest/v1/"));
    paths.filter(|table| !table.is_empty()).collect()
}

fn write_tables(page: &mut String, document: &Value) {
    page.push_str(
        "\n`GET`, `POST`, `PATCH` and `DELETE` of `/rest/v1/TABLE` read, add, change and remove rows, as far as a table\n\
         has them. Every column is a parameter that filters.\n",
    );
    for table in tables(document) {
        let path = ["/rest/v1/", table].concat();
        let operations = &document["paths"][&path];
        let methods = object(operations).map(|(method, _)| format!("`{}`", method.to_uppercase()));
        let methods: Vec<String> = methods.collect();
        let about = text(&operations["get"]["description"]);
        _ = write!(page, "\n### {table}\n\n{about} {}.\n", methods.join(", "));
        let columns = &document["components"]["schemas"][table]["properties"];
        page.push_str("\n| column | type | |\n|---|---|---|\n");
        for (name, column) in object(columns) {
            let (kind, about) = (kind(column), column["description"].as_str());
            // What a type says already need not be said twice.
            let about = about.filter(|about| !about.eq_ignore_ascii_case(&kind));
            _ = writeln!(
                page,
                "| `{name}` | {kind} | {} |",
                about.map(cell).unwrap_or_default()
            );
        }
    }
}

fn write_schema(page: &mut String, name: &str, schema: &Value) {
    _ = write!(page, "\n### {name}\n");
    if let Some(description) = schema["description"].as_str() {
        let ended = if description.ends_with('.') { "" } else { "." };
        _ = write!(page, "\n{}{ended}\n", cell(description));
    }
    let parts = schema["allOf"]
        .as_array()
        .map_or(std::slice::from_ref(schema), Vec::as_slice);
    for part in parts {
        if part["properties"].is_object() {
            write_fields(page, part);
        } else {
            _ = write!(page, "\n{}.\n", capitalised(&kind(part)));
        }
    }
}

fn write_fields(page: &mut String, schema: &Value) {
    page.push_str("\n| field | type | |\n|---|---|---|\n");
    let required = schema["required"].as_array();
    for (name, field) in object(&schema["properties"]) {
        let is_required = required.is_some_and(|required| required.iter().any(|known| known == name));
        let required = if is_required { "" } else { "optional; " };
        let about = field["description"].as_str().map(cell).unwrap_or_default();
        let said = [required, &about].concat();
        _ = writeln!(
            page,
            "| `{name}` | {} | {} |",
            kind(field),
            said.trim_end_matches("; ")
        );
    }
}

/// What type a schema stands for, in words; schemas of their own by a link.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return format!("[{name}](#{})", anchor(name));
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[key].as_array() {
            let joint = if key == "allOf" { " and " } else { " or " };
            let parts: Vec<String> = parts.iter().map(kind).collect();
            return parts.join(joint);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", value.to_string().trim_matches('"')))
            .collect();
        return values.join(", ");
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::Array(types) => types.iter().map(text).collect(),
        one => one.as_str().into_iter().collect(),
    };
    if types.contains(&"array") && types.contains(&"object") {
        return "any JSON".to_owned();
    }
    if types.contains(&"array") {
        let null = if types.contains(&"null") { " or null" } else { "" };
        return format!("list of {}{null}", kind(&schema["items"]));
    }
    let format = schema["format"]
        .as_str()
        .filter(|format| !format.starts_with("int") && *format != "double");
    let format = format.map(|format| format!(" ({format})")).unwrap_or_default();
    if types.is_empty() {
        "any JSON".to_owned()
    } else {
        types.join(" or ") + &format
    }
}

/// Where a document stands on the page. One that is called like a family comes behind it.
fn anchor(name: &str) -> String {
    let anchor = name.to_lowercase();
    let is_taken = FAMILIES.iter().any(|(family, _)| *family == anchor);
    if is_taken { anchor + "-1" } else { anchor }
}

/// A text on one line, which neither ends a cell nor begins HTML; addresses stay links.
fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|")
        .replace('<', "\\<")
        .replace("\\<https://", "<https://")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_said_in_words() {
        for (schema, words) in [
            (
                json!({"$ref": "#/components/schemas/Problem"}),
                "[Problem](#problem)",
            ),
            (
                json!({"type": ["string", "null"], "format": "uuid"}),
                "string or null (uuid)",
            ),
            (
                json!({"type": "array", "items": {"type": "integer", "format": "int64"}}),
                "list of integer",
            ),
            (json!({"enum": ["a", "b"]}), "`a`, `b`"),
            (json!({}), "any JSON"),
        ] {
            assert_eq!(kind(&schema), words);
        }
    }

    #[test]
    fn every_table_has_columns_and_every_document_an_anchor_of_its_own() {
        let document = serde_json::to_value(crate::document()).unwrap();
        let page = markdown(&document);
        for table in tables(&document) {
            let columns = document["components"]["schemas"][table]["properties"].as_object();
            assert!(columns.is_some_and(|columns| columns.len() > 1), "{table}");
        }
        assert!(page.contains("[Lineage](#lineage-1)"), "{page}");
        assert!(page.contains("[DraftsHealth](#draftshealth)"), "{page}");
    }

    #[test]
    fn every_family_has_its_place() {
        let document = serde_json::to_value(crate::document()).unwrap();
        let page = markdown(&document);
        for (name, _) in FAMILIES {
            assert!(
                page.contains(&["\n## ", &capitalised(name), "\n"].concat()),
                "{name}"
            );
        }
        let families = page.matches("\n## ").count();
        assert_eq!(families, FAMILIES.len() + 1, "one is missing in FAMILIES");
    }
}
