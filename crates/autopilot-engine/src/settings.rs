//! Gathers the layers of settings from flags, the environment, the project and the user's own file. The one place that reads them.

use std::path::PathBuf;

use autopilot_core::config::Config;
use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::money;
use autopilot_core::settings::{self, Layer, Settings};
use serde_json::{Map, Value};

use crate::files::{self, FileError};
use crate::machine::Machine;
use crate::project;

const PREFIX: &str = "AUTOPILOT_";
/// Begin like settings and are none: they let tests fail parts of the machine.
const FOR_TESTS: [&str; 3] = ["FAULT", "FAULT_LOG", "SEED"];

/// `flags` are the settings given on the command line, by name.
pub fn read(
    machine: &Machine,
    config: &Config,
    flags: Map<String, Value>,
) -> (Settings, Vec<Finding>) {
    let mut findings = Vec::new();
    let layers = [
        layer("command line", flags),
        from_environment(machine, &mut findings),
        Layer { source: project::CONFIG.to_string(), values: config.own.clone(), is_checked: true },
        from_user_file(machine, &mut findings),
    ];
    let (settings, found) = settings::settle(&layers);
    findings.extend(found);
    (settings, findings)
}

fn layer(source: impl Into<String>, values: Map<String, Value>) -> Layer {
    Layer { source: source.into(), values: Value::Object(values), is_checked: false }
}

/// An amount where one is wanted, else a whole number, `true` or `false`; anything else is a text.
fn value_of(setting: &str, text: &str) -> Value {
    if setting == "max_cost" {
        return amount(text);
    }
    match (text.parse::<u64>(), text.parse::<bool>()) {
        (Ok(number), _) => Value::from(number),
        (Err(_), Ok(flag)) => Value::from(flag),
        (Err(_), Err(_)) => Value::from(text),
    }
}

/// A number as a person types it, and the text itself where it is none: then it is reported with its name.
pub fn amount(text: &str) -> Value {
    match money::usd_micros(text) {
        Some(micros) => serde_json::from_str(&money::decimal(micros)).unwrap_or_default(),
        None => Value::from(text),
    }
}

/// `AUTOPILOT_MAX_TOKENS=5` is the setting max_tokens.
fn from_environment(machine: &Machine, findings: &mut Vec<Finding>) -> Layer {
    let mut values = Map::new();
    for (name, value) in machine.variables() {
        let Some(setting) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else {
            continue;
        };
        if FOR_TESTS.contains(&setting) {
            continue;
        }
        let setting = setting.to_ascii_lowercase();
        if !settings::names().any(|known| known == setting) {
            let known: Vec<String> = settings::names()
                .map(|name| format!("{PREFIX}{}", name.to_ascii_uppercase()))
                .collect();
            let message = format!(
                "{} is no setting of autopilot; there are {}",
                name.to_string_lossy(),
                known.join(", ")
            );
            findings.push(Finding {
                severity: Severity::Warning,
                place: Place::file("environment"),
                message,
            });
            continue;
        }
        let text = value.to_string_lossy();
        let value = value_of(&setting, &text);
        values.insert(setting, value);
    }
    layer("environment", values)
}

fn from_user_file(machine: &Machine, findings: &mut Vec<Finding>) -> Layer {
    let path = user_file(machine);
    let source = path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
    let mut report = |severity: Severity, message: String| {
        findings.push(Finding { severity, place: Place::file(source.clone()), message });
    };
    let text = match path.as_ref().map(|path| files::read_text(path)) {
        Some(Ok(text)) => text,
        None | Some(Err(FileError::Absent)) => String::new(),
        Some(Err(error)) => {
            report(Severity::Warning, format!("is not read: {error}"));
            String::new()
        }
    };
    let values = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Object(values)) => values,
        Err(_) if text.trim().is_empty() => Map::new(),
        Ok(_) | Err(_) => {
            report(
                Severity::Warning,
                "is not read: it must hold one JSON object, { … }".to_string(),
            );
            Map::new()
        }
    };
    for name in values.keys().filter(|name| !settings::names().any(|known| known == name.as_str()))
    {
        report(Severity::Warning, format!("{name} is no setting of autopilot and is not read"));
    }
    layer(source, values)
}

fn user_file(machine: &Machine) -> Option<PathBuf> {
    machine.config_folder().map(|folder| folder.join("config.json"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use autopilot_core::settings::Depth;
    use serde_json::json;

    #[test]
    fn flags_win_over_environment_over_project_over_user() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".config/autopilot");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.json"), "{\"depth\":\"full\",\"max_tokens\":7,\"x\":1}")
            .unwrap();
        let home = home.path().to_str().unwrap();
        let machine = Machine::with_variables([
            ("HOME", home),
            ("AUTOPILOT_JOBS", "4"),
            ("AUTOPILOT_NO", "1"),
        ]);
        let config = Config { own: json!({ "jobs": 2, "max_tokens": 6 }), ..Config::default() };
        let (settings, findings) = read(&machine, &config, Map::new());
        let Settings { jobs, depth, tokens_max, .. } = settings;
        assert_eq!((jobs, depth, tokens_max), (4, Depth::Full, Some(6)));
        let messages: Vec<&str> = findings.iter().map(|finding| finding.message.as_str()).collect();
        let [no, x] = messages.as_slice() else { panic!("{messages:?}") };
        let there_are = "AUTOPILOT_NO is no setting of autopilot; there are AUTOPILOT_JOBS, ";
        assert!(no.starts_with(there_are) && no.contains(", AUTOPILOT_AGENT, "), "{no}");
        assert_eq!(*x, "x is no setting of autopilot and is not read");
        let flags = Map::from_iter([("jobs".to_string(), json!(9))]);
        assert_eq!(read(&machine, &config, flags).0.jobs, 9);
    }

    #[test]
    fn an_amount_of_money_is_the_same_in_every_layer_and_nothing_else_is_one() {
        let cost = |variable: &str, own: Value, flags: Map<String, Value>| {
            let machine = Machine::with_variables([("AUTOPILOT_MAX_COST", variable)]);
            let config = Config { own, ..Config::default() };
            let (settings, findings) = read(&machine, &config, flags);
            (settings.usd_micros_max, findings.len())
        };
        let flag = |text: &str| Map::from_iter([("max_cost".to_string(), amount(text))]);
        let set = || json!({ "max_cost": 7.25 });
        assert_eq!(cost("2.50", set(), flag("0.0001")), (Some(100), 0));
        assert_eq!(cost("2.50", set(), Map::new()), (Some(2_500_000), 0));
        assert_eq!(cost("5", set(), Map::new()), (Some(5_000_000), 0));
        for bad in ["0", "$5", "x"] {
            assert_eq!(cost(bad, set(), Map::new()), (Some(7_250_000), 1), "{bad}");
        }
        for bad in [json!(0), json!(-1), json!("5"), json!(1e-7), json!(1e30), json!(null)] {
            assert_eq!(cost("x", json!({ "max_cost": bad }), Map::new()), (None, 1), "{bad}");
        }
    }
}
