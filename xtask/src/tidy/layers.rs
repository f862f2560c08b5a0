//! Which crate may depend on which.

use cargo_metadata::DependencyKind;

use super::tree::SourceFile;
use super::workspace::Crate;
use super::{Rule, Severity, Violation};

/// Every crate with those of ours that it may depend on; the test kit may on all of them.
const LAYERS: [(&str, &[&str]); 9] = [
    ("pawl-model", &[]),
    ("pawl-checks", &["pawl-model"]),
    ("pawl-evolve", &["pawl-model"]),
    ("pawl-store", &["pawl-model"]),
    ("pawl-providers", &["pawl-model"]),
    (
        "pawl-engine",
        &[
            "pawl-model",
            "pawl-checks",
            "pawl-evolve",
            "pawl-store",
            "pawl-providers",
        ],
    ),
    ("pawl-server", &["pawl-model", "pawl-checks", "pawl-engine"]),
    ("pawl", &["pawl-model", "pawl-engine", "pawl-server"]),
    ("xtask", &[]),
];

const TESTKIT: &str = "pawl-testkit";

/// Outside crates that belong to one of ours.
const RESERVED: [(&str, &str); 4] = [
    ("sqlx", "pawl-store"),
    ("rusqlite", "pawl-store"),
    ("axum", "pawl-server"),
    ("reqwest", "pawl-providers"),
];

const EDGE: Rule = Rule {
    severity: Severity::Error,
    why: "data moves one way: a crate exists because it forbids a dependency (ARCHITECTURE.md)",
    fix: "drop the dependency and let the caller hand in what is needed",
};

const UNKNOWN: Rule = Rule {
    severity: Severity::Error,
    why: "a crate without a place in the layers could depend on anything",
    fix: "give it a line in LAYERS (xtask/src/tidy/layers.rs) and in ARCHITECTURE.md",
};

const ONLY_TESTS: Rule = Rule {
    severity: Severity::Error,
    why: "the test kit must never be part of the product",
    fix: "move it to [dev-dependencies]",
};

const OWNER: Rule = Rule {
    severity: Severity::Error,
    why: "one crate speaks SQL, one serves HTTP, one calls out over HTTP; the others stay free of it",
    fix: "ask the crate that owns it, through a function of that crate",
};

/// The crate that an outside crate is reserved for, unless `user` may name it.
pub(super) fn reserved_for(outside: &str, user: &str) -> Option<&'static str> {
    let (_, owner) = RESERVED.into_iter().find(|(name, _)| *name == outside)?;
    (user != owner && user != TESTKIT).then_some(owner)
}

/// Reports a path like `sqlx::query` in a crate that must not name it.
pub(super) fn foreign_path(file: &SourceFile, line: usize, outside: &str, owner: &str) -> Violation {
    Violation {
        rule: &OWNER,
        path: file.path.clone(),
        line,
        what: format!("`{outside}::` is named outside {owner}"),
    }
}

pub(super) fn check(crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    crates
        .iter()
        .filter(|krate| !krate.folder.starts_with("bench"))
        .flat_map(|krate| check_crate(krate, crates, files))
        .collect()
}

fn check_crate(krate: &Crate, crates: &[Crate], files: &[SourceFile]) -> Vec<Violation> {
    let path = format!("{}/Cargo.toml", krate.folder);
    let manifest = files.iter().find(|file| file.path == path);
    let violation = |rule, line, what| Violation {
        rule,
        path: path.clone(),
        line,
        what,
    };
    let allowed = LAYERS
        .into_iter()
        .find_map(|(name, allowed)| (name == krate.name).then_some(allowed));
    let mut found = Vec::new();
    if allowed.is_none() && krate.name != TESTKIT {
        found.push(violation(
            &UNKNOWN,
            1,
            format!("{} has no place in the layers", krate.name),
        ));
    }
    for (dependency, kind) in &krate.dependencies {
        let line = || {
            manifest.map_or(1, |file| {
                file.line_where(|line| names_dependency(line, dependency))
            })
        };
        let ours = crates.iter().any(|other| other.name == *dependency);
        if let Some(owner) = reserved_for(dependency, &krate.name) {
            let what = format!(
                "{} depends on `{dependency}`, which belongs to {owner}",
                krate.name
            );
            found.push(violation(&OWNER, line(), what));
        } else if dependency == TESTKIT && krate.name != TESTKIT {
            if *kind != DependencyKind::Development {
                let what = format!("{} depends on {TESTKIT} outside its tests", krate.name);
                found.push(violation(&ONLY_TESTS, line(), what));
            }
        } else if ours && allowed.is_some_and(|allowed| !allowed.contains(&dependency.as_str())) {
            let what = format!("{} must not depend on {dependency}", krate.name);
            found.push(violation(&EDGE, line(), what));
        }
    }
    found
}

/// Whether a line of a manifest begins the entry of this dependency.
fn names_dependency(line: &str, dependency: &str) -> bool {
    line.trim_start()
        .strip_prefix(dependency)
        .is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn krate(name: &str, dependencies: &[(&str, DependencyKind)]) -> Crate {
        Crate {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            description: None,
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| ((*name).to_owned(), *kind))
                .collect(),
        }
    }

    /// The rule that this crate breaks, beside crates of every other name.
    fn broken(name: &str, dependency: &str, kind: DependencyKind) -> Option<&'static Rule> {
        let mut crates: Vec<Crate> = LAYERS
            .iter()
            .map(|(layer, _)| krate(layer, &[]))
            .chain([krate(TESTKIT, &[])])
            .collect();
        crates.retain(|other| other.name != name);
        crates.push(krate(name, &[(dependency, kind)]));
        let found = check(&crates, &[]);
        assert!(found.len() <= 1, "{found:?}");
        found.first().map(|violation| violation.rule)
    }

    #[test]
    fn every_edge_outside_the_table_is_found() {
        use DependencyKind::{Build, Development, Normal};
        for (name, allowed) in LAYERS {
            for (other, _) in LAYERS.iter().filter(|(other, _)| *other != name) {
                let wanted = if allowed.contains(other) {
                    None
                } else {
                    Some(&EDGE)
                };
                for kind in [Normal, Build, Development] {
                    assert_eq!(broken(name, other, kind), wanted, "{name} → {other}");
                }
            }
        }
    }

    #[test]
    fn the_test_kit_is_for_tests_and_may_use_everything() {
        use DependencyKind::{Build, Development, Normal};
        assert_eq!(broken("pawl-engine", TESTKIT, Development), None);
        assert_eq!(broken("pawl-engine", TESTKIT, Normal), Some(&ONLY_TESTS));
        assert_eq!(broken("pawl-engine", TESTKIT, Build), Some(&ONLY_TESTS));
        for dependency in ["pawl-server", "sqlx", "axum", "reqwest"] {
            assert_eq!(broken(TESTKIT, dependency, Normal), None);
        }
    }

    #[test]
    fn reserved_crates_stay_with_their_owner() {
        use DependencyKind::{Development, Normal};
        for (outside, owner) in RESERVED {
            assert_eq!(broken(owner, outside, Normal), None);
            assert_eq!(broken("pawl-model", outside, Normal), Some(&OWNER));
            assert_eq!(broken("pawl-model", outside, Development), Some(&OWNER));
        }
    }

    #[test]
    fn a_crate_without_a_place_is_found_and_benches_are_free() {
        assert_eq!(
            broken("pawl-extra", "serde", DependencyKind::Normal),
            Some(&UNKNOWN)
        );
        let mut bench = krate("pawl-bench", &[("sqlx", DependencyKind::Normal)]);
        bench.folder = "bench/run".to_owned();
        assert!(check(&[bench], &[]).is_empty());
    }

    #[test]
    fn the_line_of_the_manifest_is_named() {
        let manifest = "[dependencies]\nserde.workspace = true\nsqlx-core = \"1\"\nsqlx = \"0.9\"\n";
        let files = [SourceFile::new("crates/pawl-model/Cargo.toml", manifest)];
        let found = check(
            &[krate("pawl-model", &[("sqlx", DependencyKind::Normal)])],
            &files,
        );
        assert_eq!(
            (found[0].path.as_str(), found[0].line),
            ("crates/pawl-model/Cargo.toml", 4)
        );
    }
}
