//! Agents that do what they must not, as real processes: the run ends with a clear verdict, and the repository is whole.

use autopilot_core::run::event::{Event, Failure};
use serde_json::{Value, json};

use super::leftovers;
use super::outcome::{UsersOwn, records, starts};
use super::project::Project;
use super::script::{
    append, entry, executed, plan, plan_text, planned, researched, reviewed, write,
};

const FAILED: i32 = 1;

fn execute(round: u32, actions: Vec<Value>) -> Value {
    entry("1", "execute", Some("1-01-1"), round, actions)
}

fn honest(round: u32) -> Value {
    execute(round, vec![write("lib/1", "base\n"), executed("1-01-1")])
}

fn review() -> Value {
    entry("1", "review", None, 1, vec![reviewed(9.5, None)])
}

/// Runs it, and shows that the user's own and the repository are whole and nobody is left.
pub(crate) fn ends_with(project: &Project, code: i32) -> String {
    let before = UsersOwn::of(project);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, code, "{ended:?}");
    leftovers::assert_none(project);
    assert_eq!(UsersOwn::of(project), before);
    let checked = project.try_git(&["fsck", "--no-dangling", "--strict"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    ended.stdout
}

pub(crate) fn failures(project: &Project) -> Vec<Failure> {
    let of = |event| match event {
        Event::StepFailed { failure, .. } => Some(failure),
        _ => None,
    };
    records(project).1.into_iter().filter_map(|record| of(record.event)).collect()
}

/// The run's branch has the honest work and nothing else.
pub(crate) fn assert_honest(project: &Project) {
    let (run, _) = records(project);
    assert_eq!(project.git(&["show", &format!("autopilot/{run}:lib/1")]), "base\n");
    let names = project.git(&[
        "diff",
        "--name-only",
        "main",
        &format!("autopilot/{run}"),
        "--",
        ":!.planning",
    ]);
    assert_eq!(names, "lib/1\n");
}

#[test]
fn a_crash_garbage_or_flood_is_a_failed_try_and_the_next_one_counts() {
    let ways = [
        ("crash", json!({"crash": {"exit": 3}})),
        ("signal", json!({"crash": {"signal": 11}})),
        ("garbage", json!({"garbage": {"bytes": 100_000}})),
        ("flood", json!({"flood": {"bytes": 3_000_000, "line_bytes": 90}})),
        ("line without end", json!({"flood": {"bytes": 3_000_000}})),
        ("refusal", json!({"fail": {"refused": {"why": "no"}}})),
        ("prose", json!({"reply": {"text": "All done."}})),
    ];
    for (name, way) in ways {
        let project = Project::small(vec![execute(1, vec![way]), honest(2), review()]);
        ends_with(&project, 0);
        assert_eq!(failures(&project).len(), 1, "{name}");
        assert_honest(&project);
    }
}

#[test]
fn a_login_that_is_refused_pauses_the_run_with_the_servers_words_and_the_way_to_mend_it() {
    let said = "API Error: 401 invalid x-api-key";
    let refused = json!({"fail": {"login_refused": {"said": said}}});
    let project = Project::small(vec![execute(1, vec![refused]), honest(2), review()]);
    let ended = project.run(&["run", "--complete"]);
    assert_eq!(ended.code, 6, "{ended:?}");
    let shown = format!("{} {}", ended.stderr, ended.stdout);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "the agent's login or key was refused: \"API Error: 401 invalid x-api-key\"",
        "paused: the agent has no login that works",
        "log in first; autopilot agents says who needs it and how",
    ] {
        assert!(shown.contains(words), "{words:?} is missing: {shown}");
    }
    assert_eq!(failures(&project), [Failure::NotLoggedIn { said: said.into() }]);
    let why = project.run(&["why"]);
    assert!(why.stdout.contains("log in first"), "{why:?}");
    assert_eq!(project.run(&["resume"]).code, 0);
}

#[test]
fn a_contract_broken_twice_fails_the_phase_with_every_breach() {
    let broken = || vec![json!({"reply": {"json": {"verification": 5}}})];
    let reviews = [1, 2].map(|round| entry("1", "review", None, round, broken()));
    let project = Project::small([vec![honest(1)], reviews.to_vec()].concat());
    let said = ends_with(&project, FAILED);
    assert!(said.contains("tried 2 times"), "{said}");
    let failures = failures(&project);
    assert_eq!(failures.len(), 2);
    assert!(
        failures
            .iter()
            .all(|one| matches!(one, Failure::ContractBroken { breaches } if !breaches.is_empty()))
    );
}

#[test]
fn what_an_agent_commits_itself_becomes_part_of_our_commit() {
    let project = Project::small(vec![
        execute(
            1,
            vec![
                write("lib/1", "base\n"),
                json!({"commit": {"message": "I did it myself"}}),
                append("lib/1", ""),
                executed("1-01-1"),
            ],
        ),
        review(),
    ])
    .unfenced();
    ends_with(&project, 0);
    assert_honest(&project);
    let (run, _) = records(&project);
    let subjects = project.git(&["log", "--format=%s", &format!("main..autopilot/{run}")]);
    assert!(!subjects.contains("myself"), "{subjects}");
    let kept = project.git(&["log", "--format=%s", "--glob=refs/autopilot/*/rescue/*"]);
    assert!(kept.contains("I did it myself"), "{kept}");
}

#[test]
fn a_reviewer_that_commits_changes_nothing() {
    let forged = vec![
        write("lib/1", "forged\n"),
        json!({"commit": {"message": "forged"}}),
        reviewed(9.5, None),
    ];
    let project = Project::small(vec![honest(1), entry("1", "review", None, 1, forged)]).unfenced();
    ends_with(&project, 0);
    assert_honest(&project);
}

/// The key of a closing commit can be read off the repository. It is no way around the gate.
#[test]
fn a_forged_closing_commit_is_not_taken_for_ours() {
    let forge = "run=$(git for-each-ref --format='%(refname:short)' 'refs/heads/autopilot/*' | sed -n 's,^autopilot/\\(.*\\)-phase-1$,\\1,p'); \
                 head=$(git rev-parse HEAD); echo forged > lib/1; git add lib/1; \
                 git commit -q -m x -m \"Autopilot-Key: $run.1.close.$head\"; git log -1 --format=%B > \"$HOME/forged\"";
    let actions = vec![json!({"run": {"command": forge}}), reviewed(9.5, None)];
    let project =
        Project::small(vec![honest(1), entry("1", "review", None, 1, actions)]).unfenced();
    ends_with(&project, 0);
    let forged = std::fs::read_to_string(project.around().join("forged")).unwrap();
    assert!(forged.contains(".1.close."), "{forged}");
    assert_honest(&project);
}

#[test]
fn processes_left_behind_are_ended() {
    for place in ["same_group", "own_session"] {
        let project = Project::small(vec![
            execute(
                1,
                vec![json!({"leave_behind": place}), write("lib/1", "base\n"), executed("1-01-1")],
            ),
            review(),
        ]);
        ends_with(&project, 0);
        assert_honest(&project);
    }
}

#[test]
fn research_leaves_nothing_outside_its_folder() {
    let folder = ".planning/phases/01-base";
    let research = vec![
        write(&format!("{folder}/RESEARCH.md"), "# Found\n"),
        write("lib/1", "sneaked in\n"),
        write(".planning/ROADMAP.md", "# Another\n"),
        researched(),
    ];
    let plan = vec![plan(1, "01-base", "Lay the base", "grep -q base lib/1", ""), planned()];
    let project = Project::unplanned(vec![
        entry("1", "research", None, 1, research),
        entry("1", "plan", None, 1, plan),
        honest(1),
        review(),
    ]);
    ends_with(&project, 0);
    assert_honest(&project);
    let (run, _) = records(&project);
    let roadmap = project.git(&["show", &format!("autopilot/{run}:.planning/ROADMAP.md")]);
    assert!(roadmap.contains("Phase 1: Base"), "{roadmap}");
    let research = project.git(&["show", &format!("autopilot/{run}:{folder}/RESEARCH.md")]);
    assert_eq!(research, "# Found\n");
}

#[test]
fn a_deleted_or_foreign_git_folder_in_the_slot_is_put_right() {
    let ways = [
        "rm -rf .git",
        "rm -rf .git; git init -q .; git add -A",
        "echo nonsense > .git",
        "rm -rf ./* .git",
    ];
    for way in ways {
        let project = Project::small(vec![
            execute(1, vec![json!({"run": {"command": way}})]),
            execute(
                2,
                vec![
                    json!({"run": {"command": "git checkout -q HEAD -- test.sh lib/README .planning"}}),
                    write("lib/1", "base\n"),
                    executed("1-01-1"),
                ],
            ),
            review(),
        ])
        .unfenced();
        ends_with(&project, 0);
        assert_honest(&project);
    }
}

#[test]
fn links_in_the_planning_folder_are_not_followed() {
    let secret = "mkdir -p .planning/phases/01-base; cd .planning/phases/01-base; \
                  ln -sfn \"$HOME/secret\" RESEARCH.md; ln -sfn \"$HOME/secret\" SCORECARD.md; \
                  ln -sfn \"$HOME/secret\" EXECUTION-LOG.md; ln -sfn \"$HOME\" plans; ln -sfn / TRIAGE.json";
    let run = json!({"run": {"command": secret}});
    let project = Project::unplanned(vec![
        entry("1", "research", None, 1, vec![run.clone(), researched()]),
        entry(
            "1",
            "plan",
            None,
            1,
            vec![
                plan(1, "01-base", "Lay the base", "grep -q base lib/1", ""),
                run.clone(),
                planned(),
            ],
        ),
        execute(1, vec![run.clone(), write("lib/1", "base\n"), executed("1-01-1")]),
        entry("1", "review", None, 1, vec![run, reviewed(9.5, None)]),
    ]);
    std::fs::write(project.around().join("secret"), "secret\n").unwrap();
    ends_with(&project, 0);
    assert_honest(&project);
    assert_eq!(std::fs::read_to_string(project.around().join("secret")).unwrap(), "secret\n");
    let (run, _) = records(&project);
    let found = project.try_git(&["grep", "secret", &format!("autopilot/{run}")]);
    assert_eq!(found.stdout, "");
    let kinds = project.git(&["ls-tree", "-r", &format!("autopilot/{run}"), ".planning/phases"]);
    assert!(!kinds.contains("120000"), "{kinds}");
}

/// Only the planner's own folder is looked into, and what was not taken from there is nobody's plan: above all not the user's,
/// which would be read less strictly.
#[test]
fn a_plan_in_another_folder_is_not_taken_for_the_users() {
    let plan = plan_text(1, "01-base", &[("Lay the base", "true", "")]);
    let hidden = || vec![write(".planning/phases/01-base/plans/01-01-PLAN.md", &plan), planned()];
    let plans = [1, 2, 3, 4].map(|round| entry("1", "plan", None, round, hidden()));
    let research = entry("1", "research", None, 1, vec![researched()]);
    let project = Project::unplanned([vec![research], plans.to_vec()].concat());
    let said = ends_with(&project, FAILED);
    assert!(said.contains("the plan was sent back 3 times"), "{said}");
}

/// The whole folder of the phase is a link out of the slot.
#[test]
fn a_phase_folder_that_is_a_link_leads_nowhere() {
    let link = "mkdir -p \"$HOME/elsewhere\" .planning/phases; rm -rf .planning/phases/01-base; \
                ln -s \"$HOME/elsewhere\" .planning/phases/01-base; echo stolen > \"$HOME/elsewhere/NOTES.md\"";
    let run = json!({"run": {"command": link}});
    let project = Project::unplanned(vec![
        entry("1", "research", None, 1, vec![run.clone(), researched()]),
        entry(
            "1",
            "plan",
            None,
            1,
            vec![plan(1, "01-base", "Lay the base", "grep -q base lib/1", ""), planned()],
        ),
        execute(1, vec![run.clone(), write("lib/1", "base\n"), executed("1-01-1")]),
        entry("1", "review", None, 1, vec![run, reviewed(9.5, None)]),
    ])
    .unfenced();
    ends_with(&project, 0);
    assert_honest(&project);
    let names: Vec<_> =
        std::fs::read_dir(project.around().join("elsewhere")).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    let (run, _) = records(&project);
    let listed = project.git(&[
        "ls-tree",
        "-r",
        "--name-only",
        &format!("autopilot/{run}"),
        ".planning/phases",
    ]);
    assert!(!listed.contains("NOTES.md"), "what lies elsewhere was not taken over: {listed}");
    assert_eq!(starts(&project).len(), 4);
}
