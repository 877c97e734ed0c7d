//! The exceptions to the rules, one `rule path` a line. The list may only shrink: an entry that nothing needs is a violation
//! itself, and so is every entry beyond the number below.

use super::Violation;

/// How many exceptions there are. Lower it when one goes; raising it is a decision for review.
const ENTRIES: usize = 0;

/// What is left of `found` after the exceptions in `listed`, the text of the file at `path`.
pub(super) fn apply(listed: &str, path: &str, found: Vec<Violation>) -> Vec<Violation> {
    apply_counted(listed, path, found, ENTRIES)
}

fn apply_counted(
    listed: &str,
    path: &str,
    found: Vec<Violation>,
    allowed: usize,
) -> Vec<Violation> {
    let entries: Vec<Entry> = listed.lines().enumerate().filter_map(Entry::read).collect();
    let is_excepted = |violation: &Violation| entries.iter().any(|entry| entry.covers(violation));
    let unneeded = entries.iter().filter(|entry| !found.iter().any(|v| entry.covers(v)));
    let mut left: Vec<Violation> = unneeded
        .map(|entry| {
            let message = format!("`{} {}` is no longer needed: delete it", entry.rule, entry.file);
            Violation { path: path.into(), line: entry.line, rule: "exceptions", message }
        })
        .collect();
    if entries.len() != allowed {
        let message =
            format!("{} entries, and ENTRIES in tidy/exceptions.rs says {allowed}", entries.len());
        left.push(Violation { path: path.into(), line: 1, rule: "exceptions", message });
    }
    left.extend(found.into_iter().filter(|violation| !is_excepted(violation)));
    left
}

struct Entry<'a> {
    line: usize,
    rule: &'a str,
    file: &'a str,
}

impl<'a> Entry<'a> {
    fn read((index, text): (usize, &'a str)) -> Option<Entry<'a>> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let (rule, file) = text.split_once(' ').unwrap_or((text, ""));
        Some(Entry { line: index + 1, rule, file: file.trim() })
    }

    fn covers(&self, violation: &Violation) -> bool {
        self.rule == violation.rule && self.file == violation.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(listed: &str, allowed: usize) -> Vec<String> {
        let violation = |path: &str, rule| Violation {
            path: path.into(),
            line: 7,
            rule,
            message: String::new(),
        };
        let found = vec![violation("a.rs", "print"), violation("b.rs", "spawn")];
        let left = apply_counted(listed, "list", found, allowed);
        left.iter().map(|v| format!("{}:{} {}", v.path, v.line, v.rule)).collect()
    }

    #[test]
    fn an_exception_covers_one_rule_in_one_file() {
        assert_eq!(left("", 0), ["a.rs:7 print", "b.rs:7 spawn"]);
        assert_eq!(left("# why\n\nprint a.rs\n", 1), ["b.rs:7 spawn"]);
        assert!(left("print a.rs\nspawn b.rs\n", 2).is_empty());
    }

    #[test]
    fn the_list_only_shrinks() {
        let unneeded = left("print a.rs\nspawn b.rs\nspawn a.rs\n", 3);
        assert_eq!(unneeded, ["list:3 exceptions"]);
        let grown = left("print a.rs\nspawn b.rs\n", 1);
        assert_eq!(grown, ["list:1 exceptions"]);
        let not_lowered = left("print a.rs\n", 2);
        assert_eq!(not_lowered, ["list:1 exceptions", "b.rs:7 spawn"]);
    }
}
