//! How autopilot is started to talk to an agent.

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

fn client() -> Client {
    Client { program: "/bin/autopilot".into(), subcommand: "acp-client".into() }
}

fn line(command: &AgentCommand) -> String {
    assert_eq!(
        (command.program.to_str(), &*command.stdin),
        (Some("/bin/autopilot"), &b"do it"[..])
    );
    let words: Vec<&str> = command.arguments.iter().map(|word| word.to_str().unwrap()).collect();
    words.join(" ")
}

#[test]
fn any_agent_is_talked_to_by_autopilot_itself() {
    let agent = AcpAgent {
        client: client(),
        program: "my-agent".into(),
        arguments: vec!["--acp".into()],
        variables: vec!["MY_KEY".to_string()],
    };
    let check = |access, expected: &str| {
        assert_eq!(line(&agent.command(&request(access))), expected);
    };
    check(Access::Writable, "acp-client --access=writable -- my-agent --acp");
    check(Access::ReadOnly, "acp-client --access=read-only -- my-agent --acp");
    assert_eq!(agent.model(Some("opus")), None, "the choice is its own");
    assert_eq!(agent.more_variables(), ["MY_KEY"], "nobody else knows which its keys are");
}

#[test]
fn gemini_has_the_same_home_as_without_it() {
    let gemini = Gemini::of("gemini".into(), |_| None, None, |_| false);
    let agent = GeminiAcp { client: client(), gemini: gemini.clone() };
    let (asked, alone) = (request(Access::Writable), gemini.command(&request(Access::Writable)));
    let command = agent.command(&asked);
    let expected =
        "acp-client --access=writable -- gemini --acp --extensions none --model gemini-2.5-pro";
    assert_eq!(line(&command), expected);
    assert_eq!((command.environment, command.files), (alone.environment, alone.files));
}
