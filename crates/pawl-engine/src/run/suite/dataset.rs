//! The cases of a suite: the first pass that checks all of them, and the second that hands them out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use pawl_checks::Grading;
use pawl_model::Json;
use serde_json::{Map, Value};

use super::case_spec::{CaseSpec, Content, Defaults};
use super::check_list::{Grader, SharedChecks};
use super::digest::ContentDigest;
use super::error::{Place, SuiteError};
use super::identity::{self, BaseId, Ids, Repeated};
use super::judges::Needs;
use super::prompt::{Prompt, Variant};
use super::source::{self, CaseSpecs, Source};
use super::template::{Rendering, Templates};

/// What the cases of a suite are made from.
pub(super) struct Parts {
    pub(super) sources: Arc<[Source]>,
    pub(super) defaults: Arc<Defaults>,
    pub(super) checks: SharedChecks,
    pub(super) templates: Templates,
}

impl Parts {
    fn specs(&self) -> CaseSpecs {
        source::all(&self.sources, &self.defaults)
    }

    fn vars<'a>(&self, spec: &'a CaseSpec) -> Cow<'a, Map<String, Value>> {
        match &spec.content {
            Content::Input(input) if !self.defaults.vars.is_empty() => {
                Cow::Owned(self.defaults.with_vars(input.clone()))
            }
            _ => Cow::Borrowed(spec.vars()),
        }
    }
}

/// The cases of a suite, all of them read and found good.
#[derive(Clone)]
pub struct Dataset {
    /// How many cases there are: from 1 to `u32::MAX`.
    pub cases: u64,
    /// SHA-256 of all cases in their order, in hexadecimal: ids, inputs, variables, own checks, and what else a run
    /// of them depends on. The spelling of the files and the order of keys do not count.
    pub hash: String,
    /// Who has to judge.
    pub(crate) needs: Needs,
    repeated: Repeated,
    /// With what the first pass compiled.
    grader: Grader,
    parts: Arc<Parts>,
}

impl Dataset {
    /// Reads all cases once, in flat memory.
    pub(super) fn scan(parts: &Arc<Parts>, prompts: &[Arc<Prompt>], file: Place) -> Result<Self, SuiteError> {
        let mut digest = ContentDigest::default();
        let mut fingerprints = Vec::new();
        let mut grader = Grader::default();
        for spec in parts.specs() {
            let spec = spec?;
            let base = BaseId::of(&spec);
            spec.digest(&base.text, &mut digest);
            fingerprints.push(base.fingerprint());
            let vars = parts.vars(&spec);
            let rendering = Rendering::new(&parts.templates, &vars);
            grader.grading(&parts.checks, &spec.checks, &spec.spot, &rendering)?;
            for prompt in prompts {
                prompt.render(&rendering, &spec.affixes, &spec.spot)?;
            }
        }
        if fingerprints.is_empty() {
            return Err(SuiteError::new(file, "the suite has no cases"));
        }
        let cases = fingerprints.len() as u64;
        if cases > u64::from(u32::MAX) {
            return Err(SuiteError::new(
                file,
                format!("the suite has more than {} cases", u32::MAX),
            ));
        }
        let mut needs = parts.checks.needs.clone();
        needs.extend(&grader.needs);
        Ok(Self {
            cases,
            hash: digest.finish_hex(),
            needs,
            repeated: identity::repeated(fingerprints, || parts.specs())?,
            grader,
            parts: Arc::clone(parts),
        })
    }

    /// What makes each case, by its id, the same as one of another suite: content and own checks. The files are read again.
    pub(crate) fn digests(&self) -> Result<HashMap<String, [u8; 32]>, SuiteError> {
        let mut ids = Ids::new(&self.repeated);
        let digests = self.parts.specs().map(|spec| {
            let spec = spec?;
            let mut digest = ContentDigest::default();
            spec.digest("", &mut digest);
            Ok((ids.settle(BaseId::of(&spec)), digest.finish()))
        });
        digests.collect()
    }

    /// The cases for one variant of the suite, in their order, read as they are asked for. The files are read again:
    /// should they have changed in between, the stream may end with an error.
    #[must_use]
    pub fn cases(&self, variant: &Variant) -> Cases {
        Cases {
            specs: self.parts.specs(),
            parts: Arc::clone(&self.parts),
            prompt: variant.prompt.clone(),
            ids: Ids::new(&self.repeated),
            grader: self.grader.clone(),
            next: 0,
        }
    }
}

/// A stream of cases. It ends after an error.
pub struct Cases {
    specs: CaseSpecs,
    parts: Arc<Parts>,
    prompt: Option<Arc<Prompt>>,
    ids: Ids,
    grader: Grader,
    next: u32,
}

impl Cases {
    fn case(&mut self, spec: CaseSpec) -> Result<Case, SuiteError> {
        let vars = self.parts.vars(&spec);
        let rendering = Rendering::new(&self.parts.templates, &vars);
        let grading = self
            .grader
            .grading(&self.parts.checks, &spec.checks, &spec.spot, &rendering)?;
        let prompt = self
            .prompt
            .as_ref()
            .map(|prompt| prompt.render(&rendering, &spec.affixes, &spec.spot));
        let prompt = prompt.transpose()?;
        drop(rendering);
        drop(vars);
        let id = self.ids.settle(BaseId::of(&spec));
        let (data, input) = stored(&id, spec.content, prompt);
        let input_data =
            Json::from_serialize(&data).map_err(|error| spec.spot.error(error.problem.to_string()))?;
        Ok(Case {
            id,
            ordinal: self.next,
            input_data,
            grading,
            data: Arc::new(data),
            input,
        })
    }
}

impl Iterator for Cases {
    type Item = Result<Case, SuiteError>;

    fn next(&mut self) -> Option<Self::Item> {
        let case = self.specs.next()?.and_then(|spec| self.case(spec));
        if case.is_err() {
            self.specs = Box::new(std::iter::empty());
        }
        self.next = self.next.saturating_add(1);
        Some(case)
    }
}

/// A case, ready to run.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its id, unique in the suite.
    pub id: String,
    /// Its position in the suite, counted from 0.
    pub ordinal: u32,
    /// What is stored of it: an input object as the file has it, or `id`, `input`, `vars`, `description` and
    /// `metadata`, as far as there are any. The id is always in it.
    pub input_data: Json,
    /// What judges the output. Cases with the same checks share it.
    pub grading: Arc<Grading>,
    /// The same as `input_data`.
    data: Arc<Value>,
    input: Input,
}

/// Where the input of a case is.
#[derive(Clone, Debug)]
enum Input {
    /// The stored object is the input.
    Whole,
    /// The stored object is an input object, but a prompt asks with this text.
    Prompt(Value),
    /// It is stored beside the variables.
    Beside,
    /// It is the variable `input`.
    Variable,
    /// The variables are the input.
    Variables,
}

impl Case {
    /// What the target is asked: the rendered prompt, else the case's input, else its variables.
    #[must_use]
    pub fn input(&self) -> &Value {
        match &self.input {
            Input::Whole => &self.data,
            Input::Prompt(prompt) => prompt,
            Input::Beside => &self.data["input"],
            Input::Variable => &self.data["vars"]["input"],
            Input::Variables => &self.data["vars"],
        }
    }

    /// The variables: an object.
    #[must_use]
    pub fn vars(&self) -> &Value {
        match &self.input {
            Input::Whole | Input::Prompt(_) => &self.data,
            Input::Beside | Input::Variable | Input::Variables => &self.data["vars"],
        }
    }
}

fn stored(id: &str, content: Content, prompt: Option<String>) -> (Value, Input) {
    let prompt = prompt.map(Value::String);
    match content {
        Content::Input(mut input) => {
            if !input.contains_key("id") {
                input.insert("id".to_owned(), id.into());
            }
            (Value::Object(input), prompt.map_or(Input::Whole, Input::Prompt))
        }
        Content::Vars {
            vars,
            input,
            description,
            metadata,
        } => {
            let input = prompt.or(input);
            let kind = match &input {
                Some(_) => Input::Beside,
                None if vars.contains_key("input") => Input::Variable,
                None => Input::Variables,
            };
            let mut data = Map::new();
            data.insert("id".to_owned(), id.into());
            if let Some(input) = input {
                data.insert("input".to_owned(), input);
            }
            data.insert("vars".to_owned(), Value::Object(vars));
            if let Some(description) = description {
                data.insert("description".to_owned(), description.into());
            }
            if !metadata.is_empty() {
                data.insert("metadata".to_owned(), Value::Object(metadata));
            }
            (Value::Object(data), kind)
        }
    }
}
