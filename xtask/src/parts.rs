//! Runs the parts of a check one after the other, whatever fails, and ends with a table: what took how long, and what failed.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::program::{run, shown};

#[derive(Default)]
pub(crate) struct Parts {
    done: Vec<Part>,
}

struct Part {
    name: &'static str,
    ending: Ending,
    took: Duration,
}

enum Ending {
    Passed,
    Failed(String),
    NotRun(String),
}

impl Parts {
    /// A part that is one command. Returns whether it passed.
    pub(crate) fn command(&mut self, name: &'static str, mut command: Command) -> bool {
        println!("\n=== {name}: {}", shown(&command));
        self.timed(name, || run(&mut command)).is_some()
    }

    /// A part that is ours. Returns what it made, when it passed.
    pub(crate) fn step<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<T>,
    ) -> Option<T> {
        println!("\n=== {name}");
        self.timed(name, work)
    }

    pub(crate) fn not_run(&mut self, name: &'static str, why: impl Into<String>) {
        self.done.push(Part { name, ending: Ending::NotRun(why.into()), took: Duration::ZERO });
    }

    /// Shows the table; what failed stands last.
    pub(crate) fn finish(self) -> ExitCode {
        print!("\n{}", self.table());
        let failures: String = self.done.iter().filter_map(Part::failure).collect();
        if failures.is_empty() {
            println!("\nall passed");
            return ExitCode::SUCCESS;
        }
        println!("\n{failures}");
        ExitCode::FAILURE
    }

    fn timed<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Option<T> {
        let started = Instant::now();
        let (ending, made) = match work() {
            Ok(made) => (Ending::Passed, Some(made)),
            Err(error) => {
                eprintln!("{name} failed: {error:#}");
                (Ending::Failed(format!("{error:#}")), None)
            }
        };
        self.done.push(Part { name, ending, took: started.elapsed() });
        made
    }

    fn table(&self) -> String {
        let total: Duration = self.done.iter().map(|part| part.took).sum();
        let rows = self.done.iter().map(|part| (part.name, part.took, part.word()));
        let rows = rows.chain([("total", total, String::new())]);
        rows.map(|(name, took, word)| {
            let row = format!("{name:<12} {:>7.1} s  {word}", took.as_secs_f64());
            format!("{}\n", row.trim_end())
        })
        .collect()
    }
}

impl Part {
    fn word(&self) -> String {
        match &self.ending {
            Ending::Passed => "passed".into(),
            Ending::Failed(_) => "FAILED".into(),
            Ending::NotRun(why) => format!("not run: {why}"),
        }
    }

    fn failure(&self) -> Option<String> {
        match &self.ending {
            Ending::Failed(why) => Some(format!("FAILED {}: {why}\n", self.name)),
            Ending::Passed | Ending::NotRun(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_every_part_and_the_sum() {
        let part =
            |name, ending, seconds| Part { name, ending, took: Duration::from_secs(seconds) };
        let parts = Parts {
            done: vec![
                part("format", Ending::Passed, 1),
                part("tests", Ending::Failed("cargo test ended badly".into()), 62),
                part("licences", Ending::NotRun("cargo-deny is not there".into()), 0),
            ],
        };
        let expected = "\
format           1.0 s  passed
tests           62.0 s  FAILED
licences         0.0 s  not run: cargo-deny is not there
total           63.0 s
";
        assert_eq!(parts.table(), expected);
        let failures: Vec<_> = parts.done.iter().filter_map(Part::failure).collect();
        assert_eq!(failures, ["FAILED tests: cargo test ended badly\n"]);
    }

    #[test]
    fn a_part_that_fails_does_not_stop_the_next() {
        let mut parts = Parts::default();
        assert_eq!(parts.step::<()>("first", || anyhow::bail!("no")), None);
        assert_eq!(parts.step("second", || Ok(2)), Some(2));
        assert_eq!(parts.done.len(), 2);
        assert_eq!(parts.finish(), ExitCode::FAILURE);
    }
}
