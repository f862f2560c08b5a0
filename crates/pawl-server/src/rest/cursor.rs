//! Reading the small languages of a URL's parameters, a character at a time.

use pawl_model::query::{Refusal, Step};

/// How much of a parameter an error repeats, in characters.
const QUOTED: usize = 200;

/// What is expected where a name is missing.
pub(super) const FIELD_NAME: &str = "field name (* or [a..z0..9_$])";

/// A text and how far it has been read.
pub(super) struct Cursor<'a> {
    /// What is read, as errors call it.
    what: &'static str,
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(what: &'static str, text: &'a str) -> Self {
        Self { what, text, at: 0 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads this text if it comes next.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    /// Reads this text or fails.
    pub(super) fn expect(&mut self, text: &'static str) -> Result<(), Refusal> {
        if self.take(text) {
            return Ok(());
        }
        Err(self.expected(&["\"", text, "\""].concat()))
    }

    /// Reads characters as long as they are of this kind.
    pub(super) fn take_while(&mut self, of_kind: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !of_kind(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    pub(super) fn blanks(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t'));
    }

    /// The error that something else was expected here.
    pub(super) fn expected(&self, expected: &str) -> Refusal {
        let unexpected = match self.peek() {
            None => "end of input".to_owned(),
            Some(found) => ["\"", found.encode_utf8(&mut [0; 4]), "\""].concat(),
        };
        self.error(["unexpected ", &unexpected, " expecting ", expected].concat())
    }

    /// The error that this is wrong here.
    pub(super) fn error(&self, details: String) -> Refusal {
        let quoted: String = self.text.chars().take(QUOTED).collect();
        let column = self.text[..self.at].chars().count() + 1;
        let message = format!(
            "\"failed to parse {} ({quoted})\" (line 1, column {column})",
            self.what
        );
        Refusal::new("PGRST100", message).details(details)
    }

    /// Reads a name: in double quotes, or of letters, digits, `_`, `$`, blanks within and dashes.
    pub(super) fn field_name(&mut self) -> Result<String, Refusal> {
        if self.peek() == Some('"') {
            return self.quoted();
        }
        let start = self.at;
        loop {
            self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ' '));
            let dash = self.rest().starts_with('-') && !self.rest().starts_with("->");
            let goes_on = self.rest()[dash.into()..]
                .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | ' '));
            if !(dash && goes_on && self.at > start) {
                break;
            }
            self.at += 1;
        }
        let name = self.text[start..self.at].trim();
        if name.is_empty() {
            return Err(self.expected(FIELD_NAME));
        }
        Ok(name.to_owned())
    }

    /// Reads a text in double quotes, `\` before what stands for itself.
    pub(super) fn quoted(&mut self) -> Result<String, Refusal> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            match self.next() {
                Some('"') => return Ok(text),
                Some('\\') => text.extend(self.next()),
                Some(other) => text.push(other),
                None => return Err(self.expected("\"\\\"\"")),
            }
        }
    }

    /// Reads a text in double quotes if one comes next and ends before a comma, a parenthesis or the end.
    pub(super) fn quoted_element(&mut self) -> Option<String> {
        let start = self.at;
        match self.quoted() {
            Ok(text) if self.at_end() || matches!(self.peek(), Some(',' | ')')) => Some(text),
            _ => {
                self.at = start;
                None
            }
        }
    }

    /// Reads the way into a document that may follow a column.
    pub(super) fn json_path(&mut self) -> Result<Vec<(Step, Arrow)>, Refusal> {
        let mut path = Vec::new();
        loop {
            let arrow = if self.take("->>") {
                Arrow::Text
            } else if self.take("->") {
                Arrow::Document
            } else {
                return Ok(path);
            };
            path.push((self.json_step()?, arrow));
        }
    }

    fn json_step(&mut self) -> Result<Step, Refusal> {
        let start = self.at;
        let negative = self.take("-");
        let digits = self.take_while(|c| c.is_ascii_digit());
        let ends = self.at_end()
            || self.rest().starts_with("->")
            || self.rest().starts_with("::")
            || matches!(self.peek(), Some('.' | ',' | ')' | ' '));
        if !digits.is_empty() && ends {
            let index: i64 = digits.parse().unwrap_or(i64::MAX);
            let index = if negative { -index } else { index };
            return i32::try_from(index)
                .map(Step::Index)
                .map_err(|_| self.expected("an index of 32 bits"));
        }
        if negative {
            return Err(self.expected("digit"));
        }
        self.at = start;
        let key = self.field_name()?;
        if key.contains('\0') {
            return Err(Refusal::nul());
        }
        Ok(Step::Key(key))
    }
}

/// How a step into a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrow {
    /// `->`.
    Document,
    /// `->>`.
    Text,
}
