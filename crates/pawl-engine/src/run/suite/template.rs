//! `{{ … }}` templates in prompts and checks: promptfoo's Nunjucks, as far as Jinja is the same.

use std::cell::OnceCell;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, ValueKind};
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value as TemplateValue};
use serde_json::{Map, Value};

/// What one rendering may cost: about a million steps, or 64 MB.
const FUEL: u64 = 1_000_000;

/// The longest rendered text, in bytes.
const MAX_RENDERED: usize = 16 << 20;

/// How long a chain of variables, each in the text of the one before, is followed; promptfoo follows five.
const MAX_CHAIN: usize = 8;

/// Names that promptfoo provides in templates and we do not.
const NOT_PROVIDED: [&str; 2] = ["_conversation", "env"];

/// The templates of a suite; those that many cases share are compiled once.
pub(super) struct Templates {
    environment: Environment<'static>,
}

impl Templates {
    pub(super) fn new() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Chainable);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_formatter(print);
        environment.set_fuel(Some(FUEL));
        environment.add_filter("dump", dump);
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            environment.set_syntax(syntax);
        }
        Self { environment }
    }

    /// Compiles a template that is rendered more than once. The message of an error says what is wrong with it.
    pub(super) fn add(&mut self, source: &str) -> Result<(), String> {
        if !is_template(source) {
            return Ok(());
        }
        let owned = source.to_owned();
        self.environment
            .add_template_owned(owned.clone(), owned)
            .map_err(|error| message(&error))?;
        let template = self
            .environment
            .get_template(source)
            .map_err(|error| message(&error))?;
        check_names(&template)
    }

    /// Renders a template, added before or not. Variables that do not exist print nothing.
    fn render(&self, source: &str, variables: &TemplateValue) -> Result<String, String> {
        let rendered = if let Ok(template) = self.environment.get_template(source) {
            template.render(variables)
        } else {
            let template = self.environment.template_from_named_str("", source);
            let template = template.map_err(|error| message(&error))?;
            check_names(&template)?;
            template.render(variables)
        };
        let rendered = rendered.map_err(|error| message(&error))?;
        if rendered.contains('\0') {
            return Err("the rendered text holds the NUL character, which cannot be stored".to_owned());
        }
        if rendered.len() > MAX_RENDERED {
            return Err(format!(
                "the rendered text is longer than {} MiB",
                MAX_RENDERED >> 20
            ));
        }
        Ok(rendered)
    }
}

/// The templates of a suite with the variables of one case, which are only made ready if a template asks for them.
pub(super) struct Rendering<'a> {
    templates: &'a Templates,
    vars: &'a Map<String, Value>,
    variables: OnceCell<Result<TemplateValue, String>>,
}

impl<'a> Rendering<'a> {
    pub(super) fn new(templates: &'a Templates, vars: &'a Map<String, Value>) -> Self {
        Self {
            templates,
            vars,
            variables: OnceCell::new(),
        }
    }

    pub(super) fn render(&self, source: &str) -> Result<String, String> {
        if !is_template(source) {
            return Ok(source.to_owned());
        }
        let variables = self.variables.get_or_init(|| variables(self.vars)).as_ref()?;
        self.templates.render(source, variables)
    }

    /// Renders every text of a value.
    pub(super) fn render_value(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.render(text)?),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.render_value(item));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let rendered = |(key, member): (&String, _)| Ok((key.clone(), self.render_value(member)?));
                Value::Object(members.iter().map(rendered).collect::<Result<_, String>>()?)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        })
    }
}

/// The variables of a case as templates see them: one line break at the end of a text is dropped, and texts that
/// name other variables are filled in.
fn variables(vars: &Map<String, Value>) -> Result<TemplateValue, String> {
    let mut seen = vars.clone();
    for value in seen.values_mut() {
        if let Value::String(text) = value
            && text.ends_with('\n')
        {
            text.pop();
        }
    }
    let mut references = References {
        vars: &seen,
        open: Vec::new(),
        budget: MAX_RENDERED,
    };
    let mut filled = Vec::new();
    for (name, value) in &seen {
        if let Value::String(text) = value
            && text.contains("{{")
        {
            filled.push((name.clone(), Value::String(references.fill_in(name, text)?)));
        }
    }
    seen.extend(filled);
    Ok(TemplateValue::from(Serde(&seen)))
}

/// Fills variables into the texts of variables.
struct References<'a> {
    vars: &'a Map<String, Value>,
    /// The variables that are being filled in, each for the one before. One that leads back to itself stays a name.
    open: Vec<&'a str>,
    /// How many bytes may still be written for this case.
    budget: usize,
}

impl<'a> References<'a> {
    /// A variable's text with each `{{ name }}` of another variable replaced by that.
    fn fill_in(&mut self, name: &'a str, text: &'a str) -> Result<String, String> {
        self.open.push(name);
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            self.write(&mut filled, &rest[..start])?;
            let reference = &rest[start..];
            let end = reference.find("}}").map_or(reference.len(), |end| end + 2);
            let found = self
                .vars
                .get_key_value(reference[2..end].trim_end_matches("}}").trim());
            match found.filter(|(name, _)| !self.open.contains(&name.as_str()) && self.open.len() < MAX_CHAIN)
            {
                Some((name, Value::String(text))) => {
                    let inner = self.fill_in(name, text)?;
                    self.write(&mut filled, &inner)?;
                }
                Some((_, value)) => self.write(&mut filled, &value.to_string())?,
                None => self.write(&mut filled, &reference[..end])?,
            }
            rest = &reference[end..];
        }
        self.write(&mut filled, rest)?;
        self.open.pop();
        Ok(filled)
    }

    fn write(&mut self, filled: &mut String, text: &str) -> Result<(), String> {
        self.budget = self.budget.checked_sub(text.len()).ok_or_else(|| {
            format!(
                "the variables that name each other expand to more than {} MiB",
                MAX_RENDERED >> 20
            )
        })?;
        filled.push_str(text);
        Ok(())
    }
}

/// Whether a text has to be rendered at all.
fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}

fn check_names(template: &minijinja::Template<'_, '_>) -> Result<(), String> {
    let used = template.undeclared_variables(false);
    match NOT_PROVIDED.iter().find(|name| used.contains(**name)) {
        Some(name) => Err(format!("`{name}` in a template is not supported yet")),
        None => Ok(()),
    }
}

/// Prints as JavaScript does where Jinja differs: nothing for null, no `.0`; lists and objects as JSON.
fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &TemplateValue) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None => Ok(()),
        ValueKind::Bool => Ok(out.write_str(if value.is_true() { "true" } else { "false" })?),
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => Ok(out.write_str(&dump(value.clone())?)?),
        ValueKind::Number => match f64::try_from(value.clone()) {
            Ok(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                Ok(out.write_str(&format!("{number:.0}"))?)
            }
            _ => minijinja::escape_formatter(out, state, value),
        },
        _ => minijinja::escape_formatter(out, state, value),
    }
}

/// Nunjucks' name of `tojson`.
#[expect(clippy::needless_pass_by_value, reason = "filters are given their value")]
fn dump(value: TemplateValue) -> Result<String, Error> {
    serde_json::to_string(&value)
        .map_err(|error| Error::new(minijinja::ErrorKind::BadSerialization, error.to_string()))
}

fn message(error: &Error) -> String {
    let line = error
        .line()
        .map(|line| format!(" in line {line} of the template"))
        .unwrap_or_default();
    match error.detail() {
        Some(detail) => format!("{}: {detail}{line}", error.kind()),
        None => format!("{}{line}", error.kind()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rendered(source: &str, vars: Value) -> Result<String, String> {
        let Value::Object(vars) = vars else {
            panic!("not an object")
        };
        Rendering::new(&Templates::new(), &vars).render(source)
    }

    #[test]
    fn renders_as_nunjucks_does() {
        let vars = json!({"name": "Ada\n", "n": 3.0, "none": null, "yes": true, "list": ["a", 1], "o": {"k": "<v>"}});
        for (source, expected) in [
            ("no template\n", "no template\n"),
            ("Hi {{ name }}!\n", "Hi Ada!\n"),
            ("{{ n }} {{ none }} {{ yes }} {{ missing.deeper }}", "3  true "),
            (
                "{{ o.k }} {{ o }} {{ list | dump }}",
                "<v> {\"k\":\"<v>\"} [\"a\",1]",
            ),
            (
                "{% for item in list %}{{ loop.index }}{{ item }}{% endfor %}",
                "1a21",
            ),
            ("{% if yes %}a{% else %}b{% endif %}{# note #}", "a"),
            ("{{ name | upper }}", "ADA"),
        ] {
            assert_eq!(
                rendered(source, vars.clone()).as_deref(),
                Ok(expected),
                "of {source}"
            );
        }
    }

    #[test]
    fn variables_may_refer_to_variables() {
        let vars = json!({"a": "{{b}}!", "b": "<{{ c }}>", "c": 7, "code": "{% raw {{ x }}"});
        assert_eq!(
            rendered("{{a}} {{code}}", vars).as_deref(),
            Ok("<7>! {% raw {{ x }}")
        );
        let endless = json!({"a": "{{b}}{{b}}", "b": "{{a}}{{a}}", "c": "{{c}}"});
        assert_eq!(
            rendered("{{a}} {{c}}", endless).as_deref(),
            Ok("{{a}}{{a}}{{a}}{{a}} {{c}}")
        );
        let chain: Map<_, _> = (0..9)
            .map(|n| (format!("v{n}"), format!("{{{{v{}}}}}", n + 1).repeat(99).into()))
            .collect();
        assert_eq!(
            rendered("{{v0}}", Value::Object(chain)),
            Err("the variables that name each other expand to more than 16 MiB".to_owned())
        );
    }

    #[test]
    fn what_cannot_be_rendered_says_why() {
        for (source, message) in [
            (
                "{{ a",
                "syntax error: unexpected end of input, expected end of variable block in line 1 of the template",
            ),
            (
                "x\n{{ a | nope }}",
                "unknown filter: filter nope is unknown in line 2 of the template",
            ),
            ("{{ env.KEY }}", "`env` in a template is not supported yet"),
            (
                "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}",
                "engine ran out of fuel in line 1 of the template",
            ),
        ] {
            assert_eq!(
                rendered(source, json!({})),
                Err(message.to_owned()),
                "of {source}"
            );
        }
        assert!(Templates::new().add("{{ a").is_err());
        assert!(Templates::new().add("{{ _conversation }}").is_err());
    }
}
