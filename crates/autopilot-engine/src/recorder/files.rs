//! What one attempt changed, as actions of a script: whole files with their bytes and modes, so that they come out the same whatever
//! settings of git are in force when they are played. A renamed file is one that goes and one that comes.

use autopilot_agents::base64;
use autopilot_agents::script::{Action, Content, FileKind};
use autopilot_core::problem::Problem;
use autopilot_core::run::ids::Commit;

use super::lost;
use crate::git::{Checkout, ObjectId};

/// A folder in git's eyes that is another repository.
const REPOSITORY: &str = "160000";

pub(super) fn text(path: String, text: String) -> Action {
    Action::Put { path, kind: FileKind::Plain, content: Content::Text(text) }
}

/// Deletions first: a file may stand where a folder was.
pub(super) fn changes(
    checkout: &Checkout,
    start: &Commit,
    end: &Commit,
    remarks: &mut Vec<String>,
) -> Result<Vec<Action>, Problem> {
    if start == end {
        return Ok(Vec::new());
    }
    let (mut deleted, mut put) = (Vec::new(), Vec::new());
    for change in differing(checkout, start, end)? {
        let Ok(path) = String::from_utf8(change.path) else {
            remarks.push("a file whose name is no UTF-8 is left out of the script".to_string());
            continue;
        };
        let kind = match change.mode.as_str() {
            "000000" => {
                deleted.push(Action::Delete { path, outside: false });
                continue;
            }
            REPOSITORY => {
                remarks.push(format!("{path} is a repository of its own and is left out"));
                continue;
            }
            "120000" => FileKind::Link,
            "100755" => FileKind::Executable,
            _ => FileKind::Plain,
        };
        let bytes = blob(checkout, &change.object)?;
        let content = match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Base64(base64::encode(error.as_bytes())),
        };
        put.push(Action::Put { path, kind, content });
    }
    deleted.extend(put);
    Ok(deleted)
}

struct Change {
    path: Vec<u8>,
    /// As git writes it; zeros for a file that is gone.
    mode: String,
    object: String,
}

/// One process.
fn differing(checkout: &Checkout, start: &Commit, end: &Commit) -> Result<Vec<Change>, Problem> {
    let arguments = [
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        start.as_str(),
        end.as_str(),
    ];
    let finished = checkout.git.must_at(&checkout.place, &arguments);
    let finished = finished.map_err(|error| lost(&error.to_string()))?;
    if finished.stdout.dropped_bytes() > 0 {
        return Err(lost("an attempt changed more files than can be listed"));
    }
    let bytes = finished.stdout.bytes();
    read(&bytes).ok_or_else(|| lost("git lists the changes of an attempt in an unknown form"))
}

/// `:mode mode id id X`, then the path, each ended by a zero.
fn read(bytes: &[u8]) -> Option<Vec<Change>> {
    let mut fields = bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty());
    let mut changes = Vec::new();
    while let Some(raw) = fields.next() {
        let raw = std::str::from_utf8(raw.strip_prefix(b":")?).ok()?;
        let mut words = raw.split(' ');
        let (mode, object) = (words.nth(1)?.to_string(), words.nth(1)?.to_string());
        changes.push(Change { path: fields.next()?.to_vec(), mode, object });
    }
    Some(changes)
}

/// One process.
fn blob(checkout: &Checkout, id: &str) -> Result<Vec<u8>, Problem> {
    let id = ObjectId::parse(id).ok_or_else(|| lost(&format!("{id} is no object")))?;
    let finished = checkout.git.must_at(&checkout.place, &["cat-file", "blob", id.as_str()]);
    let finished = finished.map_err(|error| lost(&error.to_string()))?;
    match finished.stdout.dropped_bytes() {
        0 => Ok(finished.stdout.bytes()),
        _ => Err(lost(&format!("the file {id} is too large for a script"))),
    }
}
