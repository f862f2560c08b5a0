//! Every crate says what it is, and ARCHITECTURE.md knows them all.

use std::sync::LazyLock;

use regex::Regex;

use super::tree::SourceFile;
use super::workspace::Crate;
use super::{Rule, Severity, Violation};

const ARCHITECTURE: &str = "ARCHITECTURE.md";

const CODE_MAP: Rule = Rule {
    severity: Severity::Error,
    why: "the code map is where a newcomer begins; a wrong one is worse than none",
    fix: "bring ARCHITECTURE.md up to date with the crates that exist",
};

const DESCRIPTION: Rule = Rule {
    severity: Severity::Error,
    why: "a crate that cannot be described in a sentence is two crates or none",
    fix: "give it a `description` in its Cargo.toml",
};

const CRATE_DOCS: Rule = Rule {
    severity: Severity::Error,
    why: "the first lines of a crate tell what it is for",
    fix: "begin the file with a `//!` comment",
};

/// A crate of ours in a text: `pawl-model`, `crates/pawl`, or `pawl` as code.
static CRATE_NAMES: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant that the tests build")]
    Regex::new(r"\bpawl-[a-z][a-z-]*[a-z]\b|crates/pawl\b|`pawl`").unwrap()
});

pub(super) fn check(crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    let ours: Vec<&Crate> = crates
        .iter()
        .filter(|krate| krate.folder.starts_with("crates/"))
        .collect();
    let mut found = code_map(&ours, files.iter().find(|file| file.path == ARCHITECTURE));
    for krate in ours {
        if krate
            .description
            .as_deref()
            .is_none_or(|description| description.trim().is_empty())
        {
            found.push(Violation {
                rule: &DESCRIPTION,
                path: format!("{}/Cargo.toml", krate.folder),
                line: 1,
                what: format!("{} has no description", krate.name),
            });
        }
        let roots = ["lib", "main"].map(|root| format!("{}/src/{root}.rs", krate.folder));
        let undocumented = files
            .iter()
            .filter(|file| roots.contains(&file.path) && !file.text.trim_start().starts_with("//!"));
        found.extend(undocumented.map(|file| Violation {
            rule: &CRATE_DOCS,
            path: file.path.clone(),
            line: 1,
            what: format!("{} has no crate documentation", krate.name),
        }));
    }
    found
}

/// Compares the crates with those that ARCHITECTURE.md names.
fn code_map(crates: &[&Crate], file: Option<&SourceFile>) -> Vec<Violation> {
    let violation = |line, what| Violation {
        rule: &CODE_MAP,
        path: ARCHITECTURE.to_owned(),
        line,
        what,
    };
    let Some(file) = file else {
        return vec![violation(1, "there is no ARCHITECTURE.md".to_owned())];
    };
    let named: Vec<(usize, &str)> = (1..)
        .zip(file.text.lines())
        .flat_map(|(line, text)| CRATE_NAMES.find_iter(text).map(move |name| (line, name.as_str())))
        .map(|(line, name)| (line, name.trim_start_matches("crates/").trim_matches('`')))
        .collect();
    let missing = crates
        .iter()
        .filter(|krate| named.iter().all(|(_, name)| *name != krate.name));
    let unknown = named
        .iter()
        .filter(|(_, name)| crates.iter().all(|krate| krate.name != *name));
    missing
        .map(|krate| violation(1, format!("{} is not in the code map", krate.name)))
        .chain(unknown.map(|(line, name)| violation(*line, format!("there is no crate {name}"))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(name: &str, description: Option<&str>) -> Crate {
        Crate {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            description: description.map(ToOwned::to_owned),
            dependencies: Vec::new(),
        }
    }

    /// What is reported of these two crates and an ARCHITECTURE.md of this text.
    fn reported(text: &str) -> Vec<(usize, String)> {
        let crates = [
            krate("pawl", Some("the binary")),
            krate("pawl-model", Some("what things are")),
        ];
        let found = check(&crates, &[SourceFile::new(ARCHITECTURE, text)]);
        found
            .into_iter()
            .map(|violation| (violation.line, violation.what))
            .collect()
    }

    #[test]
    fn the_code_map_names_what_exists_and_nothing_else() {
        assert_eq!(reported("`pawl-model` first,\nthen `crates/pawl`"), []);
        assert_eq!(
            reported("only `pawl` here"),
            [(1, "pawl-model is not in the code map".to_owned())]
        );
        assert_eq!(
            reported("only pawl-model here"),
            [(1, "pawl is not in the code map".to_owned())]
        );
        assert_eq!(
            reported("`pawl`\npawl-model\npawl-checks"),
            [(3, "there is no crate pawl-checks".to_owned())]
        );
        let found = check(&[], &[]);
        assert_eq!((found.len(), found[0].rule), (1, &CODE_MAP));
    }

    #[test]
    fn crates_describe_themselves() {
        let files = [
            SourceFile::new(ARCHITECTURE, "pawl-first pawl-second"),
            SourceFile::new("crates/pawl-first/src/lib.rs", "mod x;"),
            SourceFile::new("crates/pawl-second/src/lib.rs", "//! What it is.\nmod x;"),
        ];
        let found = check(
            &[krate("pawl-first", Some(" ")), krate("pawl-second", None)],
            &files,
        );
        let broken: Vec<_> = found
            .iter()
            .map(|violation| (violation.rule, violation.path.as_str()))
            .collect();
        assert_eq!(
            broken,
            [
                (&DESCRIPTION, "crates/pawl-first/Cargo.toml"),
                (&CRATE_DOCS, "crates/pawl-first/src/lib.rs"),
                (&DESCRIPTION, "crates/pawl-second/Cargo.toml"),
            ]
        );
    }
}
