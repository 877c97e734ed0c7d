//! Snapshots of everything a person sees, at 80 and 120 columns, without colour; and one with.

use super::{autopilot, shop};

/// The same command at both widths, each a snapshot.
fn check(name: &str, arguments: &[&str]) {
    let project = shop();
    for columns in [80, 120] {
        let ended = autopilot(project.root()).columns(columns).run(arguments).unwrap();
        insta::assert_snapshot!(format!("{name}_{columns}"), ended.shown(project.root()));
        let widest = ended.stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= usize::from(columns), "{name}: {widest} > {columns}");
    }
}

#[test]
fn help() {
    check("help", &["--help"]);
    check("help_plan", &["plan", "--help"]);
    check("help_status", &["status", "--help"]);
    check("help_doctor", &["doctor", "--help"]);
    check("help_init", &["init", "--help"]);
    check("help_demo", &["demo", "--help"]);
    check("help_prove", &["prove", "--help"]);
    check("help_merge", &["merge", "--help"]);
    check("help_rollback", &["rollback", "--help"]);
    check("help_worktrees", &["worktrees", "--help"]);
    check("help_replay", &["replay", "--help"]);
    check("help_schema", &["schema", "--help"]);
    check("help_completions", &["completions", "--help"]);
}

#[test]
fn schedule_and_status() {
    check("plan", &["plan"]);
    check("plan_forced", &["plan", "--force", "1"]);
    check("plan_quality", &["plan", "--quality"]);
    check("plan_nothing", &["plan", "1"]);
    check("status", &["status"]);
    check("bare", &[]);
}

#[test]
fn graphs() {
    check("graph", &["plan", "--graph"]);
    check("graph_mermaid", &["plan", "--format", "mermaid"]);
    check("graph_dot", &["plan", "--format", "dot"]);
}

#[test]
fn wrong_arguments() {
    check("wrong_option", &["plan", "--forse"]);
    check("wrong_command", &["paln"]);
    check("task_for_a_command", &["add a function hello"]);
    check("wrong_phase_word", &["plan", "x"]);
    check("wrong_phase", &["plan", "42"]);
    check("wrong_range", &["plan", "4-2"]);
    check("wrong_value", &["plan", "--jobs", "0"]);
    check("wrong_schema", &["schema", "poem"]);
    check("wrong_folder", &["-C", "nowhere", "plan"]);
    check("missing_dependency", &["plan", "4"]);
    check("forbidden_force_quality", &["plan", "--force", "--quality"]);
    check("forbidden_force_gaps", &["plan", "--force", "--gaps"]);
    check("forbidden_force_complete", &["plan", "--force", "--complete"]);
    check("forbidden_force_map", &["plan", "--force", "--map"]);
    check("forbidden_gaps_complete", &["plan", "--gaps", "--complete"]);
}

#[test]
fn a_narrow_screen_gets_fewer_columns_and_no_line_too_long() {
    let project = shop();
    for (name, arguments) in [("narrow_plan", ["plan"]), ("narrow_status", ["status"])] {
        let ended = autopilot(project.root()).columns(40).run(&arguments).unwrap();
        insta::assert_snapshot!(name, ended.shown(project.root()));
        let widest = ended.stdout.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= 40, "{name}: {widest}");
    }
}

#[test]
fn a_terminal_gets_colours_and_a_pipe_gets_none() {
    let project = shop();
    let coloured = autopilot(project.root()).in_colour().run(&["status"]).unwrap();
    insta::assert_snapshot!(
        "status_in_colour",
        coloured.shown(project.root()).replace('\u{1b}', "ESC")
    );
    let plain = autopilot(project.root()).variable("NO_COLOR", "").run(&["status"]).unwrap();
    assert!(!plain.stdout.contains('\u{1b}'));
}

#[test]
fn a_picture_that_does_not_fit_says_so_and_shows_the_layers() {
    let mut roadmap = String::new();
    for id in 1..=60 {
        roadmap.push_str(&format!("### Phase {id}: Number {id}\n**Depends on**: "));
        roadmap.push_str(if id > 30 { "Phases 1-30\n" } else { "Nothing\n" });
    }
    let project =
        autopilot_testkit::temporary_project::TemporaryProject::with_roadmap(&roadmap).unwrap();
    let ended = autopilot(project.root()).columns(40).run(&["plan", "--graph"]).unwrap();
    insta::assert_snapshot!("graph_too_wide", ended.shown(project.root()));
}

#[test]
fn a_folder_without_a_roadmap_is_where_a_newcomer_stands() {
    let project = autopilot_testkit::temporary_project::TemporaryProject::named("empty").unwrap();
    for (name, arguments) in
        [("newcomer_bare", &[][..]), ("newcomer_plan", &["plan"]), ("newcomer_status", &["status"])]
    {
        let ended = autopilot(project.root()).run(arguments).unwrap();
        insta::assert_snapshot!(name, ended.shown(project.root()));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let project = shop();
    let line = format!("'{}' schema plan | head -c 1", super::PROGRAM);
    let ended = autopilot_testkit::built_command::BuiltCommand::new("/bin/sh", project.root())
        .run(&["-c", &line])
        .unwrap();
    assert_eq!((ended.stderr.as_str(), ended.code), ("", 0));
}
