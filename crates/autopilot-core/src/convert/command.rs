//! Finds the command a criterion names. Owns the caution: a code span is a command only when the sentence says that it
//! must pass, or runs a check and nothing else, and when it begins with a program people check with.

use super::DraftCriterion;

/// Programs whose exit code is an answer. A word that is not here may be a function, a file or a server.
const PROGRAMS: [&str; 68] = [
    "bash",
    "bazel",
    "biome",
    "black",
    "bun",
    "bunx",
    "bundle",
    "cabal",
    "cargo",
    "cmake",
    "composer",
    "ctest",
    "deno",
    "dotnet",
    "eslint",
    "flake8",
    "go",
    "gofmt",
    "golangci-lint",
    "gradle",
    "grep",
    "helm",
    "jest",
    "just",
    "ktlint",
    "make",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "ninja",
    "node",
    "nox",
    "npm",
    "npx",
    "openspec",
    "php",
    "phpstan",
    "phpunit",
    "playwright",
    "pnpm",
    "poetry",
    "prettier",
    "pre-commit",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "rubocop",
    "ruff",
    "sbt",
    "sh",
    "shellcheck",
    "stack",
    "swift",
    "task",
    "terraform",
    "test",
    "tox",
    "tsc",
    "uv",
    "vitest",
    "xcodebuild",
    "yarn",
    "zig",
    "hatch",
];

const MARK: &str = "verified by:";

pub(super) fn criterion(text: &str) -> DraftCriterion {
    let (text, command) = match explicit(text) {
        Some((text, command)) => (text, Some(command)),
        None => (text.to_owned(), implicit(text).map(str::to_owned)),
    };
    DraftCriterion { text: without_mark(&text), command }
}

/// Whether a command can stand between two back-ticks of one line and be read back.
pub(crate) fn is_writable(command: &str) -> bool {
    let breaks = |c: char| c == '`' || c.is_control() || c == '\u{2028}' || c == '\u{2029}';
    !command.trim().is_empty() && !command.contains(breaks) && !command.contains("<!--")
}

/// `text -- verified by: `command``, which is our own form and therefore needs no caution.
fn explicit(text: &str) -> Option<(String, String)> {
    let at = text.to_ascii_lowercase().rfind(MARK)?;
    let after = text[at + MARK.len()..].trim_start().strip_prefix('`')?;
    let (command, tail) = after.split_once('`')?;
    if !is_writable(command) {
        return None;
    }
    let head = text[..at].trim_end_matches([' ', '-', '—', '–', '(', ',']);
    let tail = tail.trim_matches([' ', '(', ')', '.', ',']);
    if head.is_empty() {
        return None;
    }
    let text = if tail.is_empty() { head.to_owned() } else { format!("{head} ({tail})") };
    Some((text, command.trim().to_owned()))
}

fn implicit(text: &str) -> Option<&str> {
    let mut pieces = text.split('`');
    let (before, command, after) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let is_only_span = pieces.next().is_none();
    if !is_only_span || !is_writable(command) || !is_program(command) {
        return None;
    }
    let prose = format!("{} {}", before.to_lowercase(), after.to_lowercase());
    let is_check = says_pass(&prose) || (runs(before) && is_end(after) && checks(&prose, command));
    is_check.then_some(command.trim())
}

fn is_program(command: &str) -> bool {
    let is_setting = |word: &&str| word.contains('=') && !word.starts_with('-');
    let Some(program) = command.split_whitespace().find(|word| !is_setting(word)) else {
        return false;
    };
    program.starts_with("./") || program.starts_with("vendor/bin/") || PROGRAMS.contains(&program)
}

fn says_pass(prose: &str) -> bool {
    const WORDS: [&str; 12] = [
        "pass",
        "passes",
        "passing",
        "succeeds",
        "succeed",
        "green",
        "successfully",
        "exits 0",
        "exit code 0",
        "without errors",
        "no errors",
        "is clean",
    ];
    let words = format!(" {} ", prose.replace([',', '.', ':', ';', '(', ')', '-', '—', '–'], " "));
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    WORDS.iter().any(|word| format!(" {words} ").contains(&format!(" {word} ")))
}

fn runs(before: &str) -> bool {
    let first = before.split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(first.trim_end_matches(':'), "run" | "verify" | "validate" | "check" | "ensure")
}

fn is_end(after: &str) -> bool {
    !after.contains(char::is_alphanumeric)
}

/// Keeps `run `npm run dev`` out: it would never end.
fn checks(prose: &str, command: &str) -> bool {
    const WORDS: [&str; 10] =
        ["test", "lint", "check", "build", "clippy", "fmt", "vet", "valid", "tsc", "verif"];
    WORDS.iter().any(|word| prose.contains(word) || command.contains(word))
}

/// A reader must not take the mark for the beginning of a command that is not there.
pub(super) fn without_mark(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in lower.match_indices(MARK) {
        kept.push_str(&text[from..at + MARK.len() - 1]);
        from = at + MARK.len();
    }
    kept.push_str(&text[from..]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_needs_a_sentence_that_checks_it() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(criterion(text).command.as_deref(), expected, "{text}");
        };
        check("`cargo test` passes", Some("cargo test"));
        check("run `go test ./...` — must pass before the next task", Some("go test ./..."));
        check("Run linter: `golangci-lint run`", Some("golangci-lint run"));
        check("verify builds: `GOOS=windows go build ./...`", Some("GOOS=windows go build ./..."));
        check("Works -- verified by: `curl -f localhost`", Some("curl -f localhost"));
        check("run `npm run dev`", None);
        check("Start `./serve.sh` and look at the page", None);
        check("`parse` passes the context on", None);
        check("add a `test` column", None);
        check("`cargo test` and `cargo fmt` pass", None);
        check("verified by: hand", None);
    }

    #[test]
    fn the_mark_never_stays_in_the_text() {
        let both = criterion("A Verified by: me -- verified by: `make ok` (slow).");
        assert_eq!(both.text, "A Verified by me (slow)");
        assert_eq!(both.command.as_deref(), Some("make ok"));
    }
}
