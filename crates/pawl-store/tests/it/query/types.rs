//! A table with a column of every type: what goes in comes out, and is compared and sorted, the same on both engines.

mod everything;

use pawl_model::query::{
    Comparison, Delete, Direction, Field, Filter, Form, Item, Leaf, Nulls, Order, Select, Step, Update,
};
use pawl_model::table::Datum;
use pawl_store::query::{Lock, NewRows};
use pawl_store::{Actor, query};
use pawl_testkit::{TestDatabase, on_both_engines};

use everything::{EVERYTHING, ROWS, field, filled, parsed};

on_both_engines!(
    every_type_comes_back_as_it_went_in,
    values_are_compared_and_sorted_by_type,
    documents_and_lists_are_searched,
    nulls_do_not_decide_the_types_of_later_values,
);

fn within(path: &[Step], leaf: Leaf) -> Field {
    Field {
        path: path.to_vec(),
        leaf,
        ..field("document")
    }
}

fn key(key: &str) -> Step {
    Step::Key(key.to_owned())
}

fn select(items: Vec<Item>, filter: Filter, order: Vec<Order>) -> Select {
    Select {
        table: &EVERYTHING,
        items,
        filter,
        order,
        offset: 0,
        limit: 100,
    }
}

fn item(name: &str, field: Field) -> Item {
    Item::Field {
        name: name.to_owned(),
        field,
        form: Form::Plain,
    }
}

async fn answer(database: &TestDatabase, select: &Select) -> String {
    let mut scope = database.store.read(Actor::Service).await.unwrap();
    let records = query::select(&mut scope, select, Lock::None).await.unwrap();
    assert_eq!(
        query::count(&mut scope, select).await.unwrap(),
        records.len() as u64
    );
    select.json_array(&records)
}

/// The last digits of the ids of the rows that a filter lets pass, in this order.
async fn passing(database: &TestDatabase, filter: Filter, order: Vec<Order>) -> String {
    let found = answer(database, &select(vec![item("id", field("id"))], filter, order)).await;
    found
        .split("\"}")
        .filter_map(|row| row.chars().last().filter(char::is_ascii_digit))
        .collect()
}

async fn every_type_comes_back_as_it_went_in(database: TestDatabase) {
    filled(&database).await;
    let all = EVERYTHING.columns[2..]
        .iter()
        .map(|column| item(column.name, Field::of(column)))
        .collect();
    let found = answer(&database, &select(all, Filter::EVERY, Vec::new())).await;
    let expected = [
        r#"[{"label":"Zebra","count":10,"small":0.1,"large":0.1,"exact":1.5,"truth":true,"#,
        r#""moment":"2026-01-01T00:00:00+00:00","local":"2026-01-01T12:00:00.5","#,
        r#""document":{"a":1,"b":[1,2,{"c":"x"}],"n":null,"s":"text","t":true},"tags":["a","b"]},"#,
        r#"{"label":"apple","count":9,"small":1.6777216e+07,"large":1e+15,"exact":10,"truth":false,"#,
        r#""moment":"2026-01-01T00:00:00.000001+00:00","local":"1999-12-31T00:00:00","#,
        r#""document":{"a":1.0,"b":[],"s":"10"},"tags":[]},"#,
        r#"{"label":"Äpfel_5%","count":-2147483648,"small":-1.5e-07,"large":1e-07,"exact":9.9,"truth":null,"#,
        r#""moment":"0001-01-01T00:00:00+00:00","local":"9999-12-31T23:59:59.999999","#,
        r#""document":["a",2,{"k":[]}],"tags":["b c","x\"y","null1"]},"#,
        r#"{"label":null,"count":null,"small":null,"large":null,"exact":null,"truth":null,"moment":null,"#,
        r#""local":null,"document":null,"tags":null},"#,
        r#"{"label":"apple*[1]","count":2147483647,"small":3,"large":123456789012345,"exact":0.1,"truth":true,"#,
        r#""moment":"1969-12-31T23:59:59.9+00:00","local":"1970-01-01T00:00:00","document":"bare","tags":["a"]}]"#,
    ];
    assert_eq!(found, expected.concat());
    let places = vec![
        item("a", within(&[key("a")], Leaf::Document)),
        item("text", within(&[key("a")], Leaf::Text)),
        item("n", within(&[key("n")], Leaf::Document)),
        item("null", within(&[key("n")], Leaf::Text)),
        item("c", within(&[key("b"), Step::Index(-1), key("c")], Leaf::Text)),
        item("b", within(&[key("b")], Leaf::Text)),
        item("first", within(&[Step::Index(0)], Leaf::Document)),
        item("odd", within(&[key("o\"d'd\\.[0]")], Leaf::Document)),
    ];
    let found = answer(&database, &select(places, Filter::EVERY, Vec::new())).await;
    let expected = [
        r#"[{"a":1,"text":"1","n":null,"null":null,"c":"x","b":"[1, 2, {\"c\": \"x\"}]","first":null,"odd":null},"#,
        r#"{"a":1.0,"text":"1.0","n":null,"null":null,"c":null,"b":"[]","first":null,"odd":null},"#,
        r#"{"a":null,"text":null,"n":null,"null":null,"c":null,"b":null,"first":"a","odd":null},"#,
        r#"{"a":null,"text":null,"n":null,"null":null,"c":null,"b":null,"first":null,"odd":null},"#,
        r#"{"a":null,"text":null,"n":null,"null":null,"c":null,"b":null,"first":null,"odd":null}]"#,
    ];
    assert_eq!(found, expected.concat());
}

async fn values_are_compared_and_sorted_by_type(database: TestDatabase) {
    use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    filled(&database).await;
    for (name, comparison, text, expected) in [
        ("label", Equal, "apple", "2"),
        ("label", NotEqual, "apple", "135"),
        ("label", Greater, "a", "235"),
        ("label", Less, "a", "1"),
        ("count", GreaterOrEqual, "9", "125"),
        ("count", Less, "0", "3"),
        ("small", Equal, "0.1", "1"),
        ("large", Equal, "0.1", "1"),
        ("large", Greater, "1e14", "25"),
        ("exact", Equal, "1.5", "1"),
        ("exact", Equal, "0.100", "5"),
        ("exact", Greater, "9.89", "23"),
        ("exact", LessOrEqual, "1.5", "15"),
        ("truth", Equal, "true", "15"),
        ("truth", NotEqual, "true", "2"),
        ("moment", Greater, "2026-01-01", "2"),
        ("moment", LessOrEqual, "1970-01-01", "35"),
        ("local", Equal, "1970-01-01T01:00:00+01:00", "5"),
        ("document", Equal, r#"{"s": "10", "b": [], "a": 1.0}"#, "2"),
        ("document", Equal, r#"{"s": "10", "b": [], "a": 1}"#, ""),
        ("tags", Equal, "{a, b}", "1"),
        ("id", Greater, "00000000-0000-0000-0000-000000000003", "45"),
    ] {
        let value = parsed(EVERYTHING.column(name).unwrap().kind, text);
        let filter = Filter::Compare(field(name), comparison, value);
        let found = passing(&database, filter, Vec::new()).await;
        assert_eq!(found, expected, "{name} {comparison:?} {text}");
    }
    for (name, ascending) in [
        ("label", "12534"),
        ("count", "32154"),
        ("small", "31524"),
        ("large", "31524"),
        ("exact", "51324"),
        ("truth", "21534"),
        ("moment", "35124"),
        ("local", "52134"),
        ("document", "53124"),
        ("tags", "15324"),
    ] {
        let order = |direction, nulls| {
            vec![Order {
                field: field(name),
                direction,
                nulls,
            }]
        };
        let up = passing(&database, Filter::EVERY, order(Direction::Ascending, Nulls::Last)).await;
        assert_eq!(up, ascending, "{name}");
        let first = passing(
            &database,
            Filter::EVERY,
            order(Direction::Ascending, Nulls::First),
        )
        .await;
        assert!(
            first.starts_with('4') || first.starts_with("34"),
            "{name}: {first}"
        );
        let down = passing(
            &database,
            Filter::EVERY,
            order(Direction::Descending, Nulls::Last),
        )
        .await;
        assert!(down.ends_with('4'), "{name}: {down}");
    }
    let by_text = |leaf| {
        vec![Order {
            field: within(&[key("s")], leaf),
            direction: Direction::Descending,
            nulls: Nulls::Last,
        }]
    };
    assert_eq!(
        passing(&database, Filter::EVERY, by_text(Leaf::Text)).await,
        "12345"
    );
    assert_eq!(
        passing(&database, Filter::EVERY, by_text(Leaf::Document)).await,
        "12345"
    );
    let text = |path: &[Step], text: &str| {
        Filter::Compare(within(path, Leaf::Text), Equal, Datum::Text(text.to_owned()))
    };
    assert_eq!(
        passing(&database, text(&[key("a")], "1.0"), Vec::new()).await,
        "2"
    );
    assert_eq!(
        passing(&database, text(&[key("t")], "true"), Vec::new()).await,
        "1"
    );
    assert_eq!(
        passing(&database, text(&[Step::Index(1)], "2"), Vec::new()).await,
        "3"
    );
    // The text of an array has blanks on one engine and none on the other: it equals nothing.
    assert_eq!(passing(&database, text(&[key("b")], "[]"), Vec::new()).await, "");
}

async fn documents_and_lists_are_searched(database: TestDatabase) {
    filled(&database).await;
    for (name, text, containing, within) in [
        ("document", "{}", "12", ""),
        ("document", r#"{"a": 1}"#, "12", ""),
        ("document", r#"{"a": 1, "b": [2]}"#, "1", ""),
        ("document", r#"{"b": [{"c": "x"}]}"#, "1", ""),
        ("document", r#"{"b": 1}"#, "", ""),
        ("document", r#"{"n": null}"#, "1", ""),
        ("document", r#"["a"]"#, "3", ""),
        ("document", r#""a""#, "3", ""),
        ("document", r#""bare""#, "5", "5"),
        ("document", r#"["bare", 1]"#, "", "5"),
        ("document", "2", "3", ""),
        ("document", r#"[2, "a", {}]"#, "3", ""),
        ("document", r#"["a", 2, {"k": [], "more": 1}, "b"]"#, "", "3"),
        ("document", r#"{"a": 1, "b": [3], "s": "10"}"#, "", "2"),
        ("document", "[]", "3", ""),
        ("tags", "{}", "1235", "2"),
        ("tags", "{a}", "15", "25"),
        ("tags", r#"{a,b,"b c"}"#, "", "125"),
    ] {
        let value = || parsed(EVERYTHING.column(name).unwrap().kind, text);
        let contains = Filter::Contains(field(name), value());
        assert_eq!(
            passing(&database, contains.clone(), Vec::new()).await,
            containing,
            "{name} cs {text}"
        );
        let negated: String = "1235"
            .chars()
            .filter(|digit| !containing.contains(*digit))
            .collect();
        let not = Filter::Not(Box::new(contains));
        assert_eq!(
            passing(&database, not, Vec::new()).await,
            negated,
            "{name} not.cs {text}"
        );
        let contained = Filter::ContainedBy(field(name), value());
        assert_eq!(
            passing(&database, contained, Vec::new()).await,
            within,
            "{name} cd {text}"
        );
    }
    let overlaps = |texts: &[&str]| {
        Filter::Overlaps(
            field("tags"),
            texts.iter().map(|text| (*text).to_owned()).collect(),
        )
    };
    assert_eq!(
        passing(&database, overlaps(&["b", "b c"]), Vec::new()).await,
        "13"
    );
    assert_eq!(passing(&database, overlaps(&[]), Vec::new()).await, "");
    let not = Filter::Not(Box::new(overlaps(&["a"])));
    assert_eq!(passing(&database, not, Vec::new()).await, "23");
}

/// Statements are kept prepared, with the types of the values that they were first given.
async fn nulls_do_not_decide_the_types_of_later_values(database: TestDatabase) {
    filled(&database).await;
    // In one transaction, so that one connection is asked.
    let mut scope = database.store.write(Actor::Service).await.unwrap();
    for row in [3, 0, 3, 2] {
        let values = EVERYTHING.columns[2..].iter().zip(&ROWS[row][1..]);
        let values = values.map(|(column, text)| match *text {
            "-" => (column, Datum::Null),
            text => (column, parsed(column.kind, text)),
        });
        let values: Vec<_> = values.collect();
        let id = uuid::Uuid::from_u128(100 + row as u128);
        let new: Vec<Datum> = [Datum::Uuid(id), Datum::Null]
            .into_iter()
            .chain(values.iter().map(|(_, value)| value.clone()))
            .collect();
        let everything = Update {
            table: &EVERYTHING,
            values,
            filter: Filter::EVERY,
        };
        assert_eq!(
            query::update(&mut scope, &everything).await.unwrap().count as usize,
            ROWS.len()
        );
        let new = NewRows {
            table: &EVERYTHING,
            rows: &[new],
            named: &[],
            on_conflict: None,
        };
        query::insert(&mut scope, &new).await.unwrap();
        let added = Delete {
            table: &EVERYTHING,
            filter: Filter::Compare(field("id"), Comparison::Equal, Datum::Uuid(id)),
        };
        assert_eq!(
            query::delete(&mut scope, &added).await.unwrap().keys,
            [Datum::Uuid(id)]
        );
    }
}
