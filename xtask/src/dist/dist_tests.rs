//! The archive, its checksums and the script that installs from them, with a stand-in for the program: building the real one takes
//! minutes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use tempfile::TempDir;

use super::*;

/// Answers as much as packing and installing ask of the program.
const STAND_IN: &str = "#!/bin/sh
case $1 in
    --version) echo autopilot 0.1.0 ;;
    completions) echo \"completions for $2\" ;;
    man-pages) for page in autopilot autopilot-run; do echo \".TH $page 1\" > \"$2/$page.1\"; done ;;
esac
";
/// A user who is not root and owns nothing.
const NOBODY: u32 = 65_534;

/// A dist folder, an empty home, and whoever installs.
struct Place {
    folder: TempDir,
    archive: String,
    user: Option<u32>,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let mut place = Place { folder, archive: String::new(), user: None };
        place.archive = place.lay("0.1.0");
        fs::create_dir(place.home()).unwrap();
        if is_root() {
            place.user = Some(NOBODY);
            std::os::unix::fs::chown(place.home(), place.user, place.user).unwrap();
        }
        place
    }

    /// Makes the dist folder anew, with a stand-in of this version.
    fn lay(&self, version: &str) -> String {
        let binary = self.folder.path().join("stand-in");
        fs::write(&binary, STAND_IN.replace("0.1.0", version)).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
        Dist { binary, target: target(), seconds: 1_700_000_000 }.lay(&self.dist()).unwrap()
    }

    fn dist(&self) -> PathBuf {
        self.folder.path().join("dist")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn install(&self, options: &[&str]) -> Ended {
        self.shell(&self.script(options))
    }

    fn script(&self, options: &[&str]) -> String {
        format!("sh '{}/install.sh' {}", self.dist().display(), options.join(" "))
    }

    fn shell(&self, line: &str) -> Ended {
        let command = BuiltCommand::new("sh", &self.home())
            .variable("HOME", self.home().to_str().unwrap())
            .variable("SHELL", "/bin/sh");
        let command = match self.user {
            Some(user) => command.user(user),
            None => command,
        };
        command.run(&["-c", line]).unwrap()
    }

    /// What is in the home, by path; folders end with a slash.
    fn there(&self) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.home(), &self.home(), &mut found);
        found.sort();
        found
    }
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let shown = path.strip_prefix(root).unwrap().display();
        match path.is_dir() {
            true => {
                found.push(format!("{shown}/"));
                collect(root, &path, found);
            }
            false => found.push(shown.to_string()),
        }
    }
}

fn is_root() -> bool {
    answer(program("id").arg("-u")).as_deref() == Some("0")
}

/// Named for this machine, or the script would rightly pass it over.
fn target() -> String {
    release::host().unwrap()
}

const INSTALLED: [&str; 14] = [
    ".local/bin/autopilot",
    ".local/share/autopilot/installed.txt",
    ".local/share/bash-completion/completions/autopilot",
    ".local/share/doc/autopilot/CHANGELOG.md",
    ".local/share/doc/autopilot/LICENSE-APACHE",
    ".local/share/doc/autopilot/LICENSE-MIT",
    ".local/share/doc/autopilot/README.md",
    ".local/share/doc/autopilot/_autopilot.ps1",
    ".local/share/doc/autopilot/autopilot.elv",
    ".local/share/fish/vendor_completions.d/autopilot.fish",
    ".local/share/man/man1/autopilot-run.1",
    ".local/share/man/man1/autopilot.1",
    ".local/share/zsh/site-functions/_autopilot",
    ".local/",
];

#[test]
fn the_archive_has_the_program_its_pages_and_nothing_else() {
    let place = Place::new();
    let bytes = fs::read(place.dist().join(&place.archive)).unwrap();
    let mut tar = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    let mut found = BTreeMap::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        let header = entry.header();
        assert_eq!((header.uid().unwrap(), header.mtime().unwrap()), (0, 1_700_000_000), "{path}");
        found.insert(path, (header.mode().unwrap(), text));
    }
    let folder = place.archive.strip_suffix(".tar.gz").unwrap();
    assert_eq!(folder, format!("autopilot-0.1.0-{}", target()));
    let names: Vec<&str> =
        found.keys().map(|path| path.strip_prefix(&format!("{folder}/")).unwrap()).collect();
    let expected = [
        "CHANGELOG.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "autopilot",
        "completions/_autopilot",
        "completions/_autopilot.ps1",
        "completions/autopilot.bash",
        "completions/autopilot.elv",
        "completions/autopilot.fish",
        "man/man1/autopilot-run.1",
        "man/man1/autopilot.1",
    ];
    assert_eq!(names, expected);
    assert_eq!(found[&format!("{folder}/autopilot")], (0o755, STAND_IN.to_string()));
    let zsh = (0o644, "completions for zsh\n".to_string());
    assert_eq!(found[&format!("{folder}/completions/_autopilot")], zsh);
    place.lay("0.1.0");
    assert!(bytes == fs::read(place.dist().join(&place.archive)).unwrap(), "another archive");
    let sums = place.shell(&format!("cd '{}' && sha256sum -c SHA256SUMS", place.dist().display()));
    assert_eq!(sums.stdout, format!("{}: OK\ninstall.sh: OK\n", place.archive));
}

#[test]
fn an_ordinary_user_installs_into_an_empty_home_and_uninstalls_without_a_trace() {
    let place = Place::new();
    let ended = place.install(&[]);
    let bin = place.home().join(".local/bin");
    let expected = format!(
        "installed: autopilot 0.1.0 in {0}/.local\n\
         {1} is not on PATH. This line puts it there, from the next shell on:\n  \
         echo 'export PATH=\"$HOME/.local/bin:$PATH\"' >> ~/.profile\n\
         next: {1}/autopilot doctor\n",
        place.home().display(),
        bin.display()
    );
    assert_eq!(
        (ended.stdout.as_str(), ended.stderr.as_str(), ended.code),
        (expected.as_str(), "", 0)
    );
    let there = place.there();
    let missing = INSTALLED.iter().find(|path| !there.iter().any(|other| other == *path));
    assert_eq!(missing, None, "{there:?}");
    assert_eq!(there.iter().filter(|path| !path.ends_with('/')).count(), INSTALLED.len() - 1);
    let mode = fs::metadata(bin.join("autopilot")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);

    // The line it prints does what it says.
    let mending = ended.stdout.lines().nth(2).unwrap().trim();
    let mended = place.shell(&format!("{mending}; . ~/.profile; autopilot --version"));
    assert_eq!(mended.stdout, "autopilot 0.1.0\n", "{mended:?}");
    fs::remove_file(place.home().join(".profile")).unwrap();

    let ended = place.install(&["--uninstall"]);
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{ended:?}");
    assert_eq!(place.there(), [""; 0]);
    let ended = place.install(&["--uninstall"]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stderr.contains("\nfix:   name the folder"), "{ended:?}");
}

#[test]
fn a_flipped_byte_is_refused_and_nothing_is_installed() {
    let place = Place::new();
    let path = place.dist().join(&place.archive);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    let ended = place.install(&[]);
    assert_eq!((ended.stdout.as_str(), ended.code), ("", 2), "{ended:?}");
    assert!(ended.stderr.starts_with(&format!("error: the checksum of {} is ", place.archive)));
    assert!(ended.stderr.contains("\nwhy:   ") && ended.stderr.contains("\nfix:   "), "{ended:?}");
    assert_eq!(place.there(), [""; 0]);
}

#[test]
fn a_later_version_takes_the_place_of_an_earlier_one_and_of_nothing_else() {
    let mut place = Place::new();
    assert_eq!(place.install(&[]).code, 0);
    place.archive = place.lay("0.2.0");
    let ended = place.install(&[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let replaced = format!("in place of autopilot-0.1.0-{}\n", target());
    assert!(ended.stdout.starts_with("installed: autopilot 0.2.0 in "), "{ended:?}");
    assert!(ended.stdout.contains(&replaced), "{ended:?}");

    // Changed by its owner: refused as a whole, and kept when that is asked for.
    let program = place.home().join(".local/bin/autopilot");
    fs::write(&program, "mine\n").unwrap();
    place.archive = place.lay("0.3.0");
    let before = place.there();
    let ended = place.install(&[]);
    assert_eq!((ended.stdout.as_str(), ended.code), ("", 2), "{ended:?}");
    assert!(ended.stderr.contains(program.to_str().unwrap()), "{ended:?}");
    assert_eq!(place.there(), before);
    let ended = place.install(&["--force"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let kept = place.home().join(".local/bin/autopilot.kept");
    assert!(ended.stdout.starts_with(&format!("kept what was there: {}\n", kept.display())));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "mine\n");

    assert_eq!(place.install(&["--uninstall"]).code, 0);
    assert_eq!(place.there(), [".local/", ".local/bin/", ".local/bin/autopilot.kept"]);
}

#[test]
fn what_an_earlier_version_had_and_this_one_has_not_goes() {
    let place = Place::new();
    assert_eq!(place.install(&[]).code, 0);
    let old = "share/man/man1/autopilot-old.1";
    let record = place.home().join(".local/share/autopilot/installed.txt");
    let listed = fs::read_to_string(&record).unwrap();
    fs::write(place.home().join(".local").join(old), "old\n").unwrap();
    fs::write(&record, format!("{listed}file {} {old}\n", sha256(b"old\n"))).unwrap();
    assert_eq!(place.install(&[]).code, 0);
    assert!(!place.home().join(".local").join(old).exists());
    assert_eq!(fs::read_to_string(&record).unwrap(), listed);
}

#[test]
fn it_installs_from_an_address_and_to_a_place_with_a_blank_in_its_name() {
    let place = Place::new();
    let address = format!("file://{}/", place.dist().display());
    let line = place.script(&["--from", &address, "--prefix", "'a place'"]);
    let ended = place.shell(&line);
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0), "{ended:?}");
    assert!(place.home().join("a place/bin/autopilot").is_file());
    let ended = place.shell(&place.script(&["--uninstall", "--prefix", "'a place'"]));
    assert_eq!((ended.code, place.there()), (0, vec![]), "{ended:?}");
}

#[test]
fn mistakes_are_told_in_three_parts() {
    let place = Place::new();
    let check = |options: &[&str], expected: &str| {
        let ended = place.install(options);
        assert_eq!(ended.code, 2, "{ended:?}");
        let parts = [expected, "\nwhy:   ", "\nfix:   "];
        assert!(parts.iter().all(|part| ended.stderr.contains(part)), "{ended:?}");
        assert_eq!(place.there(), [""; 0]);
    };
    check(&["--perfix", "x"], "error: \"--perfix\" is no option");
    check(&["--prefix"], "error: --prefix needs a value");
    check(&["--from", "nowhere"], "error: SHA256SUMS cannot be had from nowhere");
    let sums = place.dist().join("SHA256SUMS");
    let text = fs::read_to_string(&sums).unwrap();
    fs::write(&sums, text.replace(&target(), "vax-dec-vms")).unwrap();
    check(&[], "names no archive for");
    let help = place.install(&["--help"]);
    assert_eq!((help.code, help.stderr.as_str()), (0, ""));
    assert!(help.stdout.contains("--uninstall"), "{help:?}");
}
