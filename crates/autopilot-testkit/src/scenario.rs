//! Scenarios in plain text: what is given, what happens, what must follow. Reads the files, plays a scenario in the made-up world and
//! compares the account of its journal with what was expected. The words of each line are read in `scenario/`.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use autopilot_core::run::event::Event;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::state::{RunState, RunStatus};

use crate::world::{Drive, Stepped, Trouble};

pub mod account;
mod expectation;
mod given_words;
mod happening;
mod lines;
mod script;
mod vocabulary;

use account::Narrator;
use expectation::Expected;
use happening::Interruption;
use lines::Block;
pub use script::Scripted;

/// No scenario needs as many; one that reaches it goes round in circles.
pub const EVENTS_MAX: usize = 2_000;

/// One scenario of a file.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub place: Place,
    /// The rules it shows.
    pub rules: Vec<String>,
    pub title: String,
    pub script: Scripted,
    pub opening: Vec<Event>,
    interruptions: Vec<Interruption>,
    expected: Vec<Expected>,
}

/// A line of a scenario file, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Words that are none of the vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}")]
pub struct Misread {
    pub place: Place,
    pub what: String,
}

/// What a scenario showed instead of what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place} {title}\n{what}\nwhat happened:\n{account}")]
pub struct Differs {
    pub place: Place,
    pub title: String,
    pub what: String,
    pub account: String,
}

/// A run that stands still.
pub struct Played {
    pub journal: Vec<Event>,
    /// When each of them happened.
    pub times: Vec<Moment>,
    pub state: RunState,
    /// One sentence an event, and the exit code.
    pub account: Vec<String>,
}

/// Every scenario of this repository, in the order of the files' names.
pub fn all() -> Result<Vec<Scenario>, Misread> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let unread = |path: &Path, cause: io::Error| Misread {
        place: Place { file: path.display().to_string(), line: 1 },
        what: cause.to_string(),
    };
    let entries = fs::read_dir(&folder).map_err(|cause| unread(&folder, cause))?;
    let paths = entries.flatten().map(|entry| entry.path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "txt");
    let mut paths: Vec<PathBuf> = paths.filter(is_text).collect();
    paths.sort();
    let mut scenarios = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|cause| unread(&path, cause))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        scenarios.extend(read(&name, &text)?);
    }
    Ok(scenarios)
}

/// All scenarios of a file, or the first line nobody understands.
pub fn read(file: &str, text: &str) -> Result<Vec<Scenario>, Misread> {
    lines::blocks(file, text)?.iter().map(Scenario::read).collect()
}

impl Scenario {
    fn read(block: &Block) -> Result<Scenario, Misread> {
        let misread = |line: usize, what: String| Misread {
            place: Place { file: block.place.file.clone(), line },
            what,
        };
        let mut script = Scripted::default();
        for (line, sentence) in &block.given {
            given_words::read(&mut script, sentence).map_err(|what| misread(*line, what))?;
        }
        let mut interruptions = Vec::new();
        for (line, sentence) in &block.happens {
            let read = happening::read(&mut script, sentence).map_err(|what| misread(*line, what));
            interruptions.extend(read?);
        }
        let expected: Result<Vec<Expected>, Misread> = block
            .expect
            .iter()
            .map(|(line, item)| Expected::read(item).map_err(|what| misread(*line, what)))
            .collect();
        Ok(Scenario {
            place: block.place.clone(),
            rules: block.rules.clone(),
            title: block.title.clone(),
            opening: script.given.opening(),
            script,
            interruptions,
            expected: expected?,
        })
    }

    /// Plays it to its end, with the kills and stops it names.
    pub fn play(&self) -> Result<Played, Differs> {
        let mut drive = Drive::new(&self.script, &self.opening);
        if let Err(trouble) = self.drive(&mut drive) {
            return Err(self.differs(trouble.to_string(), &Narrator::account(&drive.journal)));
        }
        let mut account = Narrator::account(&drive.journal);
        let Some(state) = drive.state().cloned() else {
            return Err(self.differs("it never began".to_string(), &account));
        };
        account.extend(exit(&state).map(|code| format!("exit {code}")));
        Ok(Played { journal: drive.journal, times: drive.times, state, account })
    }

    fn drive(&self, drive: &mut Drive<'_, Scripted>) -> Result<(), Trouble> {
        let mut coming = self.interruptions.iter().peekable();
        let mut narrator = Narrator::default();
        let mut told = 0;
        loop {
            let stepped = drive.step()?;
            let mut last = String::new();
            for event in &drive.journal[told..] {
                last = narrator.sentence(event);
            }
            told = drive.journal.len();
            match coming.peek() {
                Some(Interruption::Resumed) if stepped == Stepped::Stands => drive.resume()?,
                Some(Interruption::Killed { after }) if after.fits(&last) => drive.kill()?,
                Some(Interruption::Added { after }) if after.fits(&last) => {
                    drive.add(&self.script.given.addition())?;
                }
                Some(Interruption::Merge { after, when }) if after.fits(&last) => {
                    drive.ask(Event::MergeRequested { when: *when })?;
                }
                Some(Interruption::Rollback { after, phases, is_landed }) if after.fits(&last) => {
                    let head = drive.state().and_then(|state| state.branch.as_ref());
                    let onto = head.filter(|_| *is_landed).map(|branch| branch.head.clone());
                    drive.ask(Event::RollbackInitiated { phases: phases.clone(), onto })?;
                }
                Some(Interruption::Stopped { after, how }) if after.fits(&last) => {
                    drive.stop(*how)?;
                }
                _ if stepped == Stepped::Stands => return Ok(()),
                _ if told > EVENTS_MAX => return Err(Trouble::Endless(EVENTS_MAX)),
                _ => continue,
            }
            coming.next();
        }
    }

    /// Whether everything expected happened, in that order, and nothing that must not.
    pub fn check(&self) -> Result<Played, Differs> {
        let played = self.play()?;
        match expectation::compare(&self.expected, &played.account) {
            Ok(()) => Ok(played),
            Err(what) => Err(self.differs(what, &played.account)),
        }
    }

    fn differs(&self, what: String, account: &[String]) -> Differs {
        let (place, title) = (self.place.clone(), self.title.clone());
        let account = account.iter().map(|sentence| format!("  {sentence}\n")).collect();
        Differs { place, title, what, account }
    }

    /// Whether something else than the world ends it: then another run of the same world ends otherwise.
    pub fn is_interrupted(&self) -> bool {
        !self.interruptions.is_empty()
    }
}

/// None while the run has something to do.
pub fn exit(state: &RunState) -> Option<u8> {
    match &state.status {
        RunStatus::Running => None,
        RunStatus::Paused(why) => Some(why.exit().code()),
        RunStatus::Halted(why) => Some(why.exit().code()),
        RunStatus::Completed(result) => Some(result.exit().code()),
    }
}
