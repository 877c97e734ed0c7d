//! Real children through the real launcher: what they print, how they end, and that nothing of them is left.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on fails, and says where"
)]

#[path = "children/fence.rs"]
mod fence;
#[path = "fence/ground.rs"]
mod ground;
#[path = "children/killed_parent.rs"]
mod killed_parent;
#[path = "children/launcher.rs"]
mod launcher;
#[path = "children/scripted_agent.rs"]
mod scripted_agent;
#[path = "children/supervision.rs"]
mod supervision;

use std::path::Path;
use std::time::{Duration, Instant};

use autopilot_engine::launcher::Launcher;
use autopilot_engine::machine::Machine;
use autopilot_engine::process::supervise::{self, Event, Exit, Running, Supervision};
use autopilot_engine::process::{Environment, Order};

const PROGRAM: &str = env!("CARGO_BIN_EXE_autopilot");

/// Longer than any test may take: a bound that is only reached when something hangs.
const TEST_TIME_MAX: Duration = Duration::from_secs(60);
/// Short enough to wait for, long enough for a shell to start on a busy machine.
const BRIEF: Duration = Duration::from_secs(2);

fn environment() -> Environment {
    Environment::listed(&Machine::of_this_process())
}

fn shell(line: &str, folder: &Path) -> Order {
    Order::shell(line, folder, environment(), TEST_TIME_MAX)
}

fn supervision() -> Supervision {
    Supervision::of_agents(Launcher::at(PROGRAM), None)
}

fn start(order: Order) -> Running {
    supervise::start(order, supervision(), |_| Ok(())).unwrap()
}

/// Everything a child printed, line by line, and its end.
fn follow(running: &Running) -> (Vec<String>, Exit) {
    let mut lines = Vec::new();
    loop {
        match running.next(TEST_TIME_MAX) {
            Some(Event::Line(line)) => {
                lines.push(String::from_utf8_lossy(&line.bytes).into_owned())
            }
            Some(Event::Exited(exit)) => return (lines, exit),
            None => unreachable!("a child is ended after its time"),
        }
    }
}

/// Waits for what must come true soon.
fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come true");
        std::thread::yield_now();
    }
}

/// A killed process stays a zombie until its new parent looks; that is gone enough.
fn is_gone(id: &str) -> bool {
    assert!(id.parse::<u32>().is_ok(), "{id:?} is no process id");
    let state = std::fs::read_to_string(format!("/proc/{id}/stat"));
    state.is_err() || state.is_ok_and(|text| text.contains(") Z") || text.contains(") X"))
}

fn assert_soon_gone(id: &str) {
    soon(&format!("the end of process {id}"), || is_gone(id));
}

/// Text that another process writes whole, with a line feed at its end.
fn text_of(path: &Path) -> String {
    let mut text = String::new();
    soon(&format!("{}", path.display()), || {
        text = std::fs::read_to_string(path).unwrap_or_default();
        text.ends_with('\n')
    });
    text.trim().to_string()
}
