//! What was drafted, kept in `.autopilot/drafts/<time>/` whatever becomes of it: tokens were spent for it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use autopilot_core::drafting::Proposal;
use autopilot_core::problem::Problem;
use autopilot_core::run::ids::Moment;
use autopilot_core::run::projection::iso;
use autopilot_journal::Folder;

const NAME: &str = "drafts";
/// Drafts begun in the same second. More are a loop.
const SAME_SECOND_MAX: u32 = 100;

#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
    shown: String,
}

impl Kept {
    /// A folder of its own, named for when it was made.
    pub(super) fn begin(folder: &Folder, now: Moment) -> Result<Kept, Problem> {
        let drafts = folder.path().join(NAME);
        let time: String =
            iso(now).chars().filter(|c| c.is_ascii_digit() || *c == 'T').collect::<String>();
        let time = time.replace('T', "-");
        let failed = |error: std::io::Error| {
            Problem::environment(
                format!("{} cannot be made: {error}", drafts.display()),
                "what an agent drafts is kept there, so that it is not lost",
                "make room, or give yourself the right to write there",
            )
        };
        fs::create_dir_all(&drafts).map_err(failed)?;
        for number in 1..=SAME_SECOND_MAX {
            let name = if number == 1 { time.clone() } else { format!("{time}-{number}") };
            match fs::create_dir(drafts.join(&name)) {
                Ok(()) => {
                    let shown = format!(".autopilot/{NAME}/{name}");
                    return Ok(Kept { folder: drafts.join(name), shown });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Relative to the project.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The raw stream of one try. That it cannot be kept is no reason not to ask.
    pub(super) fn log(&self, round: u32) -> Option<File> {
        File::create(self.folder.join(format!("answer-{round}.jsonl"))).ok()
    }

    /// The files as they would be written, and the draft as it was returned. A full disk costs the copy, not the draft: it is still
    /// shown, and written to where it belongs.
    pub(super) fn keep(&self, round: u32, json: &str, proposal: &Proposal) {
        let faults: String = proposal.faults.iter().map(|fault| format!("- {fault}\n")).collect();
        let name = format!("draft-{round}.json");
        let files = [
            (name.as_str(), json),
            ("ROADMAP.md", &proposal.roadmap),
            ("REQUIREMENTS.md", &proposal.requirements),
            ("PROJECT.md", &proposal.project),
            ("faults.md", &faults),
        ];
        for (name, text) in files {
            let _ = fs::write(self.folder.join(name), text);
        }
        if proposal.faults.is_empty() {
            let _ = fs::remove_file(self.folder.join("faults.md"));
        }
    }
}
