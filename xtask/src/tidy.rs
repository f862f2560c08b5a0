//! `cargo xtask tidy`: the rules of the house that the compiler does not check.
//!
//! Each submodule holds a few rules over one kind of material. A rule is a plain function from the material to its
//! violations, so that a test can hand it a violating text.

mod code_map;
mod layers;
mod licences;
mod rust;
mod sql;
mod text;
mod tree;
mod vendored;
mod workspace;

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context as _;

use tree::SourceFile;
use workspace::Workspace;

/// A rule: why it stands, and what to do about a violation.
#[derive(Debug, PartialEq, Eq)]
struct Rule {
    severity: Severity,
    why: &'static str,
    fix: &'static str,
}

/// Whether a violation fails the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Severity {
    /// It does not.
    Warning,
    /// It does.
    Error,
}

/// One place where a rule is broken.
#[derive(Debug)]
struct Violation {
    rule: &'static Rule,
    /// Relative to the workspace root, with `/`.
    path: String,
    /// From 1.
    line: usize,
    what: String,
}

/// Checks the workspace around the current folder and reports to `out`.
///
/// # Errors
/// When the workspace cannot be read at all.
pub(crate) fn run(out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::load().context("cannot read the workspace")?;
    let files = tree::read(&workspace.root, &workspace.target_folder)?;
    let mut violations = violations(&workspace, &files);
    violations.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    report(&violations, out)?;
    let clean = violations
        .iter()
        .all(|violation| violation.rule.severity == Severity::Warning);
    Ok(if clean {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn violations(workspace: &Workspace, files: &[SourceFile]) -> Vec<Violation> {
    let mut found = layers::check(&workspace.crates, files);
    found.extend(licences::check(&workspace.shipped, files));
    found.extend(code_map::check(&workspace.crates, files));
    found.extend(vendored::check(&workspace.root));
    for file in files {
        found.extend(text::check(file));
        match file.extension() {
            Some("rs") => found.extend(rust::check(file)),
            Some("sql") => found.extend(sql::check(file)),
            _ => {}
        }
    }
    found
}

fn report(violations: &[Violation], out: &mut impl Write) -> anyhow::Result<()> {
    for Violation {
        rule,
        path,
        line,
        what,
    } in violations
    {
        let severity = match rule.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        writeln!(out, "{path}:{line}: {severity}: {what}")?;
        writeln!(out, "    why: {}", rule.why)?;
        writeln!(out, "    fix: {}", rule.fix)?;
    }
    let errors = violations
        .iter()
        .filter(|violation| violation.rule.severity == Severity::Error)
        .count();
    writeln!(
        out,
        "tidy: errors: {errors}, warnings: {}",
        violations.len() - errors
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: Rule = Rule {
        severity: Severity::Error,
        why: "reasons",
        fix: "mend it",
    };

    #[test]
    fn a_violation_is_reported_with_place_reason_and_remedy() {
        let violation = Violation {
            rule: &RULE,
            path: "a/b.rs".to_owned(),
            line: 7,
            what: "it is wrong".to_owned(),
        };
        let mut out = Vec::new();
        report(&[violation], &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "a/b.rs:7: error: it is wrong\n    why: reasons\n    fix: mend it\ntidy: errors: 1, warnings: 0\n"
        );
    }

    #[test]
    fn every_kind_of_file_is_sent_to_its_rules() {
        let workspace = Workspace {
            root: "/".into(),
            target_folder: "/target".into(),
            crates: Vec::new(),
            shipped: Vec::new(),
        };
        let files = [
            SourceFile::new("ARCHITECTURE.md", ""),
            SourceFile::new("crates/pawl/src/a.rs", "fn a() { todo!() }"),
            SourceFile::new("queries/b.sql", "select 1; select 2"),
            SourceFile::new("c.py", "\n".repeat(501)),
        ];
        let paths: Vec<String> = violations(&workspace, &files)
            .into_iter()
            .map(|violation| violation.path)
            .collect();
        assert_eq!(paths, ["crates/pawl/src/a.rs", "queries/b.sql", "c.py"]);
    }
}
