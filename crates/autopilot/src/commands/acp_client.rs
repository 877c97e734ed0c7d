//! `autopilot acp-client`, for autopilot itself: the process that talks to an agent in the Agent Client Protocol.

use std::process::ExitCode;

use autopilot_agents::acp::{self, Conversation};
use autopilot_agents::request::Access;
use clap::Parser;

use crate::arguments::{AcpAccess, AcpClientArguments};
use crate::output::Output;

const SUBCOMMAND: &str = "acp-client";
/// A request that cannot be read is ours to mend, and no agent's answer.
const USAGE: u8 = 2;

/// Talks if the first argument says so. The exit code is read by autopilot, so it is none of EXIT-1.
pub(crate) fn if_asked(output: &mut Output) -> Option<ExitCode> {
    let mut asked = std::env::args_os().skip(1).peekable();
    if asked.peek()? != SUBCOMMAND {
        return None;
    }
    match AcpClientArguments::try_parse_from(asked) {
        Ok(arguments) => Some(talk(arguments, output)),
        Err(error) => {
            output.remark(&error.to_string());
            Some(ExitCode::from(USAGE))
        }
    }
}

fn talk(arguments: AcpClientArguments, output: &mut Output) -> ExitCode {
    let mut agent = arguments.agent.into_iter();
    let conversation = Conversation {
        access: match arguments.access {
            AcpAccess::ReadOnly => Access::ReadOnly,
            AcpAccess::Writable => Access::Writable,
        },
        program: agent.next().unwrap_or_default().into(),
        arguments: agent.collect(),
        // The current folder is the workspace; an agent whose folder is gone cannot be started.
        workspace: std::env::current_dir().unwrap_or_default(),
    };
    ExitCode::from(acp::converse(&conversation, std::io::stdin(), &mut output.raw()))
}
