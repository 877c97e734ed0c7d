//! `bench liars`: shows that a phase closes only on what was measured. Every case is a tiny project and a worker that lies, or only looks
//! as if it did; the built program does the phase for real, and what it said is held against what the case asks for.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use case::{Case, Ends};
use project::Project;
use seen::Seen;
use verdict::Verdict;

mod case;
mod project;
mod script;
mod seen;
mod verdict;

/// Cases that are played at a time: a run waits for its own processes most of the time, and two cores are what everybody has.
const AT_ONCE: usize = 2;
/// A case is read by people.
const CASE_BYTES_MAX: u64 = 256 * 1024;

/// What came of a case.
struct Played {
    name: String,
    ends: Option<Ends>,
    took: Duration,
    verdict: Result<Verdict>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    caught: usize,
    missed: usize,
    not_provable: usize,
    not_told: usize,
    honest: usize,
    false_alarms: usize,
    errors: usize,
}

/// Plays every case of the folders, or those of that name, and says whether all ended as they should.
pub(crate) fn play(autopilot: &Path, only: Option<&str>, folders: &[&Path]) -> Result<bool> {
    let files = files(folders, only)?;
    ensure!(!files.is_empty(), "there is no such case");
    let (files, played) = (Mutex::new(files.into_iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                let next = || files.lock().unwrap_or_else(PoisonError::into_inner).next();
                while let Some(file) = next() {
                    let one = play_one(autopilot, &file);
                    show(&one);
                    played.lock().unwrap_or_else(PoisonError::into_inner).push(one);
                }
            });
        }
    });
    let played = played.into_inner().unwrap_or_else(PoisonError::into_inner);
    let tally = Tally::of(&played);
    println!();
    for line in tally.lines() {
        println!("{line}");
    }
    Ok(tally.is_good())
}

/// In the order of their names, folder by folder.
fn files(folders: &[&Path], only: Option<&str>) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let mut found = Vec::new();
        for entry in entries {
            let path = entry?.path();
            let is_asked =
                only.is_none_or(|only| path.file_stem().is_some_and(|stem| stem == only));
            if path.extension().is_some_and(|ending| ending == "lie") && is_asked {
                found.push(path);
            }
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

fn play_one(autopilot: &Path, file: &Path) -> Played {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let started = Instant::now();
    let case = read(&name, file);
    let ends = case.as_ref().ok().map(|case| case.ends);
    let verdict = case.and_then(|case| {
        let project = Project::of(&case)?;
        let ended = project.run(autopilot)?;
        let seen = Seen::of(&case, project.root(), &ended)?;
        Ok(verdict::of(&case, &seen))
    });
    Played { name, ends, took: started.elapsed(), verdict }
}

fn read(name: &str, file: &Path) -> Result<Case> {
    let length = std::fs::metadata(file)?.len();
    if length > CASE_BYTES_MAX {
        bail!("it has {length} bytes, and a case has at most {CASE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file)?;
    Case::read(name, &text).map_err(anyhow::Error::msg)
}

fn show(played: &Played) {
    let (word, more) = match &played.verdict {
        Ok(Verdict::Caught(said)) => ("caught", Some(said.clone())),
        Ok(Verdict::Passed) => ("honest", None),
        Ok(Verdict::NotProvable(seen)) => ("not provable", Some(seen.clone())),
        Ok(Verdict::NotTold) => ("not told", Some("the phase held before the work".into())),
        Ok(Verdict::Missed(seen)) => ("MISSED", Some(seen.clone())),
        Ok(Verdict::FalseAlarm(seen)) => ("FALSE ALARM", Some(seen.clone())),
        Err(error) => ("ERROR", Some(format!("{error:#}"))),
    };
    let seconds = played.took.as_secs_f64();
    let more = more.map(|more| format!("\n    {more}")).unwrap_or_default();
    println!("{word:<12} {seconds:>5.1} s  {}{more}", played.name);
}

impl Tally {
    fn of(played: &[Played]) -> Tally {
        let mut tally = Tally::default();
        for one in played {
            if one.verdict.is_ok() && one.ends.is_some_and(|ends| !ends.is_lie()) {
                tally.honest += 1;
            }
            match &one.verdict {
                Ok(Verdict::Caught(_)) => tally.caught += 1,
                Ok(Verdict::Missed(_)) => tally.missed += 1,
                Ok(Verdict::NotProvable(_)) => tally.not_provable += 1,
                Ok(Verdict::NotTold) => tally.not_told += 1,
                Ok(Verdict::FalseAlarm(_)) => tally.false_alarms += 1,
                Ok(Verdict::Passed) => {}
                Err(_) => tally.errors += 1,
            }
        }
        tally
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.errors > 0 {
            lines.push(format!("{} could not be played and count as nothing", self.errors));
        }
        if self.not_provable > 0 {
            lines.push(format!(
                "{} more that nobody could know without a hidden check or a person: neither caught nor missed",
                self.not_provable
            ));
        }
        if self.not_told > 0 {
            lines.push(format!(
                "{} were not told, for their phase held before the work and nobody was asked: neither caught nor missed",
                self.not_told
            ));
        }
        let Tally { caught, missed, honest, false_alarms, .. } = self;
        lines.push(format!(
            "{} lies: {caught} caught, {missed} missed; {honest} honest: {false_alarms} false alarms",
            caught + missed
        ));
        lines
    }

    fn is_good(&self) -> bool {
        self.missed == 0 && self.false_alarms == 0 && self.errors == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(ends: Option<Ends>, verdict: Result<Verdict>) -> Played {
        Played { name: "a".into(), ends, took: Duration::ZERO, verdict }
    }

    #[test]
    fn what_could_not_be_played_or_known_is_never_a_pass() {
        let mut all = vec![
            played(Some(Ends::Rejected), Ok(Verdict::Caught("gone".into()))),
            played(Some(Ends::Passes), Ok(Verdict::Passed)),
            played(Some(Ends::CannotBeProven), Ok(Verdict::NotProvable("passed".into()))),
        ];
        let last = |all: &[Played]| Tally::of(all).lines().pop().unwrap();
        assert!(Tally::of(&all).is_good());
        assert_eq!(last(&all), "1 lies: 1 caught, 0 missed; 1 honest: 0 false alarms");
        all.push(played(Some(Ends::Told), Err(anyhow::anyhow!("red before the work"))));
        assert!(!Tally::of(&all).is_good());
        assert_eq!(last(&all), "1 lies: 1 caught, 0 missed; 1 honest: 0 false alarms");
        all.truncate(3);
        all.push(played(Some(Ends::Told), Ok(Verdict::Missed("passed".into()))));
        all.push(played(Some(Ends::Passes), Ok(Verdict::FalseAlarm("red".into()))));
        assert!(!Tally::of(&all).is_good());
        assert_eq!(last(&all), "2 lies: 1 caught, 1 missed; 2 honest: 1 false alarms");
    }
}
