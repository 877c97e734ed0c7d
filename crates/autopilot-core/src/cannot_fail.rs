//! Shell lines that pass whatever happens: they measure nothing, so a criterion that rests on one is proven by nobody. Only what can be
//! seen in the line itself is told; a program that always ends well is beyond it.

/// Programs that end well by themselves.
const HARMLESS: [&str; 5] = ["true", ":", "echo", "printf", "sleep"];
/// Programs at the end of a pipe whose own exit code hides that of the one before them.
const LISTENERS: [&str; 5] = ["tee", "cat", "head", "tail", "less"];

/// Whether its exit code can only be 0.
pub fn cannot_fail(line: &str) -> bool {
    let parts = parts(line);
    let stops = parts.first().is_some_and(|(_, first)| stops_at_failures(first));
    let mut pipes: Vec<(Joint, bool)> = Vec::new();
    for (joint, part) in &parts {
        match (joint, pipes.last_mut()) {
            // The end of a pipe speaks for all of it.
            (Joint::Pipe, Some((_, is_safe))) => {
                *is_safe = (is_listener(part) || is_harmless(part)) && !line.contains("pipefail");
            }
            (Joint::Then | Joint::And | Joint::Or | Joint::Pipe, _) => {
                pipes.push((*joint, is_harmless(part)));
            }
        }
    }
    // The last statement decides, unless the shell was told to stop at the first failure.
    let last = pipes.iter().rposition(|(joint, _)| *joint == Joint::Then);
    let deciding = &pipes[last.filter(|_| !stops).unwrap_or(0)..];
    let is_safe = deciding.iter().fold(true, |before, (joint, is_safe)| match joint {
        Joint::Or => before || *is_safe,
        Joint::Then | Joint::And | Joint::Pipe => before && *is_safe,
    });
    is_safe && !deciding.is_empty()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `;`, a line break, or the beginning.
    Then,
    And,
    Or,
    Pipe,
}

/// The simple commands of a line and how each is joined to the one before. What stands in quotes joins nothing.
fn parts(line: &str) -> Vec<(Joint, String)> {
    let mut parts = vec![(Joint::Then, String::new())];
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        let joint = match (character, quote) {
            ('\\', None | Some('"')) => {
                push(&mut parts, character);
                characters.next().into_iter().for_each(|next| push(&mut parts, next));
                continue;
            }
            ('\'' | '"', None) => {
                quote = Some(character);
                None
            }
            (_, Some(open)) => {
                quote = quote.filter(|_| open != character);
                None
            }
            (';' | '\n', None) => Some(Joint::Then),
            ('&', None) if characters.next_if_eq(&'&').is_some() => Some(Joint::And),
            ('|', None) if characters.next_if_eq(&'|').is_some() => Some(Joint::Or),
            ('|', None) => Some(Joint::Pipe),
            (_, None) => None,
        };
        match joint {
            Some(joint) => parts.push((joint, String::new())),
            None => push(&mut parts, character),
        }
    }
    // `make test;` ends with nothing, which is no statement.
    parts.retain(|(joint, part)| *joint != Joint::Then || !part.trim().is_empty());
    parts
}

fn push(parts: &mut [(Joint, String)], character: char) {
    if let Some((_, part)) = parts.last_mut() {
        part.push(character);
    }
}

fn is_harmless(part: &str) -> bool {
    let mut words = part.split_whitespace();
    match words.next() {
        // What is computed inside can fail in some shells, and what is written may not be writable.
        Some(first) if HARMLESS.contains(&first) => !part.contains(['$', '`', '>']),
        Some("exit") => words.next() == Some("0"),
        Some(_) | None => false,
    }
}

fn is_listener(part: &str) -> bool {
    part.split_whitespace().next().is_some_and(|first| LISTENERS.contains(&first))
}

fn stops_at_failures(part: &str) -> bool {
    let is_switch = |word: &str| word == "errexit" || (word.starts_with('-') && word.contains('e'));
    let mut words = part.split_whitespace();
    words.next() == Some("set") && words.any(is_switch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_pass_whatever_happens() {
        for line in [
            "true",
            ":",
            "exit 0",
            "echo ok",
            "make test || true",
            "make test||true",
            "make test || :",
            "npm test; true",
            "npm test; echo done",
            "npm test || echo 'it fails'",
            "cargo test | tee log.txt",
            "cargo test 2>&1 | tail -5",
            "echo a && echo b",
            "true;",
        ] {
            assert!(cannot_fail(line), "{line}");
        }
    }

    #[test]
    fn lines_that_can_fail() {
        for line in [
            "cargo test",
            "test -f out.txt && echo ok",
            "grep -q 'a || true' notes.md",
            "cargo run -- list | grep -q milk",
            "bash -c 'set -o pipefail; cargo test | tee log'",
            "set -o pipefail; cargo test | tail -1",
            "set -e; make test; echo done",
            "echo $(cargo run) > out.txt",
            "! grep -rq unwrap src",
            "npm test;",
            "mkdir -p out; test -d out",
            "printf 'a\\n' | ./filter",
            "echo ok || false && make test",
            "make build && ls | cat",
            "",
        ] {
            assert!(!cannot_fail(line), "{line}");
        }
    }
}
