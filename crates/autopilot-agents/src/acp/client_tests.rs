//! Dialogues with small agents of `sh`: what they ask, how they end, and how they are ended.

use std::time::Instant;

use super::super::line::{Stop, Usage};
use super::*;

/// Reads messages and answers the first three; `$1` is what it does before the last answer, `$2` after it. `id_of` finds the id to answer
/// to, and `told` says something as the agent.
const AGENT: &str = r#"
id_of() { printf %s "$1" | sed 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/'; }
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$(id_of "$line")" "$1"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}\n' "$1"; }
told() { update "{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}}"; }
read -r line; answer '{"protocolVersion":1,"agentInfo":{"name":"small","version":"1"},"agentCapabilities":{}}'
read -r line; answer '{"sessionId":"s"}'
read -r line; prompt=$line
eval "$1"
line=$prompt; answer '{"stopReason":"end_turn","usage":{"inputTokens":30,"outputTokens":4,"totalTokens":34}}'
eval "$2"
"#;

const ASKS: &str = r#"
printf '{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"edit","title":"Write it"},"options":[{"optionId":"no","name":"No","kind":"reject_once"},{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}\n'
read -r line
case $line in *'"yes"'*) told allowed;; *'"no"'*) told refused;; *) told neither;; esac
"#;

fn talked(access: Access, before: &str, after: &str) -> (u8, Vec<Line>) {
    let folder = tempfile::tempdir().unwrap();
    let conversation = Conversation {
        access,
        program: "sh".into(),
        arguments: ["-c", AGENT, "sh", before, after].map(Into::into).into(),
        workspace: folder.path().into(),
    };
    let mut output = Vec::new();
    let code = converse(&conversation, &b"do it"[..], &mut output);
    let lines = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    (code, lines.map(|line| serde_json::from_slice(line).unwrap()).collect())
}

fn said(lines: &[Line]) -> Vec<&str> {
    let said = lines.iter().filter_map(|line| match line {
        Line::Said { text } => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

#[test]
fn a_dialogue_is_told_from_its_greeting_to_its_end() {
    let usage = Usage { input: 30, output: 4, ..Usage::default() };
    let (code, lines) = talked(Access::Writable, "told 'Done.'", "");
    let expected = [
        Line::Started { session: "s".into(), agent: Some("small 1".into()) },
        Line::Said { text: "Done.".into() },
        Line::Ended { stop: Stop::EndTurn, usage: Some(usage) },
    ];
    assert_eq!((code, &lines[..]), (0, &expected[..]));
}

#[test]
fn who_asks_is_answered_by_what_the_step_may_do() {
    assert_eq!(said(&talked(Access::Writable, ASKS, "").1), ["allowed"]);
    assert_eq!(said(&talked(Access::ReadOnly, ASKS, "").1), ["refused"]);
}

#[test]
fn an_agent_that_does_not_leave_is_ended() {
    let before = Instant::now();
    let (code, lines) = talked(Access::Writable, "", "trap '' TERM; exec sleep 600");
    assert!(matches!(lines.last(), Some(Line::Ended { .. })), "{lines:?}");
    assert_eq!(code, 0);
    assert!(before.elapsed() < limits::LEAVING_TIME_MAX * 60);
}

#[test]
fn an_agent_that_ends_without_an_answer_is_gone() {
    let (code, lines) = talked(Access::Writable, "exit 3", "");
    assert!(matches!(lines.last(), Some(Line::Gone { .. })), "{lines:?}");
    assert_eq!(code, 0);
    let nobody = Conversation {
        access: Access::Writable,
        program: "/nowhere/agent".into(),
        arguments: Vec::new(),
        workspace: "/".into(),
    };
    let mut output = Vec::new();
    assert_eq!(converse(&nobody, &b""[..], &mut output), 0);
    let line = serde_json::from_slice(&output).unwrap();
    assert!(matches!(line, Line::Gone { .. }), "{line:?}");
}
