//! One place spawns processes and one prints. Clippy refuses the same by type; this holds also where a lint was expected away.

use super::Violation;
use super::source::lines_with_word;
use super::tree::{File, Tree};

struct Place {
    rule: &'static str,
    words: &'static [&'static str],
    /// Files, or folders with a slash at the end.
    only_in: &'static [&'static str],
    message: &'static str,
}

const PLACES: [Place; 2] = [
    Place {
        rule: "spawn",
        words: &["Command::new"],
        only_in: &[
            "crates/autopilot-engine/src/process.rs",
            "crates/autopilot-engine/src/process/detached.rs",
            // Started by process.rs, and starts what it was told to.
            "crates/autopilot-engine/src/launcher.rs",
            // Runs inside the scripted agent's own process, which is a child like any other.
            "crates/autopilot-agents/src/scripted/hands.rs",
            "crates/autopilot-agents/src/scripted/player_tests.rs",
            // The same for the process that talks to an agent in the Agent Client Protocol.
            "crates/autopilot-agents/src/acp/client.rs",
            "crates/autopilot-testkit/src/",
            "xtask/",
        ],
        message: "only the engine's process.rs starts programs",
    },
    Place {
        rule: "print",
        words: &["println!", "print!", "eprintln!", "eprint!", "stdout()", "stderr()"],
        only_in: &[
            "crates/autopilot/src/output.rs",
            "crates/autopilot-bench/",
            "crates/autopilot-testkit/",
            "xtask/",
        ],
        message: "only the command's output.rs prints",
    },
];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for place in &PLACES {
        for (file, source) in tree.sources().filter(|(file, _)| !is_allowed(place, file)) {
            for word in place.words {
                found.extend(lines_with_word(&source.code, word).into_iter().map(|line| {
                    Violation {
                        path: file.path.clone(),
                        line,
                        rule: place.rule,
                        message: format!("{word}: {}", place.message),
                    }
                }));
            }
        }
    }
    found
}

fn is_allowed(place: &Place, file: &File) -> bool {
    let inside = |allowed: &&str| match allowed.ends_with('/') {
        true => file.path.starts_with(*allowed),
        false => file.path == *allowed,
    };
    // A build script talks to cargo by printing.
    let is_build_script = file.name() == "build.rs" && place.rule == "print";
    is_build_script || file.is_fixture() || place.only_in.iter().any(inside)
}

#[cfg(test)]
mod tests {
    use super::super::broken;
    use super::*;

    #[test]
    fn one_place_spawns() {
        let check = |path: &str| broken(check, &[(path, "\nlet c = Command::new(\"git\");\n")]);
        assert_eq!(check("crates/autopilot/src/a.rs"), ["crates/autopilot/src/a.rs:2 spawn"]);
        assert_eq!(check("crates/autopilot-testkit/tests/a.rs").len(), 1);
        assert!(check("crates/autopilot-engine/src/process.rs").is_empty());
        assert!(check("crates/autopilot-testkit/src/a.rs").is_empty());
        assert!(check("xtask/src/a.rs").is_empty());
    }

    #[test]
    fn one_place_prints() {
        let check = |path: &str, text: &str| broken(check, &[(path, text)]);
        for text in
            ["println!();", "print!(\"x\");", "eprintln!();", "io::stdout().lock()", "stderr()"]
        {
            assert_eq!(check("crates/x/src/a.rs", text), ["crates/x/src/a.rs:1 print"], "{text}");
            assert!(check("crates/autopilot/src/output.rs", text).is_empty(), "{text}");
            assert!(check("crates/x/build.rs", text).is_empty(), "{text}");
        }
        assert!(
            check("crates/x/src/a.rs", "c.stdout(x); // println!\nlet a = \"print!\";").is_empty()
        );
    }
}
