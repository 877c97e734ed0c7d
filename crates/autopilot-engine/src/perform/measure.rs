//! Lets the proof tree measure a commit, and says what was seen and what the phase changes in all.

use std::time::Duration;

use autopilot_core::run::definition::CheckOrder;
use autopilot_core::run::effect::{LaidOver, Measurement, Purpose};
use autopilot_core::run::event::Event;
use autopilot_core::run::measured::Measured;

use super::{Failed, Performer, object, recorded};
use crate::drive::{Host, Ordered};
use crate::process::ProcessGroup;
use crate::proof_tree::{self, Attendant, CannotMeasure, Measurable, Shell};

impl Performer {
    pub(super) fn measure(
        &self,
        ordered: &Ordered,
        order: &Measurement,
        host: &mut dyn Host,
    ) -> Result<Vec<Event>, Failed> {
        // The work of an attempt is a commit too, outside every branch.
        let at = object(order.snapshot.as_ref().unwrap_or(&order.at))?;
        let laid_over = match &order.laid_over {
            Some(LaidOver { from, files }) => Some((object(from)?, files.clone())),
            None => None,
        };
        let what = Measurable { at, laid_over };
        let with = (&self.ground, &mut Attended(host) as &mut dyn Attendant);
        let (checks, unknown) = self.known(&order.checks);
        let mut measured = self.proof.measure(&what, &checks, time_max(ordered), with)?;
        measured.extend(unknown);
        measured.sort_by_key(|one| order.checks.iter().position(|check| check.name == one.check));
        let difference = match order.purpose {
            Purpose::Candidate => Some(self.difference(ordered, &order.at)?),
            Purpose::Baseline
            | Purpose::Triage
            | Purpose::Task(_)
            | Purpose::TestsBefore
            | Purpose::AllTestsBefore
            | Purpose::CriteriaBefore
            | Purpose::Brought
            | Purpose::WithoutWork => None,
        };
        let attempt = ordered.attempt;
        Ok(vec![Event::EvidenceMeasured { attempt, measured, difference }])
    }

    /// The checks with the commands that are meant. One that is nowhere any more cannot be run, and is not green.
    fn known(&self, checks: &[CheckOrder]) -> (Vec<CheckOrder>, Vec<Measured>) {
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for check in checks {
            match check.is_hidden.then(|| self.hidden_checks.command(&check.command)) {
                None => known.push(check.clone()),
                Some(Some(command)) => known.push(CheckOrder { command, ..check.clone() }),
                Some(None) => unknown.push(proof_tree::not_run(check)),
            }
        }
        (known, unknown)
    }

    /// Makes the slot fit to work in. What goes wrong the agents will see too, and may mend; where it counts is the proof tree.
    pub(super) fn set_up_slot(&self, ordered: &Ordered, host: &mut dyn Host) -> Result<(), Failed> {
        let inside = self.inside(&[])?;
        let mut shell = Shell {
            tree: self.slot.folder(),
            inside: &inside,
            time_max: time_max(ordered),
            attendant: &mut Attended(host),
        };
        shell.set_up(&self.proof.setup, self.checkout.root())?;
        Ok(())
    }
}

fn time_max(ordered: &Ordered) -> Duration {
    Duration::from_millis(ordered.definition.settings.check_time_max_ms)
}

/// The loop, as a measurement sees it.
struct Attended<'a>(&'a mut dyn Host);

impl Attendant for Attended<'_> {
    fn spawned(&mut self, group: &ProcessGroup) -> std::io::Result<()> {
        self.0.spawned(recorded(group))
    }

    fn must_end(&mut self) -> bool {
        self.0.tick(None);
        self.0.must_end()
    }
}

impl From<CannotMeasure> for Failed {
    fn from(error: CannotMeasure) -> Failed {
        match error {
            CannotMeasure::Git(error) => Failed::Git(error),
            CannotMeasure::World(what) => Failed::World(what),
            CannotMeasure::Cancelled => Failed::Cancelled { rescue: None, spend: None },
        }
    }
}
