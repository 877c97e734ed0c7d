//! One line asked of an agent for real, in a throw-away folder: the whole way from the command to the ending, without a run.

use std::io;
use std::path::Path;
use std::time::Duration;

use autopilot_agents::activity::{Activity, Spend};
use autopilot_agents::agent::Agent;
use autopilot_agents::ending::{Ending, How, Stopped};
use autopilot_agents::request::{Access, Request};
use autopilot_core::limits;

use super::choice::Chosen;
use crate::launcher::Launcher;
use crate::machine::Machine;
use crate::process::supervise::{self, Event, Exit, Grace, Outcome, Running, Supervision};
use crate::process::{Environment, Order};

const PROMPT: &str = "Answer with the one word: ready. Use no tools, read no files.";

#[derive(Debug)]
pub struct TryOut {
    pub ending: Ending,
    /// The model it said it uses.
    pub model: Option<String>,
    pub spend: Spend,
    pub took: Duration,
}

pub fn try_out(
    chosen: &Chosen,
    model: Option<&str>,
    machine: &Machine,
    launcher: Launcher,
) -> io::Result<TryOut> {
    let folder = |prefix| tempfile::Builder::new().prefix(prefix).tempdir();
    let (workspace, scratch) = (folder("autopilot-try-")?, folder("autopilot-agent-")?);
    let request = request(chosen.agent.as_ref(), model, scratch.path());
    let command = chosen.agent.command(&request);
    super::hand_over(&command, scratch.path())?;
    let listed = Environment::listed(machine).also(machine, command.variables);
    let listed = listed.also(machine, chosen.agent.more_variables());
    let environment = command
        .environment
        .into_iter()
        .fold(listed, |environment, (name, value)| environment.with(name, value));
    let order = Order::new(command.program, workspace.path(), environment, limits::TRY_TIME_MAX)
        .arguments(command.arguments)
        .input(command.stdin);
    let running = supervise::start(order, Supervision::of_agents(launcher, None), |_| Ok(()))
        .map_err(io::Error::other)?;
    Ok(follow(&running, chosen, &request))
}

/// The line that is asked.
pub fn request(agent: &dyn Agent, model: Option<&str>, scratch: &Path) -> Request {
    Request {
        prompt: PROMPT.to_string(),
        phase: "0".to_string(),
        step: "try".to_string(),
        task: None,
        round: 1,
        access: Access::ReadOnly,
        model: agent.model(model),
        allowance_tokens: limits::TRY_TOKENS_MAX,
        allowance_usd_micros: None,
        schema: None,
        is_fenced: false,
        scratch: scratch.to_path_buf(),
    }
}

fn follow(running: &Running, chosen: &Chosen, request: &Request) -> TryOut {
    let mut reader = chosen.agent.reader(request);
    let (mut spend, mut model, mut is_over) = (Spend::default(), None, false);
    let exit = loop {
        match running.next(limits::TICK_TIME) {
            Some(Event::Line(line)) => {
                for activity in reader.read_line(&line.bytes) {
                    match activity {
                        Activity::Spent(more) => spend = together(spend, more),
                        Activity::Started { model: told } => model = Some(told),
                        _ => {}
                    }
                }
            }
            Some(Event::Exited(exit)) => break exit,
            None => {}
        }
        let counted = spend.input_tokens + spend.cache_write_tokens + spend.output_tokens;
        if counted > request.allowance_tokens && !is_over {
            is_over = true;
            running.cancel(Grace::Given);
        }
    };
    for activity in reader.rest() {
        if let Activity::Spent(more) = activity {
            spend = together(spend, more);
        }
    }
    let took = exit.took;
    TryOut { ending: reader.conclude(&stopped(exit, is_over)), model, spend, took }
}

/// Parts that do not tell a cost do not make one unknown that another part tells.
fn together(sum: Spend, more: Spend) -> Spend {
    let costs = sum.usd_micros.into_iter().chain(more.usd_micros);
    Spend { usd_micros: costs.reduce(u64::saturating_add), ..sum.plus(more) }
}

fn stopped(exit: Exit, is_over: bool) -> Stopped {
    let how = match exit.outcome {
        Outcome::Exited(code) => How::Exited(code),
        Outcome::Signalled(signal) => How::Signalled(signal),
        Outcome::TimedOut => How::TimedOut,
        Outcome::Cancelled if is_over => How::AllowanceUsed,
        Outcome::Cancelled => How::Cancelled,
        Outcome::TooMuchOutput => How::TooMuchOutput,
        Outcome::CannotStart { why } | Outcome::Lost { why } => {
            return Stopped { how: How::CannotStart, said: why };
        }
    };
    Stopped { how, said: exit.stderr.last_lines().join("\n") }
}
