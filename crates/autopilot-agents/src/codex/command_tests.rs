//! How Codex is asked.

use super::*;

fn request(access: Access, is_fenced: bool) -> Request {
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
        schema: None,
        is_fenced,
        scratch: "/scratch".into(),
    }
}

fn codex(login: Login) -> Codex {
    Codex { program: "codex".into(), home: "/user/.codex".into(), login, arguments: Vec::new() }
}

fn home(command: &AgentCommand) -> &str {
    let (name, value) = &command.environment[0];
    assert_eq!(name, "CODEX_HOME");
    value.to_str().unwrap()
}

#[test]
fn a_stored_login_is_linked_into_a_home_of_its_own() {
    let codex = codex(Login::Stored(vec!["auth.json"]));
    let command = codex.command(&request(Access::Writable, false));
    assert_eq!(home(&command), "/scratch/codex-home");
    let login = PathBuf::from("/user/.codex/auth.json");
    assert_eq!(command.files[1], ("codex-home/auth.json".into(), Handed::LinkTo(login.clone())));
    assert_eq!(command.writes, [login]);
}

#[test]
fn a_key_needs_nothing_of_the_users_home() {
    let command = codex(Login::InVariable).command(&request(Access::Writable, false));
    assert_eq!((home(&command), command.writes.len()), ("/scratch/codex-home", 0));
}

#[test]
fn the_login_is_asked_for_beside_the_users_home() {
    let check = |codex_home: Option<&str>, expected: &str| {
        let variable = |name: &str| match name {
            "HOME" => Some("/somewhere".into()),
            "CODEX_HOME" => codex_home.map(Into::into),
            _ => None,
        };
        let apart = apart(&variable, Path::new("/scratch"));
        assert_eq!(apart.environment, [("CODEX_HOME".into(), "/scratch".into())]);
        assert_eq!(apart.copies, [("auth.json", PathBuf::from(expected))]);
    };
    check(None, "/somewhere/.codex/auth.json");
    check(Some(""), "/somewhere/.codex/auth.json");
    check(Some("/moved"), "/moved/auth.json");
}

#[test]
fn it_has_a_fence_of_its_own_only_where_there_is_no_other() {
    let check = |access, is_fenced, expected: &str| {
        let arguments = codex(Login::InVariable).command(&request(access, is_fenced)).arguments;
        let line: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap()).collect();
        let line = line.join(" ");
        assert!(line.contains(expected), "{line}");
        assert!(line.ends_with(" -") && !line.contains("do it") && !line.contains("sonnet"));
    };
    check(Access::Writable, true, "--dangerously-bypass-approvals-and-sandbox");
    check(Access::Writable, false, "--sandbox workspace-write");
    check(Access::ReadOnly, false, "--sandbox read-only");
}
