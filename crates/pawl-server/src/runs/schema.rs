//! How types of other crates look in the OpenAPI document.

use utoipa::PartialSchema as _;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};

use crate::openapi::schemas;

schemas! {
    // The data API describes the columns of both tables under these names.
    RunRow = "sb_eval_runs", "A row of `sb_eval_runs`", [];
    CaseRow = "sb_eval_cases", "A row of `sb_eval_cases`", [];
    TallySchema = "Tally", "How many ended in which state", [
        "passed": whole(), "failed": whole(), "error": whole(), "skipped": whole(),
    ];
    CheckTallySchema = "CheckTally", "One check over all rows, by state", [
        "name": text(), "passed": whole(), "failed": whole(), "error": whole(), "skipped": whole(),
    ];
    UnpassedSchema = "Unpassed", "A row that did not pass", [
        "id": text(), "trial": whole(), "state": text(), "reason": text(),
    ];
    ComparisonSchema = "ComparedRuns", "What two runs say of the cases that both have", [
        "a": compared(), "b": compared(), "statistics": statistics(),
        "lost": named(), "gained": named(), "only_in_a": named(), "only_in_b": named(),
        "checks": ArrayBuilder::new().items(compared_check()),
    ];
}

fn whole() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0))
}

fn number() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Number)
}

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

fn compared() -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some("One side: the run, its name and its rows by state"))
        .property("id", text())
        .property(
            "name",
            text().schema_type(SchemaType::from_iter([Type::String, Type::Null])),
        )
        .property("tally", TallySchema::schema())
}

fn named() -> ObjectBuilder {
    ObjectBuilder::new()
        .description(Some("How many cases, and the ids of the first of them"))
        .property("count", whole())
        .property("first", ArrayBuilder::new().items(text()))
}

fn compared_check() -> ObjectBuilder {
    ObjectBuilder::new()
        .property("name", text())
        .property("lost", whole())
        .property("gained", whole())
        .property("adjusted_p_value", number())
}

fn statistics() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(
            "Rates and scores with their intervals, the test, and what could have been seen; null without a case in common",
        ))
}
