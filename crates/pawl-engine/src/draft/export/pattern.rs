//! Regular expressions as other tools write them.
//!
//! Patterns of drafts are those of the crate `regex`. What JavaScript and Python know as well is written as they write
//! it; flags are written out, since promptfoo's patterns have none. A pattern that says more (classes of Unicode, sets
//! of classes) has no such form. `\d`, `\w`, `\s` and `\b` are those of the tool: JavaScript's know ASCII alone.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassBracketed, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, Flag, Flags,
    FlagsItemKind, GroupKind, Literal, Repetition, RepetitionKind, RepetitionRange,
};

/// Who is to read a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// JavaScript, without flags.
    JavaScript,
    /// Python's `re`, without flags.
    Python,
}

/// A pattern in a dialect; none where it says what the dialect cannot.
pub(super) fn translated(pattern: &str, ignores_case: bool, dialect: Dialect) -> Option<String> {
    let mut writer = Writer {
        dialect,
        modes: Modes {
            ignores_case,
            ..Modes::default()
        },
        text: String::new(),
    };
    writer.write(&Parser::new().parse(pattern).ok()?)?;
    Some(writer.text)
}

/// What flags say, from where they stand to the end of their group.
#[derive(Clone, Copy, Default)]
struct Modes {
    ignores_case: bool,
    /// `^` and `$` stand for the ends of lines.
    has_lines: bool,
    /// The dot takes line breaks.
    dot_takes_all: bool,
}

struct Writer {
    dialect: Dialect,
    modes: Modes,
    text: String,
}

impl Writer {
    fn write(&mut self, ast: &Ast) -> Option<()> {
        match ast {
            Ast::Empty(_) => {}
            Ast::Flags(set) => self.modes = self.modes.with(&set.flags)?,
            Ast::Literal(literal) => self.literal(literal)?,
            Ast::Dot(_) => self.text.push_str(match self.modes.dot_takes_all {
                true => "[\\s\\S]",
                false => "[^\\n]",
            }),
            Ast::Assertion(assertion) => self.assertion(&assertion.kind)?,
            Ast::ClassPerl(class) => self.text.push_str(perl(class)),
            Ast::ClassBracketed(class) => self.bracketed(class)?,
            Ast::ClassUnicode(_) => return None,
            Ast::Repetition(repetition) => self.repetition(repetition)?,
            Ast::Group(group) => {
                let outside = self.modes;
                if let GroupKind::NonCapturing(flags) = &group.kind {
                    self.modes = self.modes.with(flags)?;
                }
                self.grouped(&group.ast)?;
                self.modes = outside;
            }
            Ast::Alternation(alternation) => {
                for (index, one) in alternation.asts.iter().enumerate() {
                    if index > 0 {
                        self.text.push('|');
                    }
                    self.write(one)?;
                }
            }
            Ast::Concat(concat) => concat.asts.iter().try_for_each(|one| self.write(one))?,
        }
        Some(())
    }

    /// Whether something matches is the same whatever is captured.
    fn grouped(&mut self, ast: &Ast) -> Option<()> {
        self.text.push_str("(?:");
        self.write(ast)?;
        self.text.push(')');
        Some(())
    }

    fn literal(&mut self, literal: &Literal) -> Option<()> {
        let cases = self.cases(literal.c);
        match cases.as_slice() {
            // Two units of JavaScript's: what follows is to hold for both.
            [wide] if *wide > '\u{ffff}' => self.text.push_str(&format!("(?:{wide})")),
            [one] => self.text.push_str(&escaped(*one)),
            several => {
                self.text.push('[');
                several.iter().try_for_each(|one| self.member(*one))?;
                self.text.push(']');
            }
        }
        Some(())
    }

    /// A character, and itself in other cases where they are all the same.
    fn cases(&self, letter: char) -> Vec<char> {
        let mut cases = vec![letter];
        if self.modes.ignores_case {
            let lower: Vec<char> = letter.to_lowercase().collect();
            let upper: Vec<char> = letter.to_uppercase().collect();
            for other in [lower, upper] {
                if let [other] = other[..]
                    && !cases.contains(&other)
                {
                    cases.push(other);
                }
            }
        }
        cases
    }

    fn assertion(&mut self, kind: &AssertionKind) -> Option<()> {
        let end_of_text = match self.dialect {
            Dialect::JavaScript => "$",
            Dialect::Python => "\\Z",
        };
        self.text.push_str(match kind {
            AssertionKind::StartLine if self.modes.has_lines => "(?<![^\\n])",
            AssertionKind::EndLine if self.modes.has_lines => "(?![^\\n])",
            AssertionKind::StartLine | AssertionKind::StartText => "^",
            AssertionKind::EndLine | AssertionKind::EndText => end_of_text,
            AssertionKind::WordBoundary => "\\b",
            AssertionKind::NotWordBoundary => "\\B",
            _ => return None,
        });
        Some(())
    }

    fn repetition(&mut self, repetition: &Repetition) -> Option<()> {
        match &*repetition.ast {
            Ast::Literal(_) | Ast::Dot(_) | Ast::ClassPerl(_) | Ast::ClassBracketed(_) | Ast::Group(_) => {
                self.write(&repetition.ast)?;
            }
            other => self.grouped(other)?,
        }
        let times = match &repetition.op.kind {
            RepetitionKind::ZeroOrOne => "?".to_owned(),
            RepetitionKind::ZeroOrMore => "*".to_owned(),
            RepetitionKind::OneOrMore => "+".to_owned(),
            RepetitionKind::Range(RepetitionRange::Exactly(count)) => format!("{{{count}}}"),
            RepetitionKind::Range(RepetitionRange::AtLeast(least)) => format!("{{{least},}}"),
            RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => format!("{{{least},{most}}}"),
        };
        self.text.push_str(&times);
        if !repetition.greedy {
            self.text.push('?');
        }
        Some(())
    }

    fn bracketed(&mut self, class: &ClassBracketed) -> Option<()> {
        let ClassSet::Item(item) = &class.kind else {
            return None;
        };
        self.text.push_str(if class.negated { "[^" } else { "[" });
        self.item(item)?;
        self.text.push(']');
        Some(())
    }

    fn item(&mut self, item: &ClassSetItem) -> Option<()> {
        match item {
            ClassSetItem::Literal(literal) => self
                .cases(literal.c)
                .into_iter()
                .try_for_each(|one| self.member(one)),
            ClassSetItem::Range(range) => self.range(range.start.c, range.end.c),
            ClassSetItem::Perl(class) => {
                self.text.push_str(perl(class));
                Some(())
            }
            ClassSetItem::Union(union) => union.items.iter().try_for_each(|item| self.item(item)),
            ClassSetItem::Empty(_)
            | ClassSetItem::Ascii(_)
            | ClassSetItem::Unicode(_)
            | ClassSetItem::Bracketed(_) => None,
        }
    }

    fn range(&mut self, start: char, end: char) -> Option<()> {
        self.span(start, end)?;
        if !self.modes.ignores_case {
            return Some(());
        }
        if !end.is_ascii() {
            return None;
        }
        let (lower, upper) = (start.max('a')..=end.min('z'), start.max('A')..=end.min('Z'));
        if !lower.is_empty() {
            self.span(
                lower.start().to_ascii_uppercase(),
                lower.end().to_ascii_uppercase(),
            )?;
        }
        if !upper.is_empty() {
            self.span(
                upper.start().to_ascii_lowercase(),
                upper.end().to_ascii_lowercase(),
            )?;
        }
        Some(())
    }

    fn span(&mut self, start: char, end: char) -> Option<()> {
        self.member(start)?;
        self.text.push('-');
        self.member(end)
    }

    /// A character between brackets.
    fn member(&mut self, letter: char) -> Option<()> {
        if letter > '\u{ffff}' && self.dialect == Dialect::JavaScript {
            return None;
        }
        match letter {
            '-' => self.text.push_str("\\-"),
            letter => self.text.push_str(&escaped(letter)),
        }
        Some(())
    }
}

impl Modes {
    fn with(mut self, flags: &Flags) -> Option<Self> {
        let mut is_on = true;
        for item in &flags.items {
            match &item.kind {
                FlagsItemKind::Negation => is_on = false,
                FlagsItemKind::Flag(Flag::CaseInsensitive) => self.ignores_case = is_on,
                FlagsItemKind::Flag(Flag::MultiLine) => self.has_lines = is_on,
                FlagsItemKind::Flag(Flag::DotMatchesNewLine) => self.dot_takes_all = is_on,
                // The parser has left out the white space already.
                FlagsItemKind::Flag(Flag::IgnoreWhitespace) => {}
                FlagsItemKind::Flag(_) => return None,
            }
        }
        Some(self)
    }
}

fn perl(class: &ClassPerl) -> &'static str {
    match (&class.kind, class.negated) {
        (ClassPerlKind::Digit, false) => "\\d",
        (ClassPerlKind::Digit, true) => "\\D",
        (ClassPerlKind::Space, false) => "\\s",
        (ClassPerlKind::Space, true) => "\\S",
        (ClassPerlKind::Word, false) => "\\w",
        (ClassPerlKind::Word, true) => "\\W",
    }
}

fn escaped(letter: char) -> String {
    match letter {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        letter if letter.is_ascii_control() => format!("\\x{:02x}", u32::from(letter)),
        letter if letter.is_ascii_punctuation() && !"_\"'%,:;<=>@`!-".contains(letter) => {
            format!("\\{letter}")
        }
        letter => letter.to_string(),
    }
}
