//! A case as its file gives it, before its id is settled and its templates are filled in.

use std::path::Path;

use serde_json::{Map, Value};

use super::check_list::{self, Assert, OwnChecks};
use super::cursor::{Cursor, Spot};
use super::digest::ContentDigest;
use super::document::extension;
use super::error::SuiteError;
use super::judges::NamedJudges;
use super::keys::{self, Keys};
use super::prompt::{self, Affixes};

/// The longest id of a case, in characters.
const MAX_ID: usize = 255;

/// A case of any format.
#[derive(Clone, Debug)]
pub(super) struct CaseSpec {
    pub(super) spot: Spot,
    /// The id that the file gives it.
    pub(super) id: Option<String>,
    pub(super) content: Content,
    pub(super) checks: OwnChecks,
    pub(super) affixes: Affixes,
    /// Whether variables with a list of texts stand for one case per text.
    pub(super) expands: bool,
}

/// What a case is about.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// An input object that is stored, and given to the target, as it is.
    Input(Map<String, Value>),
    /// Variables, and what is told beside them.
    Vars {
        vars: Map<String, Value>,
        input: Option<Value>,
        description: Option<String>,
        metadata: Map<String, Value>,
    },
}

impl CaseSpec {
    /// The variables.
    pub(super) fn vars(&self) -> &Map<String, Value> {
        match &self.content {
            Content::Input(input) => input,
            Content::Vars { vars, .. } => vars,
        }
    }

    /// Feeds what makes this case the same as another one.
    pub(super) fn digest_content(&self, digest: &mut ContentDigest) {
        match &self.content {
            Content::Input(input) => digest.object(input),
            Content::Vars {
                vars,
                input,
                description,
                ..
            } => {
                digest.object(vars);
                digest.value(input.as_ref().unwrap_or(&Value::Null));
                digest.maybe_text(description.as_deref());
            }
        }
    }

    /// Feeds everything that a run of this case depends on.
    pub(super) fn digest(&self, id: &str, digest: &mut ContentDigest) {
        digest.text(id);
        self.digest_content(digest);
        if let Content::Vars { metadata, .. } = &self.content {
            digest.object(metadata);
        }
        self.checks.digest(digest);
        digest.text(&self.affixes.prefix);
        digest.text(&self.affixes.suffix);
    }
}

/// What `defaultTest` gives to every case.
#[derive(Debug, Default)]
pub(super) struct Defaults {
    pub(super) vars: Map<String, Value>,
    pub(super) asserts: Vec<Assert>,
    pub(super) threshold: Option<f64>,
    /// Who judges where neither a check nor the caller says.
    pub(super) judges: NamedJudges,
    metadata: Map<String, Value>,
    options: Options,
}

#[derive(Clone, Debug, Default)]
struct Options {
    prefix: Option<String>,
    suffix: Option<String>,
    disable_var_expansion: Option<bool>,
    disable_default_asserts: Option<bool>,
}

impl Defaults {
    /// Reads `defaultTest`.
    pub(super) fn read(cursor: &Cursor<'_>) -> Result<Self, SuiteError> {
        keys::DEFAULT_TEST.check(cursor)?;
        Ok(Self {
            vars: read_vars(cursor)?,
            asserts: read_asserts(cursor)?,
            threshold: read_threshold(cursor)?,
            judges: NamedJudges::read(cursor)?,
            metadata: read_metadata(cursor)?,
            options: Options::read(cursor)?,
        })
    }

    /// The default variables, and over them those of a case.
    pub(super) fn with_vars(&self, own: Map<String, Value>) -> Map<String, Value> {
        if self.vars.is_empty() {
            return own;
        }
        let mut vars = self.vars.clone();
        vars.extend(own);
        vars
    }

    pub(super) fn metadata(&self) -> &Map<String, Value> {
        &self.metadata
    }

    pub(super) fn affixes(&self, prefix: Option<String>, suffix: Option<String>) -> Affixes {
        let or_default = |own: Option<String>, default: &Option<String>| {
            own.filter(|text| !text.is_empty())
                .or_else(|| default.clone())
                .unwrap_or_default()
        };
        Affixes {
            prefix: or_default(prefix, &self.options.prefix),
            suffix: or_default(suffix, &self.options.suffix),
        }
    }
}

impl Options {
    fn read(test: &Cursor<'_>) -> Result<Self, SuiteError> {
        let Some(options) = test.get("options") else {
            return Ok(Self::default());
        };
        keys::TEST_OPTIONS.check(&options)?;
        let text = |key| {
            options
                .get(key)
                .map(|text| text.text().map(str::to_owned))
                .transpose()
        };
        let flag = |key| options.get(key).map(|flag| flag.boolean()).transpose();
        Ok(Self {
            prefix: text("prefix")?,
            suffix: text("suffix")?,
            disable_var_expansion: flag("disableVarExpansion")?,
            disable_default_asserts: flag("disableDefaultAsserts")?,
        })
    }
}

/// Reads a test case of promptfoo, or a row of JSON Lines in its form.
pub(super) fn read_test(test: &Cursor<'_>, keys: &Keys, defaults: &Defaults) -> Result<CaseSpec, SuiteError> {
    keys.check(test)?;
    if let Some(options) = test.get("options")
        && options.get("provider").is_some()
    {
        return Err(keys::not_supported(&options, "provider")
            .with_help("name the judge at the check, or in the options of `defaultTest`"));
    }
    let options = Options::read(test)?;
    let mut metadata = defaults.metadata.clone();
    metadata.extend(read_metadata(test)?);
    let description = test
        .get("description")
        .map(|text| text.text().map(str::to_owned))
        .transpose()?;
    let disable_expansion = options
        .disable_var_expansion
        .or(defaults.options.disable_var_expansion);
    Ok(CaseSpec {
        spot: test.spot(),
        id: test.get("id").map(|id| read_id(&id)).transpose()?,
        content: Content::Vars {
            vars: defaults.with_vars(read_vars(test)?),
            input: test.get("input").map(|input| input.value.clone()),
            description,
            metadata,
        },
        checks: OwnChecks {
            asserts: read_asserts(test)?,
            expected: test.get("expected").map(|expected| read_expected(&expected)),
            threshold: read_threshold(test)?,
            without_defaults: options.disable_default_asserts.unwrap_or(false),
        },
        affixes: defaults.affixes(options.prefix, options.suffix),
        expands: !disable_expansion.unwrap_or(false),
    })
}

/// `expected`: the output should equal it.
pub(super) fn read_expected(expected: &Cursor<'_>) -> Assert {
    Assert::equals(expected.value.clone(), expected.spot())
}

/// An id of a case: a text or a number.
pub(super) fn read_id(id: &Cursor<'_>) -> Result<String, SuiteError> {
    let text = match id.value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return Err(id.wrong_type("a text or a number")),
    };
    check_id(&text).map_err(|message| id.error(message))?;
    Ok(text)
}

/// What is wrong with a text as an id.
pub(super) fn check_id(id: &str) -> Result<(), String> {
    if id.trim().is_empty() {
        return Err("the id is blank".to_owned());
    }
    if id.len() > MAX_ID && id.chars().count() > MAX_ID {
        return Err(format!("the id is longer than {MAX_ID} characters"));
    }
    Ok(())
}

pub(super) fn read_asserts(cursor: &Cursor<'_>) -> Result<Vec<Assert>, SuiteError> {
    cursor
        .get("assert")
        .map_or_else(|| Ok(Vec::new()), |list| check_list::read_list(&list))
}

fn read_threshold(cursor: &Cursor<'_>) -> Result<Option<f64>, SuiteError> {
    let Some(threshold) = cursor.get("threshold") else {
        return Ok(None);
    };
    let value = threshold.number()?;
    if !(0.0..=1.0).contains(&value) {
        return Err(threshold.error("`threshold` must be a score within 0 and 1"));
    }
    Ok(Some(value))
}

fn read_metadata(cursor: &Cursor<'_>) -> Result<Map<String, Value>, SuiteError> {
    cursor
        .get("metadata")
        .map_or_else(|| Ok(Map::new()), |metadata| metadata.object().cloned())
}

fn read_vars(cursor: &Cursor<'_>) -> Result<Map<String, Value>, SuiteError> {
    let Some(vars) = cursor.get("vars") else {
        return Ok(Map::new());
    };
    if matches!(vars.value, Value::String(_) | Value::Array(_)) {
        return Err(vars
            .error("`vars` from files are not supported yet")
            .with_help("write the variables here"));
    }
    let mut read = Map::new();
    for (name, value) in vars.object()? {
        let value = match value.as_str().and_then(|text| text.strip_prefix("file://")) {
            Some(reference) => Value::String(read_file_var(&vars.member(name, value), reference)?),
            None => value.clone(),
        };
        read.insert(name.clone(), value);
    }
    Ok(read)
}

/// A variable of the form `file://…`: the text of that file, without blanks around it.
fn read_file_var(var: &Cursor<'_>, reference: &str) -> Result<String, SuiteError> {
    let path = var.document.sibling(reference);
    check_file_var(&path).map_err(|message| var.error(message))?;
    prompt::read_referenced(var, reference, &path).map(|text| text.trim().to_owned())
}

/// Which files can be the value of a variable.
pub(super) fn check_file_var(path: &Path) -> Result<(), String> {
    const TEXTS: [&str; 10] = ["", "csv", "htm", "html", "json", "log", "md", "sql", "txt", "xml"];
    let extension = extension(path);
    if !TEXTS.contains(&extension.as_str()) {
        return Err(format!(
            "variables from `.{extension}` files are not supported yet"
        ));
    }
    Ok(())
}
