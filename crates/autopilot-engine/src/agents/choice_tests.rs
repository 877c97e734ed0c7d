//! Over fake programs in a folder of their own.

use std::time::Duration;

use autopilot_core::settings;

use super::*;
use crate::fake_programs::FakeMachine;

const PATIENCE: Patience =
    Patience { version: Duration::from_secs(30), login: Duration::from_secs(30) };

fn installed(fake: &FakeMachine, name: &str, version: &str, login: &str) {
    let body = format!("if [ \"$1\" = --version ]; then echo '{version}'; exit 0; fi\n{login}");
    fake.script(name, &body);
}

const LOGGED_IN: &str = r#"echo '{"loggedIn":true,"authMethod":"claude.ai"}'"#;
const LOGGED_OUT: &str = r#"echo '{"loggedIn":false}'; exit 1"#;

fn settled(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = settings::settle(&[]).0;
    change(&mut settings);
    settings
}

fn chosen(fake: &FakeMachine, settings: &Settings) -> Result<(Agents, AgentDefinition), Problem> {
    let machine = fake.bare_machine();
    let root = fake.programs();
    let around =
        Around { root: &root, machine: &machine, program: Path::new("me"), patience: PATIENCE };
    choose(settings, &Config::default(), &around)
}

fn refused(fake: &FakeMachine, settings: &Settings) -> String {
    let problem = chosen(fake, settings).unwrap_err();
    format!("{}: {}", problem.what, problem.fix)
}

#[test]
fn with_nothing_set_the_first_that_is_tried_and_ready_does_the_work() {
    let fake = FakeMachine::new();
    installed(&fake, "claude", "2.1.325 (Claude Code)", LOGGED_IN);
    let (agents, definition) = chosen(&fake, &settled(|_| {})).unwrap();
    let expected = AgentDefinition {
        name: "claude".into(),
        version: "2.1.325".into(),
        model: Some("sonnet".into()),
        paid: Some(Payment::Subscription),
        ..AgentDefinition::default()
    };
    assert_eq!(definition, expected);
    for role in Role::ALL {
        assert_eq!(agents.of(role).name(), "claude");
    }
}

#[test]
fn a_login_that_cannot_be_asked_for_is_seen_by_what_it_left() {
    let fake = FakeMachine::new();
    installed(&fake, "gemini", "0.61.0", "exit 9");
    let asked = |name: &str| settled(|settings| settings.agent = Some(name.to_string()));
    assert!(refused(&fake, &asked("gemini")).starts_with("gemini is not logged in"));
    std::fs::create_dir(fake.home().join(".gemini")).unwrap();
    let settings = r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#;
    std::fs::write(fake.home().join(".gemini/settings.json"), settings).unwrap();
    for name in ["gemini", "gemini-acp"] {
        let (agents, definition) = chosen(&fake, &asked(name)).unwrap();
        assert_eq!((agents.of(Role::Execute).name(), &*definition.version), (name, "0.61.0"));
        assert_eq!(definition.paid, Some(Payment::Key));
    }
}

#[test]
fn an_agent_that_speaks_the_protocol_needs_its_command() {
    let fake = FakeMachine::new();
    let with = |command: &[&str]| {
        settled(|settings| {
            settings.agent = Some("acp".to_string());
            settings.acp_command = command.iter().map(ToString::to_string).collect();
        })
    };
    assert!(refused(&fake, &with(&[])).contains("no command is set"));
    assert!(refused(&fake, &with(&["nobody"])).starts_with("the agent nobody was not found"));
    installed(&fake, "my-agent", "1", "");
    let (agents, _) = chosen(&fake, &with(&["my-agent", "--acp"])).unwrap();
    assert_eq!(agents.of(Role::Execute).name(), "acp");
}

#[test]
fn what_was_never_tried_is_not_chosen_and_cannot_be_driven() {
    let fake = FakeMachine::new();
    installed(&fake, "qwen", "1.0.0", "echo Logged in");
    let named = settled(|settings| settings.agent = Some("qwen".to_string()));
    assert!(refused(&fake, &named).starts_with("qwen cannot be driven yet"));
    let told = refused(&fake, &settled(|_| {}));
    assert!(told.starts_with("claude was not found: install it: npm"), "{told}");
}

#[test]
fn one_without_a_login_that_may_work_all_the_same_is_taken_only_by_its_name() {
    let fake = FakeMachine::new();
    installed(&fake, "opencode", "1.18.33", "echo '└  0 credentials'");
    let told = refused(&fake, &settled(|_| {}));
    assert!(told.starts_with("opencode has no login stored: name it"), "{told}");
    let named = settled(|settings| settings.agent = Some("opencode".to_string()));
    assert_eq!(chosen(&fake, &named).unwrap().1.name, "opencode");
}

#[test]
fn agents_with_providers_of_their_own_take_no_model_of_one_vendor() {
    let fake = FakeMachine::new();
    installed(&fake, "opencode", "1.18.33", "echo '└  1 credentials'");
    installed(&fake, "goose", " 1.52.0", "echo 'Config yaml: /h/config.yaml'");
    let check = |agent: Option<&str>, name: &str, version: &str| {
        let settings = settled(|settings| settings.agent = agent.map(str::to_string));
        let (_, definition) = chosen(&fake, &settings).unwrap();
        assert_eq!((definition.name.as_str(), definition.version.as_str()), (name, version));
        assert_eq!(definition.model, None);
    };
    check(None, "opencode", "1.18.33");
    check(Some("opencode"), "opencode", "1.18.33");
    check(Some("goose"), "goose", "1.52.0");
}

#[test]
fn a_run_does_not_start_to_find_out_that_nobody_is_logged_in() {
    let fake = FakeMachine::new();
    installed(&fake, "claude", "2.1.325 (Claude Code)", LOGGED_OUT);
    let told =
        "claude is not logged in: log in: claude auth login, or a valid key in ANTHROPIC_API_KEY";
    assert_eq!(refused(&fake, &settled(|_| {})), told);
    let named = settled(|settings| settings.agent = Some("claude".into()));
    assert_eq!(refused(&fake, &named), told);
    let other = settled(|settings| settings.agent = Some("claud".into()));
    let told = refused(&fake, &other);
    assert!(told.starts_with("there is no agent \"claud\": name one of claude, codex"), "{told}");
}

#[test]
fn steps_have_agents_and_models_of_their_own() {
    let fake = FakeMachine::new();
    installed(&fake, "claude", "2.1.325 (Claude Code)", LOGGED_IN);
    fake.script("mine", "true");
    let settings = settled(|settings| {
        settings.agent = Some("command".into());
        settings.agent_command = vec!["mine".into()];
        settings.model = Some("big".into());
        settings.fallback = vec!["claude".into()];
        let step = |agent: Option<&str>, model: Option<&str>| StepChoice {
            agent: agent.map(str::to_string),
            model: model.map(str::to_string),
        };
        settings.steps.insert(Role::Verify, step(Some("claude"), Some("opus")));
        settings.steps.insert(Role::Rate, step(Some("claude"), None));
        settings.steps.insert(Role::Plan, step(None, Some("small")));
    });
    let (agents, definition) = chosen(&fake, &settings).unwrap();
    let names = [Role::Execute, Role::Plan, Role::Rate, Role::Verify].map(|role| {
        assert_eq!(agents.of(role).name(), definition.name_of(role));
        (definition.name_of(role), definition.model_of(role).unwrap_or_default())
    });
    let expected =
        [("command", "big"), ("command", "small"), ("claude", "big"), ("claude", "opus")];
    assert_eq!(names, expected);
    let fallback = definition.candidates(Role::Execute).collect::<Vec<_>>();
    assert_eq!(fallback, ["command", "claude"]);
    assert_eq!(definition.candidates(Role::Verify).collect::<Vec<_>>(), ["claude"]);
    assert_eq!(definition.fallback[0].model.as_deref(), Some("sonnet"));

    let machine = fake.bare_machine();
    let root = fake.programs();
    let around =
        Around { root: &root, machine: &machine, program: Path::new("me"), patience: PATIENCE };
    let (again, notes) = recorded(&definition, &settings, &around).unwrap();
    for role in Role::ALL {
        assert_eq!(again.of(role).name(), definition.name_of(role));
    }
    assert_eq!(notes, [] as [&str; 0]);
    installed(&fake, "claude", "2.1.326 (Claude Code)", LOGGED_IN);
    let (_, notes) = recorded(&definition, &settings, &around).unwrap();
    assert_eq!(notes, ["claude is 2.1.326 now and was 2.1.325 when the run began"]);
}

#[test]
fn a_question_writes_nothing_of_the_users() {
    let fake = FakeMachine::new();
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join(".claude.json"), "account").unwrap();
    let login = r#"[ "$(cat "$CLAUDE_CONFIG_DIR/.claude.json")" = account ] || exit 9
        echo spoiled > "$CLAUDE_CONFIG_DIR/.claude.json"
        [ "${CLAUDE_SECURESTORAGE_CONFIG_DIR-unset}" = "" ] || exit 8
        echo '{"loggedIn":true,"authMethod":"api_key"}'"#;
    installed(&fake, "claude", "2.1.325 (Claude Code)", login);
    let mut variables = fake.bare_machine().variables().clone();
    variables.insert("HOME".into(), home.path().into());
    let machine = Machine::with_variables(variables);
    let probed = probe::probe(&PROFILES[0], &machine, PATIENCE);
    let State::Works { login, .. } = probed.state else { panic!("{:?}", probed.state) };
    assert_eq!(login, Seen::In(Some(Paid::Key)));
    assert_eq!(std::fs::read_to_string(home.path().join(".claude.json")).unwrap(), "account");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
}
