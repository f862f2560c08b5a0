//! Lists of texts in PostgreSQL's notation.

/// The elements of `{a,"b c"}`; nested arrays and nulls are refused.
pub(super) fn parse(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix('{')?.strip_suffix('}')?;
    let mut elements = Vec::new();
    if inner.trim().is_empty() {
        return Some(elements);
    }
    let mut characters = inner.chars().peekable();
    loop {
        while characters.next_if(|c| c.is_whitespace()).is_some() {}
        let mut element = String::new();
        if characters.next_if_eq(&'"').is_some() {
            loop {
                match characters.next()? {
                    '"' => break,
                    '\\' => element.push(characters.next()?),
                    other => element.push(other),
                }
            }
            while characters.next_if(|c| c.is_whitespace()).is_some() {}
        } else {
            while let Some(character) = characters.next_if(|c| *c != ',') {
                match character {
                    '{' | '}' | '"' => return None,
                    '\\' => element.push(characters.next()?),
                    other => element.push(other),
                }
            }
            element.truncate(element.trim_end().len());
            if element.is_empty() || element.eq_ignore_ascii_case("null") {
                return None;
            }
        }
        elements.push(element);
        match characters.next() {
            None => return Some(elements),
            Some(',') => {}
            Some(_) => return None,
        }
    }
}

/// Adds the elements in that form.
pub(super) fn write(texts: &[String], out: &mut String) {
    out.push('{');
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let special = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | ',' | '"' | '\\');
        if text.is_empty() || text.contains(special) || text.eq_ignore_ascii_case("null") {
            out.push('"');
            for character in text.chars() {
                if matches!(character, '"' | '\\') {
                    out.push('\\');
                }
                out.push(character);
            }
            out.push('"');
        } else {
            out.push_str(text);
        }
    }
    out.push('}');
}
