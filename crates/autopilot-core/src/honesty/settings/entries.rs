//! Reads a settings file into its values, each with the path of its keys and its line: JSON and objects of JavaScript by their
//! tokens, TOML and its relatives line by line, YAML by indentation, makefiles by their targets. What a format can do beyond
//! that is not understood, and what is not understood is the same on both sides of a change.

use crate::honesty::language::Language;
use crate::honesty::tokens::{Kind, lex};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Keys joined by dots; an entry of a list ends in `[]`.
    pub(super) path: String,
    pub(super) value: String,
    pub(super) line: u32,
}

impl Entry {
    pub(super) fn key(&self) -> &str {
        let path = self.path.trim_end_matches("[]").trim_end_matches('.');
        path.rsplit('.').next().unwrap_or(path)
    }
}

/// Keys below each other that are followed; settings have five at most.
const DEPTH_MAX: usize = 24;

pub(super) fn of_objects(text: &str) -> Vec<Entry> {
    let lexed = lex(text, Language::Script);
    let tokens = &lexed.tokens;
    let mut entries = Vec::new();
    // The name of each open bracket; lists have the name of nothing.
    let mut stack: Vec<String> = Vec::new();
    let mut key: Option<String> = None;
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match (token.kind, token.text) {
            (Kind::Sign, "{" | "[" | "(") => {
                let list = if token.text == "[" { "[]" } else { "" };
                stack.push(format!("{}{list}", key.take().unwrap_or_default()));
            }
            (Kind::Sign, "}" | "]" | ")") => {
                stack.pop();
                key = None;
            }
            (Kind::Sign, ",") => key = None,
            (Kind::Word | Kind::Text, _) if next.is_some_and(|next| next.is(":")) => {
                key = Some(said(token.text).replace('.', "·"));
            }
            (Kind::Word | Kind::Text | Kind::Number, _) if stack.len() <= DEPTH_MAX => {
                let parts = stack.iter().map(String::as_str).chain(key.as_deref());
                let path = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
                entries.push(Entry { path, value: said(token.text), line: token.line });
            }
            _ => {}
        }
    }
    entries
}

fn said(text: &str) -> String {
    text.trim_matches(|c: char| matches!(c, '"' | '\'' | '`')).to_string()
}

/// `key = value` below `[section]`; a list may go over several lines, and so may what is indented below a key.
pub(super) fn of_lines(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut section = String::new();
    let mut open: Option<String> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let told = line.split(" #").next().unwrap_or(line).trim();
        if told.is_empty() || told.starts_with(['#', ';']) || told.starts_with("//") {
            continue;
        }
        let is_indented = line.starts_with([' ', '\t']);
        let assigned = told.split_once('=').filter(|(key, _)| {
            let is_part = |c: char| c.is_alphanumeric() || "-_.\"'* /:".contains(c);
            !key.trim().is_empty() && key.chars().all(is_part)
        });
        if let Some(path) = &open {
            values(&format!("{path}[]"), told, number, &mut entries);
            if told.ends_with(']') {
                open = None;
            }
        } else if told.starts_with('[') && told.ends_with(']') {
            section = told.trim_matches(['[', ']']).trim().replace('"', "");
        } else if let Some((key, value)) = assigned {
            let path = format!("{section}.{}", key.trim().trim_matches('"'));
            let path = path.trim_start_matches('.').to_string();
            values(&path, value.trim(), number, &mut entries);
            if value.trim().starts_with('[') && !value.trim().ends_with(']') {
                open = Some(path);
            }
            // In INI files the value may stand on the lines below.
        } else if let (true, Some(last)) = (is_indented, entries.last()) {
            let path = last.path.trim_end_matches("[]").to_string();
            values(&format!("{path}[]"), told, number, &mut entries);
        }
    }
    entries
}

/// One value, the entries of a list, or the fields of a table on one line.
fn values(path: &str, value: &str, line: u32, entries: &mut Vec<Entry>) {
    let plain = |text: &str| text.trim().trim_matches(['"', '\'']).to_string();
    if value.starts_with('{') && value.ends_with('}') {
        for field in value.trim_matches(['{', '}']).split(',') {
            if let Some((key, value)) = field.split_once('=') {
                let path = format!("{path}.{}", key.trim());
                entries.push(Entry { path, value: plain(value), line });
            }
        }
        return;
    }
    // Shells have commas and brackets of their own; a list begins or ends with a bracket, or is short words with commas.
    let is_list = value.starts_with('[')
        || value.ends_with(']')
        || (value.contains(',') && !value.contains(' '));
    let is_rest = path.ends_with("[]") || value.ends_with(',');
    if !is_list && !is_rest {
        entries.push(Entry { path: path.to_string(), value: plain(value), line });
        if value.is_empty() {
            entries.pop();
            entries.push(Entry { path: format!("{path}[]"), value: String::new(), line });
        }
        return;
    }
    let path = format!("{}[]", path.trim_end_matches("[]"));
    let parts = value.trim_matches(['[', ']']).split(',').map(plain);
    entries.extend(parts.filter(|part| !part.is_empty()).map(|value| Entry {
        path: path.clone(),
        value,
        line,
    }));
}

pub(super) fn of_yaml(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut stack: Vec<(usize, String)> = Vec::new();
    // How far the key of a text of several lines is indented.
    let mut block: Option<usize> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let told = line.trim_start();
        let mut indent = line.len() - told.len();
        if let Some(base) = block {
            if told.is_empty() {
                continue;
            }
            if indent > base {
                entries.push(Entry {
                    path: path(&stack),
                    value: told.trim_end().to_string(),
                    line: number,
                });
                continue;
            }
            block = None;
        }
        let mut told = told.split(" #").next().unwrap_or(told).trim_end();
        if told.is_empty() || told.starts_with('#') || told == "---" {
            continue;
        }
        let is_item = told.starts_with("- ");
        stack
            .retain(|(depth, key)| *depth < indent || (is_item && *depth == indent && key != "[]"));
        while let Some(rest) = told.strip_prefix("- ") {
            stack.push((indent, "[]".to_string()));
            (indent, told) = (indent + 2, rest.trim_start());
        }
        let keyed = told.split_once(": ").or_else(|| told.strip_suffix(':').map(|key| (key, "")));
        let Some((key, value)) = keyed.filter(|(key, _)| !key.contains(['{', '(', '$', '&']))
        else {
            entries.push(Entry { path: path(&stack), value: said(told), line: number });
            continue;
        };
        if stack.len() < DEPTH_MAX {
            stack.push((indent, said(key.trim())));
        }
        let value = value.trim();
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        } else if value.starts_with('[') && value.ends_with(']') {
            values(&path(&stack), value, number, &mut entries);
        } else if !value.is_empty() {
            entries.push(Entry { path: path(&stack), value: said(value), line: number });
        }
    }
    entries
}

fn path(stack: &[(usize, String)]) -> String {
    let mut path = String::new();
    for (_, key) in stack {
        if key != "[]" && !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
    }
    path
}

/// The lines of each target.
pub(super) fn of_makefile(text: &str) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut target = String::new();
    for (line, told) in (1..).zip(text.lines()) {
        let is_recipe = told.starts_with(['\t', ' ']);
        let head = told.split_once(':').filter(|(_, rest)| !is_recipe && !rest.starts_with('='));
        match head {
            Some((name, needs)) => {
                target = name.trim().to_string();
                entries.push(Entry { path: target.clone(), value: needs.trim().to_string(), line });
            }
            None if is_recipe && !told.trim().is_empty() => {
                entries.push(Entry {
                    path: format!("{target}[]"),
                    value: told.trim().to_string(),
                    line,
                });
            }
            None => {}
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(entries: &[Entry]) -> Vec<String> {
        entries.iter().map(|entry| format!("{}={}", entry.path, entry.value)).collect()
    }

    #[test]
    fn each_format_is_read_into_paths_and_values() {
        let json = "{\"scripts\": {\"test\": \"jest\"}, // x\n \"a\": [1, {\"b\": true}]}";
        assert_eq!(told(&of_objects(json)), ["scripts.test=jest", "a[]=1", "a[].b=true"]);
        let script = "export default defineConfig({ test: { thresholds: { lines: 80 } } })";
        assert!(told(&of_objects(script)).contains(&"test.thresholds.lines=80".to_string()));
        let toml = "[lints.clippy]\nall = { level = \"deny\", priority = -1 }\n[tool.ruff]\nselect = [\n  \"E\",\n  \"F\"\n]\nline = 3 # x\n";
        let expected = [
            "lints.clippy.all.level=deny",
            "lints.clippy.all.priority=-1",
            "tool.ruff.select[]=E",
            "tool.ruff.select[]=F",
            "tool.ruff.line=3",
        ];
        assert_eq!(told(&of_lines(toml)), expected);
        let ini = "[flake8]\nignore =\n    E1\n    E2\nmax-complexity = 9\n";
        assert_eq!(
            told(&of_lines(ini)),
            [
                "flake8.ignore[]=",
                "flake8.ignore[]=E1",
                "flake8.ignore[]=E2",
                "flake8.max-complexity=9"
            ]
        );
        let yaml = "jobs:\n  test:\n    steps:\n      - run: npm test # x\n      - name: b\n        run: |\n          a\n          b: c\n    if: false\nlist:\n- x\n";
        let expected = [
            "jobs.test.steps[].run=npm test",
            "jobs.test.steps[].name=b",
            "jobs.test.steps[].run=a",
            "jobs.test.steps[].run=b: c",
            "jobs.test.if=false",
            "list[]=x",
        ];
        assert_eq!(told(&of_yaml(yaml)), expected);
        assert_eq!(
            told(&of_makefile("test: build\n\tpytest\nx := 1\n")),
            ["test=build", "test[]=pytest"]
        );
    }
}
