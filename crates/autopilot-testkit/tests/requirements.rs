//! Holds the list of rules against the code: every rule is shown by something, every scenario belongs to a rule, and the page that people
//! read says the same. `AUTOPILOT_REWRITE=1` writes the page.

use std::path::PathBuf;
use std::{env, fs};

use autopilot_testkit::{requirements, scenario};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_rule_is_shown_and_every_scenario_has_a_rule() {
    let text = fs::read_to_string(root().join(requirements::LIST)).unwrap();
    let rules = requirements::read(&text).unwrap();
    assert!(rules.len() > 40, "only {} rules were read", rules.len());
    let faults = requirements::faults(&root(), &rules, &scenario::all().unwrap());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_page_is_up_to_date() {
    let text = fs::read_to_string(root().join(requirements::LIST)).unwrap();
    let page = requirements::page(&requirements::read(&text).unwrap(), &scenario::all().unwrap());
    let path = root().join(requirements::PAGE);
    if env::var_os("AUTOPILOT_REWRITE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let is_same = fs::read_to_string(&path).unwrap() == page;
    assert!(is_same, "AUTOPILOT_REWRITE=1 cargo test -p autopilot-testkit --test requirements");
}

#[test]
fn a_fault_in_the_list_is_named() {
    let rule = |id: &str, held: &str, shown: &str| {
        let text = format!(
            "[[rule]]\nid = \"{id}\"\ngroup = \"g\"\nsays = \"s\"\nheld = [\"{held}\"]\nshown = [{shown}]\n"
        );
        requirements::read(&text).unwrap()
    };
    let faults = |rules: Vec<requirements::Rule>| requirements::faults(&root(), &rules, &[]);
    let held = "core/exit.rs";
    assert_eq!(faults(rule("A-1", held, "\"core/exit.rs: the_strongest_exit_wins\"")), [""; 0]);
    assert_eq!(faults(rule("A-1", held, "")), ["A-1 has neither a test nor a scenario"]);
    let gone = ["A-1 is shown by gone, which is not in core/exit.rs"];
    assert_eq!(faults(rule("A-1", held, "\"core/exit.rs: gone\"")), gone);
    let nowhere = ["A-1 is held in core/gone.rs, which is not there"];
    assert_eq!(faults(rule("A-1", "core/gone.rs", "\"core/exit.rs\"")), nowhere);
    let twice =
        [rule("A-1", held, "\"core/exit.rs\""), rule("A-1", held, "\"core/exit.rs\"")].concat();
    assert_eq!(faults(twice), ["A-1 is listed twice"]);
    assert!(requirements::read("[[rule]]\nsays: x\n").is_err());
    let scenarios =
        scenario::read("a.txt", "# A-2: x\ngiven roadmap: 1 a\nexpect exit 0\n").unwrap();
    let unknown = requirements::faults(&root(), &rule("A-1", held, "\"core/exit.rs\""), &scenarios);
    assert_eq!(unknown, ["a.txt:1: A-2 is no rule of docs/requirements.toml"]);
}
