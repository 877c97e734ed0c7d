//! What of the user's and the project's settings goes along: how models are reached, and which one. All else could start programs or
//! change what is asked.

use std::ffi::OsString;

use serde_json::{Map, Value};

use crate::{jsonc, limits};

const KEPT: [&str; 5] =
    ["provider", "model", "small_model", "enabled_providers", "disabled_providers"];

/// Later texts win, key by key inside objects. One that cannot be read tells nothing.
pub(super) fn of_providers(
    texts: &[String],
    variable: impl Fn(&str) -> Option<OsString>,
) -> Map<String, Value> {
    let mut settings = Map::new();
    for text in texts {
        let Ok(Value::Object(mut all)) = serde_json::from_str(&jsonc::plain(text)) else {
            continue;
        };
        for key in KEPT {
            if let Some(value) = all.remove(key) {
                merge(settings.entry(key).or_insert(Value::Null), value, 0);
            }
        }
    }
    settings.values_mut().for_each(|value| fill_in(value, &variable));
    settings
}

fn merge(into: &mut Value, value: Value, depth: usize) {
    match (into, value) {
        (Value::Object(into), Value::Object(more)) if depth < limits::SETTINGS_DEPTH_MAX => {
            for (key, value) in more {
                merge(into.entry(key).or_insert(Value::Null), value, depth + 1);
            }
        }
        (into, value) => *into = value,
    }
}

/// `{env:NAME}` is the value of a variable. The agent does not get all of the user's, so it is put in here.
fn fill_in(value: &mut Value, variable: &impl Fn(&str) -> Option<OsString>) {
    match value {
        Value::String(text) if text.contains("{env:") => *text = filled_in(text, variable),
        Value::Array(values) => values.iter_mut().for_each(|value| fill_in(value, variable)),
        Value::Object(values) => values.values_mut().for_each(|value| fill_in(value, variable)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn filled_in(text: &str, variable: impl Fn(&str) -> Option<OsString>) -> String {
    let mut parts = text.split("{env:");
    let mut filled = parts.next().unwrap_or_default().to_string();
    for part in parts {
        match part.split_once('}') {
            Some((name, rest)) => {
                let value = variable(name.trim()).unwrap_or_default();
                filled.push_str(&value.to_string_lossy());
                filled.push_str(rest);
            }
            None => {
                filled.push_str("{env:");
                filled.push_str(part);
            }
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn providers_and_models_go_along_and_nothing_that_starts_a_program() {
        let user = r#"{
            // mine
            "provider": {"own": {"options": {"baseURL": "http://x/v1", "apiKey": "{env:OWN_KEY}"}, "models": {"a": {}}}},
            "model": "own/a", "mcp": {"mark": {"type": "local", "command": ["sh"]}},
            "plugin": ["p"], "permission": {"*": "ask"}, "agent": {"build": {"prompt": "sing"}},
        }"#;
        let project = r#"{"model": "own/b", "provider": {"own": {"models": {"b": {"name": "{env:NONE}B {env:"}}}}}"#;
        let variable = |name: &str| (name == "OWN_KEY").then(|| "k\"1".into());
        let seen = of_providers(&[user, "no JSON", "[]", project].map(str::to_string), variable);
        let expected = json!({
            "model": "own/b",
            "provider": {"own": {
                "options": {"baseURL": "http://x/v1", "apiKey": "k\"1"},
                "models": {"a": {}, "b": {"name": "B {env:"}},
            }},
        });
        assert_eq!(Value::Object(seen), expected);
    }
}
