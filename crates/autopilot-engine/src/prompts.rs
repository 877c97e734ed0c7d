//! The prompts of a run: ours, or the user's own from `.planning/autopilot/prompts/`.

use std::collections::BTreeMap;
use std::path::Path;

use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::prompt::{self, Prompt, PromptContext};

use crate::files::{self, FileError};

/// Where a user's own templates lie, relative to the project.
pub const FOLDER: &str = ".planning/autopilot/prompts";

/// Templates of the user's own, by the prompt's name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompts {
    own: BTreeMap<&'static str, String>,
}

impl Prompts {
    pub fn read(root: &Path) -> (Prompts, Vec<Finding>) {
        let mut prompts = Prompts::default();
        let mut findings = Vec::new();
        for kind in Prompt::ALL {
            let file = format!("{FOLDER}/{}.md", kind.name());
            match files::read_text(&root.join(&file)) {
                Ok(text) => {
                    prompts.own.insert(kind.name(), text);
                }
                Err(FileError::Absent) => {}
                Err(error) => findings.push(Finding {
                    severity: Severity::Error,
                    place: Place::file(file),
                    message: format!("this prompt is not read: {error}"),
                }),
            }
        }
        (prompts, findings)
    }

    pub fn render(&self, kind: Prompt, context: &PromptContext) -> Result<String, String> {
        let own = self.own.get(kind.name()).map(String::as_str);
        prompt::render(kind, context, own).map_err(|error| match own {
            Some(_) => format!("{FOLDER}/{}.md: {error}", kind.name()),
            None => format!("the prompt {}: {error}", kind.name()),
        })
    }
}
