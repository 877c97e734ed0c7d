//! Fills a template. Every text a template prints is put in quotes by the printer itself, so that neither a template of ours nor
//! one of the user's can forget it; only the sections made here are printed as they are.

use std::collections::BTreeMap;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, UndefinedBehavior};
use serde_json::Value as Json;

use super::context::PromptContext;
use super::fit::{Bounds, fit};
use super::kind::{Hands, Prompt};
use super::{quoting, sections};
use crate::limits;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// The template cannot be read, or names something that does not exist.
    #[error("prompt `{name}`, line {line}: {what}")]
    Template { name: &'static str, line: usize, what: String },
    /// Without it no agent could answer, or foreign text could pass for ours.
    #[error("prompt `{name}` has no {{{{ sections.{section} }}}}, which it needs")]
    MissingSection { name: &'static str, section: &'static str },
    #[error("prompt `{name}` would have {bytes} bytes, at most {bytes_max} are sent")]
    TooLong { name: &'static str, bytes: usize, bytes_max: usize },
}

/// The prompt for one attempt. `template` is the user's own, in place of the built-in one.
pub fn render(
    prompt: Prompt,
    context: &PromptContext,
    template: Option<&str>,
) -> Result<String, PromptError> {
    let name = prompt.name();
    let template = template.unwrap_or_else(|| super::builtin(prompt));
    if template.len() > limits::PROMPT_TEMPLATE_BYTES_MAX {
        let bytes_max = limits::PROMPT_TEMPLATE_BYTES_MAX;
        return Err(PromptError::TooLong { name, bytes: template.len(), bytes_max });
    }
    let environment = environment()?;
    let whole = serde_json::to_value(context).map_err(|error| PromptError::Template {
        name,
        line: 0,
        what: error.to_string(),
    })?;
    let mut bounds = Bounds::widest();
    loop {
        let text = fill(&environment, prompt, template, fit(&whole, bounds))?;
        if text.len() <= limits::PROMPT_BYTES_MAX {
            return Ok(text);
        }
        let bytes_max = limits::PROMPT_BYTES_MAX;
        let too_long = PromptError::TooLong { name, bytes: text.len(), bytes_max };
        bounds = bounds.narrower().ok_or(too_long)?;
    }
}

fn fill(
    environment: &Environment<'_>,
    prompt: Prompt,
    template: &str,
    context: Json,
) -> Result<String, PromptError> {
    let mut values: BTreeMap<String, Value> = match context {
        Json::Object(fields) => {
            fields.into_iter().map(|(k, v)| (k, Value::from(Serde(v)))).collect()
        }
        _ => BTreeMap::new(),
    };
    // What earlier failures taught is for those who build; whoever looks at the work judges it unprimed (LRN-1).
    values.insert("writes".into(), Value::from(prompt.hands() == Hands::Write));
    let composition = Composition {
        name: prompt.name(),
        template,
        sources: sections::sources(prompt),
        made: Vec::new(),
        required: &sections::REQUIRED,
    };
    put_together(environment, &composition, values)
}

/// A template and the sections it prints.
pub(super) struct Composition<'a> {
    pub(super) name: &'static str,
    pub(super) template: &'a str,
    /// Sections that are templates themselves.
    pub(super) sources: Vec<(&'static str, String)>,
    /// Sections that are ready: our own words, or foreign ones in their fence.
    pub(super) made: Vec<(&'static str, String)>,
    /// What no template may leave out.
    pub(super) required: &'a [&'static str],
}

pub(super) fn compose(
    composition: &Composition<'_>,
    values: BTreeMap<String, Value>,
) -> Result<String, PromptError> {
    let (name, bytes) = (composition.name, composition.template.len());
    let bytes_max = limits::PROMPT_TEMPLATE_BYTES_MAX;
    if bytes > bytes_max {
        return Err(PromptError::TooLong { name, bytes, bytes_max });
    }
    put_together(&environment()?, composition, values)
}

fn put_together(
    environment: &Environment<'_>,
    composition: &Composition<'_>,
    mut values: BTreeMap<String, Value>,
) -> Result<String, PromptError> {
    let name = composition.name;
    let render = |source: &str, values: &BTreeMap<String, Value>| {
        let values: Value = values.clone().into();
        environment
            .render_named_str(name, source, values)
            .map_err(|error| explain(name, source, &error))
    };
    let mut texts: BTreeMap<&str, String> = composition.made.iter().cloned().collect();
    for (section, source) in &composition.sources {
        let text = render(source, &values)?;
        texts.insert(section, text.trim_end().to_string());
    }
    let safe = |(section, text): (&&str, &String)| {
        (section.to_string(), Value::from_safe_string(text.clone()))
    };
    let sections: BTreeMap<String, Value> = texts.iter().map(safe).collect();
    values.insert("sections".into(), sections.into());
    let text = render(composition.template, &values)?;
    for section in composition.required {
        if !texts.get(section).is_some_and(|words| text.contains(words)) {
            return Err(PromptError::MissingSection { name, section });
        }
    }
    Ok(text)
}

fn environment() -> Result<Environment<'static>, PromptError> {
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()
        .map_err(|error| explain("syntax", "", &error))?;
    let mut environment = Environment::empty();
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(limits::PROMPT_FUEL_MAX));
    environment.set_debug(true);
    environment.set_formatter(print);
    environment.add_filter("block", |text: String| {
        Value::from_safe_string(quoting::block(&text, limits::PROMPT_TEXT_CHARS_MAX))
    });
    Ok(environment)
}

fn print(out: &mut Output, _: &mut State, value: &Value) -> Result<(), Error> {
    let text = match value.kind() {
        ValueKind::Bool | ValueKind::Number => value.to_string(),
        ValueKind::String if value.is_safe() => value.to_string(),
        ValueKind::Undefined => return Err(ErrorKind::UndefinedError.into()),
        ValueKind::None => {
            return Err(Error::new(ErrorKind::InvalidOperation, "there is no value to print"));
        }
        _ => quoting::inline(&value.to_string(), limits::PROMPT_TEXT_CHARS_MAX),
    };
    out.write_str(&text).map_err(Error::from)
}

/// With the words of the template the error is about, where they are known.
fn explain(name: &'static str, source: &str, error: &Error) -> PromptError {
    let mut what = error.kind().to_string();
    if let Some(detail) = error.detail() {
        what = format!("{what}: {detail}");
    }
    if let Some(words) = error.range().and_then(|range| source.get(range)) {
        what = format!("{what}, at {}", quoting::inline(words, limits::QUOTE_CHARS_MAX));
    }
    PromptError::Template { name, line: error.line().unwrap_or_default(), what }
}
