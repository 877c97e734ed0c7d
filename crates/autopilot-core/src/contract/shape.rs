//! A schema made ready for checking, once a role. It knows just the keywords our schemas use; a test sees to it that it knows all
//! of them. It exists because a return is told everything it got wrong, in sentences an agent can act on.

use serde_json::{Map, Value};

use super::broken::{Breach, BreachKind};
use super::claims::Tally;
use crate::limits;
use crate::prompt::quoting;

/// Names listed of what an object had instead.
const NAMES_LISTED_MAX: usize = 12;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    Text,
    Tally,
    Flag,
    Whole,
    Number {
        min: f64,
        max: f64,
    },
    OneOf(Vec<Value>),
    List {
        entry: Box<Shape>,
        min: usize,
        max: usize,
    },
    Map {
        entry: Box<Shape>,
        max: usize,
    },
    Object(Vec<Field>),
    /// A keyword nobody taught us. Nothing is checked here.
    Unknown(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

impl Shape {
    pub(super) fn of(schema: &Value) -> Shape {
        if let Some(values) = schema["enum"].as_array() {
            return Shape::OneOf(values.clone());
        }
        let number = |key: &str, otherwise: f64| schema[key].as_f64().unwrap_or(otherwise);
        let count = |key: &str, otherwise: usize| {
            schema[key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(otherwise)
        };
        // That a field may also be null is what optional means here.
        let kind = schema["type"].as_array().map_or(&schema["type"], |kinds| &kinds[0]);
        match kind.as_str() {
            Some("string") => match schema["pattern"].as_str() {
                None => Shape::Text,
                Some(Tally::PATTERN) => Shape::Tally,
                Some(other) => Shape::Unknown(other.into()),
            },
            Some("boolean") => Shape::Flag,
            Some("integer") => Shape::Whole,
            Some("number") => {
                Shape::Number { min: number("minimum", f64::MIN), max: number("maximum", f64::MAX) }
            }
            Some("array") => Shape::List {
                entry: Box::new(Shape::of(&schema["items"])),
                min: count("minItems", 0),
                max: count("maxItems", usize::MAX),
            },
            Some("object") if schema.get("additionalProperties").is_some() => Shape::Map {
                entry: Box::new(Shape::of(&schema["additionalProperties"])),
                max: count("maxProperties", usize::MAX),
            },
            Some("object") => Shape::Object(fields(schema)),
            _ => Shape::Unknown(schema.to_string()),
        }
    }

    /// Checks a value and leaves out of it what the contract does not know.
    pub(super) fn check(&self, value: &mut Value) -> Breaches {
        let mut breaches = Breaches::default();
        self.walk(value, &mut breaches);
        breaches
    }

    fn walk(&self, value: &mut Value, breaches: &mut Breaches) {
        match (self, value) {
            (Shape::Unknown(_), _)
            | (Shape::Text, Value::String(_))
            | (Shape::Flag, Value::Bool(_)) => {}
            (Shape::Tally, Value::String(text)) if text.parse::<Tally>().is_ok() => {}
            (Shape::Whole, Value::Number(number))
                if number.as_u64().is_some_and(|n| u32::try_from(n).is_ok()) => {}
            (Shape::Number { min, max }, Value::Number(number))
                if number.as_f64().is_some_and(|n| (*min..=*max).contains(&n)) => {}
            (Shape::OneOf(values), value) if values.contains(value) => {}
            (Shape::List { entry, min, max }, Value::Array(entries)) => {
                if !(*min..=*max).contains(&entries.len()) {
                    breaches.add(BreachKind::WrongLength, self.bounds(), listed(entries.len()));
                }
                for (index, value) in entries.iter_mut().enumerate() {
                    breaches.within(&format!("[{index}]"), |breaches| entry.walk(value, breaches));
                }
            }
            (Shape::Map { entry, max }, Value::Object(entries)) => {
                if entries.len() > *max {
                    breaches.add(BreachKind::WrongLength, self.bounds(), listed(entries.len()));
                }
                for (name, value) in entries {
                    let step = format!("[{}]", quoting::inline(name, limits::QUOTE_CHARS_MAX));
                    breaches.within(&step, |breaches| entry.walk(value, breaches));
                }
            }
            (Shape::Object(fields), Value::Object(entries)) => object(fields, entries, breaches),
            (_, value) => breaches.add(BreachKind::WrongValue, self.words(), found(value)),
        }
    }

    /// What is expected, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Shape::Text => "a text".into(),
            Shape::Tally => "a text N/M such as \"2/3\", N not above M".into(),
            Shape::Flag => "true or false".into(),
            Shape::Whole => "a whole number from 0".into(),
            Shape::Number { min, max } => format!("a number from {min} to {max}"),
            Shape::OneOf(values) => {
                let words: Vec<String> = values.iter().map(Value::to_string).collect();
                format!("one of {}", words.join(", "))
            }
            Shape::List { entry, .. } => format!("a list, each entry {}", entry.words()),
            Shape::Map { entry, .. } => format!("an object, each value {}", entry.words()),
            Shape::Object(fields) => {
                let required = fields.iter().filter(|field| field.is_required);
                let names: Vec<String> =
                    required.map(|field| format!("`{}`", field.name)).collect();
                format!("an object with {}", names.join(", "))
            }
            Shape::Unknown(keyword) => format!("a value that fits {keyword}"),
        }
    }

    fn bounds(&self) -> String {
        match self {
            Shape::List { min: 0, max, .. } | Shape::Map { max, .. } => {
                format!("at most {max} entries")
            }
            Shape::List { min, max: usize::MAX, .. } => format!("at least {min} entries"),
            Shape::List { min, max, .. } => format!("{min} to {max} entries"),
            _ => self.words(),
        }
    }
}

/// Required fields first and in the order the schema demands them; they are what matters.
fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let rank = |name: &str| required.iter().position(|r| *r == name).unwrap_or(required.len());
    let mut fields: Vec<Field> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| Field {
            name: name.clone(),
            about: schema["description"].as_str().unwrap_or_default().into(),
            shape: Shape::of(schema),
            is_required: required.contains(&name.as_str()),
        })
        .collect();
    fields.sort_by_key(|field| rank(&field.name));
    fields
}

fn object(fields: &[Field], entries: &mut Map<String, Value>, breaches: &mut Breaches) {
    entries.retain(|name, value| {
        fields.iter().any(|field| field.name == *name && (field.is_required || !value.is_null()))
    });
    for field in fields {
        breaches.within(&format!(".{}", field.name), |breaches| {
            match entries.get_mut(&field.name) {
                Some(value) => field.shape.walk(value, breaches),
                None if field.is_required => {
                    breaches.add(
                        BreachKind::MissingField,
                        field.shape.words(),
                        "no such field".into(),
                    );
                }
                None => {}
            }
        });
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoting::inline(text, limits::QUOTE_CHARS_MAX),
        Value::Array(entries) => format!("a list of {}", entries.len()),
        Value::Object(entries) => {
            let name = |name: &String| quoting::inline(name, limits::QUOTE_CHARS_MAX);
            let names: Vec<String> = entries.keys().take(NAMES_LISTED_MAX).map(name).collect();
            format!("an object with {} fields: {}", entries.len(), names.join(", "))
        }
    }
}

fn listed(count: usize) -> String {
    format!("{count} entries")
}

/// What was found so far, and the path of the value being looked at. Past the bound breaches are only counted.
#[derive(Debug, Default)]
pub(super) struct Breaches {
    pub(super) kept: Vec<Breach>,
    pub(super) left_out: usize,
    path: String,
}

impl Breaches {
    fn add(&mut self, kind: BreachKind, expected: String, found: String) {
        if self.kept.len() >= limits::BREACHES_MAX {
            self.left_out += 1;
            return;
        }
        let path = self.path.trim_start_matches('.').to_string();
        self.kept.push(Breach { kind, path, expected, found });
    }

    fn within(&mut self, step: &str, walk: impl FnOnce(&mut Breaches)) {
        let length = self.path.len();
        self.path.push_str(step);
        walk(self);
        self.path.truncate(length);
    }
}
