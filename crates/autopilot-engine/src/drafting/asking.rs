//! One try at a draft: the whole way from the command to the ending, inside the fence and within its bounds, without a run.

use std::time::Duration;

use autopilot_agents::activity::Activity;
use autopilot_agents::ending::Ending;
use autopilot_agents::request::{Access, Request};
use autopilot_core::contract::Role;
use autopilot_core::contract::drafting as contract;
use autopilot_core::problem::Problem;
use autopilot_core::prompt::draft::EarlierDraft;
use autopilot_core::run::event::{ProcessGroup, Spend};
use autopilot_core::run::ids::Moment;
use autopilot_core::run::quiet::Quiet;

use super::{Drafted, Ready};
use crate::agents::hand_over;
use crate::clock::{Clock, WallClock};
use crate::drive::Host;
use crate::ground::Child;
use crate::perform::allowance::Allowance;
use crate::perform::scratch::Scratch;
use crate::perform::seen::Seen;
use crate::process::Order;
use crate::process::supervise::{self, Supervision};
use crate::stall::Watcher;

/// A script knows the step by this name.
const STEP: &str = "draft";

/// Whoever watches.
pub trait Watch {
    /// Called at least ten times a second while an agent works.
    fn lives(&mut self, life: &Life<'_>);
    /// The first answer was refused, and the agent is asked once more.
    fn refused(&mut self, earlier: &EarlierDraft);
    /// Somebody wants it ended now.
    fn must_end(&self) -> bool;
}

/// A sign of life.
#[derive(Debug)]
pub struct Life<'a> {
    pub now: Moment,
    pub round: u32,
    /// In this try.
    pub elapsed_ms: u64,
    /// In all tries.
    pub tokens: u64,
    pub activity: Option<&'a Activity>,
}

impl Ready {
    /// How the try ended; what it spent is added to the draft's account.
    pub(super) fn ask(
        &self,
        round: u32,
        prompt: String,
        drafted: &mut Drafted,
        watch: &mut dyn Watch,
    ) -> Result<Ending, Problem> {
        let left = Left::of(self, &drafted.spend);
        if left.tokens == 0 || left.usd_micros == Some(0) {
            return Ok(Ending::AllowanceUsed);
        }
        let view = self.stage.view();
        let scratch = Scratch::beside(view).map_err(not_started)?;
        let request = self.request(round, prompt, left, &scratch);
        let command = self.agent.command(&request);
        hand_over(&command, scratch.folder()).map_err(not_started)?;
        let own = [scratch.folder().to_path_buf()];
        let also: Vec<_> = own.into_iter().chain(command.writes).collect();
        let ground = &self.stage.ground;
        let inside = ground.inside(view, "cache", Child::Agent { also: &also });
        let inside = inside.map_err(not_started)?;
        let environment = inside.environment.clone().also(&ground.machine, command.variables);
        let environment = environment.also(&ground.machine, self.agent.more_variables());
        let environment = command
            .environment
            .into_iter()
            .fold(environment, |environment, (name, value)| environment.with(name, value));
        let order = Order::new(command.program, view, environment, self.bounds.time)
            .arguments(command.arguments)
            .input(command.stdin);
        let supervision = Supervision::of_agents(inside.launcher.clone(), self.kept.log(round));
        let running = supervise::start(order, supervision, |_| Ok(())).map_err(not_started)?;
        let patience = Duration::from_secs(self.settings.stall_seconds);
        let watcher = Watcher::of(running.group(), view.to_path_buf(), patience);
        let allowance = Allowance::up_to(left.tokens, left.usd_micros, self.agent.holds_its_cost());
        let mut host = Attendant::of(watch, round, drafted.spend.counted_tokens());
        let seen = Seen::of(running, self.agent.reader(&request), watcher, allowance, &mut host);
        drafted.tries += 1;
        drafted.took += seen.exit.took;
        drafted.spend.charge(&seen.spend);
        drafted.model = seen.model.or(drafted.model.take());
        Ok(seen.ending)
    }

    fn request(&self, round: u32, prompt: String, left: Left, scratch: &Scratch) -> Request {
        Request {
            prompt,
            phase: "0".to_string(),
            step: STEP.to_string(),
            task: None,
            round,
            access: Access::ReadOnly,
            model: self.definition.model_of(Role::Plan).map(str::to_string),
            allowance_tokens: left.tokens,
            allowance_usd_micros: left.usd_micros,
            schema: Some(contract::schema()),
            is_fenced: self.stage.ground.fence.is_there(),
            scratch: scratch.folder().to_path_buf(),
        }
    }
}

/// What an earlier try left of the bounds.
#[derive(Debug, Clone, Copy)]
struct Left {
    tokens: u64,
    usd_micros: Option<u64>,
}

impl Left {
    fn of(ready: &Ready, spent: &Spend) -> Left {
        let cost = spent.usd_micros.unwrap_or_default();
        Left {
            tokens: ready.bounds.tokens.saturating_sub(spent.counted_tokens()),
            usd_micros: ready.bounds.usd_micros.map(|max| max.saturating_sub(cost)),
        }
    }
}

struct Attendant<'a> {
    watch: &'a mut dyn Watch,
    clock: WallClock,
    began: Moment,
    round: u32,
    tokens: u64,
}

impl<'a> Attendant<'a> {
    fn of(watch: &'a mut dyn Watch, round: u32, tokens: u64) -> Attendant<'a> {
        let clock = WallClock::default();
        Attendant { watch, began: clock.now(), clock, round, tokens }
    }
}

impl Host for Attendant<'_> {
    /// There is no journal to write it into; what a kill leaves is found by its mark.
    fn spawned(&mut self, _: ProcessGroup) -> std::io::Result<()> {
        Ok(())
    }

    fn tick(&mut self, activity: Option<&Activity>) {
        if let Some(Activity::Spent(more)) = activity {
            let counted = more.input_tokens + more.cache_write_tokens + more.output_tokens;
            self.tokens = self.tokens.saturating_add(counted);
        }
        let now = self.clock.now();
        let elapsed_ms = now.milliseconds_since(self.began);
        let (round, tokens) = (self.round, self.tokens);
        self.watch.lives(&Life { now, round, elapsed_ms, tokens, activity });
    }

    fn quiet(&mut self, _: Quiet) {}

    fn must_end(&self) -> bool {
        self.watch.must_end()
    }

    fn now(&self) -> Moment {
        self.clock.now()
    }
}

fn not_started(error: impl std::fmt::Display) -> Problem {
    Problem::environment(
        format!("the agent cannot be started: {error}"),
        "nothing was drafted",
        "autopilot doctor says what is missing on this machine",
    )
}
