//! The readers of URLs and bodies: what they accept, and that nothing breaks them.

use axum::http::HeaderMap;
use pawl_model::query::{Item, Join, Refusal};
use pawl_model::table::{TABLES, Table, Verb};
use proptest::prelude::*;
use time::OffsetDateTime;

use super::body::BodyReader;
use super::media::{Answer, Sent};
use super::parameters::Parameters;
use super::preferences::Preferences;

const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

fn table(name: &str) -> &'static Table {
    Table::find(name).unwrap()
}

fn parse(query: &str) -> Result<Parameters, Refusal> {
    Parameters::parse(query, table("sb_eval_runs"), NOW)
}

fn filter_of(query: &str) -> String {
    format!("{:?}", parse(query).unwrap().select.filter)
}

#[test]
fn the_same_filter_is_written_in_several_ways() {
    let several = |queries: &[&str]| {
        let first = filter_of(queries[0]);
        for query in queries {
            assert_eq!(filter_of(query), first, "{query}");
        }
    };
    several(&[
        "run_name=eq.a%20b",
        "run_name=eq.a+b",
        "%22run_name%22=eq.a%20b",
        "run_name=eq.a%20b&",
    ]);
    several(&[
        "or=(run_name.eq.a,total_cases.gt.1)",
        "or=(%22run_name%22.eq.%22a%22,total_cases.gt.1)",
    ]);
    several(&[
        "or=(run_name.eq.a,total_cases.gt.1)",
        "or=%20(%20run_name.eq.a,%20total_cases.gt.1%20)",
    ]);
    several(&["run_name=in.(a,b)", "run_name=in.(%22a%22,b)"]);
    several(&["run_name=like.a*", "run_name=like.a%25"]);
    several(&["run_name=is.null", "run_name=is.NULL"]);
    several(&[
        "created_at=gt.now()",
        "created_at=gt.1970-01-01T00:00:00Z",
        "created_at=gt.1970-01-01",
    ]);
}

#[test]
fn quoted_values_keep_what_ends_others() {
    let filter = filter_of("or=(run_name.eq.%22a,b)%5C%22c%22,run_name.in.(%22d,e%22,f))");
    assert!(
        filter.contains(r#"Text("a,b)\"c")"#) && filter.contains(r#"Text("d,e"), Text("f")"#),
        "{filter}"
    );
    // Quotes within a value are a part of it.
    assert!(filter_of("or=(run_name.eq.a%22b)").contains(r#"Text("a\"b")"#));
    assert!(filter_of("run_name=eq.%22a%22").contains(r#"Text("\"a\"")"#));
}

#[test]
fn embedded_tables_are_named_by_alias_or_table() {
    let parameters = parse(
        "select=id,c:sb_eval_cases!run_id!inner(id,status)&c.status=eq.failed&c.order=score.desc&sb_eval_cases.limit=7",
    );
    let select = parameters.unwrap().select;
    let Some(Item::Embed(embed)) = select.items.last() else {
        panic!("{:?}", select.items)
    };
    assert_eq!(
        (embed.name.as_str(), embed.join, embed.select.limit),
        ("c", Join::Inner, 7)
    );
    assert_eq!(embed.select.order.len(), 1);
    assert!(format!("{:?}", embed.select.filter).contains("failed"));
}

#[test]
fn what_is_asked_of_embedded_rows_is_asked_once_whatever_the_order() {
    let embeds = "select=sb_eval_cases(c:sb_sessions(sb_stories(id)))";
    let asked = [
        "sb_eval_cases=not.is.null",
        "sb_eval_cases.c=not.is.null",
        "sb_eval_cases.sb_sessions.sb_stories=is.null",
        "sb_eval_cases.c.sb_stories.id=not.is.null",
    ];
    let filter = filter_of(&[&[embeds][..], &asked].concat().join("&"));
    assert_eq!(filter.matches("Related").count(), 3, "{filter}");
    let backwards: Vec<_> = asked.into_iter().rev().collect();
    assert_eq!(filter_of(&[&[embeds][..], &backwards].concat().join("&")), filter);
    // Each copied into the next, these would be thousands.
    assert_eq!(
        filter_of(&[embeds, &[asked; 20].concat().join("&")].join("&")),
        filter
    );
}

#[test]
fn preferences_are_taken_in_any_order_and_the_first_counts() {
    let mut headers = HeaderMap::new();
    headers.append(
        "prefer",
        "tx=rollback, count=exact,return=minimal".parse().unwrap(),
    );
    headers.append(
        "prefer",
        "return=representation , resolution=merge-duplicates"
            .parse()
            .unwrap(),
    );
    let applied = Preferences::read(&headers).unwrap().applied().unwrap();
    assert_eq!(
        applied,
        "resolution=merge-duplicates, return=minimal, count=exact"
    );
    headers.append("prefer", "handling=strict".parse().unwrap());
    let refusal = Preferences::read(&headers).unwrap_err();
    assert_eq!(
        refusal.details.as_deref(),
        Some("Invalid preferences: tx=rollback")
    );
}

#[test]
fn the_form_of_an_answer_is_negotiated() {
    for (accept, expected) in [
        ("*/*", Some(Answer::Array)),
        (
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            Some(Answer::Array),
        ),
        ("text/csv;q=0.5, application/json;q=0.4", Some(Answer::Csv)),
        ("application/json;q=0", None),
        (
            "Application/VND.pgrst.object+json; charset=utf-8",
            Some(Answer::Object),
        ),
        ("application/vnd.pgrst.object+json;nulls=stripped", None),
        ("application/geo+json", None),
        ("", Some(Answer::Array)),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert("accept", accept.parse().unwrap());
        assert_eq!(Answer::accepted(&headers).ok(), expected, "{accept}");
    }
}

#[test]
fn the_last_of_equal_keys_counts() {
    let reader = BodyReader {
        table: table("sb_sessions"),
        columns: None,
        now: NOW,
    };
    let rows = reader
        .read(Sent::Json, br#"{"title": "a", "title": "b"}"#)
        .unwrap();
    assert_eq!(format!("{:?}", rows.rows), r#"[[Some(Text("b"))]]"#);
}

#[test]
fn the_document_has_every_table_and_what_may_be_done_with_it() {
    let document = serde_json::to_value(super::openapi()).unwrap();
    for table in TABLES {
        for (method, verb) in ["get", "post", "patch", "delete"].iter().zip(Verb::ALL) {
            let operation = &document["paths"][["/rest/v1/", table.name].concat()][method];
            let is_possible = table.service_may.contains(verb);
            assert_eq!(
                operation["security"].is_array(),
                is_possible,
                "{method} {}",
                table.name
            );
        }
        let properties = document["components"]["schemas"][table.name]["properties"]
            .as_object()
            .unwrap();
        assert_eq!(properties.len(), table.columns.len());
    }
}

/// Texts that look like parameters, so that they get far.
fn queries() -> impl Strategy<Value = String> {
    let parts = prop::sample::select(vec![
        "select=",
        "order=",
        "limit=",
        "offset=",
        "and=",
        "or=",
        "not.and=",
        "columns=",
        "on_conflict=",
        "id",
        "settings",
        "run_name",
        "sb_eval_cases",
        "created_at",
        "eq.",
        "neq.",
        "in.",
        "is.",
        "like.",
        "ilike.",
        "cs.",
        "cd.",
        "ov.",
        "not.",
        "(any)",
        "(all)",
        "{",
        "}",
        "(",
        ")",
        ",",
        ".",
        "&",
        "=",
        "\"",
        "\\",
        "->",
        "->>",
        "::",
        "text",
        "!",
        "inner",
        ":",
        "*",
        "1",
        "-1",
        "null",
        "true",
        "now()",
        "asc",
        "desc",
        "nullsfirst",
        "%00",
        "%ff",
        "%C3%A4",
        "ä",
        " ",
        "+",
        "%",
    ]);
    prop::collection::vec(
        prop_oneof![9 => parts.prop_map(str::to_owned), 1 => ".{0,3}"],
        0..24,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn no_query_breaks_the_reader(query in queries()) {
        for table in TABLES {
            if let Err(refusal) = Parameters::parse(&query, table, NOW) {
                prop_assert!(refusal.code.starts_with("PGRST") || refusal.code.len() == 5, "{:?}", refusal);
                prop_assert!(!refusal.message.is_empty());
            }
        }
    }

    /// A parameter that is not understood is refused: none is passed over.
    #[test]
    fn every_parameter_counts(query in queries()) {
        if let Ok(parameters) = parse(&query) {
            let filters = query.split('&').filter(|part| {
                let key = part.split('=').next().unwrap_or_default().trim_matches(['+', ' ']);
                !part.is_empty() && !["select", "order", "limit", "offset", "columns", "on_conflict"].contains(&key)
            });
            let filtered = format!("{:?}", parameters.select.filter) != "All([])";
            prop_assert!(filters.count() == 0 || filtered, "{}", query);
        }
    }

    #[test]
    fn no_body_breaks_the_reader(body in prop::collection::vec(any::<u8>(), 0..64), text in "[\\[\\]{}\":,a-c0-9 .e+-]{0,40}") {
        let reader = BodyReader { table: table("sb_sessions"), columns: None, now: NOW };
        for body in [body.as_slice(), text.as_bytes()] {
            for sent in [Sent::Json, Sent::Csv, Sent::Form] {
                if let Err(refusal) = reader.read(sent, body) {
                    prop_assert!(!refusal.code.is_empty() && !refusal.message.is_empty());
                }
            }
        }
    }
}
