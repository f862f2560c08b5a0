//! What `cargo metadata` knows, reduced to what the rules ask.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use cargo_metadata::{CargoOpt, DependencyKind, Metadata, MetadataCommand, Node, PackageId};

/// The workspace: its crates, and what they bring into a build.
pub(super) struct Workspace {
    pub(super) root: PathBuf,
    /// Where cargo builds.
    pub(super) target_folder: PathBuf,
    pub(super) crates: Vec<Crate>,
    /// Packages of others that a build needs (normal and build dependencies, with all features, on any platform).
    pub(super) shipped: Vec<Package>,
}

/// A crate of the workspace.
pub(super) struct Crate {
    pub(super) name: String,
    /// Relative to the workspace root, with `/`.
    pub(super) folder: String,
    pub(super) description: Option<String>,
    /// Direct dependencies by their name in the registry.
    pub(super) dependencies: Vec<(String, DependencyKind)>,
}

/// A package of others.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// The SPDX expression of its manifest.
    pub(super) licence: Option<String>,
}

impl Workspace {
    /// Asks cargo for the workspace around the current folder.
    pub(super) fn load() -> cargo_metadata::Result<Self> {
        MetadataCommand::new()
            .features(CargoOpt::AllFeatures)
            .exec()
            .map(|metadata| Self::of(&metadata))
    }

    fn of(metadata: &Metadata) -> Self {
        let root = &metadata.workspace_root;
        let crates = metadata.workspace_packages().into_iter().map(|package| Crate {
            name: package.name.to_string(),
            folder: package
                .manifest_path
                .parent()
                .and_then(|folder| folder.strip_prefix(root).ok())
                .map_or_else(String::new, ToString::to_string),
            description: package.description.clone(),
            dependencies: package
                .dependencies
                .iter()
                .map(|d| (d.name.clone(), d.kind))
                .collect(),
        });
        let reached = reached(metadata);
        let shipped = metadata.packages.iter().filter(|package| {
            reached.contains(&package.id) && !metadata.workspace_members.contains(&package.id)
        });
        Self {
            root: root.clone().into(),
            target_folder: metadata.target_directory.clone().into(),
            crates: crates.collect(),
            shipped: shipped
                .map(|package| Package {
                    name: package.name.to_string(),
                    version: package.version.to_string(),
                    licence: package.license.clone(),
                })
                .collect(),
        }
    }
}

/// What the workspace's crates reach without development dependencies.
fn reached(metadata: &Metadata) -> BTreeSet<&PackageId> {
    let nodes: HashMap<&PackageId, &Node> = metadata
        .resolve
        .iter()
        .flat_map(|resolve| &resolve.nodes)
        .map(|node| (&node.id, node))
        .collect();
    let mut reached = BTreeSet::new();
    let mut open: Vec<&PackageId> = metadata.workspace_members.iter().collect();
    while let Some(id) = open.pop() {
        if reached.insert(id)
            && let Some(node) = nodes.get(id)
        {
            let needed = node.deps.iter().filter(|dep| {
                dep.dep_kinds
                    .iter()
                    .any(|info| info.kind != DependencyKind::Development)
            });
            open.extend(needed.map(|dep| &dep.pkg));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_crates_and_leaves_out_what_only_tests_need() {
        let workspace = Workspace::load().unwrap();
        let own = workspace
            .crates
            .iter()
            .find(|krate| krate.name == "xtask")
            .unwrap();
        assert_eq!(own.folder, "xtask");
        assert!(
            own.dependencies
                .contains(&("clap".to_owned(), DependencyKind::Normal))
        );
        assert!(
            own.dependencies
                .contains(&("tempfile".to_owned(), DependencyKind::Development))
        );
        let shipped = |name: &str| workspace.shipped.iter().any(|package| package.name == name);
        assert!(shipped("clap") && shipped("clap_lex"));
        assert!(!shipped("proptest") && !shipped("pawl-model"));
    }
}
