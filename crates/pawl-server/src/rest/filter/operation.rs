//! Operations as they are written: `not.operator(any).value`.

use pawl_model::query::Refusal;

use super::super::cursor::Cursor;
use super::super::limits;

/// An operation as it is written, before the type of its field is known.
pub(super) struct Operation {
    pub(super) negated: bool,
    pub(super) operator: String,
    pub(super) quantifier: Option<Quantifier>,
    pub(super) operand: Operand,
}

/// Whether an operation holds for one of its values or for all.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantifier {
    Any,
    All,
}

pub(super) enum Operand {
    One(String),
    List(Vec<String>),
}

/// Where a value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With the parameter.
    Text,
    /// Before a comma or parenthesis.
    Element,
}

const OPERATORS: &[&str] = &[
    "eq",
    "neq",
    "gt",
    "gte",
    "lt",
    "lte",
    "like",
    "ilike",
    "in",
    "is",
    "isdistinct",
    "cs",
    "cd",
    "ov",
];

/// Operators of PostgREST that we do not have.
const UNSUPPORTED: &[&str] = &[
    "match", "imatch", "sl", "sr", "nxr", "nxl", "adj", "fts", "plfts", "phfts", "wfts",
];

pub(super) enum Junction {
    And,
    Or,
}

/// Reads `and` or `or`, perhaps with `not.` before it, if a parenthesis follows.
pub(super) fn junction(cursor: &mut Cursor<'_>) -> Option<(bool, Junction)> {
    let (rest, negated) = match cursor.rest().strip_prefix("not.") {
        Some(rest) => (rest, true),
        None => (cursor.rest(), false),
    };
    let (word, junction) = if rest.starts_with("and") {
        ("and", Junction::And)
    } else if rest.starts_with("or") {
        ("or", Junction::Or)
    } else {
        return None;
    };
    if !rest[word.len()..]
        .trim_start_matches([' ', '\t'])
        .starts_with('(')
    {
        return None;
    }
    if negated {
        cursor.take("not.");
    }
    cursor.take(word);
    cursor.blanks();
    Some((negated, junction))
}

pub(super) fn operation(cursor: &mut Cursor<'_>, end: End) -> Result<Operation, Refusal> {
    const EXPECTED: &str = "\"not\" or operator (eq, gt, ...)";
    let negated = cursor.take("not.");
    let operator = cursor
        .rest()
        .split(['.', '(', ',', ')'])
        .next()
        .unwrap_or_default()
        .to_owned();
    if UNSUPPORTED.contains(&operator.as_str()) {
        return Err(Refusal::not_supported(format!("the operator `{operator}`")));
    }
    if !OPERATORS.contains(&operator.as_str()) {
        if operator.len() < cursor.rest().len() && !operator.is_empty() {
            return Err(cursor.error(["unknown single value operator ", &operator].concat()));
        }
        return Err(cursor.expected(EXPECTED));
    }
    cursor.take(&operator);
    let quantifier = if cursor.take("(any)") {
        Some(Quantifier::Any)
    } else if cursor.take("(all)") {
        Some(Quantifier::All)
    } else {
        None
    };
    let quantifiable = matches!(
        operator.as_str(),
        "eq" | "gt" | "gte" | "lt" | "lte" | "like" | "ilike"
    );
    if quantifier.is_some() && !quantifiable {
        return Err(cursor.error(["operator ", &operator, " takes neither any nor all"].concat()));
    }
    cursor.expect(".")?;
    let operand = if operator == "in" {
        Operand::List(list(cursor, end)?)
    } else {
        Operand::One(value(cursor, end))
    };
    Ok(Operation {
        negated,
        operator,
        quantifier,
        operand,
    })
}

fn value(cursor: &mut Cursor<'_>, end: End) -> String {
    if end == End::Text {
        return cursor.take_while(|_| true).to_owned();
    }
    if cursor.peek() == Some('"')
        && let Some(text) = cursor.quoted_element()
    {
        return text;
    }
    // A list in braces has commas of its own.
    let rest = cursor.rest();
    if rest.starts_with('{')
        && let Some(closing) = rest.find('}')
        && !rest[1..closing].contains('{')
    {
        let list = &rest[..=closing];
        cursor.take(list);
        return list.to_owned();
    }
    cursor.take_while(|c| !matches!(c, ',' | ')')).to_owned()
}

fn list(cursor: &mut Cursor<'_>, end: End) -> Result<Vec<String>, Refusal> {
    cursor.blanks();
    cursor.expect("(")?;
    let mut texts = Vec::new();
    loop {
        let quoted = (cursor.peek() == Some('"'))
            .then(|| cursor.quoted_element())
            .flatten();
        texts.push(quoted.unwrap_or_else(|| cursor.take_while(|c| !matches!(c, ',' | ')')).to_owned()));
        if texts.len() > limits::LIST_VALUES {
            return Err(Refusal::too_much(format!(
                "`in` takes at most {} values",
                limits::LIST_VALUES
            )));
        }
        if !cursor.take(",") {
            break;
        }
    }
    cursor.expect(")")?;
    cursor.blanks();
    if end == End::Text && !cursor.at_end() {
        return Err(cursor.expected("end of input"));
    }
    Ok(texts)
}
