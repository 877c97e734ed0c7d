//! A run of many phases that costs nothing but autopilot's own work: the engine's loop and journal, with a performer that
//! answers at once.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use autopilot_core::phase_id::PhaseId;
use autopilot_core::run::definition::{Depth, RunSettings};
use autopilot_core::run::event::Event;
use autopilot_core::run::state::{RunState, RunStatus};
use autopilot_engine::clock::WallClock;
use autopilot_engine::drive::{Drive, Perform, StopSwitch, Watch};
use autopilot_engine::memory::{Memory, Told};
use autopilot_journal::{Folder, Holder, RunId};
use autopilot_testkit::world::given::{self, Given};

pub(crate) const RUN: &str = "run-1";

pub(crate) fn holder() -> Holder {
    let (host, command) = ("here".to_string(), "autopilot-bench".to_string());
    Holder { pid: std::process::id(), host, command, started_at: 0 }
}

/// Drives the run to its end; its journal stays in `root`.
pub(crate) fn drive(root: &Path, phases: u32, performer: &mut dyn Perform) -> Result<()> {
    let folder = Folder::open(root)?;
    let lock = folder.lock(&holder())?;
    let clock = Arc::new(WallClock::default());
    let run = RunId::new(RUN)?;
    let (mut memory, _) = Memory::begin(folder, lock, &run, opening(phases), clock)?;
    let (mut watch, stop) = (Nobody, StopSwitch::default());
    Drive { memory: &mut memory, performer, watch: &mut watch, stop: &stop }.go()?;
    let state = memory.state()?;
    let RunStatus::Completed(result) = &state.status else {
        anyhow::bail!("the run ended as {:?}", state.status);
    };
    ensure!(result.passed == phases, "{result:?}");
    Ok(())
}

struct Nobody;

impl Watch for Nobody {
    fn happened(&mut self, _told: &Told, _state: &RunState) {}
}

fn opening(phases: u32) -> Vec<Event> {
    let settings = RunSettings {
        depth: Depth::Full,
        run_tokens_max: u64::MAX,
        retries_max: u32::MAX,
        ..given::settings()
    };
    let phase = |number: u32| {
        let name = format!("part {number}");
        let mut phase = given::phase(PhaseId::number(number), &name, 2, 1);
        phase.goal =
            format!("A user who asks for {name} gets it, and one who does not keeps what they had");
        phase.depends_on = (number > 1).then(|| PhaseId::number(number - 1)).into_iter().collect();
        phase.requirements = vec![format!("PART-{number:02}")];
        phase
    };
    Given { settings, phases: (1..=phases).map(phase).collect(), ..Given::default() }.opening()
}
