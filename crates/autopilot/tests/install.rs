//! The first section of the book, typed as it stands: both ways to get the program, from a copy of the repository and into folders that
//! are thrown away. Users wait some minutes for the optimiser; here cargo's settings turn it down, and all else is what they get. A
//! binary of its own, so that no other test waits for the build.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use autopilot_testkit::book;
use autopilot_testkit::built_command::{BuiltCommand, Ended};
use tempfile::TempDir;

#[path = "install/copy.rs"]
mod copy;

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");
/// About a minute and a half on two idle cores where nothing is built yet, some seconds where all is.
const TIME_MAX: Duration = Duration::from_secs(900);
/// Variables of whoever runs the tests that would have the copy built in their own folders.
const NOT_PASSED_ON: [&str; 3] =
    ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"];

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
    let place = Place::new();
    let said = printed(&["--version"]);

    place.types(book::line("start.md", "cargo xtask install").unwrap());
    assert_eq!(version(&place.own().join("bin/autopilot")), said);

    place.types(book::line("start.md", "cargo xtask dist").unwrap());
    let sums = place.types("cd target/dist && sha256sum --check SHA256SUMS");
    assert_eq!(sums.stdout.lines().count(), 2, "{sums:?}");

    let script = book::line("start.md", "sh target/dist/install.sh").unwrap();
    place.at_home(script, 0);
    assert_eq!(version(&place.home().join(".local/bin/autopilot")), said);
    assert_pages_and_completions(&place.home().join(".local/share"));

    // Whoever changed the archive did not change what was installed.
    place.at_home(&format!("{script} --uninstall"), 0);
    spoil(&place.copy.join("target/dist"));
    let refused = place.at_home(script, 2);
    assert!(refused.stderr.starts_with("error: the checksum of autopilot-"), "{refused:?}");
    assert_eq!(fs::read_dir(place.home()).unwrap().count(), 0);
}

/// The copy in which the lines are typed, and a folder for what they install.
struct Place {
    copy: PathBuf,
    around: TempDir,
}

impl Place {
    fn new() -> Place {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let words = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let listed = with_our_variables(BuiltCommand::new("git", &root)).run(&words).unwrap();
        assert_eq!(listed.code, 0, "{listed:?}");
        let listed: Vec<String> =
            listed.stdout.split_terminator('\0').map(str::to_string).collect();
        let place =
            Place { copy: copy::made(&root, &listed), around: tempfile::tempdir().unwrap() };
        fs::create_dir(place.home()).unwrap();
        place
    }

    fn home(&self) -> PathBuf {
        self.around.path().join("home")
    }

    /// Where cargo puts programs.
    fn own(&self) -> PathBuf {
        self.around.path().join("own")
    }

    /// As whoever runs the tests: cargo, its toolchain and its settings are theirs.
    fn types(&self, line: &str) -> Ended {
        let command = with_our_variables(BuiltCommand::new("sh", &self.copy)).time_max(TIME_MAX);
        let command = command.variable("CARGO_INSTALL_ROOT", self.own().to_str().unwrap());
        let ended = command.run(&["-c", line]).unwrap();
        assert_eq!(ended.code, 0, "{line}: {ended:?}");
        ended
    }

    /// As somebody who has nothing but an empty home.
    fn at_home(&self, line: &str, code: i32) -> Ended {
        let home = self.home();
        let command = BuiltCommand::new("sh", &self.copy).variable("HOME", home.to_str().unwrap());
        let ended = command.run(&["-c", line]).unwrap();
        assert_eq!(ended.code, code, "{line}: {ended:?}");
        ended
    }
}

fn with_our_variables(mut command: BuiltCommand) -> BuiltCommand {
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str())
            && !NOT_PASSED_ON.contains(&name)
        {
            command = command.variable(name, value);
        }
    }
    command
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
