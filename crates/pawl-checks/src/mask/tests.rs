use std::borrow::Cow;

use proptest::prelude::*;

use super::*;

fn mask(text: &str) -> String {
    Masker::built_in().mask(text).text.into_owned()
}

fn tenant(patterns: &[(&str, Option<&str>)]) -> Masker {
    let patterns: Vec<TenantPattern> = patterns
        .iter()
        .map(|(pattern, name)| TenantPattern {
            pattern: (*pattern).to_owned(),
            name: name.map(str::to_owned),
        })
        .collect();
    Masker::new(&patterns).unwrap()
}

#[test]
fn what_is_not_personal_is_given_back() {
    let masked = Masker::built_in().mask("Order 112-7654321 shipped at 12:34:56.");
    assert!(matches!(masked.text, Cow::Borrowed(_)));
    assert!(masked.counts.is_empty());
    assert_eq!(serde_json::to_string(&masked.counts).unwrap(), "{}");
}

#[test]
fn counts_add_up() {
    let masker = tenant(&[(r"ORD-\d+", Some("ORDER_CODE")), (r"\bzz\w+", None)]);
    let mut counts = masker.mask("a@b.example, c@d.example ORD-1 zzy").counts;
    let json = |counts: &MaskCounts| serde_json::to_string(counts).unwrap();
    assert_eq!(json(&counts), r#"{"email":2,"custom":1,"order_code":1}"#);
    assert_eq!(
        (counts.of(Kind::Email), counts.named("ORDER_CODE"), counts.total()),
        (2, 1, 4)
    );
    counts.merge(&masker.mask("ORD-2 from 192.0.2.1").counts);
    assert_eq!(json(&counts), r#"{"email":2,"ip":1,"custom":1,"order_code":2}"#);
}

#[test]
fn placeholders_stay() {
    let masker = tenant(&[("[A-Z_]{4,}", Some("SHOUT"))]);
    assert_eq!(
        masker.mask("[EMAIL] [SHOUT] [OTHER] password=[PASSWORD]").text,
        "[EMAIL] [SHOUT] [[SHOUT]] password=[PASSWORD]"
    );
    assert_eq!(mask("password=abc[EMAIL]def1"), "password=[PASSWORD][EMAIL]def1");
    assert_eq!(
        mask(r#"{"password":"abc[EMAIL]def"}"#),
        r#"{"password":"[PASSWORD][EMAIL][PASSWORD]"}"#
    );
    assert_eq!(mask("Dear [NAME], call [PHONE]"), "Dear [NAME], call [PHONE]");
}

#[test]
fn patterns_of_a_tenant_come_first() {
    let masker = tenant(&[
        (r"KD\d{6}", Some("CUSTOMER_NUMBER")),
        (r"\S+@corp\.example", Some("STAFF")),
    ]);
    assert_eq!(
        masker
            .mask("KD123456 wrote to ann@corp.example, not to bob@x.example")
            .text,
        "[CUSTOMER_NUMBER] wrote to [STAFF], not to [EMAIL]"
    );
}

#[test]
fn json_keeps_keys_numbers_and_form() {
    let text = r#"{"a@b.example": "c@d.example", "phone": 5551234567, "card":"4111111111111111",
        "order_id": "4111111111111111", "list": ["x", "192.0.2.7"], "nested": "{\"password\": \"hunter2\", \"n\": 1}"}"#;
    let expected = r#"{"a@b.example": "[EMAIL]", "phone": 5551234567, "card":"[CARD]",
        "order_id": "4111111111111111", "list": ["x", "[IP]"], "nested": "{\"password\": \"[PASSWORD]\", \"n\": 1}"}"#;
    assert_eq!(mask(text), expected);
    assert_eq!(
        Masker::built_in().mask_json(r#""line\nbob@x.example""#).text,
        r#""line\n[EMAIL]""#
    );
    assert_eq!(
        mask(r#"{"t":"\u0061nn@x.example \ud83d\ude00"}"#),
        r#"{"t":"[EMAIL] \ud83d\ude00"}"#
    );
}

#[test]
fn values_under_telling_keys_are_masked_whole() {
    for (text, expected) in [
        (r#"{"password":"a b c"}"#, r#"{"password":"[PASSWORD]"}"#),
        (r#"{"db":{"secret":"shh"}}"#, r#"{"db":{"secret":"[PASSWORD]"}}"#),
        (r#"{"api_key":"k3yk3yk3yk3y"}"#, r#"{"api_key":"[API_KEY]"}"#),
        (
            r#"{"Authorization":"Bearer abc"}"#,
            r#"{"Authorization":"Bearer [API_KEY]"}"#,
        ),
        (
            r#"{"passwords":["x"],"password":["one","two"]}"#,
            r#"{"passwords":["x"],"password":["[PASSWORD]","[PASSWORD]"]}"#,
        ),
        (r#"{"full_name":"ann lee"}"#, r#"{"full_name":"[NAME]"}"#),
        (
            r#"{"token":"Hello","password":null,"secret":"${SECRET}"}"#,
            r#"{"token":"Hello","password":null,"secret":"${SECRET}"}"#,
        ),
        (r#"{"phone":"555 123 4567"}"#, r#"{"phone":"[PHONE]"}"#),
    ] {
        assert_eq!(mask(text), expected);
    }
}

#[test]
fn sources_and_manuals_hold_little_that_is_personal() {
    for text in [
        "LATIN CAPITAL LETTER Z WITH CARON",
        "use nix::mount::{mount, MsFlags};",
        "4826 ms: Mark-sweep 130.6 (147.8)",
        "if fullname is None:",
        "last_name: Option<Arc<str>>,",
        "51 Franklin St, Boston, MA 02110-1301, USA",
        "## 0.0.2 (2019-03-30)",
        "test_relative(0.068041381743977, pdf(2.0));",
        "datetime!(+999999-12-31 23:59:59)",
        "Decimal('+35236450.6')",
        "Clause 252.227-7013 (c) (1) of DFARs",
        "let seed = [4640401278902814207, 4526508363195533871];",
        "Pin::new(&mut self.inner).poll_read(cx, buf)",
        "fn from_secret(secret: &[u8]) -> Self",
        "let private_key = PrivateKey::generate(&X25519).unwrap();",
        "password = self.password, token: D3D10_SB_RESOURCE_RETURN_TYPE",
        "starts with `-----BEGIN PRIVATE KEY-----` and so on",
        "const FF1 = c::FF1",
        "Git 1.7.12.4 Release Notes",
        "Bearer Token: https://tools.ietf.org/html/rfc6750",
    ] {
        assert_eq!(mask(text), text);
    }
}

/// Texts in which much looks like personal data.
fn suspicious() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("password=".to_owned()),
        Just("\"password\": \"".to_owned()),
        Just("my name is ".to_owned()),
        Just("Dear Dr. ".to_owned()),
        Just("我叫王".to_owned()),
        Just("と申します".to_owned()),
        Just("اسمي ".to_owned()),
        Just("phone ".to_owned()),
        Just("order ".to_owned()),
        Just("Bearer ".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----\n".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just("sk-FAKEkey0123456789abcdef".to_owned()),
        Just("eyJhbGciOiJub25lIn0.e30.".to_owned()),
        Just("AKIAFAKEKEY234567ABC".to_owned()),
        Just("DE89370400440532013000".to_owned()),
        Just("4111 1111 1111 1111".to_owned()),
        Just("+1 212 555 0100".to_owned()),
        Just("536-22-8145".to_owned()),
        Just("192.0.2.1".to_owned()),
        Just("2001:db8::1".to_owned()),
        Just("a@b.example".to_owned()),
        Just("://u:p@".to_owned()),
        Just("[EMAIL]".to_owned()),
        Just("[PHONE]".to_owned()),
        "[A-Za-z0-9]{1,6}",
        "[ .,:;@+()/=\"'\\\\\\[\\]{}<>\n&!-]{1,3}",
        "[0-9]{1,5}",
        "\\PC{0,4}",
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// The text without what was found, and with its placeholders, put together from the findings alone.
fn assemble(text: &str, found: &[Finding<'_>]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for finding in found {
        assert!(
            from <= finding.range.start && finding.range.start < finding.range.end,
            "overlap in {text:?}"
        );
        out.push_str(&text[from..finding.range.start]);
        out.push_str(&format!("[{}]", finding.name));
        from = finding.range.end;
    }
    out + &text[from..]
}

fn check(masker: &Masker, text: &str) {
    let masked = masker.mask(text);
    let found = masker.find(text);
    assert_eq!(
        masked.text,
        assemble(text, &found),
        "what is not found stays in {text:?}"
    );
    assert_eq!(masked.counts.total() as usize, found.len());
    let placeholders = |text: &str| masker.placeholders(text).count();
    assert_eq!(
        placeholders(&masked.text),
        placeholders(text) + found.len(),
        "of {text:?}"
    );
    let again = masker.mask(&masked.text);
    assert_eq!(again.text, masked.text, "of {text:?}");
    assert!(matches!(again.text, Cow::Borrowed(_)));
}

proptest! {
    #[test]
    fn masking_is_exact_and_idempotent(text in suspicious()) {
        check(Masker::built_in(), &text);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        check(Masker::built_in(), &text);
    }

    #[test]
    fn patterns_of_a_tenant_mask_exactly(text in suspicious(), pattern in r"[a-z0-9@\[\].:+-]|\\d\+|\\w\{3\}|\[A-Z\]\+|\\bp") {
        if let Ok(masker) = Masker::new(&[TenantPattern { pattern, name: Some("OWN".to_owned()) }]) {
            check(&masker, &text);
        }
    }

    #[test]
    fn json_stays_json(texts in prop::collection::vec(suspicious(), 1..4), keys in prop::collection::vec("password|phone|order_id|[a-z]{1,4}", 4)) {
        let members = keys.into_iter().zip(texts).map(|(key, text)| (key, serde_json::Value::String(text)));
        let inner = serde_json::Value::Object(members.collect());
        let outer = serde_json::json!({"inner": inner.to_string(), "list": [inner], "n": 5_551_234_567_u64});
        let masked = Masker::built_in().mask_json(&outer.to_string()).text.into_owned();
        let read: serde_json::Value = serde_json::from_str(&masked).unwrap();
        prop_assert_eq!(&read["n"], &outer["n"]);
        let keys = |value: &serde_json::Value| value["list"][0].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        prop_assert_eq!(keys(&read), keys(&outer));
        let inner: serde_json::Value = serde_json::from_str(read["inner"].as_str().unwrap()).unwrap();
        prop_assert!(inner.is_object());
        check(Masker::built_in(), &outer.to_string());
    }
}
