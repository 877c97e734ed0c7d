//! The fence around real children, of both kinds, as root and as an ordinary user.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use autopilot_engine::fence::{Fence, Kind};
use autopilot_engine::launcher::Launcher;
use autopilot_engine::machine::Machine;
use autopilot_engine::process::supervise::{self, Outcome, Supervision};
use autopilot_engine::process::{self, Ending};
use autopilot_testkit::built_command::{BuiltCommand, Ended};

use super::ground::{ATTACK, assert_holds};
use super::{PROGRAM, follow, shell};

const NOBODY: u32 = 65_534;

struct Ground {
    around: tempfile::TempDir,
    /// Of an ordinary user, where the test may change who it is.
    user: Option<u32>,
}

impl Ground {
    fn new(user: Option<u32>) -> Ground {
        let around = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = around.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for folder in ["own/slot-1", "own/temp", "own/cache", "own/state", "kept/home/empty"] {
            fs::create_dir_all(around.path().join(folder)).unwrap();
        }
        for file in [
            "repository/.git/config",
            "repository/.git/hooks/sample",
            "repository/.autopilot/journal/run.jsonl",
            "repository/.autopilot/inbox/0.json",
            "repository/README",
            "proof/lib/1",
            "home/.bashrc",
            "slots/slot-2/README",
            "slots/slot-1.index",
        ] {
            put(&format!("kept/{file}"), file);
        }
        put("attack.sh", ATTACK);
        let ground = Ground { around, user };
        if let Some(user) = user {
            let line = format!(
                "cp -l '{PROGRAM}' autopilot || cp '{PROGRAM}' autopilot; \
                 find . -path ./autopilot -o -exec chown {user}:{user} {{}} +"
            );
            let made = BuiltCommand::new("sh", ground.path()).run(&["-c", &line]).unwrap();
            assert_eq!(made.code, 0, "{made:?}");
        }
        ground
    }

    fn path(&self) -> &Path {
        self.around.path()
    }

    fn own(&self) -> Vec<PathBuf> {
        ["slot-1", "temp", "cache", "state"].map(|name| self.path().join("own").join(name)).into()
    }

    fn inside(&self, kind: &Kind, line: &str) -> Ended {
        let fence = kind.around(&self.own(), &[self.path().join("kept")]).unwrap().unwrap();
        self.inside_of(&fence, line)
    }

    /// A line of shell inside the fence, with a launcher that is started by the user himself.
    fn inside_of(&self, fence: &Fence, line: &str) -> Ended {
        let words: Vec<String> =
            fence.words().into_iter().map(|word| word.into_string().unwrap()).collect();
        let program = match self.user {
            Some(_) => self.path().join("autopilot").display().to_string(),
            None => PROGRAM.to_string(),
        };
        let start = format!("echo go | '{program}' launch-child $$ \"$@\"; exit $?");
        let mut arguments = vec!["-c", &start, "sh"];
        arguments.extend(words.iter().map(String::as_str));
        arguments.extend(["--", "sh", "-c", line]);
        let [own, temp, cache, state] = [0, 1, 2, 3].map(|at| self.own()[at].display().to_string());
        let mut command = BuiltCommand::new("sh", self.path())
            .variable("OWN", &own)
            .variable("TEMP", &temp)
            .variable("TMPDIR", &temp)
            .variable("CACHE", &cache)
            .variable("STATE", &state)
            .variable("KEPT", self.path().join("kept").to_str().unwrap());
        if let Some(user) = self.user {
            command = command.user(user);
        }
        command.run(&arguments).unwrap()
    }
}

/// All files below a folder with their bytes, links and folders with what they are.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let bytes = match (kind.is_dir(), kind.is_file()) {
                (true, _) => {
                    folders.push(path.clone());
                    b"folder".to_vec()
                }
                (_, true) => fs::read(&path).unwrap(),
                (_, false) => b"something else".to_vec(),
            };
            found.insert(path, bytes);
        }
    }
    found
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Root, where the test is root, and an ordinary user in any case.
fn users() -> Vec<Option<u32>> {
    if is_root() { vec![None, Some(NOBODY)] } else { vec![None] }
}

fn landlock() -> Kind {
    let kind = Kind::find(&Machine::of_this_process());
    assert!(
        matches!(kind, Kind::Landlock { .. }),
        "this test needs a kernel with Landlock (Linux 6.2 or newer with lsm=landlock,… at boot), and found {kind:?}"
    );
    kind
}

fn bubblewrap() -> Kind {
    let program = process::find_program("bwrap", Machine::of_this_process().path());
    let program = program.unwrap_or_else(|| {
        panic!(
            "this test needs bubblewrap: apt-get install bubblewrap, or the package of that name"
        )
    });
    Kind::Bubblewrap { program }
}

fn attacked(kind: &Kind) {
    for user in users() {
        let ground = Ground::new(user);
        let before = content(&ground.path().join("kept"));
        let ended = ground.inside(kind, "exec sh attack.sh");
        assert_eq!(assert_holds(&ended.stdout), (69, 9), "{ended:?}");
        assert_eq!(content(&ground.path().join("kept")), before, "{kind:?} {user:?}");
        let beside: Vec<_> = fs::read_dir(ground.path().join("own")).unwrap().collect();
        assert_eq!(beside.len(), ground.own().len(), "{beside:?}");
    }
}

#[test]
fn nothing_that_is_not_its_own_can_be_written_inside_landlock() {
    attacked(&landlock());
}

#[test]
fn nothing_that_is_not_its_own_can_be_written_inside_bubblewrap() {
    attacked(&bubblewrap());
}

/// Whatever shell it is tried with.
#[test]
fn doctor_finds_a_bubblewrap_that_works() {
    bubblewrap();
    let folder = tempfile::tempdir().unwrap();
    let ended = BuiltCommand::new(PROGRAM, folder.path()).run(&["doctor"]).unwrap();
    let line = ended.stdout.lines().find(|line| line.contains("bubblewrap"));
    let said = line.unwrap_or_default();
    assert!(said.starts_with("good") && said.contains("ran a program fenced in"), "{ended:?}");
}

/// The same attack without a fence: it must be able to fail.
#[test]
fn without_a_fence_the_attack_succeeds() {
    let ground = Ground::new(None);
    let own = ground.own();
    let variables = ["OWN", "TEMP", "CACHE", "STATE"].iter().zip(&own);
    let mut command = BuiltCommand::new("sh", ground.path());
    for (name, value) in variables {
        command = command.variable(name, value.to_str().unwrap());
    }
    let kept = ground.path().join("kept");
    let command = command.variable("KEPT", kept.to_str().unwrap()).variable("TMPDIR", "");
    // Not what would really hurt the machine.
    let harmless = ATTACK.replace("refused \"write the kernel's settings\"", "#");
    let ended = command.run(&["-c", &harmless]).unwrap();
    let open = ended.stdout.lines().filter(|line| line.starts_with("open ")).count();
    assert!(open > 40, "{}", ended.stdout);
}

#[test]
fn a_child_inside_ends_as_it_would_outside() {
    let ground = Ground::new(None);
    for kind in [landlock(), bubblewrap()] {
        let ended = ground.inside(&kind, "cat; echo heard; echo told >&2; exit 7");
        assert_eq!((ended.stdout.as_str(), ended.stderr.as_str()), ("heard\n", "told\n"));
        assert_eq!(ended.code, 7);
    }
}

#[test]
fn terminals_cannot_be_written_from_inside() {
    let ground = Ground::new(None);
    let line = "for tty in /dev/tty /dev/pts/ptmx /dev/ptmx /dev/tty0 /dev/console; do \
                [ ! -e $tty ] || sh -c 'exec 2>&1; exec 3> $0' $tty | grep -E 'denied|No such|only' || echo open $tty; done";
    let ended = ground.inside(&landlock(), line);
    assert!(!ended.stdout.contains("open"), "{ended:?}");
}

/// A folder that is gone by the time the fence is put up is no reason to go without it.
#[test]
fn nothing_starts_when_the_fence_cannot_be_put_up() {
    let ground = Ground::new(None);
    let fence = landlock().around(&ground.own(), &[]).unwrap().unwrap();
    fs::remove_dir(ground.path().join("own/state")).unwrap();
    let started = ground.path().join("own/slot-1/started");
    let line = format!("touch '{}'", started.display());
    let launcher = Launcher::at(PROGRAM).fenced(fence);
    let order = shell(&line, ground.path());
    let error = process::run(order.clone().through(launcher.clone())).unwrap_err().to_string();
    assert!(error.contains("there is no fence") && error.contains("own/state"), "{error}");
    let supervision = Supervision::of_agents(launcher.clone(), None);
    let (_, exit) = follow(&supervise::start(order, supervision, |_| Ok(())).unwrap());
    let Outcome::CannotStart { why } = exit.outcome else { panic!("{exit:?}") };
    assert!(why.contains("there is no fence"), "{why}");
    // Neither is a link in its place.
    std::os::unix::fs::symlink(ground.path(), ground.path().join("own/state")).unwrap();
    let error = process::run(shell(&line, ground.path()).through(launcher)).unwrap_err();
    assert!(error.to_string().contains("own/state is no folder"), "{error}");
    assert!(!started.exists());
}

/// A level the kernel has not: as when the launcher runs under another kernel than was asked about.
#[test]
fn words_that_ask_for_a_fence_this_kernel_cannot_put_up_start_nothing() {
    let ground = Ground::new(None);
    for word in ["--fence=landlock=0", "--fence=landlock=-1", "--fence=paper", "--fence", ""] {
        let started = ground.path().join("started");
        let line = format!(
            "echo go | '{PROGRAM}' launch-child $$ '{word}' -- touch '{}'",
            started.display()
        );
        let finished = process::run(shell(&line, ground.path())).unwrap();
        assert_eq!(finished.ending, Ending::Exited(127), "{word}: {}", finished.stderr.text());
        assert!(!started.exists(), "{word}");
    }
}

#[test]
fn a_file_may_be_an_agents_state_too_and_only_it() {
    let ground = Ground::new(None);
    let file = ground.path().join("kept/home/.agent.json");
    fs::write(&file, "{}").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    for kind in [landlock(), bubblewrap()] {
        let fence = kind.around(std::slice::from_ref(&file), &[]).unwrap().unwrap();
        let line = "echo written > kept/home/.agent.json; echo x > kept/home/.bashrc; :";
        let order = shell(line, ground.path()).through(Launcher::at(PROGRAM).fenced(fence));
        assert_eq!(process::run(order).unwrap().ending, Ending::Exited(0));
        assert_eq!(fs::read_to_string(&file).unwrap(), "written\n");
        let bashrc = fs::read_to_string(ground.path().join("kept/home/.bashrc")).unwrap();
        assert_eq!(bashrc, "home/.bashrc");
    }
}

/// Every way to what is hidden, and some that lead beside it. `own` can be read although it is made after the fence was.
const LOOK: &str = r#"cd "$OWN"
try() { if "$@" 2> "$TEMP/why" | grep -q MARK; then echo "open $*"; else echo "shut $*"; fi; }
work() { if "$@" > /dev/null 2> "$TEMP/why"; then echo "works $*"; else echo "broken $*: $(cat "$TEMP/why")"; fi; }
ln -s "$KEPT/repository/.autopilot" link; ln "$KEPT/secret" hard
mv "$KEPT/secret" "$OWN/moved"; cp -r "$KEPT/repository/.autopilot" copy
try cat "$KEPT/repository/.autopilot/journal/run.jsonl"; try cat link/journal/run.jsonl; try cat hard moved
try cat copy/journal/run.jsonl; try cat "$KEPT/secret"; try cat "/proc/self/root$KEPT/secret"; try cat "/proc/self/cwd/link/inbox/0.json"
try grep -rs MARK "$KEPT/repository" "$KEPT/secret"; try sh "$KEPT/secret"; try "$KEPT/secret"; try dd if="$KEPT/secret"
try unshare -rm sh -c "mount --bind '$KEPT/repository/.autopilot' '$OWN' && cat '$OWN/journal/run.jsonl'"
echo new > new; work cat new; work cat "$KEPT/repository/README" "$KEPT/repository/.git/config" "$KEPT/secret-not" /etc/passwd
work ls /; work cat /dev/null /proc/self/stat; mkdir deep; echo x > deep/y; work cat deep/y "$TEMP/why"
"#;

#[test]
fn what_is_hidden_cannot_be_read_and_all_that_lies_beside_it_can() {
    for kind in [landlock(), bubblewrap()] {
        for user in users() {
            let ground = Ground::new(user);
            let kept = ground.path().join("kept");
            for file in
                ["repository/.autopilot/journal/run.jsonl", "repository/.autopilot/inbox/0.json"]
            {
                fs::write(kept.join(file), "MARK").unwrap();
            }
            fs::write(kept.join("secret"), "#!/bin/sh\necho MARK\n").unwrap();
            fs::set_permissions(kept.join("secret"), fs::Permissions::from_mode(0o755)).unwrap();
            fs::write(kept.join("secret-not"), "beside").unwrap();
            fs::write(ground.path().join("look.sh"), LOOK).unwrap();
            let fence = kind.around(&ground.own(), std::slice::from_ref(&kept)).unwrap().unwrap();
            let hidden = [kept.join("repository/.autopilot"), kept.join("secret")];
            let hiding = fence.clone().hiding(&hidden).unwrap();
            let ended = ground.inside_of(&hiding, "exec sh look.sh");
            let count =
                |word: &str| ended.stdout.lines().filter(|line| line.starts_with(word)).count();
            assert_eq!((count("shut"), count("works")), (12, 5), "{kind:?} {user:?}: {ended:?}");
            assert_eq!(ended.stdout.lines().count(), 17, "{kind:?} {user:?}: {ended:?}");
            assert!(kept.join("secret").exists());
            let open = ground.inside_of(&fence, "exec sh look.sh").stdout;
            let open = open.lines().filter(|line| line.starts_with("open ")).count();
            assert!(open >= 8, "the look must be able to find it: {open}");
        }
    }
}
