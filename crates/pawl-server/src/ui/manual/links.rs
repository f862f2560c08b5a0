//! Links between documents: what leads to a file in the repository leads to its page in the manual.

use super::files;

/// The address of a server in all documents: in the manual, this one.
const HERE: &str = "http://127.0.0.1:8787";

/// Where a link of the document at `from` leads in the manual; `None` for what is in the repository alone.
pub(super) fn rewritten(from: &str, link: &str) -> Option<String> {
    if let Some(path) = link.strip_prefix(HERE) {
        return Some(if path.is_empty() { "/" } else { path }.to_owned());
    }
    if link.starts_with('#') || link.contains("://") {
        return Some(link.to_owned());
    }
    let (path, fragment) = match link.split_once('#') {
        Some((path, fragment)) => (path, ["#", fragment].concat()),
        None => (link, String::new()),
    };
    let address = files::address(&joined(from, path))?;
    Some(address + &fragment)
}

/// The path that a link names, from the root of the repository.
pub(super) fn joined(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The anchor of a heading, as GitHub has it too: letters, digits, `-` and `_` in lower case, blanks as `-`.
pub(super) fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter if letter.is_alphanumeric() => Some(letter),
        _ => None,
    });
    kept.collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages() {
        for (from, link, to) in [
            ("docs/README.md", "SUITES.md", "/docs/suites"),
            (
                "docs/EVOLVE.md",
                "../crates/pawl-evolve/README.md",
                "/docs/crates/pawl-evolve",
            ),
            ("docs/INTAKE.md", "errors/over_cap.md", "/docs/errors/over_cap"),
            ("README.md", "docs/CHECKS.md#keys", "/docs/checks#keys"),
            ("README.md", "docs/images/loop.svg", "/docs/images/loop.svg"),
            (
                "examples/traces/README.md",
                "../../docs/TRACES.md",
                "/docs/traces",
            ),
            ("docs/README.md", "../README.md", "/docs/readme"),
            ("README.md", "#the-server", "#the-server"),
            ("README.md", "http://127.0.0.1:8787/docs/api", "/docs/api"),
            ("README.md", "http://127.0.0.1:8787", "/"),
            ("README.md", "https://example.org/a", "https://example.org/a"),
        ] {
            assert_eq!(rewritten(from, link).as_deref(), Some(to), "{link} in {from}");
        }
        assert_eq!(
            rewritten("docs/MODELS.md", "../crates/pawl-providers/src/model/prices.toml"),
            None
        );
    }

    #[test]
    fn anchors_are_those_of_github() {
        assert_eq!(
            anchor("Sentences that need no judge"),
            "sentences-that-need-no-judge"
        );
        assert_eq!(
            anchor("What a comparison says, and `pawl run`"),
            "what-a-comparison-says-and-pawl-run"
        );
        assert_eq!(anchor("POST /api/evals/ingest"), "post-apievalsingest");
        assert_eq!(anchor("Über not_found"), "über-not_found");
    }
}
