//! The prompts of a run: ours, or the user's own from `.planning/autopilot/prompts/`.

use std::collections::BTreeMap;
use std::path::Path;

use autopilot_core::finding::{Finding, Place, Severity};
use autopilot_core::prompt::draft::{self, DraftContext};
use autopilot_core::prompt::{self, Prompt, PromptContext, PromptError};

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
        for (name, _) in prompt::templates() {
            let file = format!("{FOLDER}/{name}.md");
            match files::read_text(&root.join(&file)) {
                Ok(text) => {
                    prompts.own.insert(name, text);
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
        prompt::render(kind, context, own).map_err(|error| told(kind.name(), own, &error))
    }

    pub fn render_draft(&self, context: &DraftContext) -> Result<String, String> {
        let own = self.own.get(draft::NAME).map(String::as_str);
        draft::render(context, own).map_err(|error| told(draft::NAME, own, &error))
    }
}

fn told(name: &str, own: Option<&str>, error: &PromptError) -> String {
    match own {
        Some(_) => format!("{FOLDER}/{name}.md: {error}"),
        None => format!("the prompt {name}: {error}"),
    }
}
