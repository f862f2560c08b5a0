//! The navigation of the manual: the links of its index, by section.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::links;
use super::markdown::parser;

/// A section of the index.
pub(super) struct Group {
    pub(super) title: String,
    pub(super) entries: Vec<Entry>,
}

/// A document.
pub(super) struct Entry {
    pub(super) title: String,
    pub(super) address: String,
}

/// The first link of every row of the index's tables, under the headings that they stand below.
pub(super) fn groups(index: &str) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut text = String::new();
    let mut link = None;
    let mut wanted = false;
    for event in parser(index) {
        match event {
            Event::Start(Tag::Heading { .. }) => text.clear(),
            Event::End(TagEnd::Heading(_)) => groups.push(Group {
                title: std::mem::take(&mut text),
                entries: Vec::new(),
            }),
            Event::Start(Tag::TableRow) => wanted = true,
            Event::Start(Tag::Link { dest_url, .. }) if wanted => {
                text.clear();
                link = links::rewritten("docs/README.md", &dest_url);
            }
            Event::End(TagEnd::Link) => {
                if let (Some(address), Some(group)) = (link.take(), groups.last_mut()) {
                    let title = std::mem::take(&mut text);
                    group.entries.push(Entry { title, address });
                    wanted = false;
                }
            }
            Event::Text(words) | Event::Code(words) => text.push_str(&words),
            _ => {}
        }
    }
    groups.retain(|group| !group.entries.is_empty());
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_makes_the_navigation() {
        let index = "# Manual\n\nSee [suites](SUITES.md).\n\n## Runs\n\n| a | b |\n|---|---|\n| [Suites](SUITES.md) | [x](CHECKS.md) |\n\
                     | [Checks](CHECKS.md) | |\n\n## Empty\n";
        let found = groups(index);
        let shown: Vec<String> = found
            .iter()
            .flat_map(|group| {
                group
                    .entries
                    .iter()
                    .map(|e| [&group.title, ": ", &e.title, " ", &e.address].concat())
            })
            .collect();
        assert_eq!(shown, ["Runs: Suites /docs/suites", "Runs: Checks /docs/checks"]);
    }
}
