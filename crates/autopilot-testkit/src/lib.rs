//! What tests stand on: temporary projects, the built command, generated roadmaps, the rules of the repository.

pub mod built_command;
pub mod generate;
pub mod temporary_project;
pub mod tidy;

/// Tells the person who runs the tests something that is no failure, past the capture of the test runner.
pub fn say(words: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{words}");
}
