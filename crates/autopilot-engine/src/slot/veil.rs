//! What git shows an agent of objects that are not for it. Git replaces objects on reading where a ref says so, and which refs are
//! asked is a variable: in an agent's environment it names refs of this worktree alone. So its `show`, `log`, `diff` and `grep` find
//! another text under the very same ids, and nobody else's git sees anything of it.
//!
//! It is a veil and no wall: the objects are there, and whoever takes the variable away reads them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::PathBuf;

use autopilot_core::limits;

use super::Slot;
use crate::git::{GitError, ObjectId, null_terminated};

/// Refs below this belong to one worktree, and git shares them with no other.
const REFS: &str = "refs/worktree/autopilot/";
const VARIABLE: &str = "GIT_REPLACE_REF_BASE";

/// What an agent is not to see.
pub struct Unseen<'a> {
    /// Files of which it gets another text, in every version that history has.
    pub rewritten: &'a [String],
    pub rewrite: &'a dyn Fn(&str) -> Option<String>,
    /// Files it does not get, of those in this folder.
    pub folder: Option<&'a str>,
    pub is_left_out: &'a dyn Fn(&str) -> bool,
    /// Commits that this one lacks show their subject and nothing else.
    pub subjects_since: Option<&'a ObjectId>,
}

/// A veil that hangs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Veil {
    /// For the environment of whoever is not to see.
    pub variables: Vec<(String, String)>,
    /// Tracked files that were taken out of the slot.
    pub left_out: Vec<PathBuf>,
}

/// Roadmaps of 84 KB have been seen; so many fit into what is read of one answer.
const VERSIONS_AT_ONCE: usize = 64;
/// What git shows of a file that was left out.
const LEFT_OUT: &str = "This is not shown to whoever reviews.\n";

/// Files with the objects they are in the index.
type Listed = Vec<(PathBuf, ObjectId)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Blob,
    Commit,
}

impl Slot {
    /// Puts the veil up and takes files that are left out of the slot. The agent's git takes both and rewritten files for unchanged.
    ///
    /// Eight processes at most, none where nothing is to be hidden.
    pub fn veil(&self, unseen: &Unseen<'_>) -> Result<Veil, GitError> {
        let (rewritten, listed) = self.listed(unseen)?;
        let versions = self.versions(&rewritten)?;
        let commits = match unseen.subjects_since {
            Some(base) => self.commits_beyond(base)?,
            None => Vec::new(),
        };
        let mut texts: BTreeMap<Kind, Vec<(ObjectId, Vec<u8>)>> = BTreeMap::new();
        for some in versions.chunks(VERSIONS_AT_ONCE) {
            let shown = self.texts(some)?.into_iter().filter_map(|(id, text)| {
                Some((id, (unseen.rewrite)(&String::from_utf8_lossy(&text))?.into_bytes()))
            });
            texts.entry(Kind::Blob).or_default().extend(shown);
        }
        let shown = self.texts(&commits)?.into_iter().filter_map(|(id, text)| {
            Some((id, only_subject(&String::from_utf8_lossy(&text))?.into_bytes()))
        });
        texts.entry(Kind::Commit).or_default().extend(shown);
        let left_out = listed.iter().map(|(_, id)| (id.clone(), LEFT_OUT.as_bytes().to_vec()));
        texts.entry(Kind::Blob).or_default().extend(left_out);
        let mut replaced = Vec::new();
        for (kind, texts) in texts {
            replaced.extend(self.write_objects(kind, texts)?);
        }
        let left_out: Vec<PathBuf> = listed.into_iter().map(|(path, _)| path).collect();
        if replaced.is_empty() {
            return Ok(Veil::default());
        }
        self.replace(&replaced)?;
        for path in &left_out {
            crate::git::remove_if_there(&self.folder.join(path))?;
        }
        self.show_as_unchanged(rewritten.iter().chain(&left_out))?;
        Ok(Veil { variables: vec![(VARIABLE.to_string(), REFS.to_string())], left_out })
    }

    /// Every version of these files that a commit has.
    fn versions(&self, paths: &[PathBuf]) -> Result<Vec<ObjectId>, GitError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let count = format!("--max-count={}", limits::VEILED_COMMITS_MAX);
        let options = ["log", "--all", "-m", "--raw", "-z", "--no-abbrev", "--no-renames"];
        let rest = ["--format=", "--no-ext-diff", "--no-textconv", &count, "--"];
        let words = options.into_iter().chain(rest).map(OsStr::new);
        let arguments: Vec<&OsStr> = words.chain(paths.iter().map(|it| it.as_os_str())).collect();
        let finished = self.git().must_at(&self.place, &arguments)?;
        let bytes = finished.stdout.bytes();
        let raw = bytes.split(|byte| *byte == 0).filter_map(|field| {
            let text = String::from_utf8_lossy(field).trim_start().to_string();
            text.starts_with(':').then_some(text)
        });
        let ids = raw.flat_map(|raw| {
            let ids: Vec<ObjectId> = raw.split(' ').filter_map(ObjectId::parse).collect();
            ids
        });
        let is_there = |id: &ObjectId| id.as_str().bytes().any(|byte| byte != b'0');
        Ok(ids.filter(is_there).collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Of the tracked files, those that are rewritten, and those that are left out with what they are.
    fn listed(&self, unseen: &Unseen<'_>) -> Result<(Vec<PathBuf>, Listed), GitError> {
        let (mut rewritten, mut left_out) = (Vec::new(), Vec::new());
        let paths = unseen.rewritten.iter().map(String::as_str).chain(unseen.folder);
        let arguments: Vec<&str> =
            ["ls-files", "-s", "-z", "--"].into_iter().chain(paths).collect();
        if arguments.len() == 4 {
            return Ok((rewritten, left_out));
        }
        let finished = self.git().must_at(&self.place, &arguments)?;
        // `mode id stage TAB path`.
        for entry in finished.stdout.text().split('\0') {
            let Some((fields, path)) = entry.split_once('\t') else { continue };
            let Some(id) = fields.split(' ').nth(1).and_then(ObjectId::parse) else { continue };
            if unseen.rewritten.iter().any(|it| it == path) {
                rewritten.push(PathBuf::from(path));
            } else if unseen.folder.is_some() && (unseen.is_left_out)(path) {
                left_out.push((PathBuf::from(path), id));
            }
        }
        Ok((rewritten, left_out))
    }

    /// Commits of every branch and ref, newest first.
    fn commits_beyond(&self, base: &ObjectId) -> Result<Vec<ObjectId>, GitError> {
        let count = format!("--max-count={}", limits::VEILED_COMMITS_MAX);
        let arguments = ["rev-list", "--all", &count, "--not", base.as_str()];
        let finished = self.git().must_at(&self.place, &arguments)?;
        Ok(finished.stdout.text().lines().filter_map(ObjectId::parse).collect())
    }

    /// What objects say, as git stores it.
    fn texts(&self, ids: &[ObjectId]) -> Result<Vec<(ObjectId, Vec<u8>)>, GitError> {
        let asked: String = ids.iter().map(|id| format!("{id}\n")).collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let finished = self.git().tell_at(&self.place, &["cat-file", "--batch"], asked)?;
        if finished.stdout.dropped_bytes() > 0 {
            return Err(GitError::TooManyChanges { root: self.folder.clone() });
        }
        Ok(read_batch(&finished.stdout.bytes()))
    }

    /// Stores texts as objects; in their place comes back what they are called now.
    fn write_objects(
        &self,
        kind: Kind,
        texts: Vec<(ObjectId, Vec<u8>)>,
    ) -> Result<Vec<(ObjectId, ObjectId)>, GitError> {
        let failed = |source| GitError::Io { path: self.git_dir.clone(), source };
        let folder = tempfile::tempdir_in(&self.git_dir).map_err(failed)?;
        let mut paths = String::new();
        for (number, (_, text)) in texts.iter().enumerate() {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, text).map_err(failed)?;
            paths.push_str(&format!("{}\n", path.display()));
        }
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let kind = match kind {
            Kind::Blob => "blob",
            Kind::Commit => "commit",
        };
        let arguments = ["hash-object", "-w", "-t", kind, "--no-filters", "--stdin-paths"];
        let finished = self.git().tell_at(&self.place, &arguments, paths)?;
        let said = finished.stdout.text();
        let made: Vec<ObjectId> = said.lines().filter_map(ObjectId::parse).collect();
        if made.len() != texts.len() {
            let said = said.lines().next().unwrap_or_default().to_string();
            return Err(GitError::NotUnderstood { asked: "hash-object".into(), said });
        }
        Ok(texts.into_iter().map(|(id, _)| id).zip(made).collect())
    }

    /// What an earlier attempt left goes: refs of one worktree are files, and a git that was killed leaves locks beside them.
    fn replace(&self, replaced: &[(ObjectId, ObjectId)]) -> Result<(), GitError> {
        let before = self.git_dir.join(REFS.trim_end_matches('/'));
        match std::fs::remove_dir_all(&before) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(GitError::Io { path: before, source });
            }
            Ok(()) | Err(_) => {}
        }
        let updates = replaced.iter().map(|(id, shown)| (format!("{REFS}{id}"), shown));
        let updates: BTreeMap<String, &ObjectId> = updates.collect();
        let input: String =
            updates.iter().map(|(name, shown)| format!("update {name} {shown}\n")).collect();
        let arguments = ["update-ref", "--no-deref", "--stdin"];
        self.git().tell_at(&self.place, &arguments, input)?;
        Ok(())
    }

    /// In the agent's index only, of which ours knows nothing.
    fn show_as_unchanged<'a>(
        &self,
        paths: impl Iterator<Item = &'a PathBuf>,
    ) -> Result<(), GitError> {
        let listed = null_terminated(paths.map(PathBuf::as_path));
        if listed.is_empty() {
            return Ok(());
        }
        let agents = self.place.with_index(&self.git_dir.join("index"));
        let arguments = ["update-index", "--assume-unchanged", "-z", "--stdin"];
        self.git().tell_at(&agents, &arguments, listed)?;
        Ok(())
    }
}

/// `id kind bytes`, the object, and a line break; of an object that is not there only a line that says so.
fn read_batch(mut bytes: &[u8]) -> Vec<(ObjectId, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        bytes = &bytes[end + 1..];
        let mut words = head.split(' ');
        let id = words.next().and_then(ObjectId::parse);
        let length = words.nth(1).and_then(|bytes| bytes.parse::<usize>().ok());
        let (Some(id), Some(length)) = (id, length) else { continue };
        let Some(object) = bytes.get(..length) else { break };
        found.push((id, object.to_vec()));
        bytes = bytes.get(length + 1..).unwrap_or_default();
    }
    found
}

/// A commit with the first paragraph of its message; None where it has no more.
fn only_subject(commit: &str) -> Option<String> {
    let (head, message) = commit.split_once("\n\n")?;
    // A signature is one of the whole.
    let head = head.split("\ngpgsig").next().unwrap_or(head);
    let message = message.trim_start_matches('\n');
    let (subject, _) = message.split_once("\n\n").filter(|(_, rest)| !rest.trim().is_empty())?;
    Some(format!("{head}\n\n{subject}\n"))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, write};
    use super::*;

    /// A slot on the second of two commits, with a secret in each and in both messages.
    fn secretive() -> (Fixture, Slot) {
        let fixture = Fixture::new();
        write(&fixture.root(), "ROADMAP.md", "one\nSECRET first\n");
        write(&fixture.root(), "phases/1/REPORT.md", "CONCLUSION\n");
        write(&fixture.root(), "phases/1/PLAN.md", "the plan\n");
        fixture.plain("git add -A && git commit --quiet -m 'second' -m 'CLAIM of the user'");
        write(&fixture.root(), "ROADMAP.md", "one\nSECRET second\ntwo\n");
        fixture.plain("git commit --quiet -am 'third\nin two lines' -m 'CLAIM' -m 'Key: CLAIM'");
        let slot = fixture.begun();
        (fixture, slot)
    }

    fn rewrite(text: &str) -> Option<String> {
        let lines = text.split_inclusive('\n').filter(|line| !line.contains("SECRET"));
        text.contains("SECRET").then(|| lines.collect())
    }

    const LOOKS: &str = "git show HEAD:ROADMAP.md; git log -p --all; git log --format=%B; git diff; \
        git diff HEAD; git diff HEAD~1; git grep -h . -- ROADMAP.md phases; git grep -h . HEAD~1; \
        git cat-file -p HEAD; git status --short; git stash list; git show HEAD:phases/1/REPORT.md; cat ROADMAP.md";

    #[test]
    fn an_agents_git_shows_neither_the_secret_nor_the_claim_and_everybody_elses_does() {
        let (fixture, slot) = secretive();
        let first = fixture.id("HEAD~2");
        let unseen = Unseen {
            rewritten: &["ROADMAP.md".to_string(), "untracked.md".to_string()],
            rewrite: &rewrite,
            folder: Some("phases"),
            is_left_out: &|path| path.ends_with("REPORT.md"),
            subjects_since: Some(&first),
        };
        let text = std::fs::read_to_string(slot.folder().join("ROADMAP.md")).unwrap();
        write(slot.folder(), "ROADMAP.md", rewrite(&text).unwrap());
        let veil = slot.veil(&unseen).unwrap();
        assert_eq!(veil.left_out, [PathBuf::from("phases/1/REPORT.md")]);
        assert!(!slot.folder().join("phases/1/REPORT.md").exists());
        let set: String = veil.variables.iter().map(|(name, to)| format!("{name}={to} ")).collect();
        let seen = fixture.plain_in(slot.folder(), &format!("export {set}; {LOOKS}"));
        for word in ["SECRET", "CLAIM", "CONCLUSION", "REPORT.md"] {
            let lines: Vec<&str> = seen.lines().filter(|line| line.contains(word)).collect();
            let is_name = |line: &&str| word == "REPORT.md" && line.contains("phases/1/REPORT.md");
            assert!(lines.iter().all(is_name), "{word}: {lines:?}");
        }
        for word in ["third", "in two lines", "second", "the plan", LEFT_OUT.trim_end()] {
            assert!(seen.contains(word), "{word}: {seen}");
        }
        let status = format!("export {set}; git status --short");
        assert_eq!(fixture.plain_in(slot.folder(), &status), "", "what was changed is our doing");
        let plain = fixture.plain_in(slot.folder(), LOOKS.split("; git diff;").next().unwrap());
        assert!(plain.contains("SECRET") && plain.contains("CLAIM"), "the look must find it");
        let user = fixture.plain("git log -p --all; git for-each-ref");
        assert!(user.contains("CLAIM") && !user.contains("refs/worktree"), "{user}");
    }

    #[test]
    fn a_veil_takes_the_place_of_the_one_before_and_of_what_a_killed_git_left() {
        let (fixture, slot) = secretive();
        let first = fixture.id("HEAD~2");
        let none = Unseen {
            rewritten: &[],
            rewrite: &rewrite,
            folder: None,
            is_left_out: &|_| false,
            subjects_since: None,
        };
        assert_eq!(slot.veil(&none).unwrap(), Veil::default());
        let blind = Unseen { subjects_since: Some(&first), ..none };
        slot.veil(&blind).unwrap();
        let refs = slot.git_dir.join("refs/worktree/autopilot");
        let names = || crate::files::names_in(&refs).unwrap();
        let before = names();
        assert_eq!(before.len(), 2);
        write(&refs, &format!("{}.lock", before[0]), "");
        slot.veil(&blind).unwrap();
        assert_eq!(names(), before);
        // What was hung up is no work, and no commit of ours has it.
        slot.reset(&fixture.branch(), &fixture.head(), "again").unwrap();
        assert_eq!(fixture.plain_in(slot.folder(), "git status --short"), "");
    }

    #[test]
    fn of_a_message_the_first_paragraph_is_left() {
        let check = |message: &str, expected: Option<&str>| {
            let head = "tree 1\nparent 2\nauthor A\ncommitter B";
            let commit = only_subject(&format!("{head}\n\n{message}"));
            assert_eq!(commit, expected.map(|it| format!("{head}\n\n{it}")), "{message:?}");
        };
        check("subject\n", None);
        check("subject\n\n", None);
        check("subject\nmore\n", None);
        check("subject\n\nbody\n\nKey: 1\n", Some("subject\n"));
        check("\nsubject\nmore\n\nbody", Some("subject\nmore\n"));
        let signed = "tree 1\ngpgsig -----\n x\n\nsubject\n\nbody\n";
        assert_eq!(only_subject(signed).as_deref(), Some("tree 1\n\nsubject\n"));
    }
}
