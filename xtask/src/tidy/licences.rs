//! Under which licences others may contribute to a build.

use spdx::{Expression, LicenseReq, ParseMode};

use super::tree::SourceFile;
use super::workspace::Package;
use super::{Rule, Severity, Violation};

/// Licences that go with Apache-2.0: permissive ones, and MPL-2.0, which binds its own files only.
const ALLOWED: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "OpenSSL",
    "Unicode-3.0",
    "Zlib",
];

const LICENCE: Rule = Rule {
    severity: Severity::Error,
    why: "what we build must be free to use and to pass on under Apache-2.0",
    fix: "choose another crate, or, if the licence is harmless, add it to ALLOWED (xtask/src/tidy/licences.rs)",
};

pub(super) fn check(shipped: &[Package], files: &[SourceFile]) -> Vec<Violation> {
    let lock = files.iter().find(|file| file.path == "Cargo.lock");
    shipped
        .iter()
        .filter_map(|package| {
            let problem = problem(package.licence.as_deref())?;
            let entry = format!("name = \"{}\"\nversion = \"{}\"", package.name, package.version);
            let line = lock.and_then(|file| {
                file.text
                    .find(&entry)
                    .map(|at| file.text[..at].lines().count() + 1)
            });
            Some(Violation {
                rule: &LICENCE,
                path: "Cargo.lock".to_owned(),
                line: line.unwrap_or(1),
                what: format!("{} {} {problem}", package.name, package.version),
            })
        })
        .collect()
}

/// What is wrong with a licence expression: of `OR` one side must be allowed, of `AND` both.
pub(super) fn problem(licence: Option<&str>) -> Option<String> {
    let Some(text) = licence else {
        return Some("names no licence".to_owned());
    };
    // Lax: older crates write `MIT/Apache-2.0`.
    match Expression::parse_mode(text, ParseMode::LAX) {
        Err(_) => Some(format!("names a licence that is no SPDX expression: `{text}`")),
        Ok(expression) if expression.evaluate(is_allowed) => None,
        Ok(_) => Some(format!("has a licence that is not on the list: `{text}`")),
    }
}

/// An exception (`WITH`) only adds permissions, so the licence alone decides.
fn is_allowed(required: &LicenseReq) -> bool {
    required.license.id().is_some_and(|id| ALLOWED.contains(&id.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_weighed() {
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "Apache-2.0 WITH LLVM-exception",
            "(MIT OR GPL-2.0-only) AND Unicode-3.0",
        ] {
            assert_eq!(problem(Some(good)), None, "of {good}");
        }
        for bad in [
            "GPL-3.0-only",
            "AGPL-3.0-or-later",
            "MIT AND GPL-3.0-only",
            "(MIT AND SSPL-1.0) OR LGPL-2.1-or-later",
            "LicenseRef-Proprietary",
            "Unlicense",
        ] {
            assert!(
                problem(Some(bad)).unwrap().contains("not on the list"),
                "of {bad}"
            );
        }
        assert!(
            problem(Some("free as in beer"))
                .unwrap()
                .contains("no SPDX expression")
        );
        assert!(problem(None).unwrap().contains("no licence"));
    }

    #[test]
    fn the_violation_names_its_line_of_the_lock_file() {
        let lock = "version = 4\n\n[[package]]\nname = \"odd\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"odd\"\nversion = \"2.0.0\"\n";
        let package = Package {
            name: "odd".to_owned(),
            version: "2.0.0".to_owned(),
            licence: Some("SSPL-1.0".to_owned()),
        };
        let found = check(&[package], &[SourceFile::new("Cargo.lock", lock)]);
        assert_eq!((found[0].path.as_str(), found[0].line), ("Cargo.lock", 8));
        assert_eq!(
            found[0].what,
            "odd 2.0.0 has a licence that is not on the list: `SSPL-1.0`"
        );
    }
}
