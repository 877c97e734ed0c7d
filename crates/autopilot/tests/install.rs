//! The first section of the book, typed: both ways to get the program, with a debug build and into folders that are thrown away. A
//! binary of its own and one test in it, because cargo lays the program it installs where the other tests find theirs.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");
/// Some seconds where everything is built. The program alone has other features than with the tests of all crates, xtask may have to be
/// built too, and somebody else may hold cargo's lock.
const TIME_MAX: Duration = Duration::from_secs(900);

/// Where completions lie below `~/.local/share`.
const COMPLETIONS: [&str; 5] = [
    "bash-completion/completions/autopilot",
    "doc/autopilot/_autopilot.ps1",
    "doc/autopilot/autopilot.elv",
    "fish/vendor_completions.d/autopilot.fish",
    "zsh/site-functions/_autopilot",
];

#[test]
fn the_program_is_installed_as_the_book_says() {
    let place = Place(tempfile::tempdir().unwrap());
    let [install, dist, script] = lines_of_the_book();
    let said = printed(&["--version"]);
    fs::create_dir(place.path("home")).unwrap();

    let own = place.path("own");
    place.typed(&install, &format!("--debug --root {}", own.display()));
    assert_eq!(version(&own.join("bin/autopilot")), said);

    let out = place.path("dist");
    let options = format!("--binary {PROGRAM} --out {}", out.display());
    place.typed(&dist, &options);
    let again = place.shell(&format!("{dist} {options}"));
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.stderr.contains("is not empty; name a folder"), "{again:?}");
    let sums = place.shell(&format!("cd {} && sha256sum --check SHA256SUMS", out.display()));
    assert!(sums.code == 0 && sums.stdout.lines().count() == 2, "{sums:?}");

    let script = script.replace("target/dist", out.to_str().unwrap());
    place.at_home(&script, 0);
    assert_eq!(version(&place.path("home/.local/bin/autopilot")), said);
    assert_pages_and_completions(&place.path("home/.local/share"));

    // Whoever changed the archive did not change what was installed.
    place.at_home(&format!("{script} --uninstall"), 0);
    spoil(&out);
    let refused = place.at_home(&script, 2);
    assert!(refused.stderr.starts_with("error: the checksum of autopilot-"), "{refused:?}");
    assert_eq!(fs::read_dir(place.path("home")).unwrap().count(), 0);
}

/// What the page has people type to install, line by line.
fn lines_of_the_book() -> [String; 3] {
    let page = fs::read_to_string(root().join("docs/start.md")).unwrap();
    let (_, section) = page.split_once("\n## 1. Install\n").unwrap();
    let (section, _) = section.split_once("\n## 2. ").unwrap();
    let blocks = section.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let lines: Vec<String> =
        blocks.flat_map(|(block, _)| block.lines()).map(str::to_string).collect();
    let lines: [String; 3] = lines.try_into().unwrap();
    assert_eq!(lines, ["cargo xtask install", "cargo xtask dist", "sh target/dist/install.sh"]);
    lines
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

struct Place(TempDir);

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A line of the book with options that make it quick and keep it away from the user's folders.
    fn typed(&self, line: &str, options: &str) {
        let ended = self.shell(&format!("{line} {options}"));
        assert_eq!(ended.code, 0, "{line} {options}: {ended:?}");
    }

    /// In the repository, with all variables of whoever runs the tests: cargo, its toolchain and its settings are theirs.
    fn shell(&self, line: &str) -> Ended {
        let mut command = BuiltCommand::new("sh", &root()).time_max(TIME_MAX);
        for (name, value) in std::env::vars_os() {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                command = command.variable(name, value);
            }
        }
        command.variable("CARGO_NET_OFFLINE", "true").run(&["-c", line]).unwrap()
    }

    /// As somebody who has nothing but an empty home.
    fn at_home(&self, line: &str, code: i32) -> Ended {
        let home = self.path("home");
        let command = BuiltCommand::new("sh", &home).variable("HOME", home.to_str().unwrap());
        let ended = command.run(&["-c", line]).unwrap();
        assert_eq!(ended.code, code, "{line}: {ended:?}");
        ended
    }
}

fn printed(arguments: &[&str]) -> String {
    BuiltCommand::new(PROGRAM, &std::env::temp_dir()).run(arguments).unwrap().stdout
}

fn version(program: &Path) -> String {
    let command = BuiltCommand::new(program.to_str().unwrap(), &std::env::temp_dir());
    command.run(&["--version"]).unwrap().stdout
}

/// A page of the manual for every command the help names, and a script for every shell.
fn assert_pages_and_completions(share: &Path) {
    let entries = fs::read_dir(share.join("man/man1")).unwrap();
    let pages: BTreeSet<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let help = printed(&["--help"]);
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let list = list.split("\n\n").next().unwrap_or_default();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    assert!(names.len() > 20 && pages.contains("autopilot.1"), "{names:?} {pages:?}");
    for name in names {
        assert!(pages.contains(&format!("autopilot-{name}.1")), "{name}: {pages:?}");
    }
    for file in COMPLETIONS {
        let script = fs::read_to_string(share.join(file)).unwrap_or_else(|error| {
            panic!("{file}: {error}");
        });
        assert!(script.contains("autopilot") && script.contains("rollback"), "{file}");
    }
}

/// One bit of the archive is another one.
fn spoil(dist: &Path) {
    let entries = fs::read_dir(dist).unwrap().map(|entry| entry.unwrap().path());
    let archive = entries.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz"));
    let archive = archive.unwrap();
    let mut bytes = fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&archive, bytes).unwrap();
}
