//! What of the user's settings goes along: how models are reached, and which one. They are YAML with one key a line at the left edge;
//! what stands below a key that is kept is kept as it is written, so nothing has to be understood.

/// Of the settings that are goose's own. All that begin otherwise and are written in capitals are a provider's: hosts, projects, regions.
const OWN_KEPT: [&str; 9] = [
    "GOOSE_PROVIDER",
    "GOOSE_MODEL",
    "GOOSE_DISABLE_KEYRING",
    "GOOSE_CONTEXT_LIMIT",
    "GOOSE_MAX_TOKENS",
    "GOOSE_THINKING_EFFORT",
    "GOOSE_CA_CERT_PATHS",
    "GOOSE_CLIENT_CERT_PATH",
    "GOOSE_CLIENT_KEY_PATH",
];

pub(super) fn of_providers(text: &str) -> String {
    let mut kept = String::new();
    let mut is_kept = false;
    for line in text.lines() {
        let goes_on = line.is_empty() || line.starts_with([' ', '\t', '-', '#', '}', ']']);
        if !goes_on {
            is_kept = line.split_once(':').is_some_and(|(key, _)| is_provider(key.trim_end()));
        }
        if is_kept {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn is_provider(key: &str) -> bool {
    let is_capital = |one: char| one.is_ascii_uppercase() || one.is_ascii_digit() || one == '_';
    match key {
        "active_provider" | "providers" => true,
        key if key.starts_with("GOOSE_") => OWN_KEPT.contains(&key),
        key => !key.is_empty() && key.chars().all(is_capital),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_go_along_and_extensions_stay() {
        let text = "\
# mine
extensions:
  mark:
    enabled: true
    cmd: sh
GOOSE_PROVIDER: anthropic
ANTHROPIC_HOST: http://x:1
GOOSE_MODE: approve
GOOSE_SYSTEM_PROMPT_FILE_PATH: /p
active_provider: anthropic
providers:
  anthropic:
    model: claude

    # the small one
slash_commands:
- name: x
OPENAI_LIST:
- a
broken
";
        let expected = "\
GOOSE_PROVIDER: anthropic
ANTHROPIC_HOST: http://x:1
active_provider: anthropic
providers:
  anthropic:
    model: claude

    # the small one
OPENAI_LIST:
- a
";
        assert_eq!(of_providers(text), expected);
        assert_eq!(of_providers("---\n{GOOSE_PROVIDER: x}\n"), "");
    }
}
