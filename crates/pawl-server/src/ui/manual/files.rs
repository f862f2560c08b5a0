//! The files of the manual, in the binary as they are in the repository, and where each of them is shown.

use crate::problem::ErrorCode;

/// A file by its path in the repository.
macro_rules! files {
    ($($path:literal,)+) => {
        &[$(($path, include_str!(concat!("../../../../../", $path)))),+]
    };
}

/// A picture by its name in `docs/images`.
macro_rules! images {
    ($($name:literal: $content_type:literal,)+) => {
        &[$(Image {
            name: $name,
            content_type: $content_type,
            body: include_bytes!(concat!("../../../../../docs/images/", $name)),
        }),+]
    };
}

/// A picture of the manual.
pub(super) struct Image {
    pub(super) name: &'static str,
    pub(super) content_type: &'static str,
    pub(super) body: &'static [u8],
}

/// Path in the repository, and text. A test tells which document of `docs` is missing.
const FILES: &[(&str, &str)] = files![
    "ARCHITECTURE.md",
    "README.md",
    "crates/pawl-evolve/README.md",
    "docs/API-DESIGN.md",
    "docs/CHECKS.md",
    "docs/CLI.md",
    "docs/CONCEPTS.md",
    "docs/CONFIGURATION.md",
    "docs/DEPLOYMENT.md",
    "docs/DRAFTS.md",
    "docs/EVOLVE.md",
    "docs/FIRESTORE.md",
    "docs/FROM-LANGFUSE.md",
    "docs/FROM-PROMPTFOO.md",
    "docs/FROM-SUPABASE.md",
    "docs/HTTP.md",
    "docs/INTAKE.md",
    "docs/LINEAGE.md",
    "docs/MASKING.md",
    "docs/MINING.md",
    "docs/MODELS.md",
    "docs/OPERATIONS.md",
    "docs/OUTPUT.md",
    "docs/README.md",
    "docs/ROLLUPS.md",
    "docs/STATISTICS.md",
    "docs/SUITES.md",
    "docs/THREAT-MODEL.md",
    "docs/TRACES.md",
    "docs/adr/0001-two-engines-behind-one-door.md",
    "docs/adr/0002-errors.md",
    "docs/adr/0003-json-normal-form.md",
    "examples/refunds/README.md",
    "examples/stories/README.md",
    "examples/supabase/README.md",
    "examples/tour/README.md",
    "examples/traces/README.md",
];

pub(super) const IMAGES: &[Image] = images![
    "comparison.png": "image/png",
    "dashboard.png": "image/png",
    "interactions.png": "image/png",
    "lineage.png": "image/png",
    "loop.svg": "image/svg+xml",
    "optimization.png": "image/png",
    "suggestion.png": "image/png",
];

/// All files, those about error codes among them.
pub(super) fn all() -> impl Iterator<Item = (String, &'static str)> {
    let errors = ErrorCode::ALL.iter();
    let errors = errors.map(|code| (["docs/errors/", code.as_str(), ".md"].concat(), code.page()));
    let files = FILES.iter().map(|(path, text)| ((*path).to_owned(), *text));
    files.chain(errors)
}

/// Where a document or picture of the repository is shown; `None` for what is in the repository alone.
pub(super) fn address(path: &str) -> Option<String> {
    if let Some(name) = path.strip_prefix("docs/images/") {
        let known = IMAGES.iter().any(|image| image.name == name);
        return known.then(|| ["/docs/images/", name].concat());
    }
    if !all().any(|(known, _)| known == path) {
        return None;
    }
    Some(match path {
        "docs/README.md" => "/docs".to_owned(),
        "README.md" => "/docs/readme".to_owned(),
        _ => {
            let path = path.strip_prefix("docs/").unwrap_or(path);
            let path = path
                .strip_suffix("/README.md")
                .or_else(|| path.strip_suffix(".md"));
            ["/docs/", &path.unwrap_or_default().to_lowercase()].concat()
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::*;

    fn names(folder: &str) -> Vec<PathBuf> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        let names = entries.map(|entry| Path::new(folder).join(entry.unwrap().file_name()));
        names.collect()
    }

    #[test]
    fn every_document_and_picture_is_in_the_binary() {
        let mut there = BTreeSet::new();
        for folder in ["docs", "docs/adr", "docs/errors", "docs/images"] {
            let names = names(folder)
                .into_iter()
                .filter(|path| path.extension().is_some());
            there.extend(names.map(|path| path.to_str().unwrap().to_owned()));
        }
        let images = IMAGES.iter().map(|image| ["docs/images/", image.name].concat());
        let known: BTreeSet<String> = all().map(|(path, _)| path).chain(images).collect();
        let known = known.into_iter().filter(|path| path.starts_with("docs/"));
        assert_eq!(known.collect::<BTreeSet<_>>(), there, "they stand in `files.rs`");
    }

    #[test]
    fn each_has_an_address_of_its_own() {
        let addresses: BTreeSet<_> = all().map(|(path, _)| address(&path).unwrap()).collect();
        assert_eq!(addresses.len(), all().count());
        assert!(
            !addresses.contains("/docs/api"),
            "that is the reference of the API"
        );
        assert_eq!(address("docs/API-DESIGN.md").as_deref(), Some("/docs/api-design"));
        assert_eq!(
            address("examples/traces/README.md").as_deref(),
            Some("/docs/examples/traces")
        );
        assert_eq!(
            address("docs/images/loop.svg").as_deref(),
            Some("/docs/images/loop.svg")
        );
        assert_eq!(
            (address("Cargo.toml"), address("docs/images/no.png")),
            (None, None)
        );
    }
}
