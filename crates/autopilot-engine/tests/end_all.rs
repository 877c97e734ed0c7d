//! `end_all` ends every child of the process, so it is tried in a process of its own.

use std::thread;
use std::time::Duration;

use autopilot_engine::machine::Machine;
use autopilot_engine::process::{self, Ending, Environment, Order};

#[test]
fn whoever_is_asked_to_stop_leaves_no_child_behind() {
    let environment = Environment::listed(&Machine::of_this_process());
    let order = Order::new("sleep", "/", environment, Duration::from_secs(60)).arguments(["300"]);
    let waiting = thread::spawn(move || process::run(order));
    while !waiting.is_finished() {
        process::end_all();
        thread::yield_now();
    }
    assert_eq!(waiting.join().unwrap().unwrap().ending, Ending::Signalled(9));
}
