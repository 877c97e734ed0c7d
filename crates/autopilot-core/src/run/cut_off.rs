//! Attempts of agents that were cut off, by a stop or by autopilot's own death. What they had told of their spend counts like any
//! other's; how many told nothing is remembered, so that what nobody knows does not pass for nothing (BUD-1).

use crate::run::apply::take_in_flight;
use crate::run::effect::Effect;
use crate::run::event::Spend;
use crate::run::ids::AttemptId;
use crate::run::spending;
use crate::run::state::{InFlight, RunState};

/// The attempt that is over.
pub(super) fn take(
    state: &mut RunState,
    attempt: AttemptId,
    spend: Option<&Spend>,
) -> Result<InFlight, String> {
    let ended = take_in_flight(state, attempt)?;
    charge(state, &ended, spend);
    Ok(ended)
}

fn charge(state: &mut RunState, ended: &InFlight, spend: Option<&Spend>) {
    let Effect::RunAgent(order) = &ended.effect else { return };
    match spend {
        Some(spend) => {
            spending::charge_cut_off(state, order, spend);
            let phase = state.phase_mut(&order.phase);
            if let Some(work) = phase.and_then(|phase| phase.work.as_mut()) {
                work.spend.charge(spend);
            }
        }
        // Without a process nothing was spent.
        None if ended.group.is_none() => {}
        None => state.untold = state.untold.saturating_add(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Role;
    use crate::run::checks::fixture::{Scene, agent_order};
    use crate::run::event::ProcessGroup;
    use crate::run::ids::Moment;

    fn under_way(effect: Effect, has_process: bool) -> InFlight {
        let group = ProcessGroup { id: 7, start_ticks: None, boot_id: None };
        InFlight {
            attempt: AttemptId(1),
            effect,
            started_at: Moment(0),
            group: has_process.then_some(group),
            quiet: None,
            tasks: Vec::new(),
        }
    }

    fn agent() -> Effect {
        Effect::RunAgent(agent_order(Role::Execute))
    }

    #[test]
    fn what_it_told_counts_for_the_run_and_its_phase_and_what_it_did_not_is_remembered() {
        let Scene { mut run, phase, work } = Scene::new();
        let id = phase.id.clone();
        run.add_phase(phase);
        run.phase_mut(&id).unwrap().work = Some(Box::new(work));
        let told = Spend { input: 5, usd_micros: Some(2), ..Spend::default() };
        charge(&mut run, &under_way(agent(), true), Some(&told));
        let of_phase = run.phase(&id).unwrap().work.as_ref().unwrap().spend;
        assert_eq!((run.spend, of_phase, run.untold), (told, told, 0));
        charge(&mut run, &under_way(agent(), false), None);
        charge(&mut run, &under_way(Effect::Report, true), None);
        assert_eq!(run.untold, 0, "none of them spent anything");
        charge(&mut run, &under_way(agent(), true), None);
        assert_eq!((run.spend, run.untold), (told, 1));
    }
}
