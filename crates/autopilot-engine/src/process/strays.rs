//! Who is left when a program has ended: named by the launcher before it ends them, on its last line, and read there by whoever
//! follows it. A name is all that is told: arguments may hold secrets.

use std::fs;

use autopilot_core::finding::printable;
use autopilot_core::limits;
use rustix::process::Pid;

use crate::process::tree;

/// How the launcher's line begins.
const WORDS: &str = "autopilot ended what was left running: ";
const BETWEEN: &str = ", ";

/// Programs that run others: what they run is what matters.
const INTERPRETERS: [&str; 12] = [
    "sh", "bash", "dash", "zsh", "node", "deno", "bun", "python", "python3", "ruby", "perl", "java",
];

/// Everybody below this process who still runs, by name.
pub(crate) fn names() -> Vec<String> {
    let own = rustix::process::getpid();
    let below = tree::living_below(own);
    let mut names: Vec<String> = below.into_iter().filter_map(name).collect();
    names.sort();
    names.dedup();
    names.truncate(limits::STRAYS_NAMED_MAX);
    names
}

/// What the launcher prints behind everything the program printed; None where there is nobody to name.
pub(crate) fn line(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| format!("\n{WORDS}{}", names.join(BETWEEN)))
}

/// The names in the last line of somebody's stderr; none where the launcher had nothing to tell.
pub(crate) fn told(last_lines: &[String]) -> Vec<String> {
    let line = last_lines.last().and_then(|line| line.strip_prefix(WORDS));
    let names = line.into_iter().flat_map(|line| line.split(BETWEEN));
    names.take(limits::STRAYS_NAMED_MAX).map(str::to_string).collect()
}

/// What the program itself said last.
pub(crate) fn without(mut last_lines: Vec<String>) -> Vec<String> {
    last_lines.retain(|line| !line.starts_with(WORDS));
    last_lines
}

fn name(id: Pid) -> Option<String> {
    let line = fs::read(format!("/proc/{}/cmdline", id.as_raw_nonzero())).ok()?;
    let line = String::from_utf8_lossy(&line).into_owned();
    shown(&line.split('\0').collect::<Vec<_>>())
}

/// `node server.js` of `/usr/bin/node --inspect /srv/server.js --key 1`.
fn shown(words: &[&str]) -> Option<String> {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_string();
    let program = words.first().map(|word| last(word)).filter(|word| !word.is_empty())?;
    let script = words.iter().skip(1).find(|word| !word.starts_with('-') && !word.is_empty());
    let is_file = |word: &&&str| !word.contains(char::is_whitespace);
    let script = script.filter(|_| INTERPRETERS.contains(&program.as_str())).filter(is_file);
    let name = match script {
        Some(script) => format!("{program} {}", last(script)),
        None => program,
    };
    let name = printable(&name).replace(',', " ");
    Some(name.chars().take(limits::STRAY_NAME_CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_named_without_its_arguments() {
        let check = |words: &[&str], expected: Option<&str>| {
            assert_eq!(shown(words).as_deref(), expected, "{words:?}");
        };
        check(
            &["/usr/bin/node", "--inspect", "/srv/server.js", "--key", "1"],
            Some("node server.js"),
        );
        check(&["redis-server", "*:6379", ""], Some("redis-server"));
        check(&["sh", "-c", "while :; do sleep 1; done"], Some("sh"));
        check(&["sleep", "300"], Some("sleep"));
        check(&[""], None);
        check(&[], None);
    }

    #[test]
    fn what_is_told_is_read_back() {
        let line = line(&["node server.js".to_string(), "sleep".to_string()]).unwrap();
        let lines = vec!["it said".to_string(), line.trim_start().to_string()];
        assert_eq!(told(&lines), ["node server.js", "sleep"]);
        assert_eq!(without(lines), ["it said"]);
        assert_eq!(told(&["it said".to_string()]), Vec::<String>::new());
    }
}
