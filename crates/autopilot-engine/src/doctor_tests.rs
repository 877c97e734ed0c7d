//! The probes, over fake programs in a folder of their own; git and Landlock are the real ones.

use std::time::Duration;

use super::agent_probe::agents_within;
use super::browser_probe::browser_within;
use super::*;
use crate::agents::probe::Patience;
use crate::fake_programs::FakeMachine;

const PATIENT: Patience =
    Patience { version: Duration::from_secs(30), login: Duration::from_secs(30) };
const IMPATIENT: Patience =
    Patience { version: Duration::from_secs(5), login: Duration::from_secs(1) };

/// The report as one text: state, topic, detail, and below it what to do. A blocking line has a `!`.
fn report(checks: &[Check]) -> String {
    let mut text = String::new();
    for check in checks {
        let mark = if check.blocks_run { "!" } else { "" };
        text += &format!("{}{mark} {}: {}\n", check.word(), check.topic, check.detail);
        if let Some(fix) = &check.fix {
            text += &format!("  {fix}\n");
        }
    }
    text
}

fn agent_report(fake: &FakeMachine, patience: Patience) -> String {
    let text = report(&agents_within(&fake.bare_machine(), patience));
    text.replace(&fake.programs().display().to_string(), "P")
}

/// An agent that answers `--version` and one other question, whatever its words.
fn agent(fake: &FakeMachine, name: &str, version: &str, otherwise: &str) {
    let body = format!("if [ \"$1\" = --version ]; then echo '{version}'; exit 0; fi\n{otherwise}");
    fake.script(name, &body);
}

#[test]
fn a_project_without_commands_is_told_both_ways_to_name_one() {
    let empty = tempfile::tempdir().unwrap();
    let (checks, _) = project_probe::project(empty.path());
    assert_eq!(
        report(&checks[1..]),
        "warning commands: none found: no work could be proven by a test\n  \
         set project.commands.test in .planning/config.json; for one task: autopilot do \"TASK\" --check \"COMMAND\"\n"
    );
}

#[test]
fn agents_that_work_are_told_in_a_fixed_order() {
    let fake = FakeMachine::new();
    agent(&fake, "goose", " 1.52.0", "echo 'Config yaml: /h/.config/goose/config.yaml'");
    agent(&fake, "opencode", "1.18.33", "echo '└  2 credentials'");
    agent(&fake, "gemini", "0.61.0", "exit 9");
    agent(&fake, "codex", "codex-cli 0.166.0", "echo 'Logged in using ChatGPT' >&2; exit 0");
    agent(&fake, "claude", "2.1.325 (Claude Code)", "echo '{\"loggedIn\": true}'");
    assert_eq!(
        agent_report(&fake, PATIENT),
        "good claude: 2.1.325 (Claude Code), logged in\n\
         good codex: codex-cli 0.166.0, logged in\n\
         broken gemini: 0.61.0, not logged in\n\
         \x20 gemini, and there /auth, or a valid key in GEMINI_API_KEY\n\
         good opencode: 1.18.33, logged in\n\
         good goose: 1.52.0, logged in\n\
         absent qwen: not found on PATH\n"
    );
}

#[test]
fn agents_that_are_there_and_do_not_work_say_why() {
    let fake = FakeMachine::new();
    std::fs::create_dir(fake.programs().join("claude")).unwrap();
    std::fs::write(fake.programs().join("codex"), "#!/bin/sh\necho 1.2.3\n").unwrap();
    fake.script("gemini", "exit 0");
    fake.script("opencode", "head -c 3000000 /dev/zero; printf '\\033[2J\\377'");
    fake.script("goose", "echo 'no runtime 1.2' >&2; exit 3");
    assert_eq!(
        agent_report(&fake, PATIENT),
        "broken claude: P/claude is not an executable file\n  \
           install it anew: npm install -g @anthropic-ai/claude-code\n\
         broken codex: P/codex is not an executable file\n  \
           install it anew: npm install -g @openai/codex\n\
         broken gemini: answered --version with nothing\n  \
           install it anew: npm install -g @google/gemini-cli\n\
         broken opencode: answered --version with \"��������������������������������…\"\n  \
           install it anew: npm install -g opencode-ai\n\
         broken goose: --version ended with exit code 3: no runtime 1.2\n  \
           install it anew: npm install -g @aaif/goose\n\
         absent qwen: not found on PATH\n\
         missing! agents: none is ready, and a run needs one\n  \
           npm install -g @anthropic-ai/claude-code\n"
    );
}

#[test]
fn a_hanging_agent_costs_its_time_and_not_the_others() {
    let fake = FakeMachine::new();
    fake.script("claude", "sleep 300");
    agent(&fake, "codex", "codex-cli 0.166.0", "sleep 300");
    let started = std::time::Instant::now();
    let text = agent_report(&fake, IMPATIENT);
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(
        text,
        "broken claude: did not answer --version within 5 s\n  \
           install it anew: npm install -g @anthropic-ai/claude-code\n\
         warning codex: codex-cli 0.166.0; login unknown: did not answer in time\n\
         absent gemini: not found on PATH\n\
         absent opencode: not found on PATH\n\
         absent goose: not found on PATH\n\
         absent qwen: not found on PATH\n"
    );
}

#[test]
fn logged_out_agents_do_not_count_and_the_login_is_the_fix() {
    let fake = FakeMachine::new();
    agent(&fake, "claude", "2.1.325 (Claude Code)", "echo '{\"loggedIn\":false}'; exit 1");
    agent(&fake, "codex", "codex-cli 0.166.0", "echo 'Not logged in' >&2; exit 1");
    assert_eq!(
        agent_report(&fake, PATIENT),
        "broken claude: 2.1.325 (Claude Code), not logged in\n  \
           claude auth login, or a valid key in ANTHROPIC_API_KEY\n\
         broken codex: codex-cli 0.166.0, not logged in\n  \
           codex login, or a valid key in CODEX_API_KEY\n\
         absent gemini: not found on PATH\n\
         absent opencode: not found on PATH\n\
         absent goose: not found on PATH\n\
         absent qwen: not found on PATH\n\
         missing! agents: none is ready, and a run needs one\n  \
           claude auth login, or a valid key in ANTHROPIC_API_KEY\n"
    );
}

#[test]
fn a_key_that_stands_in_for_a_login_makes_the_agent_usable() {
    let fake = FakeMachine::new();
    agent(&fake, "codex", "codex-cli 0.166.0", "echo 'Not logged in' >&2; exit 1");
    let mut variables = fake.bare_machine().variables().clone();
    variables.insert("CODEX_API_KEY".into(), "k".into());
    let checks = agents_within(&Machine::with_variables(variables), PATIENT);
    let expected = "good codex: codex-cli 0.166.0, CODEX_API_KEY is set\n";
    assert_eq!(report(&checks[1..2]), expected);
    assert_eq!(exit(&checks), Exit::Success);
}

#[test]
fn a_login_answer_that_is_not_understood_leaves_the_agent_usable() {
    let fake = FakeMachine::new();
    agent(&fake, "claude", "2.1.325 (Claude Code)", "echo 'logged in, I think'");
    agent(&fake, "codex", "codex-cli 0.166.0", "echo 'config.toml: bad' >&2; exit 1");
    let checks = agents_within(&fake.bare_machine(), PATIENT);
    assert_eq!(
        report(&checks[..2]),
        "warning claude: 2.1.325 (Claude Code); login unknown: ended with exit code 0\n\
         warning codex: codex-cli 0.166.0; login unknown: ended with exit code 1: config.toml: bad\n"
    );
    assert_eq!(exit(&checks), Exit::Success);
}

#[test]
fn an_agent_is_asked_in_an_empty_folder_without_the_users_secrets() {
    let fake = FakeMachine::new();
    fake.script("opencode", "echo 1.0 $(echo *) ${SECRET_OF_THE_USER:-nothing}");
    let checks = agents_within(&fake.bare_machine(), PATIENT);
    assert!(checks[3].detail.starts_with("1.0 * nothing;"), "{}", checks[3].detail);
}

#[test]
fn a_browser_is_good_only_when_it_rendered() {
    let check_within = |scripts: &[(&str, &str)], seconds: u64, expected: &str| {
        let fake = FakeMachine::new();
        for (name, body) in scripts {
            fake.script(name, body);
        }
        let seen = browser_within(&fake.bare_machine(), Duration::from_secs(seconds));
        assert_eq!(report(&[seen]), expected, "{scripts:?}");
    };
    let check = |scripts: &[(&str, &str)], expected: &str| check_within(scripts, 30, expected);
    let renders = "case \"$*\" in *--headless*--user-data-dir=/*--dump-dom*) echo '<p id=\"answer\">42</p>';; esac";
    let another = "  install another Chromium; only visual checks need it\n";
    check(
        &[],
        "absent browser: no Chromium, Chrome or Edge found\n  install chromium; only visual checks need it\n",
    );
    check(&[("chromium", renders)], "good browser: chromium rendered a page\n");
    check(
        &[("chromium", "echo 'no display' >&2; exit 1"), ("google-chrome", renders)],
        "good browser: google-chrome rendered a page\n",
    );
    check(
        &[("chromium", "echo 'no display' >&2; exit 1")],
        &format!("broken browser: chromium ended with exit code 1: no display\n{another}"),
    );
    check(
        &[("chrome", "echo \"$@\"")],
        &format!("broken browser: chrome did not render the page\n{another}"),
    );
    check_within(
        &[("microsoft-edge", "sleep 300")],
        1,
        &format!("broken browser: microsoft-edge did not render a page within 1 s\n{another}"),
    );
    check(
        &[("chromium", "kill -SEGV $$")],
        &format!("broken browser: chromium was ended by signal 11\n{another}"),
    );
}

#[test]
fn bubblewrap_is_good_only_when_it_ran() {
    let check = |body: Option<&str>, expected: &str| {
        let fake = FakeMachine::new();
        if let Some(body) = body {
            fake.script("bwrap", body);
        }
        assert_eq!(report(&sandbox(&fake.bare_machine())[1..2]), expected);
    };
    check(
        None,
        "absent bubblewrap: bwrap not found on PATH\n  install bubblewrap; a fence where Landlock is absent\n",
    );
    check(Some("exit 0"), "good bubblewrap: ran a program fenced in\n");
    check(
        Some("echo 'bwrap: No permissions to create new namespace' >&2; exit 1"),
        "broken bubblewrap: bwrap: No permissions to create new namespace\n  \
           allow unprivileged user namespaces, which it is made of\n",
    );
}

#[test]
fn landlock_is_tried_on_a_thread_and_leaves_the_rest_of_us_free() {
    let fake = FakeMachine::new();
    let checks = sandbox(&fake.bare_machine());
    assert_eq!(checks[0].topic, "landlock");
    match checks[0].state {
        CheckState::Good => {
            assert!(checks[0].detail.ends_with(": writing was refused, reading worked"));
            assert_eq!((checks[2].topic.as_str(), checks[2].state), ("fence", CheckState::Good));
        }
        CheckState::Missing => {
            assert_eq!((checks[2].topic.as_str(), checks[2].state), ("fence", CheckState::Warning));
        }
        CheckState::Warning | CheckState::Broken => panic!("{}", report(&checks)),
    }
    std::fs::write(fake.project().join("free.txt"), "written after the probe").unwrap();
}

#[test]
fn git_is_judged_from_missing_to_ready() {
    let fake = FakeMachine::new();
    let seen = |machine: &Machine| {
        let checks = git(machine, &fake.project());
        let version = checks[0].detail.clone();
        let text = report(&checks);
        let is_real = checks[0].state == CheckState::Good;
        if is_real { text.replace(&version, "VERSION") } else { text }
    };
    assert_eq!(seen(&fake.bare_machine()), "missing! git: git was not found\n  install git\n");
    assert_eq!(
        seen(&fake.machine()),
        "good git: VERSION\n\
         broken! commits: git has no name and email for you\n  \
           git config --global user.name 'Your Name' && git config --global user.email you@example.com\n\
         missing! repository: this folder is not in a git repository\n  \
           git init && git add -A && git commit -m 'first commit'\n"
    );
    let settings = "[user]\n\tname = Ada\n\temail = ada@example.com\n";
    std::fs::write(fake.home().join(".gitconfig"), settings).unwrap();
    let prepare = |line: &str| {
        let tried = try_command(&fake.machine(), &fake.project(), line, Duration::from_secs(60));
        assert!(matches!(tried, Tried::Passed { .. }), "{tried:?}");
    };
    prepare("git init --quiet --initial-branch=trunk && echo 1 > a");
    assert_eq!(
        seen(&fake.machine()),
        "good git: VERSION\n\
         good commits: as Ada <ada@example.com>, tried\n\
         missing! repository: there is no commit yet\n  \
           git add -A && git commit -m 'first commit'\n"
    );
    prepare("git add -A && git commit --quiet -m 'first commit'");
    assert!(seen(&fake.machine()).ends_with("good repository: on trunk, clean\n"));
    prepare("echo 2 > a && echo 1 > b");
    assert!(seen(&fake.machine()).ends_with(
        "warning repository: on trunk, 2 changed or new files\n  \
           commit or stash them: a run starts from the last commit\n"
    ));
    prepare("git sparse-checkout set --no-cone /a");
    assert!(seen(&fake.machine()).ends_with(
        "broken! repository: only a part of the repository is checked out\n  git sparse-checkout disable\n"
    ));
}

#[test]
fn what_trying_the_commands_left_behind_is_told() {
    let fake = FakeMachine::new();
    let settings = "[user]\n\tname = Ada\n\temail = ada@example.com\n";
    std::fs::write(fake.home().join(".gitconfig"), settings).unwrap();
    let (machine, project) = (fake.machine(), fake.project());
    let check = |line: &str, expected: &str| {
        let before = BeforeTrying::look(&machine, &project);
        let tried = try_command(&machine, &project, line, Duration::from_secs(60));
        assert!(matches!(tried, Tried::Passed { .. }), "{tried:?}");
        let left: Vec<Check> = before.leftovers(&machine, &project).into_iter().collect();
        assert_eq!(report(&left), expected, "{line}");
    };
    check("echo 1 > a", "");
    check("git init --quiet && git add -A && git commit --quiet -m start", "");
    check("true", "");
    check(
        "echo 1 > Cargo.lock",
        "warning leftovers: trying the commands changed or made Cargo.lock\n  \
           git add Cargo.lock && git commit -m 'add Cargo.lock', or name it in .gitignore\n",
    );
    check("echo 2 > Cargo.lock", "");
    let rest = "commit what belongs to the project, and name the rest in .gitignore";
    let made = "warning leftovers: trying the commands changed or made";
    check(
        "mkdir target && echo > target/a && echo > target/b",
        &format!("{made} target/\n  {rest}\n"),
    );
    let several = format!("{made} a, b, c, and 1 more\n  {rest}\n");
    check("for one in a b c d; do echo 2 > $one; done", &several);
}

#[test]
fn an_old_git_blocks() {
    let fake = FakeMachine::new();
    fake.script("git", "echo git version 2.30.9");
    assert_eq!(
        report(&git(&fake.machine(), &fake.project())),
        "broken! git: 2.30.9 is too old\n  install git 2.31 or newer\n"
    );
}

#[test]
fn the_whole_report_has_a_fixed_order_and_its_lines_fit_a_terminal() {
    let fake = FakeMachine::new();
    let mut checks = Vec::new();
    examine(&fake.bare_machine(), &fake.project(), |found| checks.extend(found));
    let topics: Vec<&str> = checks.iter().map(|check| check.topic.as_str()).collect();
    let (first, last) = (&topics[..12], topics[topics.len() - 1]);
    let expected = [
        "git",
        "claude",
        "codex",
        "gemini",
        "opencode",
        "goose",
        "qwen",
        "agents",
        "disk",
        "state",
        "landlock",
        "bubblewrap",
    ];
    assert_eq!((first, last), (&expected[..], "browser"));
    assert_eq!(exit(&checks), Exit::Environment);
    for check in &checks {
        let line = format!("{:<8} {:<11} {}", check.word(), check.topic, check.detail);
        assert!(line.chars().count() <= 80, "{line}");
    }
}
