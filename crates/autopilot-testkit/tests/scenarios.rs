//! Plays every scenario of `scenarios/`: what is expected happens, and every event there is happens somewhere.

use std::collections::BTreeSet;

use autopilot_core::run::event::Event;
use autopilot_testkit::scenario;
use autopilot_testkit::simulation::auditor::Auditor;
use autopilot_testkit::simulation::tally::Tally;

#[test]
fn every_scenario_goes_as_it_says() {
    let scenarios = scenario::all().unwrap();
    let differing = scenarios.iter().filter_map(|scenario| scenario.check().err());
    let wrong: Vec<String> = differing.map(|differs| differs.to_string()).collect();
    assert!(wrong.is_empty(), "{} scenarios:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_auditor_of_the_simulation_finds_nothing_in_any_scenario() {
    for scenario in scenario::all().unwrap() {
        let played = scenario.play().unwrap();
        let mut auditor = Auditor::new(&scenario.script.given);
        let looked = (0..played.journal.len())
            .try_for_each(|at| {
                auditor.look((&played.journal, &played.times), at, &mut Tally::default())
            })
            .and_then(|()| auditor.finish(&played.state));
        assert_eq!(looked, Ok(()), "{}", scenario.place);
    }
}

#[test]
fn every_event_happens_in_some_scenario() {
    let mut seen = BTreeSet::new();
    for scenario in scenario::all().unwrap() {
        seen.extend(scenario.play().unwrap().journal.iter().map(Event::name));
    }
    let unseen: Vec<_> = Event::NAMES.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn events_are_called_as_the_journal_calls_them() {
    for scenario in scenario::all().unwrap() {
        for event in scenario.play().unwrap().journal {
            let stored = serde_json::to_value(&event).unwrap();
            assert_eq!(stored["type"], event.name());
        }
    }
}

#[test]
fn a_word_nobody_knows_is_named_with_its_line() {
    let whole = "# GATE-1: title\ngiven    roadmap: 1 login. bar 9.0\nhappens  1 rated 8.2\nexpect   1 passed 9.2\n";
    assert_eq!(scenario::read("a.txt", whole).unwrap().len(), 1);
    let check = |from: &str, to: &str, expected: &str| {
        let misread = scenario::read("a.txt", &whole.replace(from, to)).unwrap_err();
        assert_eq!(misread.to_string(), expected);
    };
    check("# GATE-1: title\n", "", "a.txt:1: a scenario begins with `# RULE: what it shows`");
    check("GATE-1", "GATE", "a.txt:1: `GATE` is no rule");
    check("bar 9.0", "bar 9,0", "a.txt:2: `9,0` is no score");
    check("bar 9.0", "bra 9.0", "a.txt:2: nothing is given as `bra 9.0`");
    check("login", "login, befor 2", "a.txt:2: a phase is never `befor 2`");
    check("1 rated", "2 rated", "a.txt:3: phase 2 is not in the roadmap");
    check("1 rated 8.2", "1 cook crashes", "a.txt:3: `cook crashes` names nobody");
    check("1 rated 8.2", "1 planner dances", "a.txt:3: Plan never `dances`");
    check("1 rated 8.2", "killed after tea", "a.txt:3: nothing is ever told as `tea`");
    check("1 passed 9.2", "never: 1 strated", "a.txt:4: nothing is ever told as `1 strated`");
    check(
        "happens",
        "hapens ",
        "a.txt:3: `hapens   1 rated 8.2` is neither given, happens nor expect",
    );
    check("expect   1 passed 9.2\n", "", "a.txt:1: a scenario has a given and an expect");
}
