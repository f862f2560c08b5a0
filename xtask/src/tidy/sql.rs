//! Rules for `.sql` files.

use std::sync::LazyLock;

use regex::Regex;

use super::tree::SourceFile;
use super::{Rule, Severity, Violation};

const ONE_STATEMENT: Rule = Rule {
    severity: Severity::Error,
    why: "a file is one prepared statement; a second one would be refused, or never run",
    fix: "give every statement a file of its own (only migrations hold several)",
};

const FILE_NAME: Rule = Rule {
    severity: Severity::Error,
    why: "file names must be the same on file systems that fold case, and read like the verbs they are",
    fix: "name it `verb.sql`, or `verb.sqlite.sql` and `verb.postgres.sql`, in lower case with underscores",
};

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant that the tests build")]
    Regex::new(r"^[a-z0-9][a-z0-9_]*(\.(sqlite|postgres))?\.sql$").unwrap()
});

pub(super) fn check(file: &SourceFile) -> Vec<Violation> {
    let violation = |rule, line, what| Violation {
        rule,
        path: file.path.clone(),
        line,
        what,
    };
    let mut found = Vec::new();
    if !NAME.is_match(file.name()) {
        found.push(violation(
            &FILE_NAME,
            1,
            format!("the file name `{}`", file.name()),
        ));
    }
    if !file.path.split('/').any(|folder| folder == "migrations") {
        match statements(&file.text)[..] {
            [_] => {}
            [] => found.push(violation(&ONE_STATEMENT, 1, "no statement".to_owned())),
            [_, second, ..] => found.push(violation(&ONE_STATEMENT, second, "a second statement".to_owned())),
        }
    }
    found
}

/// The lines, from 1, on which statements begin. Semicolons within comments, texts, quoted names and dollar-quoted
/// bodies do not count.
fn statements(sql: &str) -> Vec<usize> {
    let (mut starts, mut line, mut inside) = (Vec::new(), 1, false);
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let until = |from: usize, end: &str| {
            rest[from..]
                .find(end)
                .map_or(rest.len(), |at| from + at + end.len())
        };
        let length = match first {
            '-' if rest.starts_with("--") => until(0, "\n"),
            '/' if rest.starts_with("/*") => until(2, "*/"),
            '\'' => until(1, "'"),
            '"' => until(1, "\""),
            '$' => dollar_quote(rest).map_or(1, |quote| until(quote.len(), quote)),
            _ => first.len_utf8(),
        };
        let (token, tail) = rest.split_at(length);
        let blank = first.is_whitespace() || token.starts_with("--") || token.starts_with("/*");
        match first {
            ';' => inside = false,
            _ if !blank && !inside => {
                inside = true;
                starts.push(line);
            }
            _ => {}
        }
        line += token.matches('\n').count();
        rest = tail;
    }
    starts
}

/// The `$$` or `$tag$` that the text begins with; a placeholder like `$1` is none.
fn dollar_quote(text: &str) -> Option<&str> {
    let tag = text[1..].find('$')?;
    let quote = &text[..tag + 2];
    quote[1..=tag]
        .chars()
        .all(|c| c.is_ascii_alphabetic() || c == '_')
        .then_some(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        for (sql, starts) in [
            ("-- about; this\nselect 1;\n", vec![2]),
            ("select ';', 'it''s; so', \";\" from t /* ; */ -- ;", vec![1]),
            ("select 1;\n\n  select 2", vec![1, 3]),
            ("select 1;;\n", vec![1]),
            ("-- nothing\n", vec![]),
            ("select 'open; text", vec![1]),
            ("do $$\nbegin a; b; end\n$$;\nselect $tag$;$tag$, $1;", vec![1, 4]),
        ] {
            assert_eq!(statements(sql), starts, "of {sql}");
        }
    }

    #[test]
    fn a_file_holds_one_statement_and_migrations_may_hold_more() {
        let broken = |path: &str, sql: &str| {
            check(&SourceFile::new(path, sql))
                .into_iter()
                .map(|found| (found.rule, found.line))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            broken("queries/runs/insert.sql", "insert into t values ($1);\n"),
            []
        );
        assert_eq!(
            broken("queries/runs/a.sqlite.sql", "select 1;\nselect 2;"),
            [(&ONE_STATEMENT, 2)]
        );
        assert_eq!(broken("queries/runs/b.sql", ""), [(&ONE_STATEMENT, 1)]);
        assert_eq!(
            broken("migrations/sqlite/0001_runs.sql", "select 1; select 2"),
            []
        );
        for name in ["Insert.sql", "in-sert.sql", "a.mysql.sql", "_a.sql"] {
            assert_eq!(broken(name, "select 1"), [(&FILE_NAME, 1)], "of {name}");
        }
    }
}
