//! The JSON Schema of each role's return, made from the types. It is what agents with structured output are given and what a
//! return is checked against, so that the two cannot differ.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use super::delegation::Delegation;
use super::returns::{
    Debugging, Execution, Judgement, NeedsAnswer, PlanCheck, Planning, Rating, Research, Review,
    Verification,
};
use super::role::Role;
use crate::limits;

pub(super) const NEEDS_ANSWER: &str = "needs_answer";

/// A plain object at the top, because some agents take no alternatives there. An agent with questions fills `needs_answer`
/// and may leave the rest empty.
pub fn schema(role: Role) -> Value {
    let mut schema = match role {
        Role::Research => of::<Research>(),
        Role::Plan => of::<Planning>(),
        Role::PlanCheck => of::<PlanCheck>(),
        Role::Execute => of::<Execution>(),
        Role::Verify => of::<Verification>(),
        Role::Judge | Role::JudgeDivergence => of::<Judgement>(),
        Role::Rate => of::<Rating>(),
        Role::Review => of::<Review>(),
        Role::Debug => of::<Debugging>(),
        Role::Delegate => of::<Delegation>(),
    };
    if role == Role::JudgeDivergence {
        demand(&mut schema, "verifier_agreement", Some(json!({ "type": "boolean" })));
        demand(&mut schema, "verifier_missed", None);
    }
    schema["title"] = role.name().into();
    let mut questions = questions()["properties"][NEEDS_ANSWER].take();
    if let Some(keywords) = questions.as_object_mut() {
        // Beside a return there is nothing to ask.
        keywords.remove("minItems");
    }
    schema["properties"][NEEDS_ANSWER] = questions;
    // The same words for the same role, whatever is built beside us.
    schema.sort_all_objects();
    schema
}

/// Of questions alone.
pub(super) fn questions() -> Value {
    of::<NeedsAnswer>()
}

/// Makes a field required, with another type where one is given.
fn demand(schema: &mut Value, field: &str, kind: Option<Value>) {
    if let Some(required) = schema["required"].as_array_mut() {
        required.push(field.into());
    }
    let Some(kind) = kind else { return };
    let description = schema["properties"][field]["description"].take();
    schema["properties"][field] = kind;
    schema["properties"][field]["description"] = description;
}

/// Of any return, with a bound for every list.
pub(super) fn of<T: JsonSchema>() -> Value {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value();
    bound_lists(&mut schema, 0);
    schema
}

/// Lists of objects have a bound, because each entry counts and none may be dropped. Lists of texts are cut when they are kept.
fn bound_lists(schema: &mut Value, depth: usize) {
    if depth > limits::VALUE_DEPTH_MAX {
        return;
    }
    if schema["items"]["type"] == "object" && schema.get("maxItems").is_none() {
        schema["maxItems"] = limits::RETURN_ENTRIES_MAX.into();
    }
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(|value| bound_lists(value, depth + 1))
        }
        Value::Array(values) => values.iter_mut().for_each(|value| bound_lists(value, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
