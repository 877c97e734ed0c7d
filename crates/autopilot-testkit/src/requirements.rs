//! The list of rules in `docs/requirements.toml`, and the page that is made of it, of the scenarios and of the tests it names. Which rule
//! has a test is looked up, not believed.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::scenario::Scenario;

pub const LIST: &str = "docs/requirements.toml";
pub const PAGE: &str = "docs/requirements.md";

/// What paths in the list are short for.
const SHORT: [(&str, &str); 5] = [
    ("core/", "crates/autopilot-core/src/"),
    ("engine/", "crates/autopilot-engine/src/"),
    ("agents/", "crates/autopilot-agents/src/"),
    ("cli/", "crates/autopilot/"),
    ("testkit/", "crates/autopilot-testkit/"),
];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rule {
    pub id: String,
    pub group: String,
    pub says: String,
    pub held: Vec<String>,
    pub shown: Vec<String>,
}

/// Reads the little TOML the list is written in: `[[rule]]`, texts, and lists of texts on one line.
pub fn read(text: &str) -> Result<Vec<Rule>, String> {
    let mut rules: Vec<Rule> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = || format!("{LIST}:{number}: `{line}`");
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "[[rule]]" {
            rules.push(Rule::default());
            continue;
        }
        let rule = rules.last_mut().ok_or_else(wrong)?;
        let (key, value) = line.split_once(" = ").ok_or_else(wrong)?;
        match key {
            "id" => rule.id = text_of(value).ok_or_else(wrong)?,
            "group" => rule.group = text_of(value).ok_or_else(wrong)?,
            "says" => rule.says = text_of(value).ok_or_else(wrong)?,
            "held" => rule.held = list_of(value).ok_or_else(wrong)?,
            "shown" => rule.shown = list_of(value).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        }
    }
    Ok(rules)
}

fn text_of(value: &str) -> Option<String> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(inside.replace("\\\"", "\""))
}

fn list_of(value: &str) -> Option<Vec<String>> {
    let inside = value.strip_prefix('[')?.strip_suffix(']')?;
    match inside.is_empty() {
        true => Some(Vec::new()),
        false => {
            inside.split("\", \"").map(|part| Some(part.trim_matches('"').to_string())).collect()
        }
    }
}

/// Everything that is wrong with the list: a rule nobody shows, a file or a test that is not there, a scenario of an unknown rule.
pub fn faults(root: &Path, rules: &[Rule], scenarios: &[Scenario]) -> Vec<String> {
    let mut faults = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        let Rule { id, group, says, held, shown } = rule;
        if [id, group, says].iter().any(|text| text.is_empty()) || held.is_empty() {
            faults.push(format!("{id} has no group, no sentence or no place"));
        }
        if rules[..at].iter().any(|earlier| &earlier.id == id) {
            faults.push(format!("{id} is listed twice"));
        }
        if shown.is_empty() && scenarios_of(scenarios, id).next().is_none() {
            faults.push(format!("{id} has neither a test nor a scenario"));
        }
        faults.extend(
            held.iter()
                .filter(|place| !root.join(whole(place)).is_file())
                .map(|place| format!("{id} is held in {place}, which is not there")),
        );
        faults.extend(shown.iter().filter_map(|tests| missing_test(root, id, tests)));
    }
    for scenario in scenarios {
        let is_known = |id: &&String| rules.iter().any(|rule| &rule.id == *id);
        faults.extend(
            scenario
                .rules
                .iter()
                .filter(|id| !is_known(id))
                .map(|id| format!("{}: {id} is no rule of {LIST}", scenario.place)),
        );
    }
    faults
}

fn missing_test(root: &Path, id: &str, tests: &str) -> Option<String> {
    let (place, names) = tests.split_once(": ").unwrap_or((tests, ""));
    let Ok(text) = fs::read_to_string(root.join(whole(place))) else {
        return Some(format!("{id} is shown by {place}, which is not there"));
    };
    let mut names = names.split(", ").filter(|name| !name.is_empty());
    let missing = names.find(|name| !text.contains(&format!("fn {name}(")));
    let has_tests = text.contains("#[test]") || text.contains("proptest!");
    match missing {
        Some(name) => Some(format!("{id} is shown by {name}, which is not in {place}")),
        None if !has_tests => Some(format!("{id} is shown by {place}, which has no test")),
        None => None,
    }
}

fn whole(path: &str) -> String {
    let long =
        SHORT.iter().find_map(|(short, long)| Some(format!("{long}{}", path.strip_prefix(short)?)));
    long.unwrap_or_else(|| path.to_string())
}

fn scenarios_of<'a>(scenarios: &'a [Scenario], id: &'a str) -> impl Iterator<Item = &'a Scenario> {
    scenarios.iter().filter(move |scenario| scenario.rules.iter().any(|rule| rule == id))
}

const HEAD: &str = "\
# Which rule is held where

The rules of autopilot have ids, and comments, tests and scenarios name them. Each row says where a rule is held and what shows it.
This page is made of [requirements.toml](requirements.toml) and of the scenarios; a test fails when it is not up to date. Paths are
shortened: `core/` is `crates/autopilot-core/src/`, `engine/` is `crates/autopilot-engine/src/`, `agents/` is
`crates/autopilot-agents/src/`, `cli/` is `crates/autopilot/`,
`testkit/` is `crates/autopilot-testkit/`. A rule that is not listed is not built yet.
";

pub fn page(rules: &[Rule], scenarios: &[Scenario]) -> String {
    let mut page = HEAD.to_string();
    let mut group = "";
    for rule in rules {
        if rule.group != group {
            group = &rule.group;
            add(
                &mut page,
                format_args!(
                    "\n## {group}\n\n| rule | says | held in | shown by |\n|---|---|---|---|\n"
                ),
            );
        }
        let held: Vec<String> = rule.held.iter().map(|place| format!("`{place}`")).collect();
        let shown = shown(rule, scenarios_of(scenarios, &rule.id).count());
        add(
            &mut page,
            format_args!("| {} | {} | {} | {shown} |\n", rule.id, rule.says, held.join(", ")),
        );
    }
    page.push_str("\n## Scenarios by rule\n\nHow they are read: [README.md](../crates/autopilot-testkit/scenarios/README.md).\n");
    for rule in rules {
        let mut of_it = scenarios_of(scenarios, &rule.id).peekable();
        if of_it.peek().is_some() {
            add(&mut page, format_args!("\n### {}\n\n", rule.id));
        }
        for scenario in of_it {
            add(&mut page, format_args!("- {} (`{}`)\n", scenario.title, scenario.place.file));
        }
    }
    page
}

fn shown(rule: &Rule, scenarios: usize) -> String {
    let tests = rule.shown.iter().map(|tests| match tests.split_once(": ") {
        Some((place, names)) => {
            let names: Vec<String> = names.split(", ").map(|name| format!("`{name}`")).collect();
            format!("{} in `{place}`", names.join(", "))
        }
        None => format!("`{tests}`"),
    });
    let counted = match scenarios {
        0 => None,
        1 => Some("1 scenario".to_string()),
        more => Some(format!("{more} scenarios")),
    };
    tests.chain(counted).collect::<Vec<_>>().join("; ")
}

fn add(page: &mut String, words: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = page.write_fmt(words);
}
