//! The checks of a suite and of its cases, from their entries to what judges.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use pawl_checks::{AssertSpec, Check, CheckType, Grading, PathStep, SpecError};
use serde_json::Value;

use super::cursor::{Cursor, Spot};
use super::digest::ContentDigest;
use super::document::Step;
use super::error::SuiteError;
use super::judges::Needs;
use super::keys;
use super::template::{Rendering, Templates};

/// How many different entries are kept compiled at a time.
const MAX_COMPILED: usize = 256;

/// How many entries one check may be made of, with those that it holds and refers to.
const MAX_NESTED: usize = 256;

/// An entry of an `assert` list and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Assert {
    pub(super) spec: AssertSpec,
    pub(super) spot: Spot,
}

impl Assert {
    /// Reads a `$ref`-free entry.
    pub(super) fn read(entry: &Value, spot: Spot) -> Result<Self, SuiteError> {
        match AssertSpec::read(entry) {
            Ok(spec) => Ok(Self { spec, spot }),
            Err(error) => Err(fault(&spot, &error)),
        }
    }

    /// The check that the output equals a value.
    pub(super) fn equals(value: Value, spot: Spot) -> Self {
        let spec = AssertSpec {
            value: Some(value),
            ..AssertSpec::of(CheckType::Equals)
        };
        Self { spec, spot }
    }

    fn digest(&self, digest: &mut ContentDigest) {
        digest_spec(&self.spec, digest);
    }
}

fn digest_spec(spec: &AssertSpec, digest: &mut ContentDigest) {
    digest.text(&spec.name);
    digest.value(spec.value.as_ref().unwrap_or(&Value::Null));
    digest.maybe_number(spec.threshold);
    digest.maybe_number(Some(spec.weight));
    digest.maybe_text(spec.metric.as_deref());
    if let Some(provider) = &spec.provider {
        digest.text(provider);
    }
    digest.count(spec.assert.len());
    spec.assert.iter().for_each(|inner| digest_spec(inner, digest));
}

/// What is wrong with an entry, at the part that is wrong.
fn fault(spot: &Spot, error: &SpecError) -> SuiteError {
    let inside = error.path.iter().map(|step| match step {
        PathStep::Key(key) => Step::Key(key.as_str().into()),
        PathStep::Index(index) => Step::Index(*index),
    });
    spot.at(inside).error(error.to_string())
}

/// Reads a list of entries; `$ref` entries are replaced by the `assertionTemplates` of their document.
pub(super) fn read_list(list: &Cursor<'_>) -> Result<Vec<Assert>, SuiteError> {
    list.items()?
        .map(|item| {
            let mut budget = MAX_NESTED;
            let entry = resolve(&item, item.value, &mut budget)?;
            Assert::read(&entry, item.spot())
        })
        .collect()
}

/// An entry with its references replaced; keys beside a `$ref` stand over those of the template.
fn resolve(item: &Cursor<'_>, entry: &Value, budget: &mut usize) -> Result<Value, SuiteError> {
    *budget = budget
        .checked_sub(1)
        .ok_or_else(|| item.error(format!("this check is made of more than {MAX_NESTED} entries")))?;
    let mut entry = entry.clone();
    if let Some(Value::Array(nested)) = entry.get_mut("assert") {
        for inner in nested {
            *inner = resolve(item, inner, budget)?;
        }
    }
    if let Some(members) = entry.as_object_mut()
        && let Some(reference) = members.shift_remove("$ref")
        && let Value::Object(template) = resolve(item, template(item, &reference)?, budget)?
    {
        for (key, value) in template {
            members.entry(key).or_insert(value);
        }
    }
    Ok(entry)
}

/// The assertion template that a `$ref` names.
fn template<'a>(item: &Cursor<'a>, reference: &Value) -> Result<&'a Value, SuiteError> {
    let name = reference
        .as_str()
        .and_then(|text| text.strip_prefix("#/assertionTemplates/"));
    let Some(name) = name else {
        return Err(item.error("only references of the form `#/assertionTemplates/NAME` are supported"));
    };
    let templates = item
        .root_value()
        .get("assertionTemplates")
        .and_then(Value::as_object);
    templates
        .and_then(|templates| templates.get(name))
        .ok_or_else(|| {
            let known = templates.into_iter().flat_map(|templates| templates.keys());
            let guess = keys::did_you_mean(name, known.map(String::as_str));
            item.error(format!("there is no assertion template `{name}`{guess}"))
        })
}

/// The checks that a case brings itself.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnChecks {
    pub(super) asserts: Vec<Assert>,
    /// Judges only where nothing else does.
    pub(super) expected: Option<Assert>,
    pub(super) threshold: Option<f64>,
    pub(super) without_defaults: bool,
}

impl OwnChecks {
    fn is_empty(&self) -> bool {
        self.asserts.is_empty()
            && self.expected.is_none()
            && self.threshold.is_none()
            && !self.without_defaults
    }

    pub(super) fn digest(&self, digest: &mut ContentDigest) {
        digest.count(self.asserts.len());
        self.asserts
            .iter()
            .chain(&self.expected)
            .for_each(|assert| assert.digest(digest));
        digest.value(&Value::Bool(self.expected.is_some()));
        digest.maybe_number(self.threshold);
        digest.value(&Value::Bool(self.without_defaults));
    }
}

/// The checks that all cases of a suite share.
pub(super) struct SharedChecks {
    defaults: Vec<Assert>,
    extra: Vec<Assert>,
    threshold: Option<f64>,
    /// Both together, unless they hold templates.
    compiled: Option<Arc<Grading>>,
    /// Who has to judge for those without templates.
    pub(super) needs: Needs,
}

impl SharedChecks {
    /// The asserts and threshold of `defaultTest`, and those of `--checks`.
    pub(super) fn new(
        defaults: Vec<Assert>,
        threshold: Option<f64>,
        extra: Vec<Assert>,
        templates: &mut Templates,
    ) -> Result<Self, SuiteError> {
        let mut shared = Self {
            defaults,
            extra,
            threshold,
            compiled: None,
            needs: Needs::default(),
        };
        let mut templated = false;
        let mut checks = Vec::new();
        for assert in shared.defaults.iter().chain(&shared.extra) {
            if assert.spec.has_template() {
                templated = true;
                add_templates(assert, templates)?;
            } else {
                let compiled = compile(assert, &assert.spec)?;
                shared.needs.add(&compiled, &assert.spot);
                checks.extend(compiled);
            }
        }
        if !templated {
            shared.compiled = Grading::new(checks, shared.threshold).ok().map(Arc::new);
        }
        Ok(shared)
    }

    pub(super) fn digest(&self, digest: &mut ContentDigest) {
        for list in [&self.defaults, &self.extra] {
            digest.count(list.len());
            list.iter().for_each(|assert| assert.digest(digest));
        }
        digest.maybe_number(self.threshold);
    }
}

fn add_templates(assert: &Assert, templates: &mut Templates) -> Result<(), SuiteError> {
    let added = assert
        .spec
        .map_strings(|text| templates.add(text).map(|()| String::new()));
    added.map(|_| ()).map_err(|message| assert.spot.error(message))
}

fn compile(assert: &Assert, spec: &AssertSpec) -> Result<Vec<Check>, SuiteError> {
    Check::compile(spec).map_err(|error| fault(&assert.spot, &error))
}

/// What judges by these entries, of which none may wait for the variables of a case or for somebody else's opinion.
pub(super) fn compile_all(asserts: &[Assert]) -> Result<Grading, SuiteError> {
    let mut checks = Vec::new();
    for assert in asserts {
        if assert.spec.has_template() {
            let message = "a template is filled in with the variables of a case, and there is no case here";
            return Err(assert.spot.error(message));
        }
        let compiled = compile(assert, &assert.spec)?;
        if compiled.iter().any(|check| check.questions().next().is_some()) {
            let message = format!("`{}` needs a judge, and nobody is asked here", assert.spec.name);
            return Err(fault(&assert.spot, &SpecError::at("type", message)));
        }
        checks.extend(compiled);
    }
    // Without a threshold there is nothing that could be wrong with them together.
    Grading::new(checks, None).map_err(|error| fault(&asserts[0].spot, &error))
}

/// Hands out what judges a case. An entry is compiled once for all cases that have it.
#[derive(Clone, Default)]
pub(super) struct Grader {
    compiled: HashMap<[u8; 32], Vec<Check>>,
    /// Who has to judge for what was compiled so far.
    pub(super) needs: Needs,
}

impl Grader {
    /// The grading of a case: the suite's checks and its own, templates filled in with its variables.
    pub(super) fn grading(
        &mut self,
        shared: &SharedChecks,
        own: &OwnChecks,
        spot: &Spot,
        rendering: &Rendering<'_>,
    ) -> Result<Arc<Grading>, SuiteError> {
        if let (Some(compiled), true) = (&shared.compiled, own.is_empty()) {
            return Ok(Arc::clone(compiled));
        }
        let defaults: &[Assert] = if own.without_defaults {
            &[]
        } else {
            &shared.defaults
        };
        let mut all: Vec<&Assert> = defaults.iter().chain(&shared.extra).chain(&own.asserts).collect();
        if all.is_empty() {
            all.extend(&own.expected);
        }
        // Without checks there is no score that a threshold could apply to.
        let threshold = own.threshold.or(shared.threshold).filter(|_| !all.is_empty());
        let mut checks = Vec::with_capacity(all.len());
        for assert in all {
            let spec = if assert.spec.has_template() {
                let rendered = assert.spec.map_strings(|text| rendering.render(text));
                Cow::Owned(rendered.map_err(|message| assert.spot.error(message))?)
            } else {
                Cow::Borrowed(&assert.spec)
            };
            self.add_checks(&mut checks, assert, &spec)?;
        }
        Grading::new(checks, threshold)
            .map(Arc::new)
            .map_err(|error| spot.error(format!("`threshold` {}", error.message)))
    }

    fn add_checks(
        &mut self,
        checks: &mut Vec<Check>,
        assert: &Assert,
        spec: &AssertSpec,
    ) -> Result<(), SuiteError> {
        let mut digest = ContentDigest::default();
        digest_spec(spec, &mut digest);
        let key = digest.finish();
        if let Some(known) = self.compiled.get(&key) {
            checks.extend_from_slice(known);
            return Ok(());
        }
        let compiled = compile(assert, spec)?;
        self.needs.add(&compiled, &assert.spot);
        checks.extend_from_slice(&compiled);
        if self.compiled.len() >= MAX_COMPILED {
            self.compiled.clear();
        }
        self.compiled.insert(key, compiled);
        Ok(())
    }
}

/// The checks of a preset, by its name.
pub(super) fn preset(name: &str) -> Option<AssertSpec> {
    PRESETS
        .contains(&name)
        .then(|| AssertSpec::of(CheckType::UserStory))
}

/// The names of the presets.
pub(super) const PRESETS: [&str; 1] = ["user-story"];
