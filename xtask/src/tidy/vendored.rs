//! Rules for the files of others that web pages load: they are what the list says, and nothing beside it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Rule, Severity, Violation, licences};
use crate::vendor::{FOLDER, LIST, List, sha256};

const VENDORED: Rule = Rule {
    severity: Severity::Error,
    why: "what browsers run must be what its makers published, under a licence that lets us pass it on",
    fix: "name the package in crates/pawl-server/assets/vendor.toml, then run `cargo xtask assets`",
};

/// Compares the list with the files under `root`.
pub(super) fn check(root: &Path) -> Vec<Violation> {
    let violation = |what: String| Violation {
        rule: &VENDORED,
        path: LIST.to_owned(),
        line: 1,
        what,
    };
    let Ok(text) = fs::read_to_string(root.join(LIST)) else {
        // Without the list there is nothing that it could be about.
        return Vec::new();
    };
    let list: List = match toml::from_str(&text) {
        Ok(list) => list,
        Err(error) => return vec![violation(format!("cannot be read: {}", error.message()))],
    };
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    for package in &list.packages {
        if let Some(problem) = licences::problem(Some(&package.licence)) {
            found.push(violation(format!(
                "{} {} {problem}",
                package.name, package.version
            )));
        }
        for file in &package.files {
            known.insert(file.name.clone());
            match fs::read(root.join(FOLDER).join(&file.name)) {
                Ok(bytes) if sha256(&bytes) == file.sha256 => {}
                Ok(_) => found.push(violation(format!("{} has another hash", file.name))),
                Err(_) => found.push(violation(format!("{} is not there", file.name))),
            }
        }
    }
    let there = fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut there: Vec<String> = there
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    there.sort();
    let unknown = there.into_iter().filter(|name| !known.contains(name));
    found.extend(unknown.map(|name| violation(format!("{name} is not on the list"))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_the_list_says() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        let problems = |licence: &str, files: &[(&str, &str)]| -> Vec<String> {
            let mut list = format!("[[package]]\nname = \"p\"\nversion = \"1\"\nlicence = \"{licence}\"\n");
            for (name, text) in files {
                let hash = sha256(text.as_bytes());
                list.push_str(&format!(
                    "[[package.file]]\nfrom = \"x\"\nname = \"{name}\"\nsha256 = \"{hash}\"\n"
                ));
            }
            fs::write(root.path().join(LIST), list).unwrap();
            check(root.path())
                .into_iter()
                .map(|violation| violation.what)
                .collect()
        };
        fs::write(folder.join("a.js"), "a").unwrap();
        assert_eq!(problems("MIT", &[("a.js", "a")]), [""; 0]);
        assert_eq!(problems("MIT", &[("a.js", "b")]), ["a.js has another hash"]);
        assert_eq!(
            problems("MIT", &[("a.js", "a"), ("b.js", "b")]),
            ["b.js is not there"]
        );
        fs::write(folder.join("c.js"), "c").unwrap();
        assert_eq!(problems("MIT", &[("a.js", "a")]), ["c.js is not on the list"]);
        assert!(problems("SSPL-1.0", &[("a.js", "a")])[0].contains("not on the list: `SSPL-1.0`"));
        fs::write(root.path().join(LIST), "[[package]]\nnome = 1\n").unwrap();
        assert!(check(root.path())[0].what.starts_with("cannot be read"));
    }
}
