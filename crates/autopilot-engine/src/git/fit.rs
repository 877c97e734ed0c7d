//! Whether a run can work in a repository, told before it starts. Works: shallow clones, linked worktrees of the user, a git
//! folder elsewhere, a detached HEAD, commit signing and hooks that are set up (runs use neither). Refused is what would go
//! wrong in silence.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use autopilot_core::finding::quote;
use autopilot_core::problem::Problem;

use super::{Ending, Finished, Git, GitError, Place, Repository, answered};

/// One reason why a run cannot work in a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unfit {
    NotARepository,
    Bare,
    NoCommit,
    /// The project is a folder of a larger repository.
    SubFolder {
        top: PathBuf,
    },
    /// A merge, rebase, cherry-pick, revert or bisect has begun and not ended.
    UnderWay {
        what: &'static str,
        end: &'static str,
    },
    Submodules {
        first: PathBuf,
    },
    Sparse,
    /// Files are fetched when they are looked at, which runs do not do.
    Partial,
    /// Files are changed by a program on their way in and out: Git LFS, git-crypt.
    Filter {
        name: String,
    },
}

/// Every reason, the first to mend first; none when a run can work here. Fifteen processes with the listings of settings:
/// it is asked once, and at first there is nothing to name the place by.
pub fn repository_fit(git: &Git, root: &Path) -> Result<Vec<Unfit>, GitError> {
    match git.repository(root)? {
        Repository::NotARepository => return Ok(vec![Unfit::NotARepository]),
        Repository::Bare => return Ok(vec![Unfit::Bare]),
        Repository::NoCommit => return Ok(vec![Unfit::NoCommit]),
        Repository::Ready { .. } => {}
    }
    let failed = |source| GitError::Io { path: root.to_path_buf(), source };
    let root = root.canonicalize().map_err(failed)?;
    let mut found = Vec::new();
    let asked = ["rev-parse", "--show-toplevel", "--git-dir", "--git-common-dir"];
    let said = answered("rev-parse", git.ask(&root, &asked)?)?;
    let said = said.stdout.bytes();
    let mut lines = said.split(|byte| *byte == b'\n').map(|line| root.join(path_of(line)));
    let mut next = || lines.next().unwrap_or_default().canonicalize().map_err(failed);
    let (top, git_dir, common_dir) = (next()?, next()?, next()?);
    let place = Place::named(&top, &git_dir, &common_dir);
    if top != root {
        found.push(Unfit::SubFolder { top });
    }
    found.extend(under_way(&git_dir).map(|(what, end)| Unfit::UnderWay { what, end }));
    found.extend(submodules(git, &place)?);
    found.extend(settings(git, &root)?);
    found.extend(filters(git, &place, &common_dir)?);
    Ok(found)
}

fn path_of(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// The file that stands for it in the git folder, what it is, and what ends it.
const UNDER_WAY: [(&str, &str, &str); 6] = [
    ("rebase-merge", "rebase", "git rebase --continue, or git rebase --abort"),
    ("rebase-apply", "rebase", "git rebase --continue, or git rebase --abort"),
    ("MERGE_HEAD", "merge", "git merge --continue, or git merge --abort"),
    ("CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --continue, or git cherry-pick --abort"),
    ("REVERT_HEAD", "revert", "git revert --continue, or git revert --abort"),
    ("BISECT_LOG", "bisect", "git bisect reset"),
];

/// What it is, and what ends it.
pub(crate) fn under_way(git_dir: &Path) -> Option<(&'static str, &'static str)> {
    let (_, what, end) = UNDER_WAY.into_iter().find(|(file, ..)| git_dir.join(file).exists())?;
    Some((what, end))
}

/// With `-d` git lists folders and submodules, and no file.
fn submodules(git: &Git, place: &Place) -> Result<Option<Unfit>, GitError> {
    let listed = git.must_at(place, &["ls-tree", "-r", "-d", "-z", "HEAD"])?;
    let listed = listed.stdout.bytes();
    let mut records =
        listed.split(|byte| *byte == 0).filter(|record| record.starts_with(b"160000"));
    let first = records.next().and_then(|record| record.splitn(2, |byte| *byte == b'\t').nth(1));
    Ok(first.map(|path| Unfit::Submodules { first: path_of(path) }))
}

fn settings(git: &Git, root: &Path) -> Result<BTreeSet<Unfit>, GitError> {
    let wanted = r"^(core\.sparsecheckout|extensions\.partialclone|remote\..*\.promisor)$";
    let finished = some("config", git.ask(root, &["config", "--null", "--get-regexp", wanted])?)?;
    let said = finished.stdout.text();
    let set = said.split('\0').filter_map(|entry| {
        let (name, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        let is_off = matches!(value, "false" | "no" | "off" | "0" | "");
        match name {
            "" => None,
            "extensions.partialclone" => Some(Unfit::Partial),
            _ if is_off => None,
            "core.sparsecheckout" => Some(Unfit::Sparse),
            _ => Some(Unfit::Partial),
        }
    });
    Ok(set.collect())
}

/// The filters that tracked `.gitattributes` ask for, and those of the repository's own attributes file.
fn filters(git: &Git, place: &Place, common_dir: &Path) -> Result<BTreeSet<Unfit>, GitError> {
    let options = ["grep", "-h", "-I", "--no-textconv", "--no-color", "-e", "filter=", "HEAD"];
    let arguments = [&options[..], &["--", ":(glob)**/.gitattributes"]].concat();
    let order = git.order_at(place, &arguments)?;
    let environment = order.environment.clone().with("GIT_LITERAL_PATHSPECS", "0");
    let found = some("grep", git.run(crate::process::Order { environment, ..order })?)?;
    let tracked = found.stdout.text();
    let own = crate::files::read_text(&common_dir.join("info/attributes")).unwrap_or_default();
    let lines =
        tracked.lines().chain(own.lines()).filter(|line| !line.trim_start().starts_with('#'));
    let names = lines.flat_map(|line| line.split_ascii_whitespace().skip(1));
    let names = names.filter_map(|attribute| attribute.strip_prefix("filter="));
    Ok(names.map(|name| Unfit::Filter { name: name.to_owned() }).collect())
}

/// For commands that say with exit code 1 that they found none.
fn some(asked: &str, finished: Finished) -> Result<Finished, GitError> {
    match finished.ending {
        Ending::Exited(1) => Ok(finished),
        _ => answered(asked, finished),
    }
}

impl Unfit {
    pub fn problem(&self) -> Problem {
        let (what, why, fix): (String, &str, String) = match self {
            Unfit::NotARepository => (
                "this folder is not in a git repository".into(),
                "a run keeps every step as a commit",
                "git init && git add -A && git commit -m 'first commit'".into(),
            ),
            Unfit::Bare => (
                "this is a bare repository".into(),
                "a bare repository has no files to work on",
                "run autopilot in a clone of it".into(),
            ),
            Unfit::NoCommit => (
                "the repository has no commit yet".into(),
                "a run starts from the last commit",
                "git add -A && git commit -m 'first commit'".into(),
            ),
            Unfit::SubFolder { top } => (
                format!("the project is a folder of the repository {}", top.display()),
                "a run works on whole repositories, and would commit what lies beside the project",
                format!("move .planning to {} and run autopilot there", top.display()),
            ),
            Unfit::UnderWay { what, end } => (
                format!("a {what} is under way"),
                "the last commit is not yet what it is going to be",
                (*end).into(),
            ),
            Unfit::Submodules { first } => (
                format!(
                    "the repository has submodules, {} among them",
                    quote(&first.to_string_lossy())
                ),
                "a worktree would have them empty, and changes in them would be lost",
                "run autopilot inside the submodule, or make it part of the repository".into(),
            ),
            Unfit::Sparse => (
                "only a part of the repository is checked out".into(),
                "a run checks out all of it, which may be far more than this disk was meant for",
                "git sparse-checkout disable".into(),
            ),
            Unfit::Partial => (
                "the clone leaves out files until they are needed".into(),
                "a run does not talk to the network through git and would miss them",
                "make a full clone: git clone without --filter".into(),
            ),
            Unfit::Filter { name } if name == "lfs" => (
                "files of the repository are kept in Git LFS".into(),
                "a run starts no program a repository names: agents would see pointers instead of files, and new files would be committed whole",
                "git lfs pull, take filter=lfs out of .gitattributes, git add --renormalize . and commit"
                    .into(),
            ),
            Unfit::Filter { name } => (
                format!("files of the repository go through the filter {}", quote(name)),
                "a run starts no program a repository names, so it would commit them unfiltered",
                "take filter= out of .gitattributes and commit that".into(),
            ),
        };
        Problem::environment(what, why, fix)
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
