//! The real agents that tests drive, each in one exact version: here and nowhere else. `cargo xtask agents install` puts them into
//! the cache folder, tests ask `path` for them. A test whose agent is missing fails and says how to get it.

use std::path::{Path, PathBuf};

use crate::cache_folder::cache_folder;

/// An agent as the npm registry has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    pub name: &'static str,
    pub version: &'static str,
    /// The package for this machine, where the registry has one.
    pub package: Option<&'static str>,
    /// What is started, seen from the folder of the installation.
    program: &'static str,
    /// How it tells its options, to see what a newer version changed.
    pub help: &'static [&'static str],
}

/// Raise a version here, run `cargo xtask test`, and commit what it took.
pub const AGENTS: [Agent; 5] = [
    // The program itself; the package without a platform wants a newer Node.js than we ask for.
    Agent {
        name: "claude",
        version: "2.1.325",
        package: by_platform(CLAUDE_PACKAGES),
        program: or_empty(by_platform(CLAUDE_PROGRAMS)),
        help: &["--help"],
    },
    // Its `bin/codex` is a script around this program.
    Agent {
        name: "codex",
        version: "0.166.0",
        package: Some("@openai/codex"),
        program: or_empty(by_platform(CODEX_PROGRAMS)),
        help: &["exec", "--help"],
    },
    Agent {
        name: "gemini",
        version: "0.61.0",
        package: Some("@google/gemini-cli"),
        program: "node_modules/.bin/gemini",
        help: &["--help"],
    },
    // The program for this machine alone: what is installed by `opencode-ai` brings a second one for old processors.
    Agent {
        name: "opencode",
        version: "1.18.33",
        package: by_platform(OPENCODE_PACKAGES),
        program: or_empty(by_platform(OPENCODE_PROGRAMS)),
        help: &["run", "--help"],
    },
    // The program alone, as above.
    Agent {
        name: "goose",
        version: "1.52.0",
        package: by_platform(GOOSE_PACKAGES),
        program: or_empty(by_platform(GOOSE_PROGRAMS)),
        help: &["run", "--help"],
    },
];

/// For trying a newer one: `claude=2.2.0,codex=0.170.0`. Only `cargo xtask agents latest` sets it.
pub const OTHER_VERSIONS: &str = "AUTOPILOT_TEST_AGENTS";

/// On Linux x64, Linux arm64, macOS x64 and macOS arm64.
type ByPlatform = [&'static str; 4];

const CLAUDE_PACKAGES: ByPlatform = [
    "@anthropic-ai/claude-code-linux-x64",
    "@anthropic-ai/claude-code-linux-arm64",
    "@anthropic-ai/claude-code-darwin-x64",
    "@anthropic-ai/claude-code-darwin-arm64",
];
const CLAUDE_PROGRAMS: ByPlatform = [
    "node_modules/@anthropic-ai/claude-code-linux-x64/claude",
    "node_modules/@anthropic-ai/claude-code-linux-arm64/claude",
    "node_modules/@anthropic-ai/claude-code-darwin-x64/claude",
    "node_modules/@anthropic-ai/claude-code-darwin-arm64/claude",
];
const CODEX_PROGRAMS: ByPlatform = [
    "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
    "node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex",
    "node_modules/@openai/codex-darwin-x64/vendor/x86_64-apple-darwin/bin/codex",
    "node_modules/@openai/codex-darwin-arm64/vendor/aarch64-apple-darwin/bin/codex",
];
const OPENCODE_PACKAGES: ByPlatform =
    ["opencode-linux-x64", "opencode-linux-arm64", "opencode-darwin-x64", "opencode-darwin-arm64"];
const OPENCODE_PROGRAMS: ByPlatform = [
    "node_modules/opencode-linux-x64/bin/opencode",
    "node_modules/opencode-linux-arm64/bin/opencode",
    "node_modules/opencode-darwin-x64/bin/opencode",
    "node_modules/opencode-darwin-arm64/bin/opencode",
];
const GOOSE_PACKAGES: ByPlatform = [
    "@aaif/goose-binary-linux-x64",
    "@aaif/goose-binary-linux-arm64",
    "@aaif/goose-binary-darwin-x64",
    "@aaif/goose-binary-darwin-arm64",
];
const GOOSE_PROGRAMS: ByPlatform = [
    "node_modules/@aaif/goose-binary-linux-x64/bin/goose",
    "node_modules/@aaif/goose-binary-linux-arm64/bin/goose",
    "node_modules/@aaif/goose-binary-darwin-x64/bin/goose",
    "node_modules/@aaif/goose-binary-darwin-arm64/bin/goose",
];

const fn by_platform(words: ByPlatform) -> Option<&'static str> {
    let is_arm = cfg!(target_arch = "aarch64");
    match (cfg!(target_os = "linux"), cfg!(target_os = "macos")) {
        (true, _) => Some(words[is_arm as usize]),
        (_, true) => Some(words[2 + is_arm as usize]),
        (false, false) => None,
    }
}

const fn or_empty(word: Option<&'static str>) -> &'static str {
    match word {
        Some(word) => word,
        None => "",
    }
}

impl Agent {
    /// Where this version is kept.
    pub fn home(&self, version: &str) -> Option<PathBuf> {
        Some(cache_folder()?.join("agents").join(format!("{}-{version}", self.name)))
    }

    pub fn program_in(&self, home: &Path) -> PathBuf {
        home.join(self.program)
    }
}

/// The installed program of an agent, for a test that drives it.
///
/// # Panics
///
/// Where it is missing, with the command that brings it: such a test must not pass.
#[expect(clippy::panic, reason = "a test without its agent fails, and says how to get it")]
pub fn path(name: &str) -> PathBuf {
    let Some(agent) = AGENTS.iter().find(|agent| agent.name == name) else {
        panic!("no agent {name:?} is pinned in crates/autopilot-testkit/src/agents.rs");
    };
    let others = std::env::var(OTHER_VERSIONS).unwrap_or_default();
    let version = other_version(&others, name).unwrap_or(agent.version);
    let home = agent.home(version);
    let program = home.as_ref().map(|home| agent.program_in(home));
    match program.filter(|program| program.is_file()) {
        Some(program) => program,
        None => panic!(
            "{name} {version} is not installed (in {}); get it with: cargo xtask agents install",
            home.unwrap_or_default().display()
        ),
    }
}

fn other_version<'a>(others: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = others.split(',').filter_map(|pair| pair.split_once('='));
    pairs.find(|(other, _)| *other == name).map(|(_, version)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_has_one_exact_version_and_a_program() {
        for agent in AGENTS {
            let is_exact =
                |version: &str| version.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(is_exact(agent.version) && agent.version.split('.').count() == 3, "{agent:?}");
            assert!(agent.package.is_some() && !agent.program.is_empty(), "{agent:?}");
        }
    }

    #[test]
    fn an_agent_that_is_missing_stops_the_test_with_the_way_to_get_it() {
        let said = std::panic::catch_unwind(|| path("nobody")).unwrap_err();
        let said = said.downcast_ref::<String>().unwrap();
        assert!(said.contains("\"nobody\" is pinned"), "{said}");
    }

    #[test]
    fn another_version_is_taken_from_its_pair() {
        assert_eq!(other_version("claude=2.2.0,codex=0.170.0", "codex"), Some("0.170.0"));
        assert_eq!(other_version("claude=2.2.0", "codex"), None);
        assert_eq!(other_version("", "codex"), None);
    }
}
