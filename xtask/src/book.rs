//! Writes what the user's book in `docs/` has of the program: the reference, the table of settings, the screens. The tests that hold
//! the book against the program know how; here they are asked to write instead of to complain.

use std::process::ExitCode;

use anyhow::Result;

use crate::program::{cargo, run};

pub(crate) fn write() -> Result<ExitCode> {
    let mut tests = cargo(["test", "--package", "autopilot-cli", "--test", "cli", "book::"]);
    // One after the other: two of them write the same page.
    tests.args(["--", "--test-threads=1"]).env("AUTOPILOT_REWRITE", "1");
    run(&mut tests)?;
    println!("the book says what the program does; read what is new in it: git diff docs");
    Ok(ExitCode::SUCCESS)
}
