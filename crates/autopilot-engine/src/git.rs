//! The one file that runs git. Owns the switches that keep a repository from running programs of its own through us: whoever
//! may write `.git` (an agent, a clone from elsewhere) would otherwise own this process. Nothing here talks to a network.
//!
//! The user's and the system's settings are read, because `safe.directory`, ignore files and line endings decide what is
//! true about a repository; what in them could start a program is overruled.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::finding::{printable, quote};
use autopilot_core::limits;

use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Finished, Input, Order, SpawnError};

mod commit;

pub use commit::Committed;

/// The git program with the environment it always gets.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    environment: Environment,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    /// As git wrote it: `2.39.5 (Apple Git-154)`.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repository {
    NotARepository,
    /// A repository without files to work on.
    Bare,
    NoCommit,
    Ready {
        /// `None` when HEAD is detached.
        branch: Option<String>,
        /// Changed and untracked entries; an untracked folder counts once, submodules are not looked into.
        dirty: usize,
    },
}

/// Who commits are made as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub name: String,
    pub email: String,
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} <{}>", self.name, self.email)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("git {asked} did not end within {} s", limits::GIT_TIME_MAX.as_secs())]
    TimedOut { asked: String },
    #[error("git {asked} failed: {said}")]
    Refused { asked: String, said: String },
    #[error("git {asked} answered {}", quote(said))]
    NotUnderstood { asked: String, said: String },
    #[error("git does not trust {}: it belongs to another user", root.display())]
    NotTrusted { root: PathBuf },
    #[error("git has no name and email for you")]
    NoIdentity,
    #[error(
        "the repository has more than {} filters and hooks in its settings",
        limits::GIT_DRIVERS_MAX
    )]
    TooManyDrivers,
    #[error("a merge is under way")]
    MergeUnderWay,
    #[error("{} is a folder, and only files are committed", path.display())]
    IsAFolder { path: PathBuf },
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl GitError {
    /// The command that mends it, where there is one.
    pub fn fix(&self) -> Option<String> {
        match self {
            GitError::NotTrusted { root } => {
                Some(format!("git config --global --add safe.directory '{}'", root.display()))
            }
            GitError::NoIdentity => Some(
                "git config --global user.name 'Your Name' && \
                 git config --global user.email you@example.com"
                    .into(),
            ),
            GitError::MergeUnderWay => Some("git merge --continue, or git merge --abort".into()),
            GitError::Spawn(SpawnError::NotFound { .. }) => Some("install git".into()),
            GitError::Spawn(_)
            | GitError::TimedOut { .. }
            | GitError::Refused { .. }
            | GitError::NotUnderstood { .. }
            | GitError::TooManyDrivers
            | GitError::IsAFolder { .. }
            | GitError::Io { .. } => None,
        }
    }
}

/// Settings that overrule every configuration file, so that git starts no program but itself. Filters and configured hooks
/// have names of their own and are added for each repository, by `Git::drivers_off`. Merge and diff drivers need no entry:
/// nothing here merges or shows a difference.
const SETTINGS: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.editor", "false"),
    ("sequence.editor", "false"),
    ("core.askPass", ""),
    ("core.sshCommand", "false"),
    ("credential.helper", ""),
    ("diff.external", ""),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("gpg.program", "false"),
    ("log.showSignature", "false"),
    // A housekeeping process in the background would outlive the command.
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    // A bare repository hidden among the project's files is not taken for one.
    ("safe.bareRepository", "explicit"),
    // A guessed `root@localhost` is nobody's identity.
    ("user.useConfigOnly", "true"),
    ("advice.detachedHead", "false"),
    ("init.defaultBranch", "main"),
];

const VARIABLES: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    // No transport at all, also not to fetch what a partial clone lacks: a remote's address can be a command.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    // The answers are read, so they come in one language.
    ("LC_ALL", "C"),
    ("LANGUAGE", "C"),
];

/// What of the user's own git variables has a say here. Not among them: `GIT_DIR` and the like, which are set inside hooks and
/// would point every command at another repository.
const PASSED_ON: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
];

impl Git {
    pub fn find(machine: &Machine) -> Result<Git, SpawnError> {
        let environment = Environment::listed(machine).also(machine, PASSED_ON);
        let add = |environment: Environment, (name, value): &(&str, &str)| {
            environment.with(*name, *value)
        };
        let environment = VARIABLES.iter().fold(environment, add);
        let program = process::find_program("git", machine.path())
            .ok_or_else(|| SpawnError::NotFound { program: "git".into() })?;
        Ok(Git { program, environment })
    }

    pub fn version(&self) -> Result<Version, GitError> {
        let order =
            Order::new(&self.program, "/", self.environment.clone(), limits::VERSION_TIME_MAX);
        let finished = process::run(order.arguments(["--version"]))?;
        let said = line_of(&answered("--version", finished)?);
        read_version(&said)
            .ok_or_else(|| GitError::NotUnderstood { asked: "--version".into(), said })
    }

    pub fn repository(&self, root: &Path) -> Result<Repository, GitError> {
        let inside = self.ask(root, &["rev-parse", "--is-inside-work-tree"])?;
        if !inside.succeeded() {
            let said = inside.stderr.text();
            if said.contains("not a git repository") {
                return Ok(Repository::NotARepository);
            }
            if said.contains("cannot use bare repository") {
                return Ok(Repository::Bare);
            }
        }
        if line_of(&answered("rev-parse", inside)?) != "true" {
            return Ok(Repository::Bare);
        }
        if self.head(root)?.is_none() {
            return Ok(Repository::NoCommit);
        }
        let branch = self.ask(root, &["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        let branch = branch.succeeded().then(|| line_of(&branch));
        Ok(Repository::Ready { branch, dirty: self.dirty(root)? })
    }

    /// Who git would commit as in that folder. Asked there because settings may depend on where a repository lies.
    pub fn identity(&self, folder: &Path) -> Result<Identity, GitError> {
        let finished = self.ask(folder, &["var", "GIT_AUTHOR_IDENT"])?;
        let said = finished.stderr.text();
        if !finished.succeeded()
            && ["auto-detection is disabled", "tell me who you are", "empty ident"]
                .iter()
                .any(|part| said.contains(part))
        {
            return Err(GitError::NoIdentity);
        }
        let said = line_of(&answered("var GIT_AUTHOR_IDENT", finished)?);
        read_identity(&said)
            .ok_or_else(|| GitError::NotUnderstood { asked: "var GIT_AUTHOR_IDENT".into(), said })
    }

    /// The commit HEAD stands on; `None` before the first one.
    fn head(&self, root: &Path) -> Result<Option<String>, GitError> {
        let finished = self.ask(root, &["rev-parse", "--quiet", "--verify", "HEAD^{commit}"])?;
        Ok(finished.succeeded().then(|| line_of(&finished)))
    }

    fn dirty(&self, root: &Path) -> Result<usize, GitError> {
        // Inside a submodule git starts anew without our settings, so submodules stay out.
        let arguments = [
            "status",
            "--porcelain=v1",
            "-z",
            "--no-renames",
            "--untracked-files=normal",
            "--ignore-submodules=all",
        ];
        let order = self.order(root, &arguments)?;
        let order = Order { output_bytes_max: limits::GIT_STATUS_BYTES_MAX, ..order };
        let finished = answered("status", process::run(order)?)?;
        Ok(finished.stdout.bytes().iter().filter(|byte| **byte == 0).count())
    }

    fn ask(&self, folder: &Path, arguments: &[&str]) -> Result<Finished, GitError> {
        Ok(process::run(self.order(folder, arguments)?)?)
    }

    fn order(&self, folder: &Path, arguments: &[&str]) -> Result<Order, GitError> {
        let order = self.plain_order(folder, arguments);
        let environment = self.drivers_off(folder, order.environment.clone())?;
        Ok(Order { environment, ..order })
    }

    /// The order with every setting whose name is known beforehand.
    fn plain_order(&self, folder: &Path, arguments: &[&str]) -> Order {
        let settings =
            SETTINGS.iter().flat_map(|(key, value)| ["-c".into(), format!("{key}={value}")]);
        let arguments = settings.chain(arguments.iter().map(|argument| (*argument).to_owned()));
        Order::new(&self.program, folder, self.environment.clone(), limits::GIT_TIME_MAX)
            .arguments(arguments)
    }

    /// Switches off the filters and hooks a repository's settings name. `.gitattributes` may call for any filter by name, so
    /// each name in the settings is overruled; reading the settings runs none of them. The overruling goes by variables
    /// because a name may hold an equals sign, which `-c` would misread.
    fn drivers_off(
        &self,
        folder: &Path,
        environment: Environment,
    ) -> Result<Environment, GitError> {
        let arguments = ["config", "--null", "--name-only", "--get-regexp", r"^(filter|hook)\."];
        let listing = process::run(self.plain_order(folder, &arguments))?;
        // Exit code 1 says that there are none. A folder git refuses to work in is reported by the command itself.
        if listing.ending == Ending::TimedOut {
            return Err(GitError::TimedOut { asked: "config".into() });
        }
        let names = listing.stdout.bytes();
        let overruled = overruled(&names);
        if overruled.len() > limits::GIT_DRIVERS_MAX || listing.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyDrivers);
        }
        let count = overruled.len().to_string();
        let environment = environment.with("GIT_CONFIG_COUNT", count);
        Ok(overruled.into_iter().enumerate().fold(
            environment,
            |environment, (index, (key, value))| {
                environment
                    .with(format!("GIT_CONFIG_KEY_{index}"), key)
                    .with(format!("GIT_CONFIG_VALUE_{index}"), value)
            },
        ))
    }
}

/// The settings that take the place of those found: a filter without a program passes the file through as it is.
fn overruled(names: &[u8]) -> Vec<(OsString, &'static str)> {
    let found = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    let pairs = found.filter_map(|name| {
        let (section, setting) = name.split_at(name.iter().rposition(|byte| *byte == b'.')?);
        let off = if section.starts_with(b"hook.") {
            Some(("enabled", "false"))
        } else {
            match setting {
                b".clean" => Some(("clean", "")),
                b".smudge" => Some(("smudge", "")),
                b".process" => Some(("process", "")),
                b".required" => Some(("required", "false")),
                _ => None,
            }
        };
        let (setting, value) = off?;
        let mut key = OsStr::from_bytes(section).to_owned();
        key.push(".");
        key.push(setting);
        Some((key, value))
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs.dedup();
    pairs
}

/// The output of a command that had to succeed.
fn answered(asked: &str, finished: Finished) -> Result<Finished, GitError> {
    match finished.ending {
        Ending::Exited(0) => Ok(finished),
        Ending::TimedOut => Err(GitError::TimedOut { asked: asked.into() }),
        Ending::Exited(_) | Ending::Signalled(_) => {
            let text = finished.stderr.text();
            if let Some(root) = untrusted(&text) {
                return Err(GitError::NotTrusted { root });
            }
            let is_verdict =
                |line: &&str| line.starts_with("fatal: ") || line.starts_with("error: ");
            let verdict = text.lines().find(is_verdict).map(printable);
            let said = verdict.or_else(|| finished.stderr.first_line());
            let said = said.unwrap_or_else(|| format!("{:?}", finished.ending));
            Err(GitError::Refused { asked: asked.into(), said })
        }
    }
}

/// The repository git refuses to work in because somebody else owns it.
fn untrusted(said: &str) -> Option<PathBuf> {
    let (_, after) = said.split_once("detected dubious ownership in repository at '")?;
    let (root, _) = after.split_once("'\n")?;
    Some(PathBuf::from(root))
}

/// The answer as git gave it: names in it are used again, so nothing is replaced or cut.
fn line_of(finished: &Finished) -> String {
    finished.stdout.text().lines().next().unwrap_or_default().to_owned()
}

fn read_version(said: &str) -> Option<Version> {
    let text = said.strip_prefix("git version ")?;
    let mut parts = text.split(['.', ' ', '-']);
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some(Version { major, minor, text: text.to_owned() })
}

/// `Ada Lovelace <ada@example.com> 1700000000 +0000`
fn read_identity(said: &str) -> Option<Identity> {
    let (who, _time) = said.rsplit_once("> ")?;
    let (name, email) = who.split_once('<')?;
    Some(Identity { name: name.trim().to_owned(), email: email.to_owned() })
}

#[cfg(test)]
#[path = "git_tests.rs"]
mod tests;
