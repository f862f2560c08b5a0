//! Secrets and names behind a key: `password=…`, `"api_key": "…"`, `--password …`, "my password is …".

mod key;
mod value;

use std::ops::Range;

pub(super) use key::{Class, class_of_key};

use super::anchor::Detector;
use super::stretch::{Anchor, Stretch, Verdict, is_word};
use super::{Kind, jwt, name, vendor};
use value::Value;

pub(super) const DETECTOR: Detector = Detector {
    literals: key::literals,
    verify,
};

/// What joins a key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joint {
    /// `=`, also `=>`, `:=` and `==`.
    Equals,
    Colon,
    /// A verb: "is".
    Is,
    /// Nothing but a space, behind an option such as `--password`.
    Option,
}

/// `password=1` says that there is one.
const FEWEST_OF_PARAMETER: usize = 3;

/// How much of a line may stand before a key, in bytes.
const LONGEST_BEFORE: usize = 64;

/// Verbs that join a key and its value, with what follows them.
const VERBS: [&str; 10] = [
    "is ", "was ", "ist ", "lautet ", "es ", "est ", "é ", "è ", "是", "は",
];

fn verify(stretch: Stretch<'_>, anchor: Anchor) -> Verdict {
    match found(stretch, anchor) {
        Some((range, kind)) => Verdict::found(range, kind),
        // Another key may begin within this one: `db_pass` in `db_password`.
        None => Verdict::Nothing {
            resume: anchor.start + stretch.char_at(anchor.start).map_or(1, char::len_utf8),
        },
    }
}

fn found(stretch: Stretch<'_>, anchor: Anchor) -> Option<(Range<usize>, Kind)> {
    let text = stretch.text;
    let class = key::class(anchor.literal);
    let key_end = stretch.run_end(anchor.end, |byte| byte.is_ascii_digit());
    if !key::begins_word(text, anchor.start)
        || stretch.is_word_at(key_end) && stretch.follows_word(anchor.end)
    {
        return None;
    }
    let (joint, from, is_quoted_key) = joint(stretch, anchor.start, key_end)?;
    let word = &text[anchor.start..anchor.end];
    if class == Class::Name {
        // `last_name: Option` declares a field of a program.
        let is_identifier = word.contains('_') || stretch.follows_word(anchor.start);
        let range = value::name(stretch, from, word)?;
        let may_be = from < range.start || joint == Joint::Equals || joint == Joint::Colon && !is_identifier;
        return may_be.then_some((range, Kind::Name));
    }
    let value = Value::read(stretch, from)?;
    let is_secret = match class {
        // A number, `true` or `null` of JSON survives.
        _ if is_quoted_key && !value.is_quoted => false,
        Class::Password | Class::Pass if value.is_quoted => value.may_be_password(word),
        Class::Password | Class::Pass => {
            let is_tight = joint == Joint::Equals && from == key_end + 1;
            let is_line =
                matches!(joint, Joint::Equals | Joint::Colon) && is_line(stretch, anchor.start, &value);
            value.may_be_password(word)
                && !value.is_code(stretch)
                && (value.looks_secret(class)
                    || (is_line || is_tight) && value.text.len() >= FEWEST_OF_PARAMETER)
        }
        Class::Secret if is_quoted_key => value.may_be_password(word),
        Class::Secret => value.may_be_secret(word) && !value.is_code(stretch),
        Class::ApiKey => value.may_be_key(word) && !is_cursor(stretch, anchor.start),
        Class::AwsKey => value.may_be_key(word),
        // The schemes are found by themselves.
        Class::Authorization | Class::Name => false,
    };
    let range = value.range;
    is_secret.then(|| (range.clone(), kind(&text[range], class)))
}

/// The kind of a secret that stands under a key: what it says by itself, else what the key says.
pub(super) fn kind(secret: &str, class: Class) -> Kind {
    if jwt::is_jwt(secret) {
        return Kind::Jwt;
    }
    vendor::kind_of(secret).unwrap_or(match class {
        Class::Password | Class::Pass | Class::Secret => Kind::Password,
        Class::ApiKey | Class::Authorization => Kind::ApiKey,
        Class::AwsKey => Kind::AwsKey,
        Class::Name => Kind::Name,
    })
}

/// Whether a value under a key of JSON is a secret or a name as a whole.
pub(super) fn is_whole(value: &str, class: Class) -> bool {
    match class {
        Class::Name => name::may_be_name(value),
        Class::ApiKey => !value.contains(char::is_whitespace) && Value::whole(value).may_be_key(""),
        Class::Password | Class::Pass | Class::Secret | Class::Authorization | Class::AwsKey => {
            Value::whole(value).may_be_password("")
        }
    }
}

/// How a key that ends at a place is joined to its value, where that begins, and whether a quote closes the key.
fn joint(stretch: Stretch<'_>, key_start: usize, key_end: usize) -> Option<(Joint, usize, bool)> {
    let closed = stretch.run_end(key_end, |byte| {
        matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b']' | b'*')
    });
    let is_quoted_key = stretch.text[key_end..closed].contains('"');
    let spaced = skip_blanks(stretch, closed);
    let rest = stretch.rest(spaced);
    let signs = [
        ("=>", Joint::Equals),
        (":=", Joint::Equals),
        ("==", Joint::Equals),
        ("=", Joint::Equals),
        ("＝", Joint::Equals),
        (":", Joint::Colon),
        ("：", Joint::Colon),
    ];
    if let Some((sign, joint)) = signs.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
        // A path of a program: `Secret::new`.
        if rest.starts_with("::") {
            return None;
        }
        let behind = stretch.run_end(spaced + sign.len(), |byte| byte == b'*');
        return Some((joint, skip_blanks(stretch, behind), is_quoted_key));
    }
    let verb = VERBS.into_iter().find(|verb| rest.starts_with(verb));
    if let Some(verb) = verb.filter(|verb| spaced > closed || !verb.ends_with(' ')) {
        return Some((Joint::Is, skip_blanks(stretch, spaced + verb.len()), false));
    }
    let option = stretch.run_start(key_start, 32, |byte| is_word(byte) || byte == b'-');
    let is_option = stretch.rest(option).starts_with("--") && spaced > closed;
    is_option.then_some((Joint::Option, spaced, false))
}

fn skip_blanks(stretch: Stretch<'_>, from: usize) -> usize {
    let rest = stretch.rest(from);
    from + rest.len() - rest.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}']).len()
}

/// Whether key and value are an indented line of a file: at most a list's hyphen before them, nothing behind.
fn is_line(stretch: Stretch<'_>, key_start: usize, value: &Value<'_>) -> bool {
    let near = stretch
        .text
        .ceil_char_boundary(key_start.saturating_sub(LONGEST_BEFORE));
    let before = &stretch.text[near..key_start];
    let before = match before.rfind('\n') {
        Some(newline) => &before[newline + 1..],
        None if near == 0 => before,
        None => return false,
    };
    let belongs = |byte: u8| is_word(byte) || matches!(byte, b' ' | b'\t' | b'-');
    let is_first = before.bytes().all(belongs) && before.split_whitespace().count() <= 1;
    let after = stretch
        .rest(value.range.end)
        .trim_start_matches([' ', '\t', '\r']);
    let is_last = after.is_empty() || after.starts_with('\n');
    is_first && is_last && before.starts_with([' ', '\t', '-'])
}

/// Whether the key is that of a page: `nextToken`, `page_token`.
fn is_cursor(stretch: Stretch<'_>, word: usize) -> bool {
    let start = stretch.run_start(word, 16, is_word);
    let before = stretch.text[start..word].to_ascii_lowercase();
    ["next", "page", "cursor", "continuation"]
        .iter()
        .any(|name| before.contains(name))
}

/// How long the scheme is that begins the value of an `Authorization` header.
pub(super) fn scheme_length(value: &str, class: Class) -> usize {
    let scheme = value.split_inclusive(' ').next().unwrap_or_default();
    let is_scheme = ["bearer ", "basic ", "token "]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known));
    if class == Class::Authorization && is_scheme {
        scheme.len()
    } else {
        0
    }
}
