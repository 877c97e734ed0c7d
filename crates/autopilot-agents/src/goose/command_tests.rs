//! How goose is asked.

use super::*;
use crate::request::Access;

fn request(model: &str) -> Request {
    Request {
        prompt: "do it".into(),
        phase: "1".into(),
        step: "execute".into(),
        task: None,
        round: 1,
        access: Access::Writable,
        model: Some(model.into()),
        allowance_tokens: 10,
        allowance_usd_micros: None,
        schema: None,
        is_fenced: true,
        scratch: "/scratch".into(),
    }
}

fn goose(stored: Vec<&'static str>) -> Goose {
    let settings = "GOOSE_PROVIDER: openai\nextensions:\n  mark:\n    cmd: sh\n".to_string();
    Goose { program: "goose".into(), home: "/user/goose".into(), stored, settings }
}

#[test]
fn logins_are_linked_into_a_root_of_its_own_and_extensions_stay() {
    let command = goose(vec!["secrets.yaml", "xai_oauth"]).command(&request("gpt-5"));
    let root = ("GOOSE_PATH_ROOT".into(), "/scratch/goose".into());
    assert!(command.environment.contains(&root), "{:?}", command.environment);
    let link = |name: &str| {
        let target = Handed::LinkTo(PathBuf::from("/user/goose").join(name));
        (format!("goose/config/{name}"), target)
    };
    let settings = Handed::Bytes(b"GOOSE_PROVIDER: openai\n".to_vec());
    let expected =
        [("goose/config/config.yaml".into(), settings), link("secrets.yaml"), link("xai_oauth")];
    assert_eq!(command.files, expected);
    let writes = ["/user/goose/secrets.yaml", "/user/goose/xai_oauth"].map(PathBuf::from);
    assert_eq!(command.writes, writes);
    assert!(goose(Vec::new()).command(&request("gpt-5")).writes.is_empty());
}

#[test]
fn the_prompt_goes_by_stdin_and_a_profile_is_no_model_of_its_own() {
    let line = |model: &str| {
        let command = goose(Vec::new()).command(&request(model));
        assert_eq!(command.stdin, b"do it");
        let words: Vec<&str> = command.arguments.iter().map(|it| it.to_str().unwrap()).collect();
        words.join(" ")
    };
    let start = "run -q --no-session --no-profile --with-builtin developer --output-format stream-json --max-turns 300";
    assert_eq!(line("gpt-5"), format!("{start} --model=gpt-5 -i -"));
    assert_eq!(line("haiku"), format!("{start} -i -"));
}

#[test]
fn the_users_settings_are_looked_for_where_goose_does() {
    let check = |set: &[(&str, &str)], expected: &str| {
        let variable = |name: &str| {
            let pair = set.iter().find(|(set, _)| *set == name);
            pair.map(|(_, value)| OsString::from(value))
        };
        assert_eq!(home(variable), PathBuf::from(expected));
    };
    check(&[("HOME", "/user")], "/user/.config/goose");
    check(&[("HOME", "/user"), ("XDG_CONFIG_HOME", "/settings")], "/settings/goose");
    check(&[("HOME", "/user"), ("GOOSE_PATH_ROOT", "/moved")], "/moved/config");
}

#[test]
fn who_has_configured_nothing_is_not_logged_in() {
    let check = |exit, said: &str, expected| {
        let answer = Answer { exit: Some(exit), stdout: said, stderr: "" };
        assert_eq!(read_login(&answer), expected, "{said}");
    };
    let line = "Paths:\nConfig yaml:   /user/.config/goose/config.yaml   ";
    check(0, &format!("{line} missing (can create)\n"), LoginState::Out);
    check(0, line, LoginState::In(None));
    check(0, "", LoginState::Unknown);
    check(1, line, LoginState::Unknown);
}
