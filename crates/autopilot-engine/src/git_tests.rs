//! Real git in temporary repositories, some of them full of traps.

use super::*;
use crate::fake_programs::{FakeMachine, TEST_TIME_MAX, write_executable};

/// A machine whose user has an identity, and a project that is a fresh repository.
struct Fixture {
    fake: FakeMachine,
    git: Git,
}

impl Fixture {
    fn new() -> Self {
        let fake = FakeMachine::new();
        let settings = "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n";
        std::fs::write(fake.home().join(".gitconfig"), settings).unwrap();
        let git = Git::find(&fake.machine()).unwrap();
        let fixture = Fixture { fake, git };
        fixture.plain("init --quiet --initial-branch=trunk");
        fixture
    }

    fn root(&self) -> PathBuf {
        self.fake.project()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Git as the user runs it, with nothing switched off.
    fn plain(&self, arguments: &str) -> String {
        let environment = Environment::listed(&self.fake.machine());
        let line = format!("git {arguments}");
        let order = Order::shell(&line, self.root(), environment, TEST_TIME_MAX);
        let finished = process::run(order).unwrap();
        assert!(finished.succeeded(), "{line}: {}", finished.stderr.text());
        finished.stdout.text()
    }

    fn first_commit(&self) {
        self.write("first.txt", "1\n");
        self.plain("add -A");
        self.plain("commit --quiet -m first");
    }

    fn commit(&self, paths: &[&str]) -> Result<Committed, GitError> {
        let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        self.git.commit_paths(&self.root(), &paths, "planning: set up\n\nWith a body.\n")
    }

    /// Programs that leave a mark when git is tricked into running them, in every place that was found to work.
    fn plant_traps(&self) -> PathBuf {
        let mark = self.root().join(".git/mark");
        let trap =
            self.fake.script("trap", &format!("echo \"$0 $*\" >> '{}'; cat", mark.display()));
        let trap = trap.display();
        let git_folder = self.root().join(".git");
        let hooks = git_folder.join("hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        for hook in [
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "post-index-change",
            "reference-transaction",
            "post-checkout",
        ] {
            write_executable(
                &hooks.join(hook),
                &format!("#!/bin/sh\necho {hook} >> '{}'\n", mark.display()),
            );
        }
        let settings = format!(
            "[core]\n\tfsmonitor = {trap}\n\teditor = {trap}\n\tpager = {trap}\n\tsshCommand = {trap}\n\
             [diff]\n\texternal = {trap}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {trap}\n\
             [filter \"a=b.c\"]\n\tclean = {trap}\n\tsmudge = {trap}\n\trequired = true\n\
             [filter \"p\"]\n\tprocess = {trap}\n\
             [hook \"h\"]\n\tevent = pre-commit\n\tcommand = {trap}\n"
        );
        let config = git_folder.join("config");
        let old = std::fs::read_to_string(&config).unwrap();
        std::fs::write(&config, old + &settings).unwrap();
        self.write(".gitattributes", "*.txt filter=a=b.c\n*.md filter=p\n");
        mark
    }
}

#[test]
fn the_version_is_read_from_every_spelling() {
    let check = |said: &str, expected: Option<(u32, u32)>| {
        let version = read_version(said);
        assert_eq!(version.map(|version| (version.major, version.minor)), expected, "{said}");
    };
    check("git version 2.47.3", Some((2, 47)));
    check("git version 2.39.5 (Apple Git-154)", Some((2, 39)));
    check("git version 2.45.1.windows.1", Some((2, 45)));
    check("git version 3.0-rc1", Some((3, 0)));
    check("git version next", None);
    check("hub 1.2", None);
    assert!(Fixture::new().git.version().unwrap().major >= 2);
}

#[test]
fn a_repository_is_told_from_what_is_none_yet() {
    let fixture = Fixture::new();
    let state = |root: &Path| fixture.git.repository(root).unwrap();
    assert_eq!(state(&fixture.fake.home()), Repository::NotARepository);
    assert_eq!(state(&fixture.root()), Repository::NoCommit);
    fixture.first_commit();
    let ready = |branch: Option<&str>, dirty| Repository::Ready {
        branch: branch.map(str::to_owned),
        dirty,
    };
    assert_eq!(state(&fixture.root()), ready(Some("trunk"), 0));
    fixture.write("first.txt", "2\n");
    fixture.write("new folder/a", "");
    fixture.write("new folder/b", "");
    fixture.write("line\nbreak", "");
    assert_eq!(state(&fixture.root()), ready(Some("trunk"), 3));
    assert_eq!(state(&fixture.root().join("new folder")), ready(Some("trunk"), 3));
    fixture.plain("checkout --quiet --detach");
    assert_eq!(state(&fixture.root()), ready(None, 3));
    let bare = fixture.fake.home().join("bare.git");
    fixture.plain(&format!("init --quiet --bare '{}'", bare.display()));
    assert_eq!(state(&bare), Repository::Bare);
    assert_eq!(state(&fixture.root().join(".git")), Repository::Bare);
}

#[test]
fn no_program_of_the_repository_runs_through_us() {
    let fixture = Fixture::new();
    fixture.first_commit();
    fixture.write("notes.md", "old\n");
    fixture.plain("add -A");
    fixture.plain("commit --quiet -m second");
    let mark = fixture.plant_traps();
    fixture.write("first.txt", "changed\n");
    fixture.write("notes.md", "new\n");
    let dirty = Repository::Ready { branch: Some("trunk".into()), dirty: 3 };
    assert_eq!(fixture.git.repository(&fixture.root()).unwrap(), dirty);
    fixture.git.identity(&fixture.root()).unwrap();
    fixture.git.throw_away_commit(&fixture.root()).unwrap();
    assert!(matches!(fixture.commit(&["first.txt", "notes.md"]), Ok(Committed::As { .. })));
    assert!(!mark.exists(), "ran: {}", std::fs::read_to_string(&mark).unwrap());
    // The traps are real: the same command run plainly steps into them.
    fixture.write("first.txt", "again\n");
    fixture.plain("status --short");
    assert!(mark.exists());
}

#[test]
fn a_repository_inside_the_repository_runs_nothing_either() {
    let fixture = Fixture::new();
    fixture.first_commit();
    let mark = fixture.root().join(".git/mark");
    let trap = fixture.fake.script("trap", &format!("echo ran >> '{}'", mark.display()));
    fixture.plain("init --quiet inner");
    fixture.write("inner/a.txt", "1\n");
    fixture.plain("-C inner add -A");
    fixture.plain("-C inner commit --quiet -m inner");
    fixture.plain("-c advice.addEmbeddedRepo=false add inner");
    fixture.plain(&format!("-C inner config core.fsmonitor '{}'", trap.display()));
    fixture.git.repository(&fixture.root()).unwrap();
    fixture.write("first.txt", "2\n");
    assert!(matches!(fixture.commit(&["first.txt"]), Ok(Committed::As { .. })));
    assert!(!mark.exists());
    fixture.plain("status --short");
    assert!(mark.exists(), "the trap is not one");
}

#[test]
fn the_identity_is_the_one_of_the_project() {
    let fixture = Fixture::new();
    let identity = |folder: &Path| fixture.git.identity(folder).unwrap().to_string();
    assert_eq!(identity(&fixture.root()), "Ada Lovelace <ada@example.com>");
    fixture.plain("config user.email ada@work.example");
    assert_eq!(identity(&fixture.root()), "Ada Lovelace <ada@work.example>");
    assert_eq!(identity(&fixture.fake.home()), "Ada Lovelace <ada@example.com>");
}

#[test]
fn without_an_identity_the_trial_commit_says_how_to_set_one() {
    let fake = FakeMachine::new();
    let mut variables = fake.machine().variables().clone();
    variables.insert("GIT_CONFIG_GLOBAL".into(), "/dev/null".into());
    let git = Git::find(&Machine::with_variables(variables)).unwrap();
    let error = git.throw_away_commit(&fake.project()).unwrap_err();
    assert_eq!(error.to_string(), "git has no name and email for you");
    assert_eq!(
        error.fix().unwrap(),
        "git config --global user.name 'Your Name' && git config --global user.email you@example.com"
    );
}

#[test]
fn the_trial_commit_names_the_step_that_failed() {
    let fixture = Fixture::new();
    let real = fixture.git.program.display();
    let body = format!(
        "case \" $* \" in *' commit '*) echo 'fatal: disk on fire' >&2; exit 128;; esac; exec {real} \"$@\""
    );
    fixture.fake.script("git", &body);
    let git = Git::find(&fixture.fake.machine()).unwrap();
    let error = git.throw_away_commit(&fixture.root()).unwrap_err();
    assert_eq!(error.to_string(), "git commit failed: fatal: disk on fire");
}

#[test]
fn a_repository_of_somebody_else_is_named_with_the_fix() {
    let fixture = Fixture::new();
    let body = "echo \"fatal: detected dubious ownership in repository at '/their/project'\nTo add an \
                exception for this directory, call:\n\" >&2; exit 128";
    fixture.fake.script("git", body);
    let git = Git::find(&fixture.fake.machine()).unwrap();
    for error in
        [git.repository(&fixture.root()).unwrap_err(), git.identity(&fixture.root()).unwrap_err()]
    {
        assert_eq!(
            error.to_string(),
            "git does not trust /their/project: it belongs to another user"
        );
        let fix = error.fix().unwrap();
        assert_eq!(fix, "git config --global --add safe.directory '/their/project'");
    }
}

#[test]
fn exactly_the_given_files_are_committed() {
    let fixture = Fixture::new();
    fixture.first_commit();
    fixture.write("staged.txt", "staged\n");
    fixture.plain("add staged.txt");
    fixture.write("first.txt", "dirty\n");
    fixture.write(".planning/ROADMAP.md", "# Roadmap\n");
    fixture.write(".planning/-odd *name", "odd\n");
    let Committed::As { short_id } =
        fixture.commit(&[".planning/ROADMAP.md", ".planning/-odd *name"]).unwrap()
    else {
        panic!("nothing was committed")
    };
    assert_eq!(fixture.plain("rev-parse --short HEAD").trim(), short_id);
    assert_eq!(
        fixture.plain("show --name-only --format='%an %s|%b|' HEAD"),
        "Ada Lovelace planning: set up|With a body.\n|\n\n.planning/-odd *name\n.planning/ROADMAP.md\n"
    );
    assert_eq!(fixture.plain("status --short"), " M first.txt\nA  staged.txt\n");
    let again = fixture.commit(&[".planning/ROADMAP.md"]).unwrap();
    assert_eq!(again, Committed::NothingChanged);
}

#[test]
fn the_first_commit_of_a_repository_can_be_ours() {
    let fixture = Fixture::new();
    fixture.write("ours.md", "1\n");
    fixture.write("theirs.md", "1\n");
    fixture.plain("add theirs.md");
    assert!(matches!(fixture.commit(&["ours.md"]), Ok(Committed::As { .. })));
    assert_eq!(fixture.plain("ls-tree --name-only HEAD"), "ours.md\n");
    assert_eq!(fixture.plain("status --short"), "A  theirs.md\n");
}

#[test]
fn what_cannot_be_committed_is_refused_before_anything_moves() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "hidden.md\n");
    fixture.first_commit();
    let head = fixture.plain("rev-parse HEAD");
    let check = |paths: &[&str], expected: &str| {
        let error = fixture.commit(paths).unwrap_err().to_string();
        assert!(error.contains(expected), "{paths:?}: {error}");
        assert_eq!(fixture.plain("rev-parse HEAD"), head);
        assert_eq!(fixture.plain("status --short"), "");
    };
    fixture.write("hidden.md", "x\n");
    check(&["hidden.md"], "git add failed");
    check(&["missing.md"], "'missing.md' did not match any files");
    check(&[".git"], ".git is a folder, and only files are committed");
    fixture.write(".git/index.lock", "");
    fixture.write("first.txt", "2\n");
    assert!(fixture.commit(&["first.txt"]).unwrap_err().to_string().contains("git add failed"));
    std::fs::remove_file(fixture.root().join(".git/index.lock")).unwrap();
    fixture.write(".git/MERGE_HEAD", &head);
    let error = fixture.commit(&["first.txt"]).unwrap_err();
    assert_eq!(error.to_string(), "a merge is under way");
}

#[test]
fn a_new_repository_has_everything_whatever_the_user_has_set() {
    let fake = FakeMachine::new();
    let (home, root) = (fake.home(), fake.project());
    std::fs::write(home.join("ignore"), "*\n").unwrap();
    let settings = format!(
        "[core]\n\texcludesFile = {}\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n",
        home.join("ignore").display()
    );
    std::fs::write(home.join(".gitconfig"), settings).unwrap();
    std::fs::create_dir_all(root.join("folder")).unwrap();
    std::fs::write(root.join("folder/script.sh"), "exit\n").unwrap();
    let git = Git::find(&fake.machine()).unwrap();
    let own = [("user.name", "Demo"), ("user.email", "d@example.org"), ("core.excludesFile", "")];
    git.found_repository(&root, &own, "first").unwrap();
    let branch = Some("main".to_string());
    assert_eq!(git.repository(&root).unwrap(), Repository::Ready { branch, dirty: 0 });
    assert_eq!(git.identity(&root).unwrap().to_string(), "Demo <d@example.org>");
    let listed = git.ask(&root, &["ls-tree", "-r", "--name-only", "HEAD"]).unwrap();
    assert_eq!(listed.stdout.text().trim(), "folder/script.sh");
    assert!(git.found_repository(&root, &own, "again").is_err(), "a repository is founded once");
}
