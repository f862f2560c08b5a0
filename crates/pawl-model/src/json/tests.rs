use super::*;

fn normal(text: &str) -> String {
    Json::parse(text).unwrap().to_string()
}

fn problem(text: &str) -> (JsonProblem, usize, usize) {
    let error = Json::parse(text).unwrap_err();
    (error.problem, error.line, error.column)
}

#[test]
fn keys_are_ordered_as_jsonb_orders_them() {
    assert_eq!(
        normal(r#"{"bb":1, "a":2, "c":3, "a":4}"#),
        r#"{"a":4,"c":3,"bb":1}"#
    );
    assert_eq!(normal(r#"{"é":1,"zz":2,"aaa":3}"#), r#"{"zz":2,"é":1,"aaa":3}"#);
    assert_eq!(normal(r#"{"x":{"b":[],"a":{}}}"#), r#"{"x":{"a":{},"b":[]}}"#);
}

#[test]
fn numbers_keep_their_digits() {
    for (given, kept) in [
        ("1.50", "1.50"),
        ("1e2", "100"),
        ("1.5e1", "15"),
        ("1.50e1", "15.0"),
        ("12e-3", "0.012"),
        ("-0", "0"),
        ("-0.0", "0.0"),
        ("0e5", "0"),
        ("0.00e1", "0.0"),
        ("-1.25E+3", "-1250"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        ("0.1", "0.1"),
        ("5e-1", "0.5"),
    ] {
        assert_eq!(normal(given), kept, "of {given}");
    }
}

#[test]
fn a_number_beyond_floats_becomes_the_largest_in_a_tree() {
    let digits = "9".repeat(400);
    let text = r#"{"a":[-N,N.5,1.50],"N":"\\","b\"":"N"}"#.replace('N', &digits);
    let json = Json::parse(&text).unwrap();
    assert!(
        json.as_str()
            .contains(&["[-", &digits, ",", &digits, ".5,1.50]"].concat())
    );
    let expected = serde_json::json!({"a": [f64::MIN, f64::MAX, 1.5], digits.as_str(): "\\", "b\"": digits});
    assert_eq!(json.to_value(), expected);
}

#[test]
fn strings_have_the_shortest_escapes() {
    assert_eq!(
        normal(r#""\u0041\/\u00e9\ud83d\ude00\u001F\n""#),
        "\"A/é😀\\u001f\\n\""
    );
}

#[test]
fn refusals_name_the_place() {
    assert_eq!(problem("{\"a\": NaN}"), (JsonProblem::NotFinite, 1, 7));
    assert_eq!(problem("[\n  -Infinity]"), (JsonProblem::NotFinite, 2, 4));
    assert_eq!(problem(r#"["ok", "a\u0000b"]"#), (JsonProblem::Nul, 1, 10));
    assert_eq!(problem(r#""\ud800x""#), (JsonProblem::Escape, 1, 2));
    assert_eq!(problem("[1,]"), (JsonProblem::Unexpected(']'), 1, 4));
    assert_eq!(problem("{\"a\":1"), (JsonProblem::UnexpectedEnd, 1, 7));
    assert_eq!(problem("1 2"), (JsonProblem::Trailing, 1, 3));
    assert_eq!(problem("01"), (JsonProblem::Unexpected('1'), 1, 2));
    assert_eq!(problem("1e99999"), (JsonProblem::NumberTooLong, 1, 1));
    // Each is 995 bytes longer in normal form.
    let exponents = |count| format!("[{}]", vec!["1e999"; count].join(","));
    assert!(Json::parse(&exponents(1_053)).is_ok());
    assert_eq!(
        problem(&exponents(1_054)),
        (JsonProblem::ExponentsTooLarge, 1, 6_320)
    );
    assert_eq!(problem("\"a\u{1}\""), (JsonProblem::ControlCharacter, 1, 3));
    assert_eq!(problem(&"[".repeat(10_000)).0, JsonProblem::TooDeep);
    assert!(Json::parse(&("[".repeat(64) + &"]".repeat(64))).is_ok());
}

proptest::proptest! {
    #[test]
    fn any_text_is_refused_or_normalised_for_good(text in "[\\[\\]{}\",:0-9eE+.tfn\\\\ua-c \n-]{0,40}") {
        if let Ok(json) = Json::parse(&text) {
            proptest::prop_assert_eq!(&Json::parse(json.as_str()).unwrap(), &json);
            proptest::prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }
    }
}
