//! The one file that runs git. Owns the switches that keep a repository from running programs of its own through us: whoever
//! may write `.git` (an agent, a clone from elsewhere) would otherwise own this process. Nothing here talks to a network.
//!
//! The user's and the system's settings are read, because `safe.directory`, ignore files and line endings decide what is
//! true about a repository; what in them could start a program is overruled.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use autopilot_core::finding::printable;
use autopilot_core::limits;
use autopilot_journal::fault;

use crate::machine::Machine;
use crate::process::{self, Ending, Environment, Finished, Input, Order, SpawnError};

mod between;
mod blobs;
mod change_texts;
mod checkout;
mod commit;
mod drivers;
mod error;
mod export;
mod fit;
mod history;
mod object_id;
mod place;
mod ref_names;
mod status;
pub mod user_tree;

pub use between::{FileLines, Patch};
pub use blobs::{Blob, Changed};
pub use change_texts::ChangedText;
pub use checkout::Checkout;
pub(crate) use checkout::remove_if_there;
pub use commit::Committed;
pub(crate) use commit::null_terminated;
pub use error::GitError;
pub(crate) use fit::under_way;
pub use fit::{Unfit, repository_fit};
pub use history::Named;
pub use object_id::ObjectId;
pub(crate) use place::Place;
pub use ref_names::{Branch, RunNames};
pub(crate) use status::{Entry, OnDisk, Status};

/// The git program with the environment it always gets. Clones share what was learned about a repository's settings.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    environment: Environment,
    drivers: drivers::Memory,
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

/// Settings that overrule every configuration file, so that git starts no program but itself. Filters and configured hooks
/// have names of their own and are added for each repository, by `drivers`. Merge and diff drivers need no entry:
/// nothing here merges, and differences are only counted, with `--no-ext-diff --no-textconv`.
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
        let drivers = drivers::Memory::of(machine);
        Ok(Git { program, environment, drivers })
    }

    pub fn version(&self) -> Result<Version, GitError> {
        let order =
            Order::new(&self.program, "/", self.environment.clone(), limits::VERSION_TIME_MAX);
        let finished = self.run(order.arguments(["--version"]))?;
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
        Ok(Repository::Ready { branch, dirty: self.changed(root)?.len() })
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
        let arguments = ["rev-parse", "--quiet", "--verify", "HEAD^{commit}"];
        let found = self.id_or_none(&Place::found_from(root), &arguments)?;
        Ok(found.map(|id| id.to_string()))
    }

    /// Changed and new files, as many as fit; of a folder that is new as a whole only the folder.
    pub(crate) fn changed(&self, root: &Path) -> Result<Vec<PathBuf>, GitError> {
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
        let finished = answered("status", self.run(order)?)?;
        let bytes = finished.stdout.bytes();
        let records = bytes.split(|byte| *byte == 0);
        // `XY path`
        let paths = records.filter_map(|record| record.get(3..)).map(OsStr::from_bytes);
        Ok(paths.map(PathBuf::from).collect())
    }

    fn ask(&self, folder: &Path, arguments: &[&str]) -> Result<Finished, GitError> {
        self.run(self.order(folder, arguments)?)
    }

    fn order(&self, folder: &Path, arguments: &[&str]) -> Result<Order, GitError> {
        self.order_at(&Place::found_from(folder), arguments)
    }

    /// The order with everything switched off that could start another program.
    fn order_at<A: AsRef<OsStr>>(&self, place: &Place, arguments: &[A]) -> Result<Order, GitError> {
        let overruled = self.overruled(place)?;
        let order = self.plain_order(place, arguments);
        let count = overruled.len().to_string();
        let environment = order.environment.with("GIT_CONFIG_COUNT", count);
        let environment = overruled.into_iter().enumerate().fold(
            environment,
            |environment, (index, (key, value))| {
                environment
                    .with(format!("GIT_CONFIG_KEY_{index}"), key)
                    .with(format!("GIT_CONFIG_VALUE_{index}"), value)
            },
        );
        Ok(Order { environment, ..order })
    }

    /// The order with every setting whose name is known beforehand.
    fn plain_order<A: AsRef<OsStr>>(&self, place: &Place, arguments: &[A]) -> Order {
        let settings = SETTINGS.iter().chain(place.settings());
        let settings = settings
            .flat_map(|(key, value)| ["-c".into(), OsString::from(format!("{key}={value}"))]);
        let arguments = settings.chain(arguments.iter().map(|argument| argument.as_ref().into()));
        let environment = place
            .variables()
            .fold(self.environment.clone(), |environment, pair| environment.with(pair.0, pair.1));
        let order = Order::new(&self.program, place.folder(), environment, place.time_max());
        Order { output_bytes_max: place.output_bytes_max(), ..order }.arguments(arguments)
    }

    /// Runs a command that has to succeed.
    pub(crate) fn must_at<A: AsRef<OsStr>>(
        &self,
        place: &Place,
        arguments: &[A],
    ) -> Result<Finished, GitError> {
        answered(&name_of(arguments), self.run(self.order_at(place, arguments)?)?)
    }

    /// Runs a command whose failing is an answer too.
    pub(crate) fn ask_at<A: AsRef<OsStr>>(
        &self,
        place: &Place,
        arguments: &[A],
    ) -> Result<Finished, GitError> {
        self.run(self.order_at(place, arguments)?)
    }

    /// Runs a command that reads `input` and has to succeed.
    pub(crate) fn tell_at<A: AsRef<OsStr>>(
        &self,
        place: &Place,
        arguments: &[A],
        input: impl Into<Vec<u8>>,
    ) -> Result<Finished, GitError> {
        let order = self.order_at(place, arguments)?.input(input);
        answered(&name_of(arguments), self.run(order)?)
    }

    /// Every git process of this program starts here.
    fn run(&self, order: Order) -> Result<Finished, GitError> {
        let path = order.folder.clone();
        let failed = |source| GitError::Io { path: path.clone(), source };
        fault::point("git.before").map_err(&failed)?;
        let finished = process::run(order)?;
        fault::point("git.after").map_err(&failed)?;
        Ok(finished)
    }
}

fn name_of<A: AsRef<OsStr>>(arguments: &[A]) -> String {
    arguments.first().map(|name| name.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}

/// The output of a command that had to succeed.
pub(crate) fn answered(asked: &str, finished: Finished) -> Result<Finished, GitError> {
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
pub(crate) fn line_of(finished: &Finished) -> String {
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
