//! `/api/lineage`: what led to what, and whether it is as it was written.

use axum::Json;
use axum::extract::State;
use pawl_engine::lineage::{Lineage, Verification};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, SchemaType, Type};

use crate::AppState;
use crate::openapi::{NotRead, Refused, schemas};
use crate::parameters::Path;
use crate::problem::{ErrorCode, Problem};
use crate::tenant::{Tenant, TenantQuery};

schemas! {
    LineageSchema = "Lineage", "What led to something, and what it led to", [
        "id": text("The id that was asked for"),
        "nodes": ArrayBuilder::new()
            .description(Some("What has this id: a suggestion, its draft and its approval share theirs"))
            .items(titled().property("entries", ArrayBuilder::new().items(entry()))),
        "led_to_it": ArrayBuilder::new()
            .description(Some("What stands deeper led to what it stands under"))
            .items(step()),
        "it_led_to": ArrayBuilder::new()
            .description(Some("What stands deeper came of what it stands under"))
            .items(step()),
        "is_complete": truth("Whether that is all; else it is the nearest thousand of each"),
    ];
    VerificationSchema = "LineageVerification", "What a verification of the lineage found", [
        "is_whole": truth("Whether chain and rows are as they were written"),
        "entries": whole("Entries of the chain that were looked at"),
        "rows": whole("Rows that were compared"),
        "erased": whole("Rows that are gone, as their entries say"),
        "head": text("The hash at the end of the chain, in hexadecimal digits"),
        "broken": ObjectBuilder::new()
            .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
            .description(Some("The first link that is broken"))
            .property("position", whole("The entry's place in the chain"))
            .property("kind", text("What kind of node it is about"))
            .property("id", text("The node"))
            .property("problem", text("What is wrong")),
        "unfinished": ArrayBuilder::new()
            .description(Some("Writes to another store than the database of which nobody has told the end"))
            .items(node().property("position", whole("The entry")).property("found", text("What the document is"))),
    ];
}

fn text(about: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(about))
}

fn whole(about: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .minimum(Some(0))
        .description(Some(about))
}

fn truth(about: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Boolean)
        .description(Some(about))
}

fn node() -> ObjectBuilder {
    let kinds = pawl_model::LineageKind::ALL.iter().map(|kind| kind.as_str());
    ObjectBuilder::new()
        .property(
            "kind",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(kinds)),
        )
        .property("id", text("Its id there"))
}

fn titled() -> ObjectBuilder {
    let title = ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some(
            "What a person knows it by, where its row is there and says it",
        ));
    node().property("title", title)
}

fn entry() -> ObjectBuilder {
    let events = pawl_model::LineageEvent::ALL.iter().map(|event| event.as_str());
    ObjectBuilder::new()
        .property("position", whole("Its place in the chain, from 1"))
        .property(
            "event",
            ObjectBuilder::new()
                .schema_type(Type::String)
                .enum_values(Some(events)),
        )
        .property("at", text("When, by the database's clock"))
        .property("sha256", text("Of the row, in hexadecimal digits"))
}

fn step() -> ObjectBuilder {
    let newest = entry().schema_type(SchemaType::from_iter([Type::Object, Type::Null]));
    titled()
        .property("depth", whole("How deep it stands, from 1"))
        .property("newest", newest)
        .property(
            "is_repeated",
            truth("Whether it stands further up already, with what stands under it"),
        )
}

/// Get what led to anything in the loop, and what it led to
///
/// Interactions enter when a pattern cites them, runs when they are finished, candidates when they are decided about. The
/// version of a prompt is called `NAME@NUMBER`, a prompt by its name.
#[utoipa::path(
    get, path = "/api/lineage/{id}", tag = "lineage", operation_id = "get_lineage",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(("id" = String, Path, description = "The id of anything in the loop"), TenantQuery),
    responses((status = 200, body = LineageSchema), Refused),
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
    Path(id): Path<String>,
) -> Result<Json<Lineage>, Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    let lineage = state.engine.lineage(user, &id).await?;
    lineage.map(Json).ok_or(Problem::new(ErrorCode::NotFound))
}

/// Verify the lineage: every entry follows from the one before it, and every row is what its newest entry says
#[utoipa::path(
    get, path = "/api/lineage", tag = "lineage", operation_id = "verify_lineage",
    security(("user" = []), ("service" = []), ("api_key" = ["read"])),
    params(TenantQuery),
    responses((status = 200, body = VerificationSchema), NotRead),
)]
pub(crate) async fn verify(
    State(state): State<AppState>,
    Tenant(actor): Tenant,
) -> Result<Json<Verification>, Problem> {
    let user = actor.tenant().ok_or(Problem::new(ErrorCode::NotFound))?;
    Ok(Json(state.engine.verify_lineage(user).await?))
}
