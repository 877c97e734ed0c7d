//! The command line of xtask, read into one value. Says in one line what is wrong with it.

use std::path::PathBuf;

pub(crate) const HELP: &str = "\
What a contributor runs, from anywhere in the repository.

Usage: cargo xtask <command>

  test             everything a change must pass: checks what this needs, installs the rest into a
                   cache folder, then format, clippy, tests, documentation, tidy, fuzz targets, licences
  check            the quick half: format, clippy, tests; downloads nothing
  install          builds the program as users get it, without libraries of the system where it can be,
                   and puts it where cargo puts programs
  dist             the same program packed for others, with man pages, completions, checksums and a
                   script that installs it, in target/dist
  book             writes what the user's book in docs has of the program: the reference of commands, the
                   table of settings, the screens (about two minutes)
  agents install   brings the agents that tests drive, in their pinned versions, into the cache folder
  agents latest    tries the newest ones: installs them beside, runs the tests, tells what changed
  packages install brings what test projects depend on from npm and PyPI into the cache folder
  model-server     a scripted model on the loopback address, to try agents by hand
    --script FILE    what it answers, as JSON (docs/model-server.md)
    --seconds N      how long it stays (3600)
  bench readers    times autopilot beside its peer on roadmaps of 10 to 10,000 phases (some minutes)
  bench run        measures what a run costs beside its agents: an event, the time between two agents,
                   a run of 1,000 phases, taking it up again (about two minutes)
  bench agents     measures what autopilot adds to an agent's own time, and what following 32 of them
                   takes (about two minutes)
  bench liars      lets workers lie, and others only look as if they did, and tells which lies were caught
                   (about two minutes)
    --only NAME      only the case of that name
    FOLDER ..        cases of these folders instead of those of the repository
  capture-runners  runs every test runner that is read on small projects and keeps what it printed
    --only NAME      only the files that begin with this
  fuzz             feeds the readers with random text; needs nightly Rust
    --seconds N      how long each target runs (300)
    --target NAME    only this one of fuzz/fuzz_targets
  help             this text

The cache folder is $XDG_CACHE_HOME/autopilot-dev, or ~/.cache/autopilot-dev; it can be deleted.
Exit codes: 0 all passed, 1 something failed, 2 wrong usage, 6 this machine lacks something.
";

const COMMANDS: &str = "test, check, install, dist, book, agents install, agents latest, packages install, model-server, bench readers, bench run, bench agents, bench liars, capture-runners, fuzz, help";
/// Five minutes find what one change broke; a night is for `--seconds 30000`.
const FUZZ_SECONDS: u32 = 300;
/// Long enough to try something by hand, and whoever forgets it loses it.
const MODEL_SERVER_SECONDS: u32 = 3_600;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Help,
    Test,
    Check,
    Install,
    Dist,
    Book,
    AgentsInstall,
    AgentsLatest,
    PackagesInstall,
    ModelServer {
        script: PathBuf,
        seconds: u32,
    },
    /// `binary` stands in for the built one, to try the bench itself.
    BenchReaders {
        binary: Option<PathBuf>,
    },
    BenchRun,
    BenchAgents,
    BenchLiars {
        only: Option<String>,
        folders: Vec<PathBuf>,
    },
    CaptureRunners {
        only: Option<String>,
    },
    Fuzz {
        seconds: u32,
        target: Option<String>,
    },
}

impl Order {
    pub(crate) fn read(arguments: &[String]) -> Result<Order, String> {
        if arguments.iter().any(|word| word == "--help" || word == "-h") {
            return Ok(Order::Help);
        }
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] | ["help"] => Ok(Order::Help),
            ["test"] => Ok(Order::Test),
            ["check"] => Ok(Order::Check),
            ["install"] => Ok(Order::Install),
            ["dist"] => Ok(Order::Dist),
            ["book"] => Ok(Order::Book),
            ["agents", "install"] => Ok(Order::AgentsInstall),
            ["agents", "latest"] => Ok(Order::AgentsLatest),
            ["agents"] => Err("`agents` what? there are: agents install, agents latest".into()),
            ["packages", "install"] => Ok(Order::PackagesInstall),
            ["packages"] => Err("`packages` what? there is: packages install".into()),
            ["model-server", options @ ..] => model_server(options),
            ["bench", "readers"] => Ok(Order::BenchReaders { binary: None }),
            ["bench", "readers", "--binary", path] => {
                Ok(Order::BenchReaders { binary: Some(path.into()) })
            }
            ["bench", "run"] => Ok(Order::BenchRun),
            ["bench", "agents"] => Ok(Order::BenchAgents),
            ["bench", "liars", options @ ..] => bench_liars(options),
            ["capture-runners"] => Ok(Order::CaptureRunners { only: None }),
            ["capture-runners", "--only", name] => {
                Ok(Order::CaptureRunners { only: Some((*name).to_string()) })
            }
            ["capture-runners", ..] => Err("`capture-runners` takes --only NAME".into()),
            ["fuzz", options @ ..] => fuzz(options),
            ["bench"] => Err(
                "`bench` of what? there are: bench readers, bench run, bench agents, bench liars"
                    .into(),
            ),
            [
                command @ ("test" | "check" | "install" | "dist" | "book" | "help" | "bench"
                | "agents" | "packages"),
                extra @ ..,
            ] => Err(format!("`{command}` takes no `{}`", extra.join(" "))),
            [other, ..] => Err(format!("no command `{other}`; there are: {COMMANDS}")),
        }
    }
}

fn bench_liars(options: &[&str]) -> Result<Order, String> {
    let (only, folders) = match options {
        ["--only"] => return Err("`--only` needs a value".into()),
        ["--only", name, folders @ ..] => (Some((*name).to_string()), folders),
        folders => (None, folders),
    };
    if let Some(option) = folders.iter().find(|word| word.starts_with('-')) {
        return Err(format!("`bench liars` takes no `{option}`; --only NAME, folders"));
    }
    Ok(Order::BenchLiars { only, folders: folders.iter().map(PathBuf::from).collect() })
}

fn model_server(options: &[&str]) -> Result<Order, String> {
    let (mut seconds, mut script) = (MODEL_SERVER_SECONDS, None);
    let mut left = options;
    loop {
        left = match left {
            [] => {
                let script = script.ok_or("`model-server` needs --script FILE")?;
                return Ok(Order::ModelServer { script, seconds });
            }
            ["--seconds", value, rest @ ..] => {
                seconds = number_of_seconds(value)?;
                rest
            }
            ["--script", path, rest @ ..] => {
                script = Some(PathBuf::from(path));
                rest
            }
            [option @ ("--seconds" | "--script")] => {
                return Err(format!("`{option}` needs a value"));
            }
            [other, ..] => {
                return Err(format!(
                    "`model-server` takes no `{other}`; --script FILE, --seconds N"
                ));
            }
        }
    }
}

fn number_of_seconds(value: &str) -> Result<u32, String> {
    let number = value.parse().ok().filter(|&number: &u32| number > 0);
    number.ok_or(format!("`--seconds {value}` is no number of seconds"))
}

fn fuzz(options: &[&str]) -> Result<Order, String> {
    let (mut seconds, mut target) = (FUZZ_SECONDS, None);
    let mut left = options;
    loop {
        left = match left {
            [] => return Ok(Order::Fuzz { seconds, target }),
            ["--seconds", value, rest @ ..] => {
                seconds = number_of_seconds(value)?;
                rest
            }
            ["--target", name, rest @ ..] => {
                target = Some((*name).to_string());
                rest
            }
            [option @ ("--seconds" | "--target")] => {
                return Err(format!("`{option}` needs a value"));
            }
            [other, ..] => {
                return Err(format!("`fuzz` takes no `{other}`; --seconds N, --target NAME"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Order, String> {
        Order::read(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn orders_are_read() {
        let fuzz = |seconds, target: Option<&str>| Order::Fuzz {
            seconds,
            target: target.map(str::to_string),
        };
        assert_eq!(read(""), Ok(Order::Help));
        assert_eq!(read("--help"), Ok(Order::Help));
        assert_eq!(read("test --help"), Ok(Order::Help));
        assert_eq!(read("test"), Ok(Order::Test));
        assert_eq!(read("check"), Ok(Order::Check));
        assert_eq!(read("install"), Ok(Order::Install));
        assert_eq!(read("dist"), Ok(Order::Dist));
        assert_eq!(read("book"), Ok(Order::Book));
        assert_eq!(read("bench readers"), Ok(Order::BenchReaders { binary: None }));
        assert_eq!(
            read("bench readers --binary x"),
            Ok(Order::BenchReaders { binary: Some("x".into()) })
        );
        assert_eq!(read("bench run"), Ok(Order::BenchRun));
        assert_eq!(read("bench agents"), Ok(Order::BenchAgents));
        let liars = |only: Option<&str>, folders: &[&str]| {
            let folders = folders.iter().map(PathBuf::from).collect();
            Ok(Order::BenchLiars { only: only.map(str::to_string), folders })
        };
        assert_eq!(read("bench liars"), liars(None, &[]));
        assert_eq!(read("bench liars --only a"), liars(Some("a"), &[]));
        assert_eq!(read("bench liars --only a b c"), liars(Some("a"), &["b", "c"]));
        assert_eq!(read("capture-runners"), Ok(Order::CaptureRunners { only: None }));
        assert_eq!(
            read("capture-runners --only go"),
            Ok(Order::CaptureRunners { only: Some("go".into()) })
        );
        assert_eq!(read("agents install"), Ok(Order::AgentsInstall));
        assert_eq!(read("agents latest"), Ok(Order::AgentsLatest));
        let server = |seconds| Order::ModelServer { script: "s.json".into(), seconds };
        assert_eq!(read("model-server --script s.json"), Ok(server(3_600)));
        assert_eq!(read("model-server --seconds 9 --script s.json"), Ok(server(9)));
        assert_eq!(read("fuzz"), Ok(fuzz(300, None)));
        assert_eq!(read("fuzz --target plan --seconds 5"), Ok(fuzz(5, Some("plan"))));
    }

    #[test]
    fn mistakes_are_named() {
        let check = |line: &str, expected: &str| assert_eq!(read(line), Err(expected.into()));
        check("tset", &format!("no command `tset`; there are: {COMMANDS}"));
        check("test now", "`test` takes no `now`");
        check("dist all", "`dist` takes no `all`");
        check("book now", "`book` takes no `now`");
        check(
            "bench",
            "`bench` of what? there are: bench readers, bench run, bench agents, bench liars",
        );
        check("bench liars --only", "`--only` needs a value");
        check("bench liars --all", "`bench liars` takes no `--all`; --only NAME, folders");
        check("agents", "`agents` what? there are: agents install, agents latest");
        check("agents old", "`agents` takes no `old`");
        check("model-server", "`model-server` needs --script FILE");
        check("model-server x", "`model-server` takes no `x`; --script FILE, --seconds N");
        check("bench writers", "`bench` takes no `writers`");
        check("capture-runners all", "`capture-runners` takes --only NAME");
        check("fuzz --seconds 0", "`--seconds 0` is no number of seconds");
        check("fuzz --seconds", "`--seconds` needs a value");
        check("fuzz plan", "`fuzz` takes no `plan`; --seconds N, --target NAME");
    }
}
