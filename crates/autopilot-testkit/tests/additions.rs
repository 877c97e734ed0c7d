//! What a run takes when it is asked for more phases, and what it refuses (INV-7).

use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::addition::Addition;
use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::request::{Request, admit};
use autopilot_core::run::state::RunState;
use autopilot_testkit::world::drive::fold;
use autopilot_testkit::world::given::{Given, phase};

fn given() -> Given {
    let phases = (1..=3).map(|number| phase(PhaseId::number(number), "part", 1, 0)).collect();
    Given { phases, later: 2, ..Given::default() }
}

fn state() -> Option<RunState> {
    let opening = given().opening();
    let times: Vec<Moment> = opening.iter().map(|_| Moment(0)).collect();
    fold(&opening, &times).ok().flatten()
}

fn answer(change: impl FnOnce(&mut Addition)) -> Result<Vec<Event>, String> {
    let mut addition = given().addition();
    change(&mut addition);
    let state = state().ok_or("the run does not begin")?;
    let admitted = admit(&state, &Request::Add(addition));
    admitted.map_err(|refused| refused.to_string())
}

#[test]
fn what_is_new_to_the_run_is_taken() {
    let events = answer(|_| {}).unwrap();
    assert_eq!(events.len(), 3, "the wish and two phases: {events:?}");
    let one = answer(|addition| addition.phases[1].id = PhaseId::number(1)).unwrap();
    assert_eq!(one.len(), 2, "what is part of it already is left out: {one:?}");
}

#[test]
fn what_cannot_be_taken_is_refused_with_its_reason() {
    let check = |change: fn(&mut Addition), expected: &str| {
        assert_eq!(answer(change).unwrap_err(), expected);
    };
    check(|it| it.run = "run-2".parse().unwrap(), "it is meant for run run-2");
    check(|it| it.phases.clear(), "its phases are part of the run already");
    check(|it| it.phases[1].id = PhaseId::number(2), "phase 2 is in it twice");
    check(
        |it| it.phases[0].depends_on = vec![PhaseId::number(3)],
        "phase 2 depends on phase 3, which is not in it",
    );
    for folder in ["", "/etc", "a/../../b", "a//b", "."] {
        let refused = answer(|it| it.phases[0].folder = folder.to_string()).unwrap_err();
        assert_eq!(refused, "the folder of phase 2 is not in the project");
    }
}
