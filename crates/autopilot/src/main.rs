//! The command line of autopilot: one file a command; the only crate that prints.

fn main() {}
