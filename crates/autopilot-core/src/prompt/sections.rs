//! The parts all prompts share, under the names templates print them by: `{{ sections.rules }}`.

use super::kind::{Hands, Prompt};
use crate::contract;

/// What no template may leave out: how to read quotes, and what to return.
pub(super) const REQUIRED: [&str; 2] = ["quotes", "contract"];

/// Name and source of each. The sources are templates too.
pub(super) fn sources(prompt: Prompt) -> Vec<(&'static str, String)> {
    let rules = match prompt.hands() {
        Hands::Write => include_str!("templates/sections/rules_write.md"),
        Hands::Look => include_str!("templates/sections/rules_look.md"),
    };
    vec![
        ("quotes", include_str!("templates/sections/quotes.md").into()),
        ("phase", include_str!("templates/sections/phase.md").into()),
        ("reading", include_str!("templates/sections/reading.md").into()),
        ("rejections", include_str!("templates/sections/rejections.md").into()),
        ("rules", rules.into()),
        ("contract", contract_source(prompt)),
    ]
}

fn contract_source(prompt: Prompt) -> String {
    let role = prompt.role();
    let source = include_str!("templates/sections/contract.md");
    with_example(source, &contract::fields(role), contract::example::text(role))
}

/// What is said of a return, with its fields and an example of it.
pub(super) fn with_example(source: &str, fields: &str, example: &str) -> String {
    // Both are our own words; `raw` keeps braces in them from being read as a template's. The line break stands inside, because
    // the one behind a tag is taken away.
    source
        .replace("FIELDS", &format!("{{% raw %}}{}\n{{% endraw %}}", fields.trim_end()))
        .replace("EXAMPLE", &format!("{{% raw %}}{}\n{{% endraw %}}", example.trim_end()))
}
