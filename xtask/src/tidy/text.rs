//! Rules for any text: length, and paths of a developer's machine.

use std::sync::LazyLock;

use regex::Regex;

use super::tree::SourceFile;
use super::{Rule, Severity, Violation};

/// Lines of a source file from which on it should be split.
const GUIDE: usize = 400;
/// Lines of a source file beyond which it must be.
const LIMIT: usize = 500;

/// What counts as source, beside scripts without an extension.
const SOURCE: [&str; 7] = ["css", "html", "js", "py", "rs", "sh", "sql"];

const TOO_LONG: Rule = Rule {
    severity: Severity::Error,
    why: "a file of one noun fits into a reader's head",
    fix: "split it into submodules, or move its tests to a file of their own",
};

const LONG: Rule = Rule {
    severity: Severity::Warning,
    ..TOO_LONG
};

const DEVELOPER_PATH: Rule = Rule {
    severity: Severity::Error,
    why: "the repository must work on every machine",
    fix: "write a path relative to the repository, or let the environment name the folder",
};

/// Absolute paths into the folders that a developer's machine keeps checkouts in.
static DEVELOPER_PATHS: LazyLock<Regex> = LazyLock::new(|| {
    let folders = ["work", "root", "Users"].join("|");
    #[expect(clippy::unwrap_used, reason = "a constant that the tests build")]
    Regex::new(&format!(r#"(?:^|[\s"'`(=:<>])(/(?:{folders})/\S*)"#)).unwrap()
});

pub(super) fn check(file: &SourceFile) -> Vec<Violation> {
    let mut found = developer_paths(file);
    found.extend(length(file));
    found
}

fn length(file: &SourceFile) -> Option<Violation> {
    let source = match file.extension() {
        Some(extension) => SOURCE.contains(&extension),
        None => file.path.starts_with("scripts/"),
    };
    let lines = file.text.lines().count();
    if !source || lines <= GUIDE {
        return None;
    }
    let (rule, line, bound) = if lines > LIMIT {
        (&TOO_LONG, LIMIT + 1, LIMIT)
    } else {
        (&LONG, GUIDE + 1, GUIDE)
    };
    let what = format!("{lines} lines, more than {bound}");
    Some(Violation {
        rule,
        path: file.path.clone(),
        line,
        what,
    })
}

fn developer_paths(file: &SourceFile) -> Vec<Violation> {
    let lines = (1..).zip(file.text.lines());
    lines
        .filter_map(|(line, text)| {
            let path = DEVELOPER_PATHS.captures(text)?.get(1)?.as_str();
            let what = format!("`{path}` is a path of one machine");
            Some(Violation {
                rule: &DEVELOPER_PATH,
                path: file.path.clone(),
                line,
                what,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule_of_length(path: &str, lines: usize) -> Option<&'static Rule> {
        length(&SourceFile::new(path, "x\n".repeat(lines))).map(|violation| violation.rule)
    }

    #[test]
    fn long_sources_warn_and_then_fail() {
        assert_eq!(rule_of_length("a.rs", 400), None);
        assert_eq!(rule_of_length("a.rs", 401), Some(&LONG));
        assert_eq!(rule_of_length("a.rs", 500), Some(&LONG));
        assert_eq!(rule_of_length("a.rs", 501), Some(&TOO_LONG));
        assert_eq!(rule_of_length("scripts/test", 501), Some(&TOO_LONG));
        assert_eq!(rule_of_length("Cargo.lock", 5000), None);
        assert_eq!(rule_of_length("LICENSE", 5000), None);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        // With `|` for the slash, lest this file break its own rule.
        for bad in ["see `|work|x`", "a = \"|root|y\"", "|Users|z|", "cd=|work|"] {
            let found = check(&SourceFile::new(
                "a.md",
                format!("fine\n{}", bad.replace('|', "/")),
            ));
            assert_eq!(found.len(), 1, "of {bad}");
            assert_eq!((found[0].rule, found[0].line), (&DEVELOPER_PATH, 2));
        }
        for good in [
            "https://example.org/work/x",
            "src/root/y",
            "/workspace/z",
            "and/or/root/",
        ] {
            assert!(check(&SourceFile::new("a.md", good)).is_empty(), "of {good}");
        }
    }
}
