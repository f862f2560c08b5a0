//! Rules for Rust sources. They look at tokens, so that comments and texts may speak of what is forbidden.

use std::str::FromStr as _;
use std::sync::LazyLock;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use regex::Regex;

use super::tree::SourceFile;
use super::{Rule, Severity, Violation, layers};

/// Macros that must not stay in a source.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Names that say nothing of what a module holds.
const NAMELESS: [&str; 6] = ["utils", "util", "common", "helpers", "helper", "manager"];

/// Macros that build texts.
const FORMATTING: [&str; 4] = ["format", "format_args", "write", "writeln"];

const NOT_RUST: Rule = Rule {
    severity: Severity::Error,
    why: "a file that is not Rust cannot be checked",
    fix: "mend the file",
};

const LEFTOVER: Rule = Rule {
    severity: Severity::Error,
    why: "what is merged is finished",
    fix: "write the missing code, or answer with an error that says what is not supported",
};

const IGNORED_TEST: Rule = Rule {
    severity: Severity::Error,
    why: "a test that does not run proves nothing",
    fix: "make it fast and reliable, or delete it",
};

const FORMATTED_SQL: Rule = Rule {
    severity: Severity::Error,
    why: "a value that is formatted into SQL is an injection waiting for its input",
    fix: "bind the value in a `.sql` file, or build the statement with the query builder",
};

const NAMELESS_MODULE: Rule = Rule {
    severity: Severity::Error,
    why: "a module is named after the noun it holds, or it will hold everything",
    fix: "name it after what is in it, or move its functions to the types they serve",
};

static SQL: LazyLock<Regex> = LazyLock::new(|| {
    let statement = r"(?is)\b(select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from)\b";
    #[expect(clippy::unwrap_used, reason = "a constant that the tests build")]
    Regex::new(statement).unwrap()
});

pub(super) fn check(file: &SourceFile) -> Vec<Violation> {
    let violation = |rule, line, what| Violation {
        rule,
        path: file.path.clone(),
        line,
        what,
    };
    let mut found = Vec::new();
    if let Some(name) = file.path.split(['/', '.']).find(|part| NAMELESS.contains(part)) {
        found.push(violation(&NAMELESS_MODULE, 1, format!("a module named `{name}`")));
    }
    let Ok(stream) = TokenStream::from_str(&file.text) else {
        found.push(violation(
            &NOT_RUST,
            1,
            "the file cannot be read as Rust".to_owned(),
        ));
        return found;
    };
    let tokens = tokens(stream);
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let crate_name = file.crate_name().unwrap_or_default();
    for (index, token) in tokens.iter().enumerate() {
        match texts[index..] {
            [name, "!", ..] if UNFINISHED.contains(&name) => {
                found.push(violation(
                    &LEFTOVER,
                    token.line,
                    format!("`{name}!` in the source"),
                ));
            }
            ["#", "[", "ignore", ..] => {
                found.push(violation(&IGNORED_TEST, token.line, "an ignored test".to_owned()));
            }
            ["mod", name, "{" | ";", ..] if NAMELESS.contains(&name) => {
                found.push(violation(
                    &NAMELESS_MODULE,
                    token.line,
                    format!("a module named `{name}`"),
                ));
            }
            [name, "!", ..]
                if crate_name == "pawl-store"
                    && FORMATTING.contains(&name)
                    && builds_sql(&tokens[index + 2..]) =>
            {
                let what = format!("`{name}!` builds an SQL statement");
                found.push(violation(&FORMATTED_SQL, token.line, what));
            }
            [name, ":", ":", ..] if !crate_name.is_empty() => {
                if let Some(owner) = layers::reserved_for(name, crate_name) {
                    found.push(layers::foreign_path(file, token.line, name, owner));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether a literal within the group that these tokens open reads as an SQL statement.
fn builds_sql(tokens: &[Token]) -> bool {
    let mut depth = 0_usize;
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            text if token.is_literal && SQL.is_match(text) => return true,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    false
}

/// A token with the line it begins on, from 1.
struct Token {
    text: String,
    line: usize,
    is_literal: bool,
}

/// The tokens in the order of the file, delimiters included.
fn tokens(stream: TokenStream) -> Vec<Token> {
    fn flatten(stream: TokenStream, into: &mut Vec<Token>) {
        for tree in stream {
            let line = tree.span().start().line;
            let is_literal = matches!(tree, TokenTree::Literal(_));
            match tree {
                TokenTree::Group(group) => {
                    let (open, close) = match group.delimiter() {
                        Delimiter::Parenthesis => ("(", ")"),
                        Delimiter::Brace => ("{", "}"),
                        Delimiter::Bracket => ("[", "]"),
                        Delimiter::None => ("", ""),
                    };
                    into.push(Token {
                        text: open.to_owned(),
                        line,
                        is_literal,
                    });
                    flatten(group.stream(), into);
                    let line = group.span_close().start().line;
                    into.push(Token {
                        text: close.to_owned(),
                        line,
                        is_literal,
                    });
                }
                leaf => into.push(Token {
                    text: leaf.to_string(),
                    line,
                    is_literal,
                }),
            }
        }
    }
    let mut flat = Vec::new();
    flatten(stream, &mut flat);
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that a text breaks at this path, with their lines.
    fn broken(path: &str, text: &str) -> Vec<(&'static Rule, usize)> {
        check(&SourceFile::new(path, text))
            .into_iter()
            .map(|found| (found.rule, found.line))
            .collect()
    }

    const STORE: &str = "crates/pawl-store/src/runs.rs";
    const ENGINE: &str = "crates/pawl-engine/src/run.rs";

    #[test]
    fn unfinished_code_is_found_and_talk_of_it_is_not() {
        for name in UNFINISHED {
            assert_eq!(
                broken(ENGINE, &format!("fn a() {{\n    {name}!(1)\n}}")),
                [(&LEFTOVER, 2)]
            );
        }
        let talk = "//! no todo!() here\n/// nor dbg!(x)\nfn todo() -> &'static str { \"todo!()\" }";
        assert_eq!(broken(ENGINE, talk), []);
    }

    #[test]
    fn ignored_tests_are_found() {
        assert_eq!(
            broken(ENGINE, "#[test]\n#[ignore]\nfn a() {}"),
            [(&IGNORED_TEST, 2)]
        );
        assert_eq!(
            broken(ENGINE, "#[ignore = \"slow\"]\nfn a() {}"),
            [(&IGNORED_TEST, 1)]
        );
        assert_eq!(broken(ENGINE, "fn ignore(ignore: &[u8]) {}"), []);
    }

    #[test]
    fn sql_is_never_formatted() {
        for bad in [
            "format!(\"select * from {table}\")",
            "format!(\"INSERT\n INTO t values ({x})\")",
            "format!(\"{} {}\", \"delete from t\", tail)",
            "write!(sql, \"update {table} set a = 1\")",
            "format_args![r#\"SELECT a\nFROM {t}\"#]",
        ] {
            let text = format!("fn a() {{\n\n{bad};\n}}");
            assert_eq!(broken(STORE, &text), [(&FORMATTED_SQL, 3)], "of {bad}");
            assert_eq!(broken(ENGINE, &text), [], "of {bad}");
        }
        for good in [
            "format!(\"cannot update {id}\")",
            "(format!(\"{id}\"), \"select 1 from t\")",
            "query(\"select a from t\")",
        ] {
            assert_eq!(broken(STORE, &format!("fn a() {{ {good}; }}")), [], "of {good}");
        }
    }

    #[test]
    fn reserved_crates_are_named_by_their_owner_only() {
        let text = "use sqlx::Row;\nfn a(x: axum::Json, y: ::reqwest::Url) {}";
        let owner = |path| {
            broken(path, text)
                .into_iter()
                .map(|(_, line)| line)
                .collect::<Vec<_>>()
        };
        assert_eq!(owner(ENGINE), [1, 2, 2]);
        assert_eq!(owner(STORE), [2, 2]);
        assert_eq!(owner("crates/pawl-testkit/src/lib.rs"), [0_usize; 0]);
        assert_eq!(owner("bench/run/src/main.rs"), [0_usize; 0]);
        assert_eq!(broken(ENGINE, "// sqlx::query\nfn a() { let sqlx: u8 = 1; }"), []);
    }

    #[test]
    fn modules_have_names() {
        assert_eq!(broken("crates/pawl/src/utils.rs", ""), [(&NAMELESS_MODULE, 1)]);
        assert_eq!(
            broken("crates/pawl/tests/common/mod.rs", ""),
            [(&NAMELESS_MODULE, 1)]
        );
        assert_eq!(broken(ENGINE, "\nmod helpers { }"), [(&NAMELESS_MODULE, 2)]);
        assert_eq!(broken(ENGINE, "mod commons;\nfn util() {}"), []);
    }

    #[test]
    fn a_file_that_is_not_rust_is_found() {
        assert_eq!(broken(ENGINE, "fn a() {"), [(&NOT_RUST, 1)]);
    }
}
