//! What the model wants done, as calls of the tools a request offers. The names are those of the agents; a script that says
//! "write this file" can so be played to any of them.

use serde_json::{Value, json};

use super::request::{Request, Wire};
use super::step::{Act, Message, ToolCall};

/// A message as it goes on the wire: words, and calls of tools that are there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spoken {
    pub(super) text: Option<String>,
    pub(super) calls: Vec<ToolCall>,
}

/// An error in words when no tool on offer can do what the script wants: the script is wrong then, and the test shall fail.
pub(super) fn speak(message: &Message, request: &Request) -> Result<Spoken, String> {
    let tools = request.tools();
    let mut spoken = Spoken { text: message.text.clone(), calls: Vec::new() };
    for act in &message.acts {
        match act {
            Act::Call(call) => spoken.calls.push(call.clone()),
            Act::Write { path, text } => spoken.calls.push(write(path, text, request, &tools)?),
            Act::Run { command } => spoken.calls.push(run(command, &tools)?),
            Act::Structured(answer) => match offers(&tools, "StructuredOutput") {
                true => spoken.calls.push(call("StructuredOutput", answer.clone())),
                false => spoken.text = Some(answer.to_string()),
            },
        }
    }
    Ok(spoken)
}

fn write(path: &str, text: &str, request: &Request, tools: &[String]) -> Result<ToolCall, String> {
    if offers(tools, "Write") {
        return Ok(call("Write", json!({"file_path": path, "content": text})));
    }
    if offers(tools, "write_file") {
        return Ok(call("write_file", json!({"file_path": path, "content": text})));
    }
    if offers(tools, "apply_patch") && request.wire() == Some(Wire::OpenAiResponses) {
        let added: String = text.lines().map(|line| format!("+{line}\n")).collect();
        let patch = format!("*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n");
        let patch = Value::String(patch);
        let call = ToolCall { name: "apply_patch".into(), input: patch, ..call("", Value::Null) };
        return Ok(ToolCall { is_free_form: true, ..call });
    }
    if offers(tools, "write") {
        // opencode's name of the field differs from goose's; each skips the one it does not know.
        return Ok(call("write", json!({"filePath": path, "path": path, "content": text})));
    }
    let folder = path.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let (folder, path, text) = (quoted(folder), quoted(path), quoted(text));
    run(&format!("mkdir -p {folder} && printf %s {text} > {path}"), tools)
}

fn run(command: &str, tools: &[String]) -> Result<ToolCall, String> {
    let known = [
        ("Bash", json!({"command": command, "description": "scripted"})),
        ("exec_command", json!({"cmd": command})),
        ("run_shell_command", json!({"command": command})),
        ("bash", json!({"command": command, "description": "scripted"})),
        ("shell", json!({"command": command})),
    ];
    let found = known.into_iter().find(|(name, _)| offers(tools, name));
    let found = found.map(|(name, input)| call(name, input));
    found.ok_or_else(|| format!("no tool on offer does what the script wants: {tools:?}"))
}

fn call(name: &str, input: Value) -> ToolCall {
    ToolCall { name: name.into(), input, is_free_form: false, namespace: None }
}

fn offers(tools: &[String], name: &str) -> bool {
    tools.iter().any(|tool| tool == name)
}

/// For `sh`.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}
