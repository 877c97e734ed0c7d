//! The lines of docs/journal.md that ask a journal with jq, run exactly as they stand there on a real run.

use std::collections::BTreeMap;
use std::path::Path;

use autopilot_testkit::book::{self, Kind};
use autopilot_testkit::built_command::{BuiltCommand, Ended};

use super::PROGRAM;
use super::project::Project;

/// The commands of the page by the remark above each.
fn one_liners() -> BTreeMap<String, String> {
    let blocks = book::blocks("journal.md").unwrap();
    let mut blocks = blocks.into_iter().filter(|block| block.kind == Kind::Commands);
    let block = blocks.next().unwrap().text;
    assert!(blocks.next().is_none(), "nobody types what else docs/journal.md has");
    let commands = block.split("\n\n").map(|one| one.trim().strip_prefix("# ").unwrap());
    commands.map(|one| one.split_once('\n').unwrap()).map(|(a, b)| (a.into(), b.into())).collect()
}

/// A shell in the project in which `autopilot` is the built program.
fn asked(project: &Project, line: &str) -> Ended {
    let programs = project.around().join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let link = programs.join("autopilot");
    if !link.exists() {
        std::os::unix::fs::symlink(PROGRAM, link).unwrap();
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let around = project.around().to_str().unwrap();
    BuiltCommand::new("sh", project.root())
        .variable("PATH", &path)
        .variable("HOME", around)
        .variable("XDG_STATE_HOME", &format!("{around}/state"))
        .run(&["-c", line])
        .unwrap()
}

fn check(project: &Project, lines: &mut BTreeMap<String, String>, what: &str, expected: &str) {
    let line = lines.remove(what).unwrap_or_else(|| panic!("docs/journal.md has no `# {what}`"));
    let ended = asked(project, &line);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{line}");
    assert_eq!(ended.stdout, expected, "{line}");
}

/// The README has some of the same lines, so that they are tried too.
fn assert_shown_in_the_readme(lines: &BTreeMap<String, String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let page = std::fs::read_to_string(path).unwrap();
    let shown: Vec<&str> = page.lines().filter(|line| line.contains("| jq ")).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    let is_tried = |line: &&str| lines.values().any(|tried| tried == line);
    assert!(shown.iter().all(is_tried), "{shown:?}");
}

#[test]
fn every_line_about_jq_answers_what_it_says() {
    let project = Project::sample();
    let version = asked(&project, "jq --version");
    assert_eq!(version.code, 0, "this test needs jq: apt-get install jq, or https://jqlang.org");
    let mut lines = one_liners();
    assert_shown_in_the_readme(&lines);
    let lines = &mut lines;
    let scores = "phase 1: 9.5\nphase 2: 9.3\nphase 3: 9.4\nphase 4: 9.2\nphase 5: 9.1\n";
    check(&project, lines, "the scores, phase by phase, as they are reached", scores);
    let failed = "task_retried 4-01-1: red afterwards: test, task check 1\n\
                  task_retried 5-01-2: red afterwards: task check 1\n\
                  task_failed 5-01-2: red afterwards: task check 1\n";
    check(&project, lines, "what failed or had to be done again, and why", failed);
    let verdicts = "phase 1: pass\nphase 2: debug\nphase 2: pass\nphase 3: remediate\nphase 3: pass\n\
                    phase 4: pass\nphase 5: debug\nphase 5: pass\n";
    check(&project, lines, "how the gate decided", verdicts);
    let tokens = "phase 1: 880 tokens\nphase 2: 550 tokens\nphase 3: 660 tokens\n\
                  phase 4: 550 tokens\nphase 5: 550 tokens\n";
    check(&project, lines, "tokens a phase", tokens);
    let by_model = lines.remove("tokens a step and model; the report has a table").unwrap();
    let by_model = asked(&project, &by_model).stdout;
    assert!(by_model.contains("review by scripted: 550 tokens\n"), "{by_model}");
    let red = lines.remove("every check that was not green, with the command").unwrap();
    let red = asked(&project, &red).stdout;
    assert!(red.lines().any(|line| line == "test: sh test.sh"), "{red}");
    assert!(red.contains(": grep -q base lib/1\n"), "{red}");
    let times = lines.remove("time a step took its agents").unwrap();
    let times = asked(&project, &times).stdout;
    let steps: Vec<(&str, &str)> = times
        .lines()
        .filter_map(|line| Some((line.split_once(':')?.0, line.rsplit_once(", ")?.1)))
        .collect();
    let expected = [
        ("debug", "2 times"),
        ("execute", "9 times"),
        ("judge", "1 times"),
        ("judge_divergence", "1 times"),
        ("plan", "4 times"),
        ("plan_check", "1 times"),
        ("rate", "1 times"),
        ("research", "4 times"),
        ("review", "5 times"),
        ("verify", "1 times"),
    ];
    assert_eq!(steps, expected, "{times}");
    assert!(lines.is_empty(), "nobody looks at the answers of: {lines:?}");
}
