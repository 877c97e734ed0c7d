//! What agents hand back, and the one place where their words become types. Everything an agent says is a claim: what is
//! measured is the engine's, what follows from both is the gate's.

pub mod broken;
pub mod category;
pub mod claims;
pub mod delegation;
pub mod drafting;
mod clip;
pub mod example;
mod extract;
mod ready;
pub mod returns;
pub mod role;
mod schema;
mod shape;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub use broken::{Breach, BreachKind, Broken, reminder};
pub use category::Category;
pub use ready::fields;
pub use returns::Returned;
pub use role::Role;
pub use schema::schema;

use crate::limits;
use crate::prompt::quoting;
use ready::Ready;
use shape::Shape;

/// A return that kept its contract, and what was noticed about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub returned: Returned,
    /// What was cut, words that mean nothing to us: worth a line in a report, no breach.
    pub notes: Vec<String>,
}

/// Reads an agent's last words. Everything that broke the contract is told at once.
pub fn read(role: Role, text: &str) -> Result<Read, Broken> {
    let ready = ready::of(role);
    let (found, mut value) = object(ready, text).map_err(|breach| Broken::one(role, breach))?;
    let mut notes = Vec::new();
    let is_question = value[schema::NEEDS_ANSWER].as_array().is_some_and(|list| !list.is_empty());
    let shape = if is_question { ready::questions() } else { &ready.shape };
    if matches!(role, Role::Judge | Role::JudgeDivergence) {
        notes.extend(spell_out_concerns(&mut value));
    }
    check(role, shape, &mut value)?;
    notes.extend(fit(role, &mut value, found.len())?);
    let returned = if is_question {
        typed(role, value).map(Returned::NeedsAnswer)
    } else {
        of_role(role, value)
    }?;
    notes.extend(strange_categories(&returned));
    notes.truncate(limits::RETURN_NOTES_MAX);
    Ok(Read { returned, notes })
}

/// The return in an agent's last words, as it was written and as a value.
fn object<'a>(ready: &Ready, text: &'a str) -> Result<(&'a str, Value), Breach> {
    let found = extract::find(&ready.field_names, text)?;
    let value = serde_json::from_str(found).map_err(|error| {
        let found = quoting::inline(&error.to_string(), limits::QUOTE_CHARS_MAX);
        Breach::whole(BreachKind::NotJson, "JSON that can be read", found)
    })?;
    Ok((found, value))
}

fn check(role: Role, shape: &Shape, value: &mut Value) -> Result<(), Broken> {
    let breaches = shape.check(value);
    if breaches.kept.is_empty() {
        return Ok(());
    }
    Err(Broken { role, breaches: breaches.kept, left_out: breaches.left_out })
}

fn fit(role: Role, value: &mut Value, source_bytes: usize) -> Result<Vec<String>, Broken> {
    clip::clip(value, source_bytes).map_err(|bytes| {
        let expected = format!("at most {} bytes", limits::RETURN_BYTES_MAX);
        let found = format!("{bytes} bytes, although long texts were cut already");
        Broken::one(role, Breach::whole(BreachKind::TooLarge, &expected, found))
    })
}

fn of_role(role: Role, value: Value) -> Result<Returned, Broken> {
    match role {
        Role::Research => typed(role, value).map(Returned::Research),
        Role::Plan => typed(role, value).map(Returned::Planning),
        Role::PlanCheck => typed(role, value).map(Returned::PlanCheck),
        Role::Execute => typed(role, value).map(Returned::Execution),
        Role::Verify => typed(role, value).map(Returned::Verification),
        Role::Judge | Role::JudgeDivergence => typed(role, value).map(Returned::Judgement),
        Role::Rate => typed(role, value).map(Returned::Rating),
        Role::Review => typed(role, value).map(Returned::Review),
        Role::Debug => typed(role, value).map(Returned::Debugging),
        Role::Delegate => typed(role, value).map(Returned::Delegation),
    }
}

/// The schema is made from the type, so that this fails only where a schema cannot say what the type wants.
fn typed<T: DeserializeOwned>(role: Role, value: Value) -> Result<T, Broken> {
    of_value(value).map_err(|breach| Broken::one(role, breach))
}

fn of_value<T: DeserializeOwned>(value: Value) -> Result<T, Breach> {
    serde_json::from_value(value).map_err(|error| {
        let found = quoting::inline(&error.to_string(), limits::QUOTE_CHARS_MAX);
        Breach::whole(BreachKind::WrongValue, "a return of this step", found)
    })
}

/// Judges like to write a concern as a plain sentence. It counts as major, so that none is lost for want of a word.
fn spell_out_concerns(value: &mut Value) -> Option<String> {
    let mut count = 0;
    for concern in value.get_mut("concerns")?.as_array_mut()? {
        if let Value::String(description) = concern {
            *concern = serde_json::json!({ "severity": "major", "description": description });
            count += 1;
        }
    }
    (count > 0).then(|| format!("{count} concerns came without a severity and count as major"))
}

fn strange_categories(returned: &Returned) -> Vec<String> {
    let categories: Vec<&Category> = match returned {
        Returned::Verification(it) => {
            it.failures.iter().filter_map(|f| f.category.as_ref()).collect()
        }
        Returned::Review(it) => {
            it.verification.failures.iter().filter_map(|f| f.category.as_ref()).collect()
        }
        Returned::Debugging(it) => it.failure_categories.iter().collect(),
        Returned::Research(_)
        | Returned::Planning(_)
        | Returned::PlanCheck(_)
        | Returned::Execution(_)
        | Returned::Judgement(_)
        | Returned::Rating(_)
        | Returned::Delegation(_)
        | Returned::NeedsAnswer(_) => Vec::new(),
    };
    let strange = categories.into_iter().filter_map(|category| match category {
        Category::Unclassified(word) => Some(word),
        _ => None,
    });
    strange
        .map(|word| format!("{} is no category", quoting::inline(word, limits::QUOTE_CHARS_MAX)))
        .collect()
}

#[cfg(test)]
mod read_tests;
