//! What whoever drafts a project is told (NEW-1). Unlike the other prompts it carries a text and not only paths: the idea may lie in no
//! file, and a file of the user's may lie outside of what the agent can see. It stands in a fence it cannot leave.

use std::collections::BTreeMap;

use minijinja::value::{Serde, Value};
use serde::Serialize;

use super::context::{BoundsContext, CommandContext};
use super::quoting;
use super::render::{self, Composition, PromptError};
use super::sections;
use crate::contract::drafting;
use crate::limits;

/// Also the name of its file, without `.md`.
pub const NAME: &str = "draft";

/// Without these nobody could know what is wanted, or answer.
const REQUIRED: [&str; 3] = ["quotes", "idea", "contract"];

/// Everything the template can name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DraftContext {
    /// What is wanted, in the user's words. Printed by `sections.idea`.
    #[serde(skip)]
    pub idea: String,
    /// The file it stands in, if it stands in one.
    pub file: Option<String>,
    /// Whether the agent sees the project's files.
    pub has_code: bool,
    /// Compile, lint, test and build, as far as they are known.
    pub commands: Vec<CommandContext>,
    pub earlier: Option<EarlierDraft>,
    pub bounds: BoundsContext,
}

/// A first try that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EarlierDraft {
    /// As it was returned; none where the answer could not be read.
    #[serde(skip)]
    pub draft: Option<String>,
    pub faults: Vec<String>,
}

/// Our own template.
pub fn builtin() -> &'static str {
    include_str!("templates/draft.md")
}

/// The prompt for one try. `template` is the user's own, in place of the built-in one.
pub fn render(context: &DraftContext, template: Option<&str>) -> Result<String, PromptError> {
    let template = match template {
        Some(own) => own,
        None => builtin(),
    };
    let mut values = values(context);
    let draft = context.earlier.as_ref().and_then(|earlier| earlier.draft.as_deref());
    if let Some(draft) = draft {
        let quoted = quoting::block(draft, limits::DRAFTING_BYTES_MAX);
        values.insert("earlier_draft".into(), Value::from_safe_string(quoted));
    }
    let contract = include_str!("templates/sections/contract_draft.md");
    let composition = Composition {
        name: NAME,
        template,
        sources: vec![
            ("quotes", include_str!("templates/sections/quotes.md").to_string()),
            ("earlier", include_str!("templates/sections/earlier_draft.md").to_string()),
            (
                "contract",
                sections::with_example(contract, &drafting::fields(), drafting::example()),
            ),
        ],
        made: vec![("idea", quoting::block(&context.idea, limits::IDEA_BYTES_MAX))],
        required: &REQUIRED,
    };
    let text = render::compose(&composition, values)?;
    if text.len() > limits::DRAFTING_PROMPT_BYTES_MAX {
        let bytes_max = limits::DRAFTING_PROMPT_BYTES_MAX;
        return Err(PromptError::TooLong { name: NAME, bytes: text.len(), bytes_max });
    }
    Ok(text)
}

fn values(context: &DraftContext) -> BTreeMap<String, Value> {
    let whole = serde_json::to_value(context).unwrap_or_default();
    let fields = whole.as_object().cloned().unwrap_or_default();
    let mut values: BTreeMap<String, Value> =
        fields.into_iter().map(|(name, value)| (name, Value::from(Serde(value)))).collect();
    // Strict templates may only name what is there.
    values.insert("earlier_draft".into(), Value::from(false));
    values.insert("left_out".into(), Value::from(0));
    values.insert("phases_max".into(), Value::from(limits::DRAFTING_PHASES_MAX));
    values.insert("criteria_max".into(), Value::from(limits::DRAFTING_CRITERIA_MAX));
    values
}
