//! What tests stand on: temporary projects, the built command, generated roadmaps, a made-up world for runs, a scripted
//! model for real agents, the rules of the repository.

pub mod agents;
pub mod bare_program;
pub mod book;
pub mod built_command;
pub mod cache_folder;
pub mod generate;
pub mod model_server;
pub mod packages;
pub mod requirements;
pub mod scenario;
pub mod simulation;
pub mod temporary_project;
pub mod tidy;
pub mod world;

/// Tells the person who runs the tests something that is no failure, past the capture of the test runner.
pub fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}
