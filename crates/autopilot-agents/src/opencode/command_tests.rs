//! How opencode is asked.

use super::*;

fn request(access: Access, is_fenced: bool, model: &str) -> Request {
    Request {
        prompt: "do it".into(),
        phase: "1".into(),
        step: "execute".into(),
        task: None,
        round: 1,
        access,
        model: Some(model.into()),
        allowance_tokens: 10,
        allowance_usd_micros: None,
        schema: None,
        is_fenced,
        scratch: "/scratch".into(),
    }
}

fn variable(name: &str) -> Option<OsString> {
    match name {
        "HOME" => Some("/user".into()),
        "XDG_STATE_HOME" => Some("/state".into()),
        "XDG_CACHE_HOME" => Some("".into()),
        _ => None,
    }
}

fn opencode(is_there: bool) -> Opencode {
    let texts = [r#"{"model": "own/a", "share": "auto", "mcp": {"x": {}}}"#.to_string()];
    Opencode::of("opencode".into(), Places::of(variable), &texts, variable, |_| is_there)
}

fn settings(command: &AgentCommand) -> Value {
    let file = command.files.iter().find(|(path, _)| path.ends_with("opencode.json"));
    match file {
        Some((_, Handed::Bytes(bytes))) => serde_json::from_slice(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn set<'a>(command: &'a AgentCommand, name: &str) -> Option<&'a str> {
    let pair = command.environment.iter().find(|(set, _)| set == name);
    pair.and_then(|(_, value)| value.to_str())
}

#[test]
fn a_stored_login_is_linked_into_folders_of_its_own() {
    let command = opencode(true).command(&request(Access::Writable, true, "own/b"));
    let login = PathBuf::from("/user/.local/share/opencode/auth.json");
    let link = ("opencode/data/opencode/auth.json".to_string(), Handed::LinkTo(login.clone()));
    assert!(command.files.contains(&link), "{:?}", command.files);
    assert_eq!(command.writes, [login]);
    assert_eq!(set(&command, "XDG_DATA_HOME"), Some("/scratch/opencode/data"));
    assert_eq!(set(&command, "OPENCODE_TEST_HOME"), Some("/scratch/opencode/home"));
    assert_eq!(
        set(&command, "OPENCODE_MODELS_PATH"),
        Some("/user/.cache/opencode/models.json"),
        "an empty variable is none"
    );
    assert_eq!(command.copies[0].1, PathBuf::from("/state/opencode/model.json"));
    // The project's cache is told to every child inside the fence.
    assert_eq!(set(&command, "XDG_CACHE_HOME"), None);
}

#[test]
fn without_a_login_or_a_fence_nothing_of_the_users_is_needed() {
    let command = opencode(false).command(&request(Access::Writable, false, "own/b"));
    assert!(command.writes.is_empty());
    assert!(!command.files.iter().any(|(_, handed)| matches!(handed, Handed::LinkTo(_))));
    assert_eq!(set(&command, "OPENCODE_MODELS_PATH"), None);
    assert_eq!(set(&command, "XDG_CACHE_HOME"), Some("/scratch/opencode/cache"));
}

#[test]
fn only_what_reaches_models_is_taken_from_the_settings_and_nothing_is_left_to_ask() {
    let seen =
        |access, is_fenced| settings(&opencode(true).command(&request(access, is_fenced, "own/b")));
    let writable = seen(Access::Writable, false);
    assert_eq!((&writable["model"], &writable["share"]), (&json!("own/a"), &json!("disabled")));
    assert_eq!(writable.get("mcp"), None);
    assert_eq!(writable["permission"]["external_directory"], "deny");
    let reading = seen(Access::ReadOnly, true);
    assert_eq!(reading["permission"]["*"], "deny");
    assert_eq!(reading["permission"]["external_directory"], "allow");
    for settings in [writable, reading] {
        let permissions = settings["permission"].as_object().unwrap().clone();
        assert_eq!(permissions.keys().next().map(String::as_str), Some("*"), "later ones win");
        assert!(!permissions.values().any(|value| value == "ask"), "{permissions:?}");
    }
}

#[test]
fn the_prompt_goes_by_stdin_and_a_model_needs_its_provider() {
    let line = |model: &str| {
        let command = opencode(true).command(&request(Access::Writable, true, model));
        assert_eq!(command.stdin, b"do it");
        let words: Vec<&str> = command.arguments.iter().map(|it| it.to_str().unwrap()).collect();
        words.join(" ")
    };
    assert_eq!(line("own/b"), "run --format json --title autopilot --model=own/b");
    assert_eq!(line("sonnet"), "run --format json --title autopilot");
}

#[test]
fn a_login_is_read_from_what_it_lists() {
    let check = |exit, said: &str, expected| {
        let answer = Answer { exit: Some(exit), stdout: said, stderr: "" };
        assert_eq!(read_login(&answer), expected, "{said}");
    };
    let none = "┌  Credentials \u{1b}[90m~/.local/share/opencode/auth.json\n│\n└  0 credentials\n";
    check(0, none, LoginState::NoneStored);
    check(0, &none.replace('0', "2"), LoginState::In(None));
    check(
        0,
        &format!("{none}┌  Environment\n│\n└  1 environment variable\n"),
        LoginState::In(None),
    );
    check(1, "1 credentials", LoginState::Unknown);
    check(0, "", LoginState::Unknown);
    let apart = apart(&variable, Path::new("/own"));
    assert_eq!(
        apart.copies,
        [("opencode/auth.json", "/user/.local/share/opencode/auth.json".into())]
    );
    assert!(apart.environment.contains(&("XDG_DATA_HOME".into(), "/own".into())));
}
