//! The generated documents of the manual, and what else the command line says of itself.

use std::path::Path;

use crate::rig::{Said, pawl};

fn said(words: &[&str]) -> String {
    let said: Said = pawl().args(words).output().unwrap().into();
    said.exits(0).out
}

#[test]
fn the_references_are_those_of_this_build() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (of, file) in [("cli", "CLI.md"), ("http", "HTTP.md")] {
        let written = std::fs::read_to_string(docs.join(file)).unwrap();
        assert!(
            written == said(&["reference", of]),
            "docs/{file} is stale: write it anew by `cargo xtask docs`"
        );
    }
}

#[test]
fn shells_can_complete() {
    for (shell, mark) in [
        ("bash", "complete -F _pawl"),
        ("elvish", "edit:completion:arg-completer[pawl]"),
        ("fish", "complete -c pawl"),
        ("powershell", "Register-ArgumentCompleter"),
        ("zsh", "#compdef pawl"),
    ] {
        let script = said(&["completions", shell]);
        assert!(
            script.contains(mark) && script.contains("min-pass-rate"),
            "{shell}: {script}"
        );
    }
}

#[test]
fn every_command_has_a_man_page() {
    let folder = std::env::temp_dir().join(format!("pawl-man-{}", std::process::id()));
    said(&["man", folder.to_str().unwrap()]);
    for page in ["pawl", "pawl-run", "pawl-key-create"] {
        let text = std::fs::read_to_string(folder.join([page, ".1"].concat())).unwrap();
        assert!(text.contains(".SH SYNOPSIS"), "{page}: {text}");
    }
    let hidden = std::fs::exists(folder.join("pawl-story-agent.1")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(!hidden);
}
