//! `fuzz`: runs the targets of `fuzz/`, two at a time, from the committed seeds. What crashes a reader is made small and put
//! among the seeds, so that every later run starts with it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::cache::{self, CARGO_FUZZ};
use crate::program::{answer, program, root, run, target_folder, wait_at_most};

/// A fuzzer keeps one core busy; two leave a small machine usable.
const AT_ONCE: usize = 2;
/// One input that keeps a reader busy for so long is as bad as a panic (ROAD-9).
const INPUT_SECONDS_MAX: u32 = 10;
/// What the fuzzer may take to start and to end, beyond the time it was given.
const EXTRA_TIME: Duration = Duration::from_secs(120);
/// How long a crashing input is made smaller, and how many changes are tried at each size.
const SMALLER_TIME_MAX: Duration = Duration::from_secs(60);
const SMALLER_TRIES: &str = "10000";
const EXIT_ENVIRONMENT: u8 = 6;

pub(crate) fn fuzz(seconds: u32, only: Option<&str>) -> Result<ExitCode> {
    if answer(program("rustup").args(["run", "nightly", "rustc", "--version"])).is_none() {
        eprintln!("error: fuzzing needs nightly Rust: rustup toolchain install nightly");
        return Ok(ExitCode::from(EXIT_ENVIRONMENT));
    }
    let targets = chosen(targets()?, only)?;
    let fuzzer = Fuzzer { tool: CARGO_FUZZ.installed()?.join(CARGO_FUZZ.name), seconds };
    run(&mut fuzzer.order("build", &[]))?;

    println!("{} targets, {seconds} s each, {AT_ONCE} at a time", targets.len());
    let waiting = Mutex::new(targets.into_iter());
    let ended = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(target) = next_of(&waiting) {
                    let outcome = fuzzer.run(&target);
                    println!("{target}: {}", described(&outcome));
                    push(&ended, (target, outcome));
                }
            });
        }
    });
    let mut ended = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    ended.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(show(&ended))
}

/// What came of one target.
struct Outcome {
    executions: u64,
    took: Duration,
    /// The crashing input, among the seeds.
    crash: Option<PathBuf>,
}

struct Fuzzer {
    tool: PathBuf,
    seconds: u32,
}

impl Fuzzer {
    /// cargo-fuzz with nightly around it. The cargo that started us is of another toolchain and must not be used.
    fn order(&self, verb: &str, words: &[&str]) -> Command {
        let mut command = program("rustup");
        command.args(["run", "nightly"]).arg(&self.tool).arg(verb);
        command.arg("--fuzz-dir").arg(root().join("fuzz"));
        command.arg("--target-dir").arg(target_folder().join("fuzz")).args(words);
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, target: &str) -> Result<Outcome> {
        let seeds = root().join("fuzz/seeds").join(target);
        let scratch = cache::folder()?.join("fuzz").join(target);
        for folder in [&seeds, &scratch] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let log = scratch.with_extension("log");
        let writer = fs::File::create(&log).with_context(|| log.display().to_string())?;
        let limits = [
            format!("-max_total_time={}", self.seconds),
            format!("-timeout={INPUT_SECONDS_MAX}"),
            "-print_final_stats=1".into(),
        ];
        let mut command = self.order("run", &[target]);
        command.arg(&scratch).arg(&seeds).arg("--").args(limits);
        command.stdout(writer.try_clone()?).stderr(writer);
        let started = Instant::now();
        let time_max = Duration::from_secs(self.seconds.into()) + EXTRA_TIME;
        let ending = wait_at_most(&mut command.spawn().context("cannot start rustup")?, time_max)?;
        let took = started.elapsed();
        let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        let executions = executions(&said).unwrap_or(0);
        let Some(ending) = ending else {
            let (waited, log) = (time_max.as_secs(), log.display());
            bail!(
                "not over after {waited} s, perhaps because another cargo built meanwhile: {log}"
            );
        };
        match (ending.success(), artifact(&said)) {
            (true, _) => Ok(Outcome { executions, took, crash: None }),
            (false, Some(input)) => {
                let crash = self.kept_small(target, Path::new(input), &seeds)?;
                Ok(Outcome { executions, took, crash: Some(crash) })
            }
            (false, None) => bail!("ended badly and left no input: {}", log.display()),
        }
    }

    /// The crashing input, as small as a minute makes it, copied to the seeds.
    fn kept_small(&self, target: &str, input: &Path, seeds: &Path) -> Result<PathBuf> {
        let name = input.file_name().context("the fuzzer named no input")?;
        // Only a crash is made smaller: each try of an input that hangs would hang too.
        let smaller = match name.to_string_lossy().starts_with("crash-") {
            true => self.smaller(target, input)?,
            false => None,
        };
        let kept = seeds.join(name);
        let found = smaller.as_deref().unwrap_or(input);
        fs::copy(found, &kept).with_context(|| found.display().to_string())?;
        Ok(kept)
    }

    /// The fuzzer writes one file for every size it reached; `None` where the input was as small as it gets.
    fn smaller(&self, target: &str, input: &Path) -> Result<Option<PathBuf>> {
        let folder = input.parent().context("the input lies in no folder")?;
        for old in minimized(folder)? {
            fs::remove_file(&old).with_context(|| old.display().to_string())?;
        }
        let mut command = self.order("tmin", &["--runs", SMALLER_TRIES, target]);
        command.arg(input).stdout(Stdio::null()).stderr(Stdio::null());
        wait_at_most(&mut command.spawn().context("cannot start rustup")?, SMALLER_TIME_MAX)?;
        let size = |path: &PathBuf| fs::metadata(path).map_or(u64::MAX, |data| data.len());
        Ok(minimized(folder)?.into_iter().min_by_key(size))
    }
}

fn minimized(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let is_minimized = |name: &OsStr| name.to_string_lossy().starts_with("minimized-from-");
    paths.retain(|path| path.file_name().is_some_and(is_minimized));
    Ok(paths)
}

fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn chosen(targets: Vec<String>, only: Option<&str>) -> Result<Vec<String>> {
    match only {
        None => Ok(targets),
        Some(name) if targets.iter().any(|target| target == name) => Ok(vec![name.into()]),
        Some(name) => bail!("no target `{name}`; there are: {}", targets.join(", ")),
    }
}

fn next_of(waiting: &Mutex<std::vec::IntoIter<String>>) -> Option<String> {
    waiting.lock().ok()?.next()
}

fn push<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(item);
}

fn executions(said: &str) -> Option<u64> {
    let counted =
        said.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?;
    counted.trim().parse().ok()
}

/// The input the fuzzer wrote down when a reader crashed, hung or ate the memory.
fn artifact(said: &str) -> Option<&str> {
    said.lines()
        .find_map(|line| line.split_once("Test unit written to ").map(|(_, path)| path.trim()))
}

fn described(outcome: &Result<Outcome>) -> String {
    match outcome {
        Err(error) => format!("FAILED {error:#}"),
        Ok(Outcome { executions, took, crash }) => {
            let crash = if crash.is_some() { "1 crash" } else { "no crash" };
            format!("{executions} executions in {:.0} s, {crash}", took.as_secs_f64())
        }
    }
}

fn show(ended: &[(String, Result<Outcome>)]) -> ExitCode {
    println!();
    for (target, outcome) in ended {
        println!("{target:<14} {}", described(outcome));
    }
    let crashes = ended.iter().filter_map(|(target, outcome)| {
        let crash = outcome.as_ref().ok()?.crash.as_ref()?;
        Some((target, crash.strip_prefix(root()).unwrap_or(crash)))
    });
    for (target, crash) in crashes {
        println!(
            "\nCRASH in {target}: {}\n  mend the reader, add a test with this text, see it pass with\n  \
             cargo xtask fuzz --target {target} --seconds 20\n  and commit the input with the fix",
            crash.display()
        );
    }
    let clean =
        |outcome: &Result<Outcome>| outcome.as_ref().is_ok_and(|ended| ended.crash.is_none());
    if ended.iter().all(|(_, outcome)| clean(outcome)) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_fuzzer_are_understood() {
        let said = "#2 INITED\nartifact_prefix='a/'; Test unit written to a/crash-0123\nBase64: AA==\n\
                    stat::number_of_executed_units: 658071\nstat::peak_rss_mb:  179\n";
        assert_eq!(executions(said), Some(658_071));
        assert_eq!(artifact(said), Some("a/crash-0123"));
        assert_eq!(artifact("Done 5 runs"), None);
    }

    #[test]
    fn a_target_is_chosen_by_its_name() {
        let targets = || vec!["config".to_string(), "plan".to_string()];
        assert_eq!(chosen(targets(), None).unwrap(), targets());
        assert_eq!(chosen(targets(), Some("plan")).unwrap(), ["plan"]);
        let error = chosen(targets(), Some("plans")).unwrap_err();
        assert_eq!(error.to_string(), "no target `plans`; there are: config, plan");
    }
}
