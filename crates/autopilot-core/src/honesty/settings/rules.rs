//! Which settings are there to be strict, and when a change makes them less so: thresholds, switches, lists and levels.

use std::collections::BTreeMap;

use super::entries::Entry;

/// A setting that was loosened: the line in the candidate where there is one, and what happened to it.
pub(super) struct Loosened {
    pub(super) path: String,
    pub(super) line: Option<u32>,
    pub(super) what: String,
}

/// Switches that are strict when they are on.
const STRICT: [&str; 24] = [
    "strict",
    "noimplicitany",
    "strictnullchecks",
    "strictfunctiontypes",
    "strictpropertyinitialization",
    "noimplicitreturns",
    "noimplicitthis",
    "nounusedlocals",
    "nounusedparameters",
    "nouncheckedindexedaccess",
    "nofallthroughcasesinswitch",
    "exactoptionalpropertytypes",
    "useunknownincatchvariables",
    "alwaysstrict",
    "disallow_untyped_defs",
    "disallow_incomplete_defs",
    "disallow_any_generics",
    "check_untyped_defs",
    "warn_return_any",
    "strict_optional",
    "xfail_strict",
    "check-coverage",
    "fail_ci_if_error",
    "strict_equality",
];
/// Switches that let something pass when they are on.
const LENIENT: [&str; 8] = [
    "continue-on-error",
    "allow_failure",
    "passwithnotests",
    "ignore_errors",
    "ignore_missing_imports",
    "allow_untyped_defs",
    "continueonerror",
    "skiptests",
];
/// Lists of what is left out.
const LEFT_OUT: [&str; 14] = [
    "ignore",
    "extend-ignore",
    "extend_ignore",
    "testpathignorepatterns",
    "coveragepathignorepatterns",
    "norecursedirs",
    "collect_ignore",
    "omit",
    "disable",
    "disable_error_code",
    "ignorepatterns",
    "ignores",
    "exclude",
    "per-file-ignores",
];
/// Lists of what is looked at.
const LOOKED_AT: [&str; 7] =
    ["select", "extend-select", "extend_select", "testmatch", "testpaths", "roots", "enable"];

/// Compares two readings of a file. `elsewhere` says whether another file of the candidate sets the same key: settings may move.
pub(super) fn compare(
    path: &str,
    before: &[Entry],
    after: &[Entry],
    elsewhere: &dyn Fn(&str) -> bool,
) -> Vec<Loosened> {
    let (old, new) = (by_path(before), by_path(after));
    let nothing = Vec::new();
    let mut found = Vec::new();
    let paths = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    for key in paths {
        let (had, has) = (old.get(key).unwrap_or(&nothing), new.get(key).unwrap_or(&nothing));
        if had.iter().map(|e| &e.value).eq(has.iter().map(|e| &e.value)) {
            continue;
        }
        let setting = Setting { file: path, path: key, had, has };
        if let Some(what) = setting.loosened(&new) {
            let is_gone = has.is_empty();
            if is_gone && elsewhere(setting.key()) {
                continue;
            }
            found.push(Loosened {
                path: key.clone(),
                line: has.first().map(|entry| entry.line),
                what,
            });
        }
    }
    found
}

/// Entries of a list go with a single value under the same key: `"error"` may become `["error", {..}]`.
fn by_path(entries: &[Entry]) -> BTreeMap<String, Vec<Entry>> {
    let mut groups: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    entries.iter().for_each(|entry| {
        groups.entry(entry.path.trim_end_matches("[]").to_string()).or_default().push(entry.clone())
    });
    groups
}

struct Setting<'e> {
    file: &'e str,
    path: &'e str,
    had: &'e [Entry],
    has: &'e [Entry],
}

impl Setting<'_> {
    fn key(&self) -> &str {
        self.had.first().or(self.has.first()).map_or("", Entry::key)
    }

    fn loosened(&self, new: &BTreeMap<String, Vec<Entry>>) -> Option<String> {
        let key = self.key().to_ascii_lowercase();
        let path = self.path.to_ascii_lowercase();
        self.threshold(&key, &path)
            .or_else(|| self.switched(&key, new))
            .or_else(|| self.listed(&key, &path))
            .or_else(|| self.levelled(&path))
    }

    fn threshold(&self, key: &str, path: &str) -> Option<String> {
        let name = super::super::language::file_name(self.file);
        let of_coverage = path.contains("threshold")
            || name.contains("nycrc")
            || name.contains("c8rc")
            || path.starts_with("nyc.");
        let is_part = matches!(key, "lines" | "branches" | "functions" | "statements");
        let is_least = matches!(
            key,
            "fail_under"
                | "fail-under"
                | "minimum_coverage"
                | "coverage_threshold"
                | "coverage-threshold"
                | "minimum"
        ) || (is_part && of_coverage)
            || (key == "target" && name.contains("codecov"));
        let is_most = (key.ends_with("-threshold") && name.contains("clippy"))
            || matches!(key, "max-complexity" | "max_complexity" | "max-warnings");
        let number =
            |entries: &[Entry]| entries.first()?.value.trim_end_matches('%').parse::<f64>().ok();
        let had = number(self.had)?;
        let has = number(self.has);
        let is_worse = match (is_least, is_most, has) {
            (true, _, has) => has.is_none_or(|has| has < had),
            (false, true, Some(has)) => has > had,
            _ => false,
        };
        is_worse.then(|| match has {
            Some(has) => format!("is {has} where it was {had}"),
            None => format!("was {had} and is gone"),
        })
    }

    fn switched(&self, key: &str, new: &BTreeMap<String, Vec<Entry>>) -> Option<String> {
        let value =
            |entries: &[Entry]| entries.first().map(|entry| entry.value.to_ascii_lowercase());
        let (had, has) = (value(self.had), value(self.has));
        let is_on = |value: &Option<String>| value.as_deref() == Some("true");
        let is_off = |value: &Option<String>| value.as_deref() == Some("false");
        if STRICT.contains(&key) && is_on(&had) && !is_on(&has) {
            // What `strict` covers need not be said again.
            let parent = self.path.rsplit_once('.').map_or("", |(parent, _)| parent);
            let strict =
                new.get(&format!("{parent}.strict")).map(Vec::as_slice).unwrap_or_default();
            let is_covered = has.is_none() && value(strict).as_deref() == Some("true");
            return (!is_covered).then(|| "was switched off".to_string());
        }
        if STRICT.contains(&key) && had.is_none() && is_off(&has) && key != "fail_ci_if_error" {
            return Some("is switched off".to_string());
        }
        if LENIENT.contains(&key) && is_on(&has) && !is_on(&had) {
            return Some("is switched on, which lets failures pass".to_string());
        }
        let is_cargo = self.file.ends_with("Cargo.toml");
        // Programs and examples have no tests as a rule, and a new one may say so.
        let is_tests = is_cargo
            && matches!(self.path, "lib.test" | "lib.doctest" | "package.autotests" | "test.test");
        if (is_tests || (key == "if" && is_workflow(self.file))) && is_off(&has) && !is_off(&had) {
            let what = if is_tests { "its tests are" } else { "it is" };
            return Some(format!("is false, so that {what} not run"));
        }
        None
    }

    fn listed(&self, key: &str, path: &str) -> Option<String> {
        let values = |entries: &[Entry]| -> Vec<String> {
            entries
                .iter()
                .map(|entry| entry.value.clone())
                .filter(|value| !value.is_empty())
                .collect()
        };
        let (had, has) = (values(self.had), values(self.has));
        let of_files = path.contains("per-file-ignores");
        if LEFT_OUT.contains(&key) || of_files {
            // What is left out of a build or a package is nobody's test.
            let needs_test =
                matches!(key, "exclude" | "ignore" | "ignores") && !self.is_of_lint(path);
            let counts = |value: &&String| {
                let lower = value.to_ascii_lowercase();
                !needs_test || lower.contains("test") || lower.contains("spec")
            };
            let added = has.iter().filter(|value| !had.contains(value)).find(counts)?;
            return Some(format!("leaves out {} too", crate::finding::quote(added)));
        }
        if LOOKED_AT.contains(&key) && !self.has.is_empty() {
            // A wider entry may stand for several narrow ones.
            let is_covered = |value: &String| {
                has.iter().any(|kept| value.starts_with(kept.as_str()) || kept == "ALL")
            };
            let lost = had.iter().find(|value| !is_covered(value))?;
            return Some(format!("no longer has {}", crate::finding::quote(lost)));
        }
        None
    }

    fn is_of_lint(&self, path: &str) -> bool {
        let words = ["ruff", "flake8", "lint", "pylint", "biome"];
        let file = self.file.to_ascii_lowercase();
        words.iter().any(|word| path.contains(word) || file.contains(word))
    }

    /// A lint rule from an error to a warning, or off.
    fn levelled(&self, path: &str) -> Option<String> {
        let is_rule =
            path.starts_with("rules.") || path.contains(".rules.") || path.contains("lints.");
        // What stands below the list of a rule are its options.
        let rule = path.split_once("rules.").map_or(path, |(_, rule)| rule);
        if !is_rule || path.ends_with(".priority") || rule.contains("[].") {
            return None;
        }
        let of_cargo = path.contains("lints.");
        let had = self.had.first().and_then(|entry| rank(&entry.value));
        let has = self.has.first().and_then(|entry| rank(&entry.value));
        match (had, has) {
            (Some(had), Some(has)) if has < had => {
                Some(format!("is {} where it was {}", self.has[0].value, self.had[0].value))
            }
            (None, Some(0)) if self.had.is_empty() => Some(format!("is {}", self.has[0].value)),
            // In a manifest a lint that is gone is at its default; rules of ESLint may come from a set.
            (Some(1..), None) if of_cargo && self.has.is_empty() => Some("is gone".to_string()),
            _ => None,
        }
    }
}

fn rank(level: &str) -> Option<u8> {
    match level {
        "off" | "allow" | "0" => Some(0),
        "warn" | "1" => Some(1),
        "error" | "deny" | "2" => Some(2),
        "forbid" => Some(3),
        _ => None,
    }
}

pub(super) fn is_workflow(file: &str) -> bool {
    file.starts_with(".github/") || file.contains("/.github/")
}
