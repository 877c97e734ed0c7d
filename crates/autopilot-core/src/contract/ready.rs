//! The shapes of all returns, made once: a simulation reads tens of thousands of returns a second. Also what a prompt says about
//! their fields, from the same shapes.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use super::role::Role;
use super::schema;
use super::shape::{Field, Shape};

pub(super) struct Ready {
    pub(super) shape: Shape,
    /// The fields a return has at its top, by which it is told from other objects.
    pub(super) field_names: BTreeSet<String>,
}

static RETURNS: LazyLock<[Ready; Role::ALL.len()]> = LazyLock::new(|| Role::ALL.map(prepare));
static QUESTIONS: LazyLock<Shape> = LazyLock::new(|| Shape::of(&schema::questions()));

pub(super) fn of(role: Role) -> &'static Ready {
    &RETURNS[role as usize]
}

pub(super) fn questions() -> &'static Shape {
    &QUESTIONS
}

/// The fields of a return as a Markdown list: name, form, whether it may be left out, meaning. Questions are explained apart.
pub fn fields(role: Role) -> String {
    of(role).fields()
}

fn prepare(role: Role) -> Ready {
    Ready::of(&schema::schema(role))
}

impl Ready {
    pub(super) fn of(schema: &Value) -> Ready {
        let shape = Shape::of(schema);
        let field_names = match &shape {
            Shape::Object(fields) => fields.iter().map(|field| field.name.clone()).collect(),
            _ => BTreeSet::new(),
        };
        Ready { shape, field_names }
    }

    pub(super) fn fields(&self) -> String {
        let mut text = String::new();
        if let Shape::Object(fields) = &self.shape {
            describe(fields, 0, &mut text);
        }
        text
    }
}

fn describe(fields: &[Field], depth: usize, text: &mut String) {
    for field in fields.iter().filter(|field| field.name != schema::NEEDS_ANSWER) {
        let inner = inner_fields(&field.shape);
        let form = match (&field.shape, inner) {
            (Shape::List { .. }, Some(_)) => "a list of objects with these fields".into(),
            (_, Some(_)) => "an object with these fields".into(),
            (shape, None) => shape.words(),
        };
        let indent = "  ".repeat(depth);
        let optional = if field.is_required { "" } else { ", may be left out" };
        text.push_str(&format!("{indent}- `{}`: {form}{optional}", field.name));
        text.push_str(if field.about.is_empty() { "." } else { ". " });
        text.push_str(&field.about);
        text.push('\n');
        describe(inner.unwrap_or_default(), depth + 1, text);
    }
}

fn inner_fields(shape: &Shape) -> Option<&[Field]> {
    match shape {
        Shape::Object(fields) => Some(fields),
        Shape::List { entry, .. } => inner_fields(entry),
        _ => None,
    }
}
