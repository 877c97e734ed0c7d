//! Every bound of this crate, each with the reason for its number. It knows no other crate, so they stand here.

use std::time::Duration;

/// Bytes kept of a final answer. A phase return with all its evidence has about 40 KB.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Bytes kept of one thing an agent said or did; screens show a line of it.
pub const ACTIVITY_BYTES_MAX: usize = 4 * 1024;
/// Bytes kept of what a crashed agent said last: enough for a stack trace's first lines.
pub const SAID_BYTES_MAX: usize = 4 * 1024;
/// Bytes of what a call of a tool is about; screens show less.
pub const SUMMARY_BYTES_MAX: usize = 200;
/// Calls of tools that wait for their results. One message has been seen to make 20.
pub const CALLS_OPEN_MAX: usize = 256;
/// Messages whose usage may still grow: one for the agent and one for each of its subagents at work.
pub const MESSAGES_OPEN_MAX: usize = 64;
/// Turns of an agent that can be bounded. A task is about 40; with as many as this it goes in circles.
pub const TURNS_MAX: u32 = 300;
/// Tries of one call to the model that the agent makes by itself. Six take half a minute, and what has been worked so far is
/// not lost by them; after that whoever runs the agent waits.
pub const MODEL_RETRIES_MAX: u32 = 6;
/// The same for Gemini CLI, whose pauses begin with five seconds and double: four tries take half a minute.
pub const GEMINI_ATTEMPTS_MAX: u32 = 4;
/// Answers in a row that broke off, after which an agent that asks anew without an end is ended: as many as it would try an error.
pub const BROKEN_OFF_MAX: u32 = 5;
/// Seconds that an agent may wait by itself because its server told it to. A longer wait is better kept by whoever runs it: that one counts
/// it down, survives a restart, or lets another agent go on.
pub const OWN_WAIT_S_MAX: u64 = 60;

/// Bytes of one message of the Agent Client Protocol. The largest have a file before and after a change in them.
pub const MESSAGE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Messages that wait for the other side in each direction; more make their sender wait.
pub const MESSAGES_WAITING_MAX: usize = 64;
/// Files that one call of a tool is said to change. A patch has been seen to name five.
pub const CALL_PATHS_MAX: usize = 64;
/// How long an agent may take to greet and to open a session. The slowest seen needs 14 s on a busy machine.
pub const GREETING_TIME_MAX: Duration = Duration::from_secs(120);
/// How long an agent may take to break off when it is asked to: it has to end before whoever asked loses patience.
pub const BREAK_OFF_TIME_MAX: Duration = Duration::from_secs(2);
/// How long an agent may take to end once nobody talks to it any more, and again after it was told to. One of five does not end by itself.
pub const LEAVING_TIME_MAX: Duration = Duration::from_secs(1);

/// Bytes of a script. A recorded run of ten phases with its diffs has about 1 MB.
pub const SCRIPT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Bytes of a prompt the scripted agent reads. Prompts carry paths, not contents, and have some 10 KB.
pub const PROMPT_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Bytes a script may let out as garbage or flood: more than any supervisor lets through.
pub const FLOOD_BYTES_MAX: u64 = 8 * 1024 * 1024 * 1024;
/// Bytes of a file that a `replace` looks through.
pub const REPLACE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Bytes of a played command's output that go into the stream.
pub const COMMAND_OUTPUT_BYTES_MAX: usize = 256 * 1024;
/// How long the scripted agent hangs: longer than any agent is let run, and still not for ever.
pub const HANG_TIME_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a script may wait in one action.
pub const WAIT_TIME_MAX: Duration = Duration::from_secs(60 * 60);
/// How long what was left behind may live when nobody ends it.
pub const LEFT_BEHIND_SECONDS: u32 = 600;
/// Bytes of an agent's last words that are looked at for a limit and its end. Real ones have two lines.
pub const LIMIT_TEXT_BYTES_MAX: usize = 4 * 1024;
/// Seconds after which no limit ends: quotas are given anew every month at the latest. A later moment is a number read wrong, or the
/// machine's clock is.
pub const RESET_AFTER_MAX_S: u64 = 35 * 24 * 60 * 60;
/// A time of day that was shown this short a while ago means now and not tomorrow: words about a limit that ends this very minute are
/// read a little later, and clocks differ.
pub const JUST_PASSED: Duration = Duration::from_secs(10 * 60);
/// How deep settings are put together; the deepest real ones, of a provider's models, have five levels.
pub const SETTINGS_DEPTH_MAX: usize = 16;
