use super::*;
use serde_json::json;

fn value(text: &str) -> Value {
    parse(text).unwrap().into_value()
}

fn fault(text: &str) -> (u64, u64, String) {
    let ((line, column), message) = parse(text).unwrap_err();
    (line, column, message)
}

#[test]
fn plain_scalars_mean_what_js_yaml_takes_them_for() {
    for (text, meaning) in [
        ("~", json!(null)),
        ("Null", json!(null)),
        ("", json!(null)),
        ("true", json!(true)),
        ("yes", json!("yes")),
        ("12", json!(12)),
        ("+12", json!(12)),
        ("-1_000", json!(-1000)),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("0b101", json!(5)),
        ("017", json!(17)),
        ("1.5", json!(1.5)),
        ("-.5", json!(-0.5)),
        ("1e3", json!(1000.0)),
        ("12_", json!("12_")),
        ("1.2.3", json!("1.2.3")),
        (".", json!(".")),
        ("e5", json!("e5")),
        ("2024-01-31", json!("2024-01-31")),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!(18_446_744_073_709_551_616.0)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("'12'", json!("12")),
        ("!!str 12", json!("12")),
        ("!!int 12", json!(12)),
        ("\"a\\tb\"", json!("a\tb")),
    ] {
        assert_eq!(value(text), meaning, "of {text:?}");
    }
}

#[test]
fn positions_are_those_of_the_values() {
    let node = parse("a: 1\nlist:\n  - x\n  - é: [1, zwei]\n").unwrap();
    let Kind::Mapping(entries) = &node.kind else {
        panic!("{node:?}")
    };
    assert_eq!((entries[1].key_mark, entries[1].value.mark), ((2, 1), (3, 3)));
    let Kind::Sequence(items) = &entries[1].value.kind else {
        panic!("{node:?}")
    };
    assert_eq!((items[0].mark, items[1].mark), ((3, 5), (4, 5)));
    let Kind::Mapping(inner) = &items[1].kind else {
        panic!("{node:?}")
    };
    let Kind::Sequence(flow) = &inner[0].value.kind else {
        panic!("{node:?}")
    };
    assert_eq!(flow[1].mark, (4, 12));
}

#[test]
fn aliases_and_merges_are_replaced_by_what_they_stand_for() {
    let text = "base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\n\
                one: {<<: *base, b: 9}\ntwo: {a: 0, <<: [*base, *more]}\nthree: *base\nfour: {'<<': 5}\n";
    let value = value(text);
    assert_eq!(value["one"], json!({"a": 1, "b": 9}));
    assert_eq!(value["two"], json!({"a": 0, "b": 2, "c": 4}));
    assert_eq!(value["three"], json!({"a": 1, "b": 2}));
    assert_eq!(value["four"], json!({"<<": 5}));
    assert_eq!(
        super::tests::value("1: x\ntrue: y\n"),
        json!({"1": "x", "true": "y"})
    );
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_place() {
    let deep = "[".repeat(10_000);
    for (text, line, column, message) in [
        ("a: 1\nb: .nan", 2, 4, "`.nan` is not a finite number"),
        ("a: [-.inf]", 1, 5, "`-.inf` is not a finite number"),
        ("a: 1e999", 1, 4, "`1e999` is not a finite number"),
        (
            "a: 1\nb: 2\na: 3\n",
            3,
            1,
            "duplicate key `a`, already given in line 1",
        ),
        (
            "null: 1\n? ",
            2,
            3,
            "duplicate key `null`, already given in line 1",
        ),
        (
            "a: \"x\\0\"",
            1,
            4,
            "a text holds the NUL character, which cannot be stored",
        ),
        (
            "? [a]\n: b",
            1,
            3,
            "a key must be a text, not a list or an object",
        ),
        (
            "a: &x [*x]",
            1,
            8,
            "this alias refers to a value that it is part of",
        ),
        (
            "a: 1\n---\nb: 2",
            2,
            1,
            "a second YAML document starts here; a suite is one",
        ),
        ("a: !secret x", 1, 4, "the YAML tag `!secret` is not supported"),
        ("a: !!int x", 1, 4, "`x` is not a YAML int"),
        ("a: {<<: 1}", 1, 5, "`<<` merges objects only"),
        (&deep, 1, 256, "nested deeper than 64 levels"),
    ] {
        assert_eq!(fault(text), (line, column, message.to_owned()), "of {text:.20}");
    }
    for (text, line, column) in [("a: [1", 1, 6), ("é:\r\n  [1\r", 3, 1), ("a:\rb: {é", 2, 6)] {
        let (found_line, found_column, message) = fault(text);
        assert_eq!((found_line, found_column), (line, column), "of {text:?}");
        assert!(message.starts_with("invalid YAML: "), "{message}");
    }
    assert!(fault("a: *nope").2.starts_with("invalid YAML: "));
}

#[test]
fn aliases_cannot_blow_up() {
    let mut text = "a0: &a0 [xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx]\n".to_owned();
    for level in 1..20 {
        let below = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", vec![below; 9].join(", "));
    }
    let (line, _, message) = fault(&text);
    assert_eq!(
        message,
        "the anchors and aliases of this file expand to more than 64 MiB"
    );
    assert!(line > 3);
}
