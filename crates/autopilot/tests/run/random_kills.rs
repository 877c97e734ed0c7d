//! Killed at instants that nobody chose, some of them once more while they are taken up again. Half of the instants are uniform
//! over the time of a run; the others pick a step first, because some last a hundred times as long as others.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::Event;
use autopilot_engine::journal_read;
use autopilot_journal::{Folder, Record};
use autopilot_testkit::built_command::Started;
use autopilot_testkit::say;
use rustix::process::Signal;

use super::KILLED;
use super::fault_points::{KILLS, assert_starts, has_run, resume_to_the_end};
use super::outcome::{Outcome, UsersOwn, assert_same, records, starts};
use super::project::Project;

/// Kills of an ordinary test run.
const KILLS_USUAL: u64 = 25;
/// So many kills must hit every step.
const KILLS_FOR_ALL_STEPS: u64 = 200;
/// Tries at a step that no random kill fell in, before it counts as never hit.
const AIMED_MAX: u64 = 30;
/// Repeats a run of this test.
const SEED: &str = "AUTOPILOT_KILL_SEED";
/// Where a kill fell that no effect was under way for.
const BETWEEN: &str = "between";

/// Splitmix: good enough to choose instants, and repeatable.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// When to kill.
#[derive(Debug, Clone)]
enum Instants {
    /// So long after the start.
    After(Duration),
    /// So long after the nth line of events that says that this step starts.
    In { step: String, nth: u64, then: Duration },
}

/// What an unbroken run teaches: how long it takes, and which steps it has, how often and how long.
struct Unbroken {
    outcome: Outcome,
    starts: BTreeMap<String, u32>,
    took: Duration,
    steps: BTreeMap<String, Vec<u64>>,
}

/// The step of an effect, finer than people see it.
fn step_of(effect: &Effect) -> String {
    match effect {
        Effect::RunAgent(order) => format!("agent {}", order.role.name()),
        Effect::Measure(order) => format!("measure {}", effect_purpose(order)),
        Effect::ReadPlan { .. } => "read plan".to_string(),
        Effect::CommitTask(_) => "commit".to_string(),
        other => other.step().to_string(),
    }
}

fn effect_purpose(order: &autopilot_core::run::effect::Measurement) -> &'static str {
    use autopilot_core::run::effect::Purpose;
    match order.purpose {
        Purpose::Baseline => "baseline",
        Purpose::Triage => "triage",
        Purpose::Task(_) => "task",
        Purpose::Candidate => "candidate",
        Purpose::TestsBefore | Purpose::AllTestsBefore => "tests before",
        Purpose::Brought => "brought",
        Purpose::WithoutWork => "without work",
        Purpose::CriteriaBefore => "criteria before",
    }
}

fn unbroken(base: &Project) -> Unbroken {
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let begun = Instant::now();
    let ended = project.run(&["run", "--complete", "--json"]);
    let took = begun.elapsed();
    assert_eq!(ended.code, 0, "{ended:?}");
    let outcome = Outcome::of(&project, &before, ended.code);
    Unbroken { outcome, starts: starts(&project), took, steps: durations(&records(&project).1) }
}

/// Milliseconds from each start of a step to the record after it.
fn durations(records: &[Record<Event>]) -> BTreeMap<String, Vec<u64>> {
    let mut steps: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let mut under_way: Option<(String, u64)> = None;
    for record in records {
        match (&record.event, under_way.take()) {
            (Event::AttemptSpawned { .. } | Event::AttemptQuiet { .. }, still) => under_way = still,
            (_, Some((step, at))) => steps.entry(step).or_default().push(record.at - at),
            (_, None) => {}
        }
        if let Event::StepStarted { effect, .. } = &record.event {
            under_way = Some((step_of(effect), record.at));
        }
    }
    steps
}

fn instant(random: &mut Random, number: u64, unbroken: &Unbroken) -> Instants {
    if number.is_multiple_of(2) {
        let micros = u64::try_from(unbroken.took.as_micros()).unwrap();
        return Instants::After(Duration::from_micros(random.below(micros)));
    }
    let steps: Vec<_> = unbroken.steps.iter().collect();
    let (step, times) = steps[usize::try_from(random.below(steps.len() as u64)).unwrap()];
    let nth = random.below(times.len() as u64);
    let lasts = times[usize::try_from(nth).unwrap()].max(2);
    let then = Duration::from_micros(random.below(lasts * 1000));
    Instants::In { step: step.clone(), nth: nth + 1, then }
}

/// Kills it then, unless it has ended by itself; whether it was killed.
fn kill_at(mut started: Started, instant: &Instants) -> bool {
    match instant {
        Instants::After(time) => {
            if started.ends_within(*time).unwrap() {
                return false;
            }
        }
        Instants::In { step, nth, then } => {
            let (mut read, mut count) = (0, 0);
            loop {
                // Only what is new is read: a look must be short for a short step to be hit.
                let said = started.said();
                let end = said.rfind('\n').map_or(0, |at| at + 1);
                count += seen(&said[read..end], step);
                if count >= *nth {
                    break;
                }
                read = end;
                // A look a millisecond is fine enough: the time that is waited then is random anyway.
                if started.ends_within(Duration::from_millis(1)).unwrap() {
                    return false;
                }
            }
            if started.ends_within(*then).unwrap() {
                return false;
            }
        }
    }
    started.signal(Signal::KILL).unwrap();
    started.finish().unwrap().code == KILLED
}

/// How often a step has started, as the lines of events tell.
fn seen(said: &str, step: &str) -> u64 {
    let mut count = 0;
    for line in said.lines() {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let Ok(Event::StepStarted { effect, .. }) = serde_json::from_value(value["event"].clone())
        else {
            continue;
        };
        count += u64::from(step_of(&effect) == step);
    }
    count
}

/// The step that was under way when it was killed.
fn fell_in(project: &Project) -> String {
    let folder = Folder::find(project.root()).unwrap();
    let newest = folder.and_then(|folder| journal_read::newest(&folder).unwrap());
    let state = newest.and_then(|(_, journal)| journal_read::fold(journal.records).unwrap());
    let in_flight = state.and_then(|state| state.in_flight);
    in_flight.map_or(BETWEEN.to_string(), |one| step_of(&one.effect))
}

fn one_kill(base: &Project, unbroken: &Unbroken, seed: u64, number: u64) -> String {
    let mut random = Random(seed.wrapping_add(number.wrapping_mul(0x1000_0001)));
    let instant = instant(&mut random, number, unbroken);
    kill_and_compare(base, unbroken, seed, number, &instant, random)
}

/// Aims at a step that chance has spared, as soon as it starts.
fn aimed_kill(base: &Project, unbroken: &Unbroken, seed: u64, number: u64, step: &str) -> String {
    let mut random = Random(seed.wrapping_add(number));
    let nth = random.below(unbroken.steps[step].len() as u64) + 1;
    let instant = Instants::In { step: step.to_string(), nth, then: Duration::ZERO };
    kill_and_compare(base, unbroken, seed, number, &instant, random)
}

fn kill_and_compare(
    base: &Project,
    unbroken: &Unbroken,
    seed: u64,
    number: u64,
    instant: &Instants,
    mut random: Random,
) -> String {
    let context = format!("{SEED}={seed}, kill {number}: {instant:?}");
    let project = base.copy();
    let before = UsersOwn::of(&project);
    let mut kills = u32::from(kill_at(project.start(&["run", "--complete", "--json"]), instant));
    let fell = fell_in(&project);
    // Every third one is hit again on its way back.
    if number.is_multiple_of(3) && has_run(&project, "journal") {
        let micros = u64::try_from(unbroken.took.as_micros()).unwrap();
        let again = Instants::After(Duration::from_micros(random.below(micros)));
        kills += u32::from(kill_at(project.start(&["resume"]), &again));
    }
    let exit = match (has_run(&project, "journal"), has_run(&project, "archive")) {
        (true, _) => resume_to_the_end(&project, &context),
        (false, true) => 0,
        (false, false) => project.run(&["run", "--complete"]).code,
    };
    assert_same(&Outcome::of(&project, &before, exit), &unbroken.outcome, &context);
    assert_starts(&project, &unbroken.starts, kills, &context);
    fell
}

#[test]
fn a_run_killed_at_random_instants_ends_the_same() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let fresh = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let (kills, seed) = (number(KILLS).unwrap_or(KILLS_USUAL), number(SEED).unwrap_or_else(fresh));
    let base = Project::sample();
    let unbroken = unbroken(&base);
    let begun = Instant::now();
    say(&format!("{kills} random kills, {SEED}={seed}, an unbroken run takes {:?}", unbroken.took));
    let mut histogram: BTreeMap<String, u32> =
        unbroken.steps.keys().map(|step| (step.clone(), 0)).collect();
    for number in 0..kills {
        *histogram.entry(one_kill(&base, &unbroken, seed, number)).or_default() += 1;
    }
    say(&format!("kills by step after {:?}: {histogram:?}", begun.elapsed()));
    if kills >= KILLS_FOR_ALL_STEPS {
        let spared = histogram.iter().filter(|(_, count)| **count == 0);
        let spared: Vec<String> = spared.map(|(step, _)| step.clone()).collect();
        for step in &spared {
            for number in 0..AIMED_MAX {
                let fell = aimed_kill(&base, &unbroken, seed, number, step);
                *histogram.entry(fell).or_default() += 1;
                if histogram[step] > 0 {
                    break;
                }
            }
        }
        say(&format!("aimed at {spared:?} too: {histogram:?}"));
        let missed: Vec<&String> =
            histogram.iter().filter(|(_, count)| **count == 0).map(|(step, _)| step).collect();
        assert!(missed.is_empty(), "{SEED}={seed}: no kill fell in {missed:?}");
    }
}
