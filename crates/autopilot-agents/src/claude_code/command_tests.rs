//! How Claude Code is asked: what of the user it gets, what it may do, and what never stands in its command line.

use super::*;

fn agent(variables: &[(&str, &str)], settings: Option<&str>) -> ClaudeCode {
    let variable = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    ClaudeCode::of("claude".into(), variable, settings)
}

fn request(access: Access) -> Request {
    Request {
        prompt: "do it".into(),
        phase: "1".into(),
        step: "execute".into(),
        task: None,
        round: 1,
        access,
        model: Some("sonnet".into()),
        allowance_tokens: 10,
        allowance_usd_micros: None,
        schema: Some(serde_json::json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"
        })),
        is_fenced: false,
        scratch: "/scratch".into(),
    }
}

fn settings_file(text: &[u8]) -> (String, Handed) {
    (SETTINGS_FILE.to_string(), Handed::Bytes(text.to_vec()))
}

fn value<'a>(command: &'a AgentCommand, name: &str) -> Option<&'a OsStr> {
    let found = command.environment.iter().rev().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_os_str())
}

fn argument(command: &AgentCommand, name: &str) -> String {
    let at = command.arguments.iter().position(|argument| argument == name).unwrap();
    command.arguments[at + 1].to_str().unwrap().to_string()
}

#[test]
fn the_users_login_is_used_where_it_lies_and_everything_else_is_apart() {
    let command = agent(&[("HOME", "/somewhere")], None).command(&request(Access::Writable));
    assert_eq!(value(&command, "CLAUDE_CONFIG_DIR"), Some(OsStr::new("/scratch")));
    assert_eq!(value(&command, "CLAUDE_CODE_TMPDIR"), Some(OsStr::new("/scratch")));
    assert_eq!(value(&command, "CLAUDE_SECURESTORAGE_CONFIG_DIR"), Some(OsStr::new("")));
    assert_eq!(command.writes, [PathBuf::from("/somewhere/.claude")]);
    assert_eq!(command.copies, [(".claude.json", PathBuf::from("/somewhere/.claude.json"))]);
    assert_eq!(argument(&command, "--settings"), "/scratch/autopilot-settings.json");
    assert_eq!(command.files, [settings_file(br#"{"disableAllHooks":true}"#)]);
    for expected in
        ["--no-session-persistence", "--strict-mcp-config", "--setting-sources=project,local"]
    {
        assert!(command.arguments.iter().any(|argument| argument == expected), "{expected}");
    }
    assert_eq!(command.stdin, b"do it");
    assert!(!command.arguments.iter().any(|argument| argument == "do it"));

    let moved = [("HOME", "/somewhere"), ("CLAUDE_CONFIG_DIR", "/elsewhere")];
    let command = agent(&moved, None).command(&request(Access::Writable));
    assert_eq!(value(&command, "CLAUDE_CONFIG_DIR"), Some(OsStr::new("/scratch")));
    assert_eq!(value(&command, "CLAUDE_SECURESTORAGE_CONFIG_DIR"), Some(OsStr::new("/elsewhere")));
    assert_eq!(command.writes, [PathBuf::from("/elsewhere")]);
    assert_eq!(command.copies, [(".claude.json", PathBuf::from("/elsewhere/.claude.json"))]);
}

#[test]
fn of_the_users_settings_only_the_login_comes_along_and_never_by_the_command_line() {
    let settings = r#"{"hooks":{"Stop":[]},"apiKeyHelper":"/bin/key","env":{"CLAUDE_CODE_USE_BEDROCK":"1","SECRET":"s3"},"permissions":{}}"#;
    let agent = agent(&[], Some(settings));
    let command = agent.command(&request(Access::ReadOnly));
    let [(_, Handed::Bytes(bytes))] = command.files.as_slice() else {
        panic!("{:?}", command.files)
    };
    let told: Value = serde_json::from_slice(bytes).unwrap();
    let expected = serde_json::json!({
        "apiKeyHelper": "/bin/key",
        "env": {"CLAUDE_CODE_USE_BEDROCK": "1", "SECRET": "s3"},
        "disableAllHooks": true,
    });
    assert_eq!(told, expected);
    assert!(!format!("{:?}", command.arguments).contains("s3"));
    let has_keys = agent.more_variables().contains(&"AWS_PROFILE".to_string());
    assert!(has_keys, "a cloud needs its keys");
    let broken = super::command_tests::agent(&[], Some("{")).command(&request(Access::ReadOnly));
    assert_eq!(broken.files, [settings_file(br#"{"disableAllHooks":true}"#)]);
}

#[test]
fn keys_of_a_cloud_are_handed_on_only_to_who_uses_it() {
    let variables = |set: &[(&str, &str)]| agent(set, None).more_variables().len();
    assert_eq!(variables(&[]), 0);
    assert_eq!(variables(&[("CLAUDE_CODE_USE_VERTEX", "0")]), 0);
    for cloud in ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"] {
        assert_eq!(variables(&[(cloud, "1")]), CLOUD_VARIABLES.len(), "{cloud}");
    }
    for name in VARIABLES {
        assert!(!CLOUD_VARIABLES.contains(name) && !name.contains("IS_SANDBOX"), "{name}");
    }
}

#[test]
fn nothing_can_wait_for_permission_and_a_reader_has_nothing_to_edit_with() {
    let agent = agent(&[], None);
    let reading = agent.command(&request(Access::ReadOnly));
    let writing = agent.command(&request(Access::Writable));
    for command in [&reading, &writing] {
        let all = format!("{:?} {:?}", command.arguments, command.environment);
        assert!(all.contains("--permission-mode=acceptEdits"));
        assert!(!all.contains("dangerously") && !all.contains("IS_SANDBOX"), "{all}");
    }
    let tools = argument(&reading, "--tools");
    assert!(!tools.contains("Edit") && !tools.contains("Write"), "{tools}");
    assert!(argument(&writing, "--tools").starts_with(&tools));
    assert!(argument(&writing, "--tools").contains(",Edit,Write,"));
    // On that list they would be allowed outside the worktree too.
    assert_eq!(argument(&reading, "--allowedTools"), tools);
    let allowed = argument(&writing, "--allowedTools");
    assert!(!allowed.contains("Edit") && !allowed.contains(",Write,"), "{allowed}");
    assert!(allowed.starts_with(&tools), "{allowed}");
}

#[test]
fn the_model_is_asked_again_as_often_as_the_user_says_but_within_bounds() {
    let retries = |text: &str| {
        let command =
            agent(&[("CLAUDE_CODE_MAX_RETRIES", text)], None).command(&request(Access::ReadOnly));
        value(&command, "CLAUDE_CODE_MAX_RETRIES").unwrap().to_str().unwrap().to_string()
    };
    assert_eq!([retries("0"), retries("2"), retries("99"), retries("x")], ["0", "2", "6", "6"]);
}

#[test]
fn it_is_told_what_it_may_cost_where_there_is_a_cap() {
    let agent = agent(&[], None);
    let arguments = |allowance_usd_micros: Option<u64>| {
        let request = Request { allowance_usd_micros, ..request(Access::ReadOnly) };
        format!("{:?}", agent.command(&request).arguments)
    };
    assert!(!arguments(None).contains("--max-budget-usd"));
    assert!(arguments(Some(1)).contains("\"--max-budget-usd=0.000001\""));
    assert!(arguments(Some(12_500_000)).contains("\"--max-budget-usd=12.500000\""));
    assert!(agent.holds_its_cost());
}

#[test]
fn model_and_schema_are_one_argument_each() {
    let command = agent(&[], None).command(&request(Access::ReadOnly));
    let last: Vec<&str> =
        command.arguments.iter().rev().take(2).filter_map(|argument| argument.to_str()).collect();
    assert_eq!(last, [r#"--json-schema={"type":"object"}"#, "--model=sonnet"]);
    let bare = Request { model: None, schema: None, ..request(Access::ReadOnly) };
    let command = agent(&[], None).command(&bare);
    assert!(!format!("{:?}", command.arguments).contains("--model"));
}
