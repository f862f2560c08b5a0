//! Files of others that web pages load: which ones, from where, and their hashes.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The list, relative to the workspace root.
pub(crate) const LIST: &str = "crates/pawl-server/assets/vendor.toml";
/// Where the files are, relative to the workspace root.
pub(crate) const FOLDER: &str = "crates/pawl-server/assets/vendor";

/// The list as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    #[serde(rename = "package")]
    pub(crate) packages: Vec<Package>,
}

/// A package of npm.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    #[serde(rename = "file")]
    pub(crate) files: Vec<File>,
}

/// A file that is taken from it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Its path in the package.
    pub(crate) from: String,
    /// What it is called here.
    pub(crate) name: String,
    /// In hexadecimal digits.
    pub(crate) sha256: String,
}

/// The hash of a file.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Writing to a text does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Fetches the versions that the list names, by way of a scratch folder, and writes the files and their hashes.
///
/// # Errors
/// When npm or tar are not there or fail, or a package does not have a file.
pub(crate) fn fetch(root: &Path, scratch: &Path) -> anyhow::Result<()> {
    let path = root.join(LIST);
    let mut text = fs::read_to_string(&path).with_context(|| format!("cannot read {LIST}"))?;
    let list: List = toml::from_str(&text).with_context(|| format!("cannot read {LIST}"))?;
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for package in &list.packages {
        let unpacked = scratch.join(&package.name);
        unpack(package, &unpacked)?;
        for file in &package.files {
            let source: PathBuf = unpacked.join("package").join(&file.from);
            let bytes = fs::read(&source)
                .with_context(|| format!("{} {} has no {}", package.name, package.version, file.from))?;
            fs::write(folder.join(&file.name), &bytes)?;
            text = with_hash(&text, file, &sha256(&bytes))?;
        }
    }
    fs::write(path, text)?;
    Ok(())
}

fn unpack(package: &Package, folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let wanted = format!("{}@{}", package.name, package.version);
    run(Command::new("npm")
        .current_dir(folder)
        .args(["pack", "--silent", &wanted]))?;
    let archive = fs::read_dir(folder)?
        .find_map(|entry| {
            entry
                .ok()
                .filter(|entry| entry.path().extension().is_some_and(|end| end == "tgz"))
        })
        .with_context(|| format!("npm packed nothing of {wanted}"))?;
    run(Command::new("tar")
        .current_dir(folder)
        .arg("-xzf")
        .arg(archive.path()))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    ensure!(status.success(), "{command:?} failed");
    Ok(())
}

/// The list with another hash of this file.
fn with_hash(text: &str, file: &File, hash: &str) -> anyhow::Result<String> {
    let line = |hash: &str| format!("name = \"{}\"\nsha256 = \"{hash}\"", file.name);
    let before = line(&file.sha256);
    ensure!(
        text.contains(&before),
        "{LIST}: `sha256` of {} has to follow its `name`",
        file.name
    );
    Ok(text.replace(&before, &line(hash)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_written_beside_its_file() {
        let file = File {
            from: "dist/a.js".to_owned(),
            name: "a.js".to_owned(),
            sha256: "00".to_owned(),
        };
        let list = "[[package.file]]\nfrom = \"dist/a.js\"\nname = \"a.js\"\nsha256 = \"00\"\n";
        let written = with_hash(list, &file, "11").unwrap();
        assert_eq!(written, list.replace("00", "11"));
        assert!(with_hash("name = \"b.js\"\n", &file, "11").is_err());
    }

    #[test]
    fn hashes_are_those_of_sha256sum() {
        assert_eq!(
            sha256(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
