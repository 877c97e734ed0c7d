//! The scripted agent's process: finds its part in the script and plays it, action by action. Everything it does is told on
//! its stream. The only code of this crate that touches files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::limits;
use crate::script::{
    self, Action, Content, Crash, Failure, FileKind, Occasion, Reply, Script, ScriptError,
};

use super::put::put;
use super::stream::StreamLine;
use super::{MODEL, hands};

/// What is played, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub script: PathBuf,
    pub occasion: Occasion,
    /// The folder the agent works in.
    pub workspace: PathBuf,
}

/// The exit code of a script that cannot be played.
const FAULT: u8 = 65;
/// The exit code of a played failure, as the real ones have it.
const FAILED: u8 = 1;
/// Lines of a flood when the script does not say how long they are.
const FLOOD_LINE_BYTES: u64 = 1000;

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Script(#[from] ScriptError),
    #[error("{} leads out of the workspace, and the action does not say `outside`", .0.display())]
    Outside(PathBuf),
    #[error("{} does not hold the text to be replaced", .0.display())]
    NothingToReplace(PathBuf),
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("git {asked}: {said}")]
    Git { asked: &'static str, said: String },
    #[error("the stream cannot be written: {0}")]
    Stream(io::Error),
}

enum Step {
    GoOn,
    Exit(u8),
}

/// Plays to the end and gives the exit code back; a crash by signal, and only that, does not return.
pub fn play(part: &Part, prompt: impl Read, stream: &mut dyn Write) -> u8 {
    let mut player = Player { workspace: &part.workspace, stream };
    match player.play(part, prompt) {
        Ok(exit) => exit,
        // Nobody reads any more: there is nobody to tell.
        Err(Fault::Stream(_)) => FAULT,
        Err(fault) => {
            let _ = player.tell(&StreamLine::Error { message: fault.to_string() });
            FAULT
        }
    }
}

struct Player<'a> {
    workspace: &'a Path,
    stream: &'a mut dyn Write,
}

impl Player<'_> {
    fn play(&mut self, part: &Part, prompt: impl Read) -> Result<u8, Fault> {
        let read = io::copy(&mut prompt.take(limits::PROMPT_BYTES_MAX), &mut io::sink());
        self.tell(&StreamLine::System {
            model: MODEL.into(),
            agent: MODEL.into(),
            version: script::VERSION,
            part: part.occasion.to_string(),
            prompt_bytes: read.unwrap_or(0),
        })?;
        let text = read_up_to(&part.script, limits::SCRIPT_BYTES_MAX)?;
        let script = Script::read(&text)?;
        for action in &script.entry_for(&part.occasion)?.actions {
            match self.perform(action)? {
                Step::GoOn => {}
                Step::Exit(code) => return Ok(code),
            }
        }
        Ok(0)
    }

    fn perform(&mut self, action: &Action) -> Result<Step, Fault> {
        match action {
            Action::Write { path, text, outside } => self.write(path, text, *outside)?,
            Action::Append { path, text, outside } => self.append(path, text, *outside)?,
            Action::Replace { path, from, to, outside } => {
                self.replace(path, from, to, *outside)?
            }
            Action::Delete { path, outside } => self.delete(path, *outside)?,
            Action::Put { path, kind, content } => self.put(path, *kind, content)?,
            Action::Patch { difference } => self.patch(difference)?,
            Action::Run { command } => self.run(command)?,
            Action::Commit { message } => self.commit(message)?,
            Action::Say { text } => self.tell(&StreamLine::Say { text: text.clone() })?,
            Action::Ask { question } => {
                self.tell(&StreamLine::Ask { question: question.clone() })?;
            }
            Action::Spend(spent) => self.tell(&StreamLine::Usage { spent: *spent })?,
            Action::WaitForLimit { until_unix_s } => {
                self.tell(&StreamLine::LimitWait { until_unix_s: *until_unix_s })?;
            }
            Action::Reply(reply) => self.reply(reply)?,
            Action::Complain { text } => {
                self.tell(&StreamLine::Error { message: text.clone() })?;
            }
            Action::Fail(failure) => return self.fail(failure),
            Action::Wait { ms } => {
                thread::sleep(Duration::from_millis(*ms).min(limits::WAIT_TIME_MAX));
            }
            Action::Hang => thread::sleep(limits::HANG_TIME_MAX),
            Action::Crash(crash) => return Ok(Step::Exit(crashed(*crash))),
            Action::Garbage { bytes } => self.garbage(*bytes)?,
            Action::Flood { bytes, line_bytes } => self.flood(*bytes, *line_bytes)?,
            Action::LeaveBehind(where_to) => {
                let pid = hands::leave_behind(self.workspace, *where_to)
                    .map_err(|source| Fault::Io { path: "sleep".into(), source })?;
                self.tell(&StreamLine::LeftBehind { pid })?;
            }
        }
        Ok(Step::GoOn)
    }

    fn write(&mut self, path: &str, text: &str, outside: bool) -> Result<(), Fault> {
        let full = self.place(path, outside)?;
        let failed = |source| Fault::Io { path: full.clone(), source };
        if let Some(folder) = full.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        fs::write(&full, text).map_err(failed)?;
        self.tell(&StreamLine::Change { path: path.into() })
    }

    fn append(&mut self, path: &str, text: &str, outside: bool) -> Result<(), Fault> {
        let full = self.place(path, outside)?;
        let failed = |source| Fault::Io { path: full.clone(), source };
        let mut file = OpenOptions::new().append(true).create(true).open(&full).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        self.tell(&StreamLine::Change { path: path.into() })
    }

    fn replace(&mut self, path: &str, from: &str, to: &str, outside: bool) -> Result<(), Fault> {
        let full = self.place(path, outside)?;
        let text = read_up_to(&full, limits::REPLACE_BYTES_MAX)?;
        let text = String::from_utf8_lossy(&text);
        if !text.contains(from) {
            return Err(Fault::NothingToReplace(full));
        }
        self.write(path, &text.replacen(from, to, 1), outside)
    }

    fn delete(&mut self, path: &str, outside: bool) -> Result<(), Fault> {
        let full = if outside { self.place(path, true)? } else { self.place_itself(path)? };
        let failed = |source| Fault::Io { path: full.clone(), source };
        // A link is deleted itself, not what it leads to.
        let is_folder = fs::symlink_metadata(&full).map_err(failed)?.is_dir();
        let deleted = if is_folder { fs::remove_dir_all(&full) } else { fs::remove_file(&full) };
        deleted.map_err(failed)?;
        self.tell(&StreamLine::Change { path: path.into() })
    }

    fn put(&mut self, path: &str, kind: FileKind, content: &Content) -> Result<(), Fault> {
        let full = self.place_itself(path)?;
        put(&full, kind, content).map_err(|source| Fault::Io { path: full.clone(), source })?;
        self.tell(&StreamLine::Change { path: path.into() })
    }

    fn patch(&mut self, difference: &str) -> Result<(), Fault> {
        let arguments = ["apply", "--whitespace=nowarn", "-"];
        self.git("apply", &arguments, difference)?;
        let changed = difference.lines().filter_map(|line| line.strip_prefix("+++ b/"));
        for path in changed {
            self.tell(&StreamLine::Change { path: path.into() })?;
        }
        Ok(())
    }

    fn run(&mut self, command: &str) -> Result<(), Fault> {
        self.tell(&StreamLine::Tool { name: "sh".into(), summary: command.into() })?;
        let (text, exit) = hands::run(self.workspace, "sh", &["-c", command], "")
            .map_err(|source| Fault::Io { path: "sh".into(), source })?;
        self.tell(&StreamLine::Output { text, exit })
    }

    fn commit(&mut self, message: &str) -> Result<(), Fault> {
        self.tell(&StreamLine::Tool { name: "git".into(), summary: "commit".into() })?;
        self.git("add", &["add", "--all"], "")?;
        let name = format!("user.name={MODEL}");
        let email = format!("user.email={MODEL}@example.com");
        let identity = ["-c", &name, "-c", &email, "-c", "commit.gpgSign=false"];
        let commit = ["commit", "--quiet", "--allow-empty", "--no-verify", "-m", message];
        self.git("commit", &[&identity[..], &commit[..]].concat(), "")
    }

    fn git(&mut self, asked: &'static str, arguments: &[&str], input: &str) -> Result<(), Fault> {
        let (said, exit) = hands::run(self.workspace, "git", arguments, input)
            .map_err(|source| Fault::Io { path: "git".into(), source })?;
        if exit == Some(0) { Ok(()) } else { Err(Fault::Git { asked, said }) }
    }

    fn reply(&mut self, reply: &Reply) -> Result<(), Fault> {
        let text = match reply {
            Reply::Json(value) => {
                let mut value = value.clone();
                value.sort_all_objects();
                value.to_string()
            }
            Reply::Text(text) => text.clone(),
        };
        self.tell(&StreamLine::Result { text })
    }

    fn fail(&mut self, failure: &Failure) -> Result<Step, Fault> {
        self.tell(&StreamLine::Failure { failure: failure.clone() })?;
        Ok(Step::Exit(FAILED))
    }

    /// Every byte value comes, line feeds among them, in an order that looks like none.
    fn garbage(&mut self, bytes: u64) -> Result<(), Fault> {
        let mut state: u32 = 1;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        });
        let count = usize::try_from(bytes.min(limits::FLOOD_BYTES_MAX)).unwrap_or(usize::MAX);
        let mut noise = noise.take(count).peekable();
        while noise.peek().is_some() {
            let chunk: Vec<u8> = noise.by_ref().take(64 * 1024).collect();
            self.stream.write_all(&chunk).map_err(Fault::Stream)?;
        }
        self.stream.write_all(b"\n").and_then(|()| self.stream.flush()).map_err(Fault::Stream)
    }

    fn flood(&mut self, bytes: u64, line_bytes: Option<u64>) -> Result<(), Fault> {
        let bytes = bytes.min(limits::FLOOD_BYTES_MAX);
        let line_bytes = line_bytes.unwrap_or(FLOOD_LINE_BYTES).clamp(1, bytes.max(1));
        let mut left = bytes;
        while left > 0 {
            let line = left.min(line_bytes);
            let copied = io::copy(&mut io::repeat(b'f').take(line - 1), &mut self.stream);
            copied.and_then(|_| self.stream.write_all(b"\n")).map_err(Fault::Stream)?;
            left -= line;
        }
        self.stream.flush().map_err(Fault::Stream)
    }

    /// Where a path of the script leads; links are followed before it is judged.
    fn place(&self, path: &str, outside: bool) -> Result<PathBuf, Fault> {
        let full = self.workspace.join(path);
        if outside {
            return Ok(full);
        }
        let escapes = Path::new(path)
            .components()
            .any(|part| !matches!(part, Component::Normal(_) | Component::CurDir));
        if escapes || !is_within(self.workspace, &full) {
            return Err(Fault::Outside(full));
        }
        Ok(full)
    }

    /// The same for what is made or deleted itself: a link there is not followed, so that only its folder has to lie inside.
    fn place_itself(&self, path: &str) -> Result<PathBuf, Fault> {
        let parts = Path::new(path);
        let full = self.workspace.join(parts);
        let is_name = matches!(parts.components().next_back(), Some(Component::Normal(_)));
        let Some(folder) = parts.parent().filter(|_| is_name) else {
            return Err(Fault::Outside(full));
        };
        self.place(&folder.to_string_lossy(), false)?;
        Ok(full)
    }

    fn tell(&mut self, line: &StreamLine) -> Result<(), Fault> {
        let mut text = serde_json::to_vec(line).map_err(|error| Fault::Stream(error.into()))?;
        text.push(b'\n');
        let told = self.stream.write_all(&text).and_then(|()| self.stream.flush());
        told.map_err(Fault::Stream)
    }
}

/// Whether the nearest part of `full` that exists really lies in the workspace. A link that leads nowhere does not.
fn is_within(workspace: &Path, full: &Path) -> bool {
    let nearest = full.ancestors().find(|part| fs::symlink_metadata(part).is_ok());
    let real = nearest.and_then(|part| part.canonicalize().ok());
    match (real, workspace.canonicalize()) {
        (Some(real), Ok(workspace)) => real.starts_with(workspace),
        (None, _) | (_, Err(_)) => false,
    }
}

fn read_up_to(path: &Path, bytes_max: u64) -> Result<Vec<u8>, Fault> {
    let failed = |source| Fault::Io { path: path.into(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, "too large to be played")));
    }
    Ok(bytes)
}

/// Ends this process by the signal, or gives back the code to exit with.
fn crashed(crash: Crash) -> u8 {
    match crash {
        Crash::Exit(code) => code,
        Crash::Signal(number) => {
            hands::signal_self(number);
            FAULT
        }
    }
}

#[cfg(test)]
#[path = "player_tests.rs"]
mod tests;
