//! The text files of the repository.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

/// Folders that begin with a dot and are ours all the same.
const DOTTED: [&str; 4] = [".cargo", ".ci", ".config", ".github"];

/// What tools leave behind, and what others wrote.
const SKIPPED: [&str; 6] = [
    "target",
    "node_modules",
    "__pycache__",
    "vendor",
    "corpus",
    "artifacts",
];

/// What is read, beside files without an extension.
const TEXT: [&str; 18] = [
    "css", "csv", "html", "js", "json", "jsonl", "lock", "md", "mjs", "py", "rs", "sh", "sql", "toml", "ts",
    "txt", "yaml", "yml",
];

/// A text file of the repository.
pub(super) struct SourceFile {
    /// Relative to the workspace root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
        }
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    pub(super) fn extension(&self) -> Option<&str> {
        self.name().rsplit_once('.').map(|(_, extension)| extension)
    }

    /// The folder under `crates/` that the file lies in.
    pub(super) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    /// The first line, from 1, that satisfies the predicate; 1 if none does.
    pub(super) fn line_where(&self, predicate: impl Fn(&str) -> bool) -> usize {
        self.text.lines().position(predicate).map_or(1, |index| index + 1)
    }
}

/// Reads every text file under `root`, sorted by path; `target` is cargo's target folder, wherever it lies.
///
/// # Errors
/// When a folder or file cannot be read.
pub(super) fn read(root: &Path, target: &Path) -> anyhow::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    let mut folders = vec![(root.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                let hidden = name.starts_with('.') && !DOTTED.contains(&name.as_str());
                if !hidden && !SKIPPED.contains(&name.as_str()) && path != target {
                    folders.push((path, format!("{prefix}{name}/")));
                }
            } else if kind.is_file() && is_text(&name) {
                let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                if let Ok(text) = String::from_utf8(bytes) {
                    files.push(SourceFile::new(format!("{prefix}{name}"), text));
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn is_text(name: &str) -> bool {
    name.rsplit_once('.')
        .is_none_or(|(_, extension)| TEXT.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_our_texts_and_leaves_out_what_tools_made() {
        let root = tempfile::tempdir().unwrap();
        for path in [
            "crates/pawl/src/main.rs",
            "scripts/test",
            ".ci/run",
            ".git/config",
            ".venv/lib/a.py",
            "target/debug/a.rs",
            "elsewhere/b.rs",
            "node_modules/c.js",
            "assets/vendor/d.js",
            "fuzz/corpus/rest/0a1b",
            "fuzz/artifacts/rest/crash-0a1b",
            "pawl.db",
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        fs::write(root.path().join("image"), [0xff, 0xfe]).unwrap();
        let files = read(root.path(), &root.path().join("elsewhere")).unwrap();
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, [".ci/run", "crates/pawl/src/main.rs", "scripts/test"]);
        assert!(read(&root.path().join("absent"), root.path()).is_err());
    }

    #[test]
    fn a_path_tells_name_extension_and_crate() {
        let file = SourceFile::new("crates/pawl-store/queries/run/insert.sqlite.sql", "a\nb");
        assert_eq!(
            (file.name(), file.extension(), file.crate_name()),
            ("insert.sqlite.sql", Some("sql"), Some("pawl-store"))
        );
        assert_eq!(
            (
                file.line_where(|line| line == "b"),
                file.line_where(|line| line == "c")
            ),
            (2, 1)
        );
    }
}
