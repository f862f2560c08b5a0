//! Providers of a promptfoo configuration: what is asked to answer.

use pawl_providers::{ModelOptions, OutputSchema, TargetSpec};
use serde_json::{Map, Value};

use super::cursor::Cursor;
use super::error::SuiteError;
use super::keys;

/// What is asked to answer, as the suite names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// What it is: the suite's text, not yet understood.
    pub id: String,
    /// Its name: the `label`, else the id.
    pub label: String,
    /// The object that it stands as in the suite; empty where it is a text. Commands (`exec:`) are given it.
    pub options: Value,
    /// How it is asked, where it is a model. Other targets have no `config`.
    pub model: ModelOptions,
}

/// Reads `providers` or `targets`: a text, or a list of texts and of objects with `id` and `label`.
pub(super) fn read_providers(cursor: &Cursor<'_>) -> Result<Vec<Provider>, SuiteError> {
    let providers: Vec<_> = match cursor.value {
        Value::String(_) | Value::Object(_) => vec![read_provider(cursor)?],
        Value::Array(_) => cursor
            .items()?
            .map(|item| read_provider(&item))
            .collect::<Result<_, _>>()?,
        _ => return Err(cursor.wrong_type("a text or a list")),
    };
    if providers.is_empty() {
        return Err(cursor
            .error("the list of providers is empty")
            .with_help("leave it out and use `--target`"));
    }
    Ok(providers)
}

fn read_provider(item: &Cursor<'_>) -> Result<Provider, SuiteError> {
    let (id, options) = match item.value {
        Value::String(id) => (id.clone(), Value::Object(Map::new())),
        Value::Object(_) => {
            keys::PROVIDER.check(item)?;
            let id = item
                .get("id")
                .ok_or_else(|| item.error("a provider needs an `id`"))?;
            (id.text()?.to_owned(), item.value.clone())
        }
        _ => return Err(item.wrong_type("a text or an object")),
    };
    if id.trim().is_empty() {
        return Err(item.error("a provider's id is blank"));
    }
    if id.starts_with("file://") {
        return Err(item.error("providers from files are not supported yet"));
    }
    let config = item.get("config").filter(|config| !keys::is_empty(config.value));
    let is_model = TargetSpec::parse(&id).is_ok_and(|spec| spec.model().is_some());
    let model = match &config {
        Some(config) if is_model => read_model_options(config)?,
        Some(_) if !id.starts_with("exec:") => return Err(keys::not_supported(item, "config")),
        _ => ModelOptions::default(),
    };
    let label = match item.get("label") {
        Some(label) => label.text()?.to_owned(),
        None => id.clone(),
    };
    Ok(Provider {
        id,
        label,
        options,
        model,
    })
}

/// The names under which promptfoo's providers take the most tokens of an answer.
const MAX_TOKENS: [&str; 4] = [
    "max_tokens",
    "max_completion_tokens",
    "maxOutputTokens",
    "num_predict",
];

/// Reads the `config` of a model, as the providers of promptfoo call things.
fn read_model_options(config: &Cursor<'_>) -> Result<ModelOptions, SuiteError> {
    keys::MODEL_CONFIG.check(config)?;
    let mut options = ModelOptions::default();
    read_generation(config, &mut options)?;
    if let Some(generation) = config.get("generationConfig") {
        keys::GENERATION_CONFIG.check(&generation)?;
        read_generation(&generation, &mut options)?;
    }
    if let Some(url) = config.get("apiBaseUrl") {
        options.base_url = Some(url.text()?.to_owned());
    }
    if let Some(format) = config.get("response_format") {
        options.schema = Some(read_schema(&format)?);
    }
    Ok(options)
}

fn read_generation(config: &Cursor<'_>, options: &mut ModelOptions) -> Result<(), SuiteError> {
    if let Some(temperature) = config.get("temperature") {
        options.temperature = Some(temperature.number()?);
    }
    for key in MAX_TOKENS {
        let Some(most) = config.get(key) else { continue };
        let tokens = most.value.as_u64().and_then(|tokens| u32::try_from(tokens).ok());
        let tokens = tokens.filter(|tokens| *tokens > 0);
        options.max_output_tokens = Some(tokens.ok_or_else(|| most.wrong_type("a whole number above 0"))?);
    }
    Ok(())
}

/// Reads `response_format` as OpenAI has it, of the type `json_schema`.
fn read_schema(format: &Cursor<'_>) -> Result<OutputSchema, SuiteError> {
    let form = r#"`{type: json_schema, json_schema: {name: …, schema: {…}}}`"#;
    let refuse = || format.error(format!("`response_format` is supported in the form {form}"));
    let is_schema = format.value["type"] == "json_schema";
    let named = format
        .get("json_schema")
        .filter(|_| is_schema)
        .ok_or_else(refuse)?;
    let (name, schema) = named
        .get("name")
        .zip(named.get("schema"))
        .filter(|(_, schema)| schema.value.is_object())
        .ok_or_else(refuse)?;
    Ok(OutputSchema {
        name: name.text()?.to_owned(),
        schema: schema.value.clone(),
    })
}
