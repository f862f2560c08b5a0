//! Filters: `column=operator.value`, and `and=(…)`, `or=(…)` over several.

mod operation;

use pawl_model::query::{Case, Comparison, Field, Filter, Pattern, PatternPart, Refusal, Truth};
use pawl_model::table::{ColumnType, Datum, Table};
use serde_json::Value;
use time::OffsetDateTime;

use super::cursor::Cursor;
use super::field;
use super::limits;
use operation::{End, Junction, Operand, Operation, Quantifier, junction, operation};

/// What filters are read with.
pub(super) struct FilterReader {
    /// What `now()` means.
    pub(super) now: OffsetDateTime,
    /// How many filters there have been.
    pub(super) count: usize,
}

impl FilterReader {
    /// Reads the value of the parameter of a field.
    pub(super) fn filter(&mut self, field: &Field, text: &str) -> Result<Filter, Refusal> {
        self.counted()?;
        let mut cursor = Cursor::new("filter", text);
        let operation = operation(&mut cursor, End::Text)?;
        self.typed(field, operation)
    }

    /// Whether the value of the parameter of an embedded table asks for rows with (`true`) or without any.
    pub(super) fn presence(&mut self, target: &str, text: &str) -> Result<bool, Refusal> {
        self.counted()?;
        match text.to_ascii_lowercase().as_str() {
            "is.null" => Ok(false),
            "not.is.null" | "is.not_null" => Ok(true),
            _ => Err(Refusal::new(
                "PGRST120",
                format!("Bad operator on the '{target}' embedded resource"),
            )
            .details("Only is null or not is null filters are allowed on embedded resources")),
        }
    }

    /// Reads the value of `and`, `or`, `not.and` or `not.or`, with its name before it.
    pub(super) fn logic(&mut self, text: &str, table: &'static Table) -> Result<Filter, Refusal> {
        let mut cursor = Cursor::new("logic tree", text);
        let filter = self.tree(&mut cursor, table, 0)?;
        if cursor.at_end() {
            return Ok(filter);
        }
        Err(cursor.expected("end of input"))
    }

    fn counted(&mut self) -> Result<(), Refusal> {
        self.count += 1;
        if self.count <= limits::FILTERS {
            return Ok(());
        }
        Err(Refusal::too_much(format!(
            "at most {} filters can be given",
            limits::FILTERS
        )))
    }

    fn tree(
        &mut self,
        cursor: &mut Cursor<'_>,
        table: &'static Table,
        depth: usize,
    ) -> Result<Filter, Refusal> {
        if depth > limits::LOGIC_DEPTH {
            return Err(Refusal::too_much(format!(
                "`and` and `or` can be nested {} deep",
                limits::LOGIC_DEPTH
            )));
        }
        cursor.blanks();
        let Some((negated, operator)) = junction(cursor) else {
            self.counted()?;
            let field = field::field(cursor, table)?;
            cursor.blanks();
            cursor.expect(".")?;
            let operation = operation(cursor, End::Element)?;
            cursor.blanks();
            return self.typed(&field, operation);
        };
        cursor.expect("(")?;
        let mut parts = Vec::new();
        loop {
            parts.push(self.tree(cursor, table, depth + 1)?);
            cursor.blanks();
            if !cursor.take(",") {
                break;
            }
        }
        cursor.expect(")")?;
        cursor.blanks();
        let filter = match operator {
            Junction::And => Filter::All(parts),
            Junction::Or => Filter::Any(parts),
        };
        Ok(if negated {
            Filter::Not(Box::new(filter))
        } else {
            filter
        })
    }

    fn typed(&self, field: &Field, operation: Operation) -> Result<Filter, Refusal> {
        let Operation {
            negated,
            operator,
            quantifier,
            operand,
        } = operation;
        let filter = match (quantifier, operand) {
            (None, Operand::One(text)) => self.one(field, &operator, &text)?,
            (None, Operand::List(texts)) => {
                // Of no values, PostgREST's `in.()` has a single empty one.
                let none = texts.len() == 1 && texts[0].is_empty();
                let values = texts.iter().filter(|_| !none).map(|text| self.value(field, text));
                Filter::In(field.clone(), values.collect::<Result<_, _>>()?)
            }
            (Some(quantifier), Operand::One(text)) => {
                let texts = match ColumnType::TextList.parse(&text, self.now)? {
                    Datum::TextList(texts) if texts.len() <= limits::FILTERS => texts,
                    _ => {
                        return Err(Refusal::too_much(format!(
                            "`any` and `all` take at most {} values",
                            limits::FILTERS
                        )));
                    }
                };
                let parts = texts.iter().map(|text| self.one(field, &operator, text));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                match quantifier {
                    Quantifier::Any => Filter::Any(parts),
                    Quantifier::All => Filter::All(parts),
                }
            }
            (Some(_), Operand::List(_)) => return Err(Refusal::not_supported("`in` with `any` or `all`")),
        };
        Ok(if negated {
            Filter::Not(Box::new(filter))
        } else {
            filter
        })
    }

    fn one(&self, field: &Field, operator: &str, text: &str) -> Result<Filter, Refusal> {
        let kind = field.kind();
        let comparison = match operator {
            "eq" => Comparison::Equal,
            "neq" => Comparison::NotEqual,
            "gt" => Comparison::Greater,
            "gte" => Comparison::GreaterOrEqual,
            "lt" => Comparison::Less,
            "lte" => Comparison::LessOrEqual,
            "isdistinct" => return Ok(Filter::Distinct(field.clone(), self.value(field, text)?)),
            "is" => return is(field, text),
            "like" | "ilike" => {
                let (case, sign) = match operator {
                    "like" => (Case::Sensitive, "~~"),
                    _ => (Case::Insensitive, "~~*"),
                };
                if kind != ColumnType::Text {
                    return Err(Refusal::no_operator(kind.name(), sign));
                }
                return Ok(Filter::Like(field.clone(), pattern(text, case)?));
            }
            "cs" | "cd" => {
                let contains = operator == "cs";
                if !matches!(kind, ColumnType::Jsonb | ColumnType::TextList) {
                    return Err(Refusal::no_operator(
                        kind.name(),
                        if contains { "@>" } else { "<@" },
                    ));
                }
                let value = self.value(field, text)?;
                refuse_large(&value)?;
                return Ok(if contains {
                    Filter::Contains(field.clone(), value)
                } else {
                    Filter::ContainedBy(field.clone(), value)
                });
            }
            _ if kind != ColumnType::TextList => return Err(Refusal::no_operator(kind.name(), "&&")),
            _ => {
                let value = self.value(field, text)?;
                refuse_large(&value)?;
                let Datum::TextList(texts) = value else {
                    return Ok(Filter::Any(Vec::new()));
                };
                return Ok(Filter::Overlaps(field.clone(), texts));
            }
        };
        Ok(Filter::Compare(
            field.clone(),
            comparison,
            self.value(field, text)?,
        ))
    }

    fn value(&self, field: &Field, text: &str) -> Result<Datum, Refusal> {
        field.kind().parse(text, self.now)
    }
}

fn is(field: &Field, text: &str) -> Result<Filter, Refusal> {
    let truth = match text.trim().to_ascii_lowercase().as_str() {
        "null" => Truth::Null,
        "not_null" => Truth::NotNull,
        "true" => Truth::True,
        "false" => Truth::False,
        "unknown" => Truth::Unknown,
        _ => {
            let expected = "null or trilean value (unknown, true, false)";
            return Err(Cursor::new("filter", &["is.", text].concat()).expected(expected));
        }
    };
    let kind = field.kind();
    if kind != ColumnType::Bool && !matches!(truth, Truth::Null | Truth::NotNull) {
        return Err(Refusal::new(
            "42804",
            format!(
                "argument of IS {} must be type boolean, not type {}",
                text.trim().to_ascii_uppercase(),
                kind.name()
            ),
        ));
    }
    Ok(Filter::Is(field.clone(), truth))
}

/// Reads a pattern, in which `*` may stand for `%`.
fn pattern(text: &str, case: Case) -> Result<Pattern, Refusal> {
    let mut parts = Vec::new();
    let mut characters = text.chars().map(|c| if c == '*' { '%' } else { c });
    while let Some(character) = characters.next() {
        parts.push(match character {
            '%' => PatternPart::Many,
            '_' => PatternPart::One,
            '\0' => return Err(Refusal::nul()),
            '\\' => {
                PatternPart::Character(characters.next().ok_or_else(|| {
                    Refusal::new("22025", "LIKE pattern must not end with escape character")
                })?)
            }
            other => PatternPart::Character(other),
        });
    }
    if parts.len() > limits::PATTERN_LENGTH {
        return Err(Refusal::too_much(format!(
            "a pattern has at most {} characters",
            limits::PATTERN_LENGTH
        )));
    }
    Ok(Pattern { parts, case })
}

fn refuse_large(value: &Datum) -> Result<(), Refusal> {
    let (count, depth) = match value {
        Datum::Json(json) => extent(&json.to_value()),
        Datum::TextList(texts) => (texts.len(), 1),
        _ => (0, 0),
    };
    if count > limits::CONTAINED_VALUES || depth > limits::CONTAINED_DEPTH {
        return Err(Refusal::too_much(format!(
            "`cs` and `cd` take documents of at most {} values, nested {} deep",
            limits::CONTAINED_VALUES,
            limits::CONTAINED_DEPTH
        )));
    }
    Ok(())
}

/// How many values there are in a document, itself among them, and how deep it is nested.
fn extent(value: &Value) -> (usize, usize) {
    let within: Vec<(usize, usize)> = match value {
        Value::Array(elements) => elements.iter().map(extent).collect(),
        Value::Object(members) => members.values().map(extent).collect(),
        _ => return (1, 0),
    };
    let count = within.iter().map(|(count, _)| count).sum::<usize>();
    let depth = within.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
    (count + 1, depth + 1)
}
