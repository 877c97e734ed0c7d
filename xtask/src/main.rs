//! What a contributor runs: `cargo xtask test`, `check`, `install`, `dist`, `book`, `agents`, `packages`, `bench`, `capture-runners`, `fuzz`. Reads the order and
//! hands it on.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "xtask is a program of its own; it talks to contributors"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "xtask starts cargo, node and fuzzers; it is no part of the program"
)]

use std::process::ExitCode;

use order::Order;

mod agents;
mod bench;
mod book;
mod cache;
mod capture_runners;
mod checks;
mod dist;
mod fuzz;
mod model_server;
mod order;
mod packages;
mod parts;
mod program;
mod release;
mod requirements;
mod test_packages;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let order = match Order::read(&arguments) {
        Ok(order) => order,
        Err(mistake) => {
            eprintln!("error: {mistake}\nhint: cargo xtask --help");
            return ExitCode::from(2);
        }
    };
    match follow(order) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn follow(order: Order) -> anyhow::Result<ExitCode> {
    match order {
        Order::Help => {
            print!("{}", order::HELP);
            Ok(ExitCode::SUCCESS)
        }
        Order::Test => checks::test(),
        Order::Check => checks::check(),
        Order::Install => release::install(),
        Order::Dist => dist::make(),
        Order::Book => book::write(),
        Order::AgentsInstall => agents::install(),
        Order::AgentsLatest => agents::latest(),
        Order::PackagesInstall => test_packages::install(),
        Order::ModelServer { script, seconds } => model_server::serve(&script, seconds),
        Order::BenchReaders { binary } => bench::readers(binary),
        Order::BenchRun => bench::run::measure(),
        Order::BenchAgents => bench::agents::measure(),
        Order::BenchLiars { only, folders } => bench::liars::play(only.as_deref(), folders),
        Order::CaptureRunners { only } => capture_runners::capture(only.as_deref()),
        Order::Fuzz { seconds, target } => fuzz::fuzz(seconds, target.as_deref()),
    }
}
