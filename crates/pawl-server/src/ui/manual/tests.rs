//! Documents as they are read in the repository: every link of every one of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Tag};

use super::{links, markdown};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Markdown files of these folders, and of the folders in them.
fn documents() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = ["", "bench", "crates", "docs", "examples", "fuzz"]
        .map(PathBuf::from)
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().unwrap().is_dir();
            if is_folder && !folder.as_os_str().is_empty() && entry.file_name() != "node_modules" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    assert!(found.len() > 50, "{found:?}");
    found
}

fn anchors(text: &str) -> BTreeSet<String> {
    let document = markdown::document("docs/A.md", text).html;
    let ids = document
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    ids.map(str::to_owned).collect()
}

/// What is wrong with a link of the document at `path`.
fn fault(path: &str, text: &str, link: &str) -> Option<&'static str> {
    if let Some(fragment) = link.strip_prefix('#') {
        return (!anchors(text).contains(fragment)).then_some("there is no such heading");
    }
    if link.starts_with("https://") || link.starts_with("http://127.0.0.1:8787") {
        return None;
    }
    if link.contains("://") || link.starts_with('/') {
        return Some("leads out of the repository");
    }
    let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
    let file = root().join(links::joined(path, file));
    if !file.exists() {
        return Some("there is no such file");
    }
    if fragment.is_empty() {
        return None;
    }
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    (!anchors(&text).contains(fragment)).then_some("there is no such heading in that file")
}

#[test]
fn every_link_in_the_repository_leads_somewhere() {
    let mut faults = Vec::new();
    let mut links = 0;
    for path in documents() {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        for event in markdown::parser(&text) {
            let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) = event else {
                continue;
            };
            links += 1;
            let fault = fault(&path, &text, &dest_url);
            faults.extend(fault.map(|fault| format!("{path}: {dest_url}: {fault}")));
        }
    }
    assert!(links > 200, "{links}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// It would be shown as text, see [`markdown`].
#[test]
fn no_document_of_the_manual_has_html() {
    for (path, text) in super::files::all() {
        let html =
            markdown::parser(text).find(|event| matches!(event, Event::Html(_) | Event::InlineHtml(_)));
        assert!(html.is_none(), "{path}: {html:?}");
    }
}
