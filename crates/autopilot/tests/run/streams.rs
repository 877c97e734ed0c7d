//! Agents whose streams are not as they should be, and that do their work nevertheless. What they spend is counted to the token.

use autopilot_core::run::event::{Event, Failure};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::outcome::{UsersOwn, records};
use super::project::{Project, soon};
use super::script::{entry, executed, reply, reviewed, script, write};
use super::{KILLED, commanded, leftovers, misbehaving, signals};

/// Every entry of a script spends so much by itself.
const OF_AN_ENTRY: u64 = 110;

fn tokens(project: &Project) -> u64 {
    let of = |event| match event {
        Event::StepCompleted { work, .. } | Event::StepFailed { work, .. } => {
            Some(work.spend.counted_tokens())
        }
        _ => None,
    };
    records(project).1.into_iter().filter_map(|record| of(record.event)).sum()
}

fn entries(actions: Vec<Value>) -> Vec<Value> {
    vec![
        entry("1", "execute", Some("1-01-1"), 1, actions),
        entry("1", "review", None, 1, vec![reviewed(9.5, None)]),
    ]
}

#[test]
fn work_counts_whatever_its_stream_looked_like() {
    let work = || write("lib/1", "base\n");
    let done = || executed("1-01-1");
    let more = || json!({"spend": {"input_tokens": 5, "output_tokens": 2}});
    let line = 100_000_000;
    let ways: [(&str, Vec<Value>, u64); 4] = [
        (
            "a line of 100 MB",
            vec![json!({"flood": {"bytes": line, "line_bytes": line}}), work(), more(), done()],
            7,
        ),
        ("invalid UTF-8", vec![json!({"garbage": {"bytes": 50_000}}), work(), more(), done()], 7),
        ("two results", vec![reply(json!({"nonsense": 1})), more(), work(), done(), more()], 14),
        (
            "output after the result",
            vec![work(), done(), json!({"say": {"text": "and another thing"}}), more()],
            7,
        ),
    ];
    for (name, actions, spent) in ways {
        let project = Project::small(entries(actions));
        misbehaving::ends_with(&project, 0);
        assert_eq!(misbehaving::failures(&project), [], "{name}");
        assert_eq!(tokens(&project), 2 * OF_AN_ENTRY + spent, "{name}");
        misbehaving::assert_honest(&project);
    }
}

#[test]
fn the_last_of_two_results_counts_also_when_it_is_the_poor_one() {
    let actions = vec![write("lib/1", "base\n"), executed("1-01-1"), reply(json!({"nonsense": 1}))];
    let mut all = entries(actions);
    let again = vec![write("lib/1", "base\n"), executed("1-01-1")];
    all.push(entry("1", "execute", Some("1-01-1"), 2, again));
    let project = Project::small(all);
    misbehaving::ends_with(&project, 0);
    let failures = misbehaving::failures(&project);
    assert!(matches!(failures.as_slice(), [Failure::ContractBroken { .. }]), "{failures:?}");
    assert_eq!(tokens(&project), 3 * OF_AN_ENTRY);
}

#[test]
fn a_stream_that_is_closed_early_is_no_end() {
    // The answer is out, and the work is done after it.
    let late = "<<answer>>exec 1>&- 2>&-; sleep 1; <<work>>";
    let project = commanded::project(late);
    misbehaving::ends_with(&project, 0);
    assert_eq!(misbehaving::failures(&project), []);
    misbehaving::assert_honest(&project);
    // Nothing is out.
    let project = commanded::project("exec 1>&- 2>&-; sleep 1; <<work>>");
    misbehaving::ends_with(&project, 0);
    let failures = misbehaving::failures(&project);
    assert!(matches!(failures.as_slice(), [Failure::ContractBroken { .. }]), "{failures:?}");
    misbehaving::assert_honest(&project);
}

/// Also a run that was killed in the midst of such a stream goes on.
#[test]
fn a_run_that_was_killed_in_a_flood_goes_on() {
    let flood = json!({"flood": {"bytes": 500_000_000, "line_bytes": 400_000_000}});
    let project = Project::small(entries(vec![write("lib/1", "half\n"), flood, json!("hang")]));
    let before = UsersOwn::of(&project);
    let started = project.start(&["run", "--complete"]);
    let logs = project.state().join("logs");
    soon("a flood", || {
        let runs = std::fs::read_dir(&logs).into_iter().flatten().flatten();
        let mut files =
            runs.flat_map(|run| std::fs::read_dir(run.path()).into_iter().flatten().flatten());
        files.any(|file| file.metadata().is_ok_and(|about| about.len() > 1_000_000))
    });
    started.signal(Signal::KILL).unwrap();
    assert_eq!(started.finish().unwrap().code, KILLED);
    leftovers::assert_none(&project);
    let healed = script(entries(vec![write("lib/1", "base\n"), executed("1-01-1")]));
    std::fs::write(project.around().join("script.json"), healed).unwrap();
    let ended = project.run(&["resume"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(UsersOwn::of(&project), before);
    leftovers::assert_none(&project);
    misbehaving::assert_honest(&project);
}

#[test]
fn what_an_attempt_had_spent_when_it_was_cut_off_counts() {
    for signal in [Signal::INT, Signal::KILL] {
        let spends = json!({"spend": {"input_tokens": 40, "output_tokens": 2}});
        let says = json!({"say": {"text": "half"}});
        let project = Project::small(entries(vec![spends, says, json!("hang")]));
        let started = signals::half_done(&project);
        started.signal(signal).unwrap();
        started.finish().unwrap();
        leftovers::assert_none(&project);
        let healed = script(entries(vec![write("lib/1", "base\n"), executed("1-01-1")]));
        std::fs::write(project.around().join("script.json"), healed).unwrap();
        let ended = project.run(&["resume"]);
        assert_eq!(ended.code, 0, "{ended:?}");
        let of = |event| match event {
            Event::AttemptLost { spend, .. } | Event::AttemptCancelled { spend, .. } => Some(spend),
            _ => None,
        };
        let events = records(&project).1.into_iter().filter_map(|record| of(record.event));
        let told: Vec<_> = events.map(|spend| spend.map(|spend| spend.counted_tokens())).collect();
        assert_eq!(told, [Some(OF_AN_ENTRY + 42)], "{signal:?}");
    }
}
