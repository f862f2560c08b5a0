use serde_json::value::RawValue;
use time::macros::datetime;

use super::*;

const NOW: OffsetDateTime = datetime!(2026-11-27 23:30:20.123456 UTC);

fn parsed(kind: ColumnType, text: &str) -> Result<String, &'static str> {
    let datum = kind.parse(text, NOW).map_err(|refusal| refusal.code)?;
    let mut out = String::new();
    datum.write_json(&mut out);
    Ok(out)
}

fn read(kind: ColumnType, json: &str) -> Result<String, &'static str> {
    let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
    let datum = kind.read(&raw, NOW).map_err(|refusal| refusal.code)?;
    let mut out = String::new();
    datum.write_json(&mut out);
    Ok(out)
}

#[test]
fn texts_are_read_by_type_and_written_as_json() {
    use ColumnType::*;
    for (kind, text, expected) in [
        (Int, " 42 ", "42"),
        (Int, "-2147483648", "-2147483648"),
        (Double, "0.30000000000000004", "0.30000000000000004"),
        (Double, "1.0", "1"),
        (Double, "-0", "-0"),
        (Double, "1e14", "100000000000000"),
        (Double, "1e15", "1e+15"),
        (Double, "123456.75", "123456.75"),
        (Double, "0.0001", "0.0001"),
        (Double, "0.00001234", "1.234e-05"),
        (Double, "1.5e300", "1.5e+300"),
        (Real, "0.1", "0.1"),
        (Real, "1234567", "1.234567e+06"),
        (Numeric, "1.50", "1.50"),
        (Numeric, "1e2", "100"),
        (Bool, "T", "true"),
        (Bool, "of", "false"),
        (Text, "a\"\n\u{7f}ä", "\"a\\\"\\n\u{7f}ä\""),
        (TimestampTz, "now()", "\"2026-11-27T23:30:20.123456+00:00\""),
        (TimestampTz, "NOW", "\"2026-11-27T23:30:20.123456+00:00\""),
        (Timestamp, "2026-01-01 00:00+01", "\"2025-12-31T23:00:00\""),
        (Jsonb, r#"{"b":1,"a":[1,2]}"#, r#"{"a":[1,2],"b":1}"#),
        (
            TextList,
            r#"{a, "b c" ,"d\"e", f g }"#,
            r#"["a","b c","d\"e","f g"]"#,
        ),
        (TextList, "{}", "[]"),
        (
            Uuid,
            "{A1B2C3D4-E5F6-4890-ABCD-000000000001}",
            "\"a1b2c3d4-e5f6-4890-abcd-000000000001\"",
        ),
    ] {
        assert_eq!(parsed(kind, text).as_deref(), Ok(expected), "{kind:?} {text}");
    }
}

#[test]
fn what_is_none_of_a_type_is_refused_by_code() {
    use ColumnType::*;
    for (kind, text, code) in [
        (Int, "abc", "22P02"),
        (Int, "1.0", "22P02"),
        (Int, "", "22P02"),
        (Int, "3000000000", "22003"),
        (Double, "x", "22P02"),
        (Double, "NaN", "22P02"),
        (Double, "-Infinity", "22P02"),
        (Double, "1e999", "22003"),
        (Real, "1e39", "22003"),
        (Numeric, "1e999999999", "22P02"),
        (Numeric, "\"1\"", "22P02"),
        (Bool, "o", "22P02"),
        (Bool, "", "22P02"),
        (Uuid, "1", "22P02"),
        (Uuid, "urn:uuid:a1b2c3d4-e5f6-4890-abcd-000000000001", "22P02"),
        (TimestampTz, "soon", "22007"),
        (TimestampTz, "2026-02-30", "22008"),
        (Jsonb, "{", "22P02"),
        (Jsonb, "NaN", "22P02"),
        (TextList, "a", "22P02"),
        (TextList, "{a,}", "22P02"),
        (TextList, "{{a}}", "22P02"),
        (TextList, "{null}", "22P02"),
        (TextList, "{\"a}", "22P02"),
        (Text, "a\0", "22P05"),
    ] {
        assert_eq!(parsed(kind, text), Err(code), "{kind:?} {text}");
    }
}

#[test]
fn json_values_are_read_by_type() {
    use ColumnType::*;
    for (kind, json, expected) in [
        (Int, "7", Ok("7")),
        (Int, "\"7\"", Ok("7")),
        (Int, "7.0", Err("22P02")),
        (Int, "true", Err("22P02")),
        (Int, "null", Ok("null")),
        (Int, "[1]", Err("22P02")),
        (Bool, "true", Ok("true")),
        (Text, "1.50", Ok("\"1.50\"")),
        (Text, "{\"b\": 1}", Ok("\"{\\\"b\\\":1}\"")),
        (Text, "\"a\\u0000\"", Err("22P05")),
        (Jsonb, "null", Ok("null")),
        (Jsonb, "\"null\"", Ok("\"null\"")),
        (
            Jsonb,
            "{\"bb\": 1e2, \"a\": \"\\u00e4\"}",
            Ok("{\"a\":\"ä\",\"bb\":100}"),
        ),
        (Jsonb, "[\"\\u0000\"]", Err("22P05")),
        (TextList, "[\"a\", \"b\"]", Ok("[\"a\",\"b\"]")),
        (TextList, "[1]", Err("22P02")),
        (TextList, "[\"\\u0000\"]", Err("22P05")),
        (
            TimestampTz,
            "\"now()\"",
            Ok("\"2026-11-27T23:30:20.123456+00:00\""),
        ),
        (TimestampTz, "5", Err("22007")),
    ] {
        assert_eq!(
            read(kind, json).as_deref(),
            expected.as_deref(),
            "{kind:?} {json}"
        );
    }
}

#[test]
fn texts_of_values_are_those_of_a_cast() {
    let text = |datum: &Datum| {
        let mut out = String::new();
        datum.write_text(&mut out);
        out
    };
    let document = Json::parse(r#"{"a":"x:y,\"z\\","b":[1,{"c":2}]}"#).unwrap();
    assert_eq!(
        text(&Datum::Json(document)),
        r#"{"a": "x:y,\"z\\", "b": [1, {"c": 2}]}"#
    );
    let list = ["a b", "", "null", "x\"y", "plain"].map(str::to_owned).to_vec();
    assert_eq!(text(&Datum::TextList(list)), r#"{"a b","","null","x\"y",plain}"#);
    assert_eq!(text(&Datum::TimestampTz(NOW)), "2026-11-27 23:30:20.123456+00");
    assert_eq!(text(&Datum::Null), "");
}

proptest::proptest! {
    #[test]
    fn a_list_reads_back_as_it_was_written(list: Vec<String>) {
        let list: Vec<String> = list.into_iter().map(|text| text.replace('\0', "")).collect();
        let mut out = String::new();
        Datum::TextList(list.clone()).write_text(&mut out);
        proptest::prop_assert_eq!(text_list::parse(&out), Some(list));
    }

    #[test]
    fn a_number_reads_back_as_it_was_written(number: f64) {
        proptest::prop_assume!(number.is_finite());
        let mut out = String::new();
        Datum::Double(number).write_json(&mut out);
        proptest::prop_assert_eq!(out.parse::<f64>().ok(), Some(number));
    }

    #[test]
    fn no_text_breaks_the_reader(text: String) {
        for kind in [ColumnType::Uuid, ColumnType::Int, ColumnType::Double, ColumnType::Numeric, ColumnType::Bool,
            ColumnType::TimestampTz, ColumnType::Jsonb, ColumnType::TextList] {
            if let Err(refusal) = kind.parse(&text, NOW) {
                proptest::prop_assert_eq!(refusal.code.len(), 5);
            }
        }
    }
}
