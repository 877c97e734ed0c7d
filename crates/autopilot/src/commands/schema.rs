//! `autopilot schema`: the JSON Schema of a document.

use autopilot_core::documents;
use autopilot_core::exit::Exit;

use crate::output::Output;

pub(super) fn run(document: &str, output: &mut Output) -> Exit {
    match documents::schema(document).map(|schema| serde_json::to_string_pretty(&schema)) {
        Some(Ok(text)) => {
            output.say(&text);
            Exit::Success
        }
        // The argument parser admits only known names, and a schema is always printable.
        Some(Err(_)) | None => Exit::Failed,
    }
}
