//! How Gemini CLI is asked, and where its login is found.

use super::*;

fn request(access: Access) -> Request {
    Request {
        prompt: "do it".into(),
        phase: "1".into(),
        step: "execute".into(),
        task: None,
        round: 1,
        access,
        model: Some("gemini-2.5-pro".into()),
        allowance_tokens: 10,
        allowance_usd_micros: None,
        schema: None,
        is_fenced: true,
        scratch: "/scratch".into(),
    }
}

fn variable(name: &str) -> Option<OsString> {
    (name == "HOME").then(|| "/user".into())
}

fn gemini(stored: &[&str]) -> Gemini {
    let is_there =
        |path: &Path| stored.iter().any(|name| path == Path::new("/user/.gemini").join(name));
    Gemini::of("gemini".into(), variable, None, is_there)
}

#[test]
fn a_stored_login_is_linked_into_a_home_of_its_own() {
    let command = gemini(&["oauth_creds.json", ".env"]).command(&request(Access::Writable));
    let home = ("GEMINI_CLI_HOME".into(), "/scratch/gemini-home".into());
    assert!(command.environment.contains(&home));
    let link = |name: &str| {
        let target = PathBuf::from("/user/.gemini").join(name);
        (format!("gemini-home/.gemini/{name}"), Handed::LinkTo(target))
    };
    assert_eq!(command.files[1..], [link("oauth_creds.json"), link(".env")]);
    assert_eq!(command.writes, [PathBuf::from("/user/.gemini/oauth_creds.json")]);
    assert!(gemini(&[]).command(&request(Access::Writable)).writes.is_empty());
}

#[test]
fn the_prompt_is_on_no_command_line_and_only_a_writer_may_do_all() {
    let check = |access, approval: &str, files: usize| {
        let command = gemini(&[]).command(&request(access));
        let words: Vec<&str> =
            command.arguments.iter().map(|word| word.to_str().unwrap()).collect();
        let line = words.join(" ");
        assert!(line.contains(approval) && line.ends_with("--model gemini-2.5-pro"), "{line}");
        assert!(!line.contains("do it"));
        assert_eq!((command.stdin, command.files.len()), (b"do it".to_vec(), files));
    };
    check(Access::Writable, "--approval-mode yolo", 1);
    check(Access::ReadOnly, "--approval-mode default", 2);
}

#[test]
fn a_model_of_another_vendor_is_not_asked_for() {
    assert_eq!(gemini(&[]).model(Some("opus")), None);
    assert_eq!(gemini(&[]).model(Some("gemini-2.5-flash")).as_deref(), Some("gemini-2.5-flash"));
}

#[test]
fn a_login_is_seen_by_what_it_leaves_behind() {
    let check = |settings: Option<&str>, files: &[&str], set: &str, expected: LoginState| {
        let variable = |name: &str| (name == set).then(|| OsString::from("true"));
        let kept = Kept { settings, has: &|name| files.contains(&name), variable: &variable };
        assert_eq!(login(&kept), expected, "{settings:?} {files:?} {set}");
    };
    let selected = |kind: &str| format!(r#"{{"security":{{"auth":{{"selectedType":"{kind}"}}}}}}"#);
    let google = selected("oauth-personal");
    let paid = |paid| LoginState::In(Some(paid));
    check(Some(&google), &["oauth_creds.json"], "", paid(Paid::Subscription));
    check(Some(&google), &[], "", LoginState::Out);
    check(Some(&google), &[], "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE", paid(Paid::Subscription));
    check(Some(&selected("gemini-api-key")), &[], "", paid(Paid::Key));
    check(Some(&selected("vertex-ai")), &[], "", paid(Paid::Cloud));
    check(Some(&selected("gateway")), &[], "", LoginState::In(None));
    check(None, &[], "GOOGLE_GENAI_USE_VERTEXAI", paid(Paid::Cloud));
    check(None, &[], "GOOGLE_GENAI_USE_GCA", paid(Paid::Subscription));
    check(None, &[".env"], "", paid(Paid::Key));
    check(None, &["oauth_creds.json"], "", LoginState::Out);
    check(None, &[], "", LoginState::Out);
}

#[test]
fn its_home_moves_with_its_variable() {
    let moved = |name: &str| (name == "GEMINI_CLI_HOME").then(|| "/moved".into());
    assert_eq!(folder(moved), PathBuf::from("/moved/.gemini"));
    assert_eq!(folder(variable), PathBuf::from("/user/.gemini"));
}
