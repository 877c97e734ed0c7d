//! Carries out what becomes of a run's work: the user's branch is moved to it, phases are taken back. What cannot be done is told
//! with what to do about it, and is no failure of the run.

use autopilot_core::run::effect::Effect;
use autopilot_core::run::event::{Event, Spend};
use autopilot_core::run::ids::AttemptId;
use autopilot_core::run::landing::MergeOrder;
use autopilot_core::run::state::InFlight;
use autopilot_core::run::taking_back as orders;

use super::{Failed, commit, object};
use crate::drive::{Host, Ordered, Perform};
use crate::git::{Checkout, RunNames};
use crate::landing::{self, Landed, LandingOrder};
use crate::taking_back::{self, How, TakeBackOrder, TakenBack, TakenPhase};

/// The hands for what people ask of a run that stands still: no slot, no agents.
pub struct ByHand {
    pub checkout: Checkout,
    pub names: RunNames,
}

impl Perform for ByHand {
    fn perform(&mut self, ordered: &Ordered, _host: &mut dyn Host) -> Vec<Event> {
        let attempt = ordered.attempt;
        vec![match &ordered.effect {
            Effect::MergeRun(order) => merge_run(&self.checkout, attempt, order),
            Effect::TakeBack(order) => take_back(&self.checkout, &self.names, ordered, order),
            other => {
                let what = format!("{} is no work of this command", other.step());
                Event::EffectFailed { attempt, what }
            }
        }]
    }

    fn recover(&mut self, _lost: &InFlight) -> Option<Spend> {
        None
    }
}

const AGAIN: &str = "autopilot merge";

pub(super) fn merge_run(checkout: &Checkout, attempt: AttemptId, order: &MergeOrder) -> Event {
    let refused = |why: String, fix: String| Event::MergeRefused { attempt, why, fix };
    match landed(checkout, order) {
        Ok((Landed::Moved | Landed::AlreadyThere, _)) => {
            let (branch, commit) = (order.branch.clone(), order.to.clone());
            Event::RunMerged { attempt, branch, commit }
        }
        Ok((Landed::Refused(obstacle), asked)) => {
            let (why, fix) = obstacle.words(&asked, &order.source, AGAIN);
            refused(why, fix)
        }
        Err(failed) => refused(failed.to_string(), format!("mend that, then {AGAIN}")),
    }
}

fn landed(checkout: &Checkout, order: &MergeOrder) -> Result<(Landed, LandingOrder), Failed> {
    let asked = LandingOrder {
        branch: order.branch.clone(),
        from: object(&order.from)?,
        files: object(&order.files)?,
        to: object(&order.to)?,
        note: format!("autopilot merge: {}", order.source),
    };
    Ok((landing::land(checkout, &asked)?, asked))
}

pub(super) fn take_back(
    checkout: &Checkout,
    names: &RunNames,
    ordered: &Ordered,
    order: &orders::TakeBackOrder,
) -> Event {
    let attempt = ordered.attempt;
    let refused = |why: String, fix: String| Event::RollbackRefused { attempt, why, fix };
    let taken = asked(names, ordered, order).and_then(|asked| {
        let taken = taking_back::take_back(checkout, names, &asked)?;
        Ok((taken, asked))
    });
    match taken.and_then(|(taken, asked)| ended(ordered, taken, &asked)) {
        Ok(Ok(event)) => event,
        Ok(Err((why, fix))) => refused(why, fix),
        Err(failed) => refused(failed.to_string(), "mend that, and try again".to_string()),
    }
}

type Words = (String, String);

fn ended(
    ordered: &Ordered,
    taken: TakenBack,
    asked: &TakeBackOrder,
) -> Result<Result<Event, Words>, Failed> {
    Ok(match taken {
        TakenBack::Done { commit: made, rescue } => Ok(Event::RollbackCompleted {
            attempt: ordered.attempt,
            phases: asked.phases.iter().map(|one| one.phase.clone()).collect(),
            branch: asked.branch.short().to_string(),
            commit: commit(&made)?,
            rescue,
        }),
        TakenBack::Refused(hindrance) => Err(hindrance.words(asked)),
    })
}

fn asked(
    names: &RunNames,
    ordered: &Ordered,
    order: &orders::TakeBackOrder,
) -> Result<TakeBackOrder, Failed> {
    let state = ordered.whole.as_deref();
    let mut phases = Vec::new();
    for one in &order.phases {
        let phase = state.and_then(|state| state.phase(&one.phase));
        phases.push(TakenPhase {
            phase: one.phase.clone(),
            name: phase.map(|phase| phase.definition.name.clone()).unwrap_or_default(),
            from: object(&one.from)?,
            to: object(&one.to)?,
        });
    }
    Ok(TakeBackOrder {
        phases,
        branch: names.branch_named(&order.branch)?,
        base: object(&order.base)?,
        how: match &order.how {
            orders::TakeBackHow::Reset { to } => How::Reset { to: object(to)? },
            orders::TakeBackHow::Revert => How::Revert,
            orders::TakeBackHow::Apart => How::Apart,
        },
        roadmap: ordered.project.as_ref().map(|it| it.roadmap.clone()).unwrap_or_default(),
    })
}
