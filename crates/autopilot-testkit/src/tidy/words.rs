//! Words that must not be written down: promises to do it later, tests switched off, lints silenced, places of one machine.

use super::Violation;
use super::source::lines_with_word;
use super::tree::{File, Tree};

/// A note for later is never read later: the work is done, or it is left out on purpose and the reason written down.
const LATER_NOTES: [&str; 4] = ["TODO", "FIXME", "XXX", "HACK"];
const LATER_MACROS: [&str; 2] = ["todo!", "unimplemented!"];
const SWITCHED_OFF: [&str; 2] = ["#[ignore", "#[should_panic"];
const SILENCED: [&str; 2] = ["#[allow", "#![allow"];
/// Written in two pieces, so that this file does not break its own rule.
const FOREIGN_FOLDERS: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, source) in tree.sources() {
        let add =
            |text: &str, words: &[&str], rule, why: &str| words_in(file, text, words, rule, why);
        found.extend(add(&source.comments, &LATER_NOTES, "later", "do it now or leave it out"));
        found.extend(add(&source.code, &LATER_MACROS, "later", "unfinished code is not merged"));
        found.extend(add(&source.code, &SWITCHED_OFF, "test-off", "a test runs, or it is deleted"));
        found.extend(add(
            &source.code,
            &SILENCED,
            "allow",
            "`#[expect(lint, reason = ...)]` instead",
        ));
        let conditional = |line: &&str| line.contains("cfg_attr(") && has_allow(line);
        for (index, _) in source.code.lines().enumerate().filter(|(_, line)| conditional(line)) {
            let message = "`allow` inside `cfg_attr`: `expect` with a reason instead".to_string();
            let path = file.path.clone();
            found.push(Violation { path, line: index + 1, rule: "allow", message });
        }
    }
    let is_config = |file: &File| file.path.ends_with(".toml") || file.path.ends_with(".sh");
    for (file, text) in tree.texts().filter(|(file, _)| is_config(file) && !file.is_fixture()) {
        found.extend(words_in(file, text, &LATER_NOTES, "later", "do it now or leave it out"));
    }
    for (file, text) in tree.texts() {
        for (index, line) in text.lines().enumerate() {
            found.extend(foreign_folder(line).map(|folder| Violation {
                path: file.path.clone(),
                line: index + 1,
                rule: "machine-path",
                message: format!("{folder} is a place on one machine: use a neutral path"),
            }));
        }
    }
    found
}

fn words_in(
    file: &File,
    text: &str,
    words: &[&str],
    rule: &'static str,
    why: &str,
) -> Vec<Violation> {
    let one = |word: &str| -> Vec<Violation> {
        let violation = |line| {
            let message = format!("{word}: {why}");
            Violation { path: file.path.clone(), line, rule, message }
        };
        lines_with_word(text, word).into_iter().map(violation).collect()
    };
    words.iter().flat_map(|word| one(word)).collect()
}

fn has_allow(line: &str) -> bool {
    line.match_indices("allow(").any(|(at, _)| line[..at].ends_with([' ', ',', '(']))
}

/// An absolute path: the slash before it would make it the inside of another path, a dot a relative one.
fn foreign_folder(line: &str) -> Option<&'static str> {
    let goes_on = |c: char| c.is_alphanumeric() || "/._-~}>".contains(c);
    let is_absolute = |folder: &str| {
        line.match_indices(folder).any(|(at, _)| {
            let names_one = line[at + folder.len()..].starts_with(|c: char| c.is_alphanumeric());
            !line[..at].ends_with(goes_on) && names_one
        })
    };
    FOREIGN_FOLDERS.into_iter().find(|folder| is_absolute(folder))
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    fn rust(text: &str) -> Vec<String> {
        broken(check, &[("a.rs", text)])
    }

    #[test]
    fn nothing_is_left_for_later() {
        assert_eq!(rust("\n// TODO: more\n"), ["a.rs:2 later"]);
        assert_eq!(rust("/* HACK */ // XXX\n"), ["a.rs:1 later", "a.rs:1 later"]);
        assert_eq!(rust("fn a() { todo!() }\n"), ["a.rs:1 later"]);
        assert_eq!(broken(check, &[("a.toml", "# FIXME\n")]), ["a.toml:1 later"]);
        assert!(rust("let a = \"TODO\"; // todos and TODOS\n").is_empty());
        assert!(broken(check, &[("a.md", "A TODO list.\n")]).is_empty());
    }

    #[test]
    fn no_test_is_switched_off() {
        assert_eq!(rust("#[ignore]\n"), ["a.rs:1 test-off"]);
        assert_eq!(rust("#[ignore = \"slow\"]\n"), ["a.rs:1 test-off"]);
        assert_eq!(rust("#[should_panic(expected = \"x\")]\n"), ["a.rs:1 test-off"]);
        assert!(rust("#[test]\n// #[ignore] is refused\n").is_empty());
    }

    #[test]
    fn no_lint_is_silenced() {
        assert_eq!(rust("#[allow(dead_code)]\n"), ["a.rs:1 allow"]);
        assert_eq!(rust("#![allow(dead_code)]\n"), ["a.rs:1 allow"]);
        assert_eq!(rust("#[cfg_attr(test, allow(dead_code))]\n"), ["a.rs:1 allow"]);
        assert!(rust("#[expect(dead_code, reason = \"x\")]\nlist.allow(a);\n").is_empty());
    }

    #[test]
    fn no_place_of_one_machine_is_named() {
        let bad =
            [concat!("see /ro", "ot/a"), concat!("`/ho", "me/ann/x`"), concat!("\"/wo", "rk/x\"")];
        for text in bad {
            assert_eq!(broken(check, &[("a.md", text)]), ["a.md:1 machine-path"], "{text}");
        }
        let fine =
            ["a/work/b", "../work/b", "$HOME/work/b", "the /home/ folder", "https://x.org/home/a"];
        for text in fine {
            assert!(broken(check, &[("a.md", text)]).is_empty(), "{text}");
        }
    }
}
