//! The fence in a whole run: an agent and a check that try to write what is not theirs, as root and as an ordinary user; and what
//! is told of a run without one.

use std::fs;
use std::path::{Path, PathBuf};

use autopilot_testkit::built_command::{BuiltCommand, Ended};
use autopilot_testkit::temporary_project::TemporaryProject;
use serde_json::json;

use super::fault_points::small;
use super::ground::{ATTACK, assert_holds};
use super::outcome::records;
use super::project::Project;
use super::script::{executed, plan_text, reviewed};
use super::{KILLED, PROGRAM};

const NOBODY: u32 = 65_534;

const ROADMAP: &str = "# Roadmap: Way

### Phase 1: Base
**Goal**: There is a base
**Depends on**: Nothing
**Success Criteria**:
  1. The base is there -- verified by: `grep -q base lib/1`
";

/// The attack from where it stands, and what git must and must not be able to do. What it leaves in the slot is no work.
const TRY: &str = r#"mkdir -p "$XDG_CACHE_HOME"
OWN=$PWD TEMP=$TMPDIR CACHE=$XDG_CACHE_HOME STATE=$XDG_CACHE_HOME KEPT=$HOME/kept sh "$HOME/attack.sh" > "$XDG_CACHE_HOME/$1"
{
  for line in "git status --short" "git diff" "git log -1"; do
    if $line > /dev/null 2> "$TMPDIR/why"; then echo "works $line"; else echo "broken $line: $(cat "$TMPDIR/why")"; fi
  done
  for line in "git add test.sh mine" "git commit -q --allow-empty -m mine" "git config a.b c" "git branch mine"; do
    if $line 2> "$TMPDIR/why"; then echo "open $line"; else echo "refused $line: $(tr '\n' ' ' < "$TMPDIR/why" | grep -o 'Permission denied')"; fi
  done
} >> "$XDG_CACHE_HOME/$1"
rm -rf mine new gone link hard taken did why a c soft out moved device
"#;

const AGENT: &str = r#"cat > /dev/null
if [ "$REQUEST_STEP" = execute ]; then sh "$HOME/try.sh" agent; echo base > lib/1
  for tree in proof-1 proof-cache; do touch ../$tree/mine && echo "open $tree" >> "$XDG_CACHE_HOME/agent"; done
fi
cat "$HOME/reply-$REQUEST_STEP"
"#;

/// A project whose agent and whose test are attackers.
fn attacked() -> Project {
    let project = TemporaryProject::named("way").unwrap();
    let around = project.around().to_path_buf();
    let put = |name: &str, text: &str| fs::write(around.join(name), text).unwrap();
    put("attack.sh", ATTACK);
    put("try.sh", TRY);
    put("agent.sh", AGENT);
    put(".bashrc", "home");
    fs::create_dir_all(around.join("proof/lib")).unwrap();
    put("proof/lib/1", "proof");
    fs::create_dir(around.join("empty")).unwrap();
    for (step, reply) in [("execute", executed("1-01-1")), ("review", reviewed(9.5, None))] {
        put(&format!("reply-{step}"), &reply["reply"]["json"].to_string());
    }
    let test = "sh \"$HOME/try.sh\" check";
    let config = json!({
        "project": {"commands": {"compile": null, "test": test, "lint": null, "build": null}},
        "autopilot": {"agent": "command", "agent_command": ["sh", around.join("agent.sh")],
                      "min_phase_time": 0, "min_verify_time": 0}
    });
    let plan = plan_text(1, "01-base", &[("Lay the base", "test -s lib/1", "")]);
    let project = project
        .file(".planning/ROADMAP.md", ROADMAP)
        .and_then(|it| it.file(".planning/config.json", config.to_string()))
        .and_then(|it| it.file(".planning/phases/01-base/01-01-PLAN.md", plan))
        .and_then(|it| it.file("README", "The repository.\n"))
        .and_then(|it| it.file("test.sh", "true\n"))
        .and_then(|it| it.file("lib/README", "The parts.\n"))
        .unwrap();
    let project = Project::committed(project, "{}");
    let kept = around.join("kept");
    fs::create_dir(&kept).unwrap();
    let slots = project.slot(2);
    fs::create_dir_all(&slots).unwrap();
    fs::write(slots.join("README"), "sibling").unwrap();
    let link = |name: &str, to: &Path| std::os::unix::fs::symlink(to, kept.join(name)).unwrap();
    link("repository", project.root());
    link("home", &around);
    link("proof", &around.join("proof"));
    link("slots", slots.parent().unwrap());
    project
}

fn run_as(project: &Project, user: Option<u32>) -> Ended {
    let command = match user {
        None => project.command(),
        Some(user) => {
            let program = project.around().join("autopilot");
            let line = format!(
                "cp -l '{PROGRAM}' '{0}' || cp '{PROGRAM}' '{0}'; find . -path ./autopilot -o -exec chown -h {user}:{user} {{}} +",
                program.display()
            );
            let made = BuiltCommand::new("sh", project.around()).run(&["-c", &line]).unwrap();
            assert_eq!(made.code, 0, "{made:?}");
            project.command_of(program.to_str().unwrap()).user(user)
        }
    };
    let ended = command.run(&["run", "1"]).unwrap();
    let back = format!("chown -hR {} .", rustix::process::geteuid().as_raw());
    if user.is_some() {
        assert_eq!(BuiltCommand::new("sh", project.around()).run(&["-c", &back]).unwrap().code, 0);
    }
    ended
}

#[test]
fn neither_an_agent_nor_a_check_can_write_what_is_not_its_own() {
    let is_root = rustix::process::geteuid().is_root();
    let users = if is_root { vec![None, Some(NOBODY)] } else { vec![None] };
    for user in users {
        let project = attacked();
        let before = project.git(&["for-each-ref"]);
        let config = fs::read(project.root().join(".git/config")).unwrap();
        let ended = run_as(&project, user);
        assert_eq!(ended.code, 0, "{user:?}: {ended:?}");
        for (who, cache) in [("agent", project.cache()), ("check", project.proof_cache())] {
            let said = fs::read_to_string(cache.join("xdg").join(who)).unwrap();
            assert_eq!(assert_holds(&said), (73, 12), "{who}: {said}");
        }
        assert!(!ended.stdout.contains("unfenced"), "{ended:?}");
        let read = |path: PathBuf| fs::read_to_string(path).unwrap();
        assert_eq!(read(project.around().join(".bashrc")), "home");
        assert_eq!(read(project.around().join("proof/lib/1")), "proof");
        assert_eq!(read(project.slot(2).join("README")), "sibling");
        assert_eq!(fs::read(project.root().join(".git/config")).unwrap(), config);
        let after = project.git(&["for-each-ref"]);
        assert!(before.lines().all(|line| after.contains(line)), "{after}");
        assert!(!after.contains("mine"), "{after}");
        let left = fs::read_dir(project.slot(1).parent().unwrap()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        let kept = [
            "cache",
            "proof-1",
            "proof-1.index",
            "proof-cache",
            "slot-1",
            "slot-1.index",
            "slot-2",
        ];
        assert_eq!(left, kept, "nothing to throw away");
        let report = report(&project);
        assert!(report.contains("- agents and checks fenced in by "), "{report}");
    }
}

fn report(project: &Project) -> String {
    let entries = fs::read_dir(project.state()).unwrap().flatten().map(|entry| entry.path());
    let is_report =
        |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with("completion-2");
    fs::read_to_string(entries.into_iter().find(is_report).unwrap()).unwrap()
}

fn first_line(ended: &Ended) -> String {
    ended.stdout.split_whitespace().take(30).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_without_a_fence_says_so_first_and_in_its_report() {
    let base = small();
    let project = base.copy();
    // Where agents of these scripts count themselves; inside a fence it is there.
    fs::create_dir_all(project.cache()).unwrap();
    let ended = project.run(&["run", "--complete", "--no-fence"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    let why = "unfenced: switched off by --no-fence";
    assert!(first_line(&ended).contains(why), "{ended:?}");
    assert!(report(&project).contains(&format!("- agents and checks {why}\n")));
    let (_, events) = records(&project);
    let first = serde_json::to_value(&events[0].event).unwrap();
    let expected = json!({"by": "nothing", "why": "switched off by --no-fence"});
    assert_eq!(first["definition"]["fencing"], expected);
    let project = base.copy().unfenced();
    let ended = project.run(&["run", "--complete"]);
    assert!(
        first_line(&ended).contains("unfenced: switched off by the setting fence"),
        "{ended:?}"
    );
}

#[test]
fn a_run_that_is_taken_up_is_fenced_as_it_is_asked_then() {
    let base = small();
    let kill = |flags: &[&str]| {
        let project = base.copy();
        fs::create_dir_all(project.cache()).unwrap();
        let command = project.command().variable("AUTOPILOT_FAULT", "journal.sync.after:10:kill");
        let words: Vec<&str> = ["run", "--complete"].iter().chain(flags).copied().collect();
        assert_eq!(command.run(&words).unwrap().code, KILLED);
        project
    };
    let project = kill(&[]);
    let ended = project.run(&["resume", "--no-fence"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(first_line(&ended).contains("unfenced: switched off by --no-fence"), "{ended:?}");
    assert!(ended.stdout.contains("resumed: now unfenced"), "{ended:?}");
    assert!(report(&project).contains("unfenced: switched off by --no-fence"));
    let project = kill(&["--no-fence"]);
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!first_line(&ended).contains("unfenced"), "{ended:?}");
    assert!(report(&project).contains("partly unfenced: switched off by --no-fence; then fenced"));
}
