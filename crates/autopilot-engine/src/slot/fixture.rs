//! A project with a commit, a user with an identity, and a slot: real git in temporary folders.

use std::path::{Path, PathBuf};

use super::{CommitOrder, Outcome, Slot, folder_of};
use crate::fake_programs::{FakeMachine, TEST_TIME_MAX};
use crate::git::{Branch, Checkout, Git, ObjectId, RunNames};
use crate::process::{self, Environment, Order};

pub(crate) const RUN: &str = "20260102-0304";

pub(crate) struct Fixture {
    pub(crate) fake: FakeMachine,
    pub(crate) git: Git,
    pub(crate) names: RunNames,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let fake = FakeMachine::new();
        let settings = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n";
        std::fs::write(fake.home().join(".gitconfig"), settings).unwrap();
        let git = Git::find(&fake.machine()).unwrap();
        let names = RunNames::of(RUN).unwrap();
        let fixture = Fixture { fake, git, names };
        fixture.plain("git init --quiet --initial-branch=trunk");
        write(&fixture.root(), ".gitignore", "target/\n*.log\n");
        write(&fixture.root(), "src/main.rs", "fn main() {}\n");
        write(&fixture.root(), "README.md", "one\ntwo\nthree\n");
        fixture.plain("git add -A && git commit --quiet -m first");
        fixture
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.fake.project().canonicalize().unwrap()
    }

    pub(crate) fn checkout(&self) -> Checkout {
        Checkout::find(&self.git, &self.root()).unwrap()
    }

    pub(crate) fn folder(&self) -> PathBuf {
        folder_of(&self.fake.machine(), &self.root(), 1).unwrap()
    }

    pub(crate) fn slot(&self) -> Slot {
        Slot::open(&self.checkout(), &self.names, &self.folder()).unwrap()
    }

    /// A slot that stands on the branch of phase 3 at the user's commit.
    pub(crate) fn begun(&self) -> Slot {
        let slot = self.slot();
        assert_eq!(slot.begin(&self.branch(), &self.head(), "begin").unwrap(), []);
        slot
    }

    pub(crate) fn branch(&self) -> Branch {
        self.names.phase_branch("3").unwrap()
    }

    pub(crate) fn head(&self) -> ObjectId {
        self.id("HEAD")
    }

    pub(crate) fn id(&self, name: &str) -> ObjectId {
        ObjectId::parse(self.plain(&format!("git rev-parse --verify '{name}'")).trim()).unwrap()
    }

    pub(crate) fn order(&self, key: &str) -> CommitOrder {
        CommitOrder {
            branch: self.branch(),
            base: self.head(),
            message: format!("feat: {key}\n\nWith a body.\n"),
            key: key.into(),
            trailers: vec![("Autopilot-Phase".into(), "3".into())],
            exclude: Vec::new(),
        }
    }

    pub(crate) fn made(&self, slot: &Slot, order: &CommitOrder) -> (ObjectId, Vec<PathBuf>) {
        match slot.commit(order).unwrap() {
            Outcome::Made { commit, files, .. } => (commit, files),
            other => panic!("{other:?}"),
        }
    }

    /// What a person or an agent types in the user's tree, with nothing switched off.
    pub(crate) fn plain(&self, line: &str) -> String {
        self.plain_in(&self.root(), line)
    }

    pub(crate) fn plain_in(&self, folder: &Path, line: &str) -> String {
        let (succeeded, text) = self.attempt_in(folder, line);
        assert!(succeeded, "{line}: {text}");
        text
    }

    /// The same where failing is fine.
    pub(crate) fn attempt_in(&self, folder: &Path, line: &str) -> (bool, String) {
        let environment = Environment::listed(&self.fake.machine());
        let order = Order::shell(line, folder, environment, TEST_TIME_MAX);
        let finished = process::run(order).unwrap();
        match finished.succeeded() {
            true => (true, finished.stdout.text()),
            false => (false, finished.stderr.text()),
        }
    }

    /// Everything of the user's that a run must not touch.
    pub(crate) fn of_the_user(&self) -> (Vec<u8>, String) {
        let index = std::fs::read(self.root().join(".git/index")).unwrap();
        let lines = [
            "git for-each-ref --format='%(refname) %(objectname)' | grep -v '/autopilot/'",
            "cat .git/HEAD .git/config",
            "GIT_OPTIONAL_LOCKS=0 git status --porcelain=v2 --branch --untracked-files=all",
            "find . -path ./.git -prune -o -print | sort",
            "find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort",
        ];
        (index, lines.iter().map(|line| self.plain(line)).collect())
    }

    /// All refs of the run and the tree of the slot's files, to compare what two performances leave behind.
    pub(crate) fn of_the_run(&self) -> String {
        let refs = "git for-each-ref --format='%(refname) %(objectname)' refs/heads/autopilot refs/autopilot";
        let files = "find . -path ./.git -prune -o -type f -exec sha256sum {} + | sort; \
                     git status --porcelain --branch; git symbolic-ref --quiet HEAD || true";
        self.plain(refs) + &self.plain_in(&self.folder(), files)
    }
}

pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}
