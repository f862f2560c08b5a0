//! Markdown as HTML that the policy of pages allows: no HTML of a text's own, no styles, anchors at headings.

use std::collections::HashMap;

use pulldown_cmark::{Alignment, CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::links;

/// A document, ready to be shown.
pub(super) struct Document {
    pub(super) title: String,
    pub(super) html: String,
    /// Its sections.
    pub(super) sections: Vec<Section>,
}

/// A heading below the title.
pub(super) struct Section {
    pub(super) anchor: String,
    pub(super) title: String,
}

/// The document of this text, which stands at `path` in the repository.
pub(super) fn document(path: &str, text: &str) -> Document {
    let mut writer = Writer {
        path,
        open: Vec::new(),
        anchors: HashMap::new(),
        events: Vec::new(),
        title: String::new(),
        sections: Vec::new(),
    };
    let events: Vec<Event<'_>> = parser(text).collect();
    for (index, event) in events.iter().enumerate() {
        writer.take(event, &events[index..]);
    }
    let mut page = String::new();
    html::push_html(&mut page, writer.events.into_iter());
    Document {
        title: writer.title,
        // Code and tables may be wider than the page: they scroll, by key as well. In texts `<` is written otherwise.
        html: page
            .replace("<pre>", "<pre tabindex=\"0\">")
            // A column without a title has no heading either.
            .replace("<th></th>", "<td></td>")
            .replace("<table>", "<div class=\"wide\" tabindex=\"0\"><table>")
            .replace("</table>", "</table></div>"),
        sections: writer.sections,
    }
}

pub(super) fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

struct Writer<'t> {
    path: &'t str,
    /// Whether each link that is open leads anywhere.
    open: Vec<bool>,
    /// How often each anchor was given.
    anchors: HashMap<String, usize>,
    events: Vec<Event<'t>>,
    title: String,
    sections: Vec<Section>,
}

impl<'t> Writer<'t> {
    fn take(&mut self, event: &Event<'t>, from_here: &[Event<'t>]) {
        match event.clone() {
            // Nothing is trusted to be HTML; it is shown as it is written.
            Event::Html(text) | Event::InlineHtml(text) => self.events.push(Event::Text(text)),
            Event::Start(Tag::Heading {
                level,
                classes,
                attrs,
                ..
            }) => {
                let title = text_of(from_here);
                let anchor = self.anchor(&title);
                if self.title.is_empty() {
                    self.title.clone_from(&title);
                } else if level == pulldown_cmark::HeadingLevel::H2 {
                    let anchor = anchor.clone();
                    self.sections.push(Section { anchor, title });
                }
                let id = Some(CowStr::from(anchor));
                self.events.push(Event::Start(Tag::Heading {
                    level,
                    id,
                    classes,
                    attrs,
                }));
            }
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let to = links::rewritten(self.path, &dest_url);
                self.open.push(to.is_some());
                if let Some(to) = to {
                    let dest_url = CowStr::from(to);
                    let tag = Tag::Link {
                        link_type,
                        dest_url,
                        title,
                        id,
                    };
                    self.events.push(Event::Start(tag));
                }
            }
            Event::End(TagEnd::Link) => {
                if self.open.pop() == Some(true) {
                    self.events.push(Event::End(TagEnd::Link));
                }
            }
            Event::Start(Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            }) => {
                let to = links::rewritten(self.path, &dest_url).map(CowStr::from);
                let dest_url = to.unwrap_or(dest_url);
                let tag = Tag::Image {
                    link_type,
                    dest_url,
                    title,
                    id,
                };
                self.events.push(Event::Start(tag));
            }
            // Alignments would be written as styles.
            Event::Start(Tag::Table(columns)) => {
                let columns = vec![Alignment::None; columns.len()];
                self.events.push(Event::Start(Tag::Table(columns)));
            }
            other => self.events.push(other),
        }
    }

    /// An anchor that no heading before has.
    fn anchor(&mut self, title: &str) -> String {
        let anchor = links::anchor(title);
        let given = self.anchors.entry(anchor.clone()).or_default();
        *given += 1;
        match *given {
            1 => anchor,
            times => format!("{anchor}-{}", times - 1),
        }
    }
}

/// The text up to the end of the heading that begins here.
fn text_of(events: &[Event<'_>]) -> String {
    let inside = events
        .iter()
        .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    inside
        .filter_map(|event| match event {
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => Some(text.as_ref()),
            Event::SoftBreak => Some(" "),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_as_text() {
        let hostile = "# A <script>alert(1)</script>\n\n<img src=x onerror=alert(2)>\n\n<p style=\"x\">b</p> c <b>d</b>\n";
        let page = document("docs/A.md", hostile).html;
        for tag in ["<script", "<img", "<b>", "<p style"] {
            assert!(!page.contains(tag), "{page}");
        }
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
    }

    #[test]
    fn headings_have_anchors_and_make_the_contents() {
        let found = document("docs/A.md", "# One `two`\n\n## Three\n\n### Four\n\n## Three\n");
        assert_eq!(found.title, "One two");
        assert!(
            found
                .html
                .contains("<h1 id=\"one-two\">One <code>two</code></h1>"),
            "{}",
            found.html
        );
        let anchors: Vec<&str> = found
            .sections
            .iter()
            .map(|section| section.anchor.as_str())
            .collect();
        assert_eq!(anchors, ["three", "three-1"]);
    }

    #[test]
    fn links_are_rewritten_and_what_is_not_in_the_manual_stays_a_word() {
        let text = "[suites](SUITES.md#ids), [prices](../crates/pawl-providers/src/model/prices.toml)\n\n![loop](images/loop.svg)\n";
        let page = document("docs/MODELS.md", text).html;
        let expected = "<p><a href=\"/docs/suites#ids\">suites</a>, prices</p>\n<p><img src=\"/docs/images/loop.svg\" alt=\"loop\" /></p>\n";
        assert_eq!(page, expected);
    }

    #[test]
    fn tables_have_no_styles_and_scroll() {
        let page = document("docs/A.md", "| a | |\n|--:|:-:|\n| 1 | 2 |\n").html;
        assert!(
            page.starts_with("<div class=\"wide\" tabindex=\"0\"><table><thead>"),
            "{page}"
        );
        assert!(page.contains("<th>a</th><td></td>"), "{page}");
        assert!(
            page.ends_with("</table></div>\n") && !page.contains("style"),
            "{page}"
        );
    }
}
