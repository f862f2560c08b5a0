//! `is-html`: an output that is HTML from its first to its last character.

mod elements;

use crate::Subject;
use crate::excerpt::{cut, quote};
use crate::rule::{Finding, Rule};
use elements::{has_optional_end, is_known, is_raw_text, is_void};

#[derive(Debug)]
pub(crate) struct IsHtml;

impl Rule for IsHtml {
    fn judge(&self, subject: &Subject<'_>) -> Finding {
        let html = subject.text().trim();
        match read(html) {
            Ok(()) => Finding::Holds,
            Err(reason) => Finding::Misses(format!("is not HTML: {reason}: {}", quote(html, 60))),
        }
    }

    fn claim(&self) -> String {
        "is HTML".to_owned()
    }
}

/// Reads a document or fragment: every text inside an element, every element closed whose end tag may not be left
/// out, and at least one element that HTML knows.
fn read(html: &str) -> Result<(), String> {
    if starts_with_ignore_case(html, "<?xml") {
        return Err("it is XML".to_owned());
    }
    let mut open = Open::default();
    let mut rest = html;
    while let Some(markup) = rest.find('<') {
        open.text(&rest[..markup])?;
        rest = open.markup(&rest[markup..])?;
    }
    open.text(rest)?;
    open.finish()
}

/// The elements that are open.
#[derive(Default)]
struct Open {
    names: Vec<String>,
    has_element: bool,
    knows_element: bool,
}

impl Open {
    fn text(&self, text: &str) -> Result<(), String> {
        if self.names.is_empty() && !text.trim().is_empty() {
            return Err("text outside of elements".to_owned());
        }
        Ok(())
    }

    /// Reads one piece of markup, and returns what follows.
    fn markup<'a>(&mut self, html: &'a str) -> Result<&'a str, String> {
        if let Some(comment) = html.strip_prefix("<!--") {
            let end = comment.find("-->").ok_or("a comment is not closed")?;
            return Ok(&comment[end + 3..]);
        }
        if starts_with_ignore_case(html, "<!doctype") && !self.has_element {
            let end = html.find('>').ok_or("the document type is not closed")?;
            return Ok(&html[end + 1..]);
        }
        let is_name_start = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(tag) = html.strip_prefix("</").filter(|tag| is_name_start(tag)) {
            let (name, after) = split_name(tag);
            let end = after
                .find('>')
                .ok_or_else(|| format!("</{}> is not closed", cut(&name, 40)))?;
            self.close(&name)?;
            return Ok(&after[end + 1..]);
        }
        if is_name_start(&html[1..]) {
            return self.open(&html[1..]);
        }
        // A lone `<` is text.
        self.text("<")?;
        Ok(&html[1..])
    }

    fn open<'a>(&mut self, tag: &'a str) -> Result<&'a str, String> {
        let (name, attributes) = split_name(tag);
        let end = tag_end(attributes).ok_or_else(|| format!("<{}> is not closed", cut(&name, 40)))?;
        self.has_element = true;
        self.knows_element |= is_known(&name);
        let after = &attributes[end + 1..];
        if is_void(&name) || attributes[..end].ends_with('/') {
            return Ok(after);
        }
        if is_raw_text(&name) {
            return raw_text_end(after, &name).ok_or_else(|| format!("<{name}> is not closed"));
        }
        self.names.push(name);
        Ok(after)
    }

    fn close(&mut self, name: &str) -> Result<(), String> {
        while let Some(open) = self.names.pop() {
            if open == name {
                return Ok(());
            }
            if !has_optional_end(&open) {
                return Err(format!("</{}> where <{}> is open", cut(name, 40), cut(&open, 40)));
            }
        }
        Err(format!("</{}> closes nothing", cut(name, 40)))
    }

    fn finish(self) -> Result<(), String> {
        match self.names.iter().find(|name| !has_optional_end(name)) {
            Some(name) => Err(format!("<{}> is not closed", cut(name, 40))),
            None if self.knows_element => Ok(()),
            None => Err("no HTML element".to_owned()),
        }
    }
}

/// The name of a tag in lower case, and what follows it.
fn split_name(tag: &str) -> (String, &str) {
    let end = tag
        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '<'))
        .unwrap_or(tag.len());
    (tag[..end].to_ascii_lowercase(), &tag[end..])
}

/// Where the `>` of a tag stands that is in no attribute's value.
fn tag_end(attributes: &str) -> Option<usize> {
    let mut quote = None;
    attributes.bytes().position(|byte| match (quote, byte) {
        (Some(open), _) => {
            if byte == open {
                quote = None;
            }
            false
        }
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (None, _) => byte == b'>',
    })
}

/// What follows the end tag of an element whose content is text.
fn raw_text_end<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (start, _) = text.match_indices("</").find(|(start, _)| {
        let tag = &text[start + 2..];
        starts_with_ignore_case(tag, name)
            && tag[name.len()..].starts_with(|c: char| c == '>' || c == '/' || c.is_ascii_whitespace())
    })?;
    let end = text[start..].find('>')?;
    Some(&text[start + end + 1..])
}

fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_and_fragments_are_html() {
        for html in [
            "<!DOCTYPE html><html><head><title>a < b</title></head><body>Text<br>more</body></html>",
            "<div>Content</div>",
            "<h1>Title</h1>\n<p>Paragraph</p>",
            "<img src=\"test.jpg\" />",
            "<ul><li>one<li>two</ul>",
            "<p>one<p>two",
            "<my-card title='a > b'>x</my-card>",
            "<script>if (a </b>/.test(c)) { d() }</script>",
            "<!-- note --><DIV>x</Div>",
            "<table><tr><td>1<td>2</table>",
            "<p>a < b &amp; c</p>",
            "<svg><path d=\"M0 0\"/></svg>",
        ] {
            assert_eq!(read(html), Ok(()), "{html}");
        }
    }

    #[test]
    fn other_texts_are_not() {
        for html in [
            "",
            "Just text",
            "Text before <div>HTML</div> text after",
            "<?xml version=\"1.0\"?><root></root>",
            "<root><child>x</child></root>",
            "<div>Unclosed div",
            "<div><span>crossed</div></span>",
            "</div>",
            "<div",
            "<div title=\"open>x</div>",
            "<!-- open",
            "<script>never closed",
            "a < b",
            "<!DOCTYPE html>",
            "{\"a\": 1}",
        ] {
            assert!(read(html).is_err(), "{html}");
        }
    }

    proptest::proptest! {
        #[test]
        fn text_belongs_into_an_element(text in "[a-zé>/!&;\"'=-][a-zé >/!&;\"'=-]{0,30}") {
            proptest::prop_assert_eq!(read(&format!("<div>{text}</div>")), Ok(()));
            let outside = format!("{text}<div></div>");
            proptest::prop_assert!(read(&outside).is_err());
        }
    }
}
