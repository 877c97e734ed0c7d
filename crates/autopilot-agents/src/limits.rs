//! Every bound of this crate, each with the reason for its number. It knows no other crate, so they stand here.

use std::time::Duration;

/// Bytes kept of a final answer. A phase return with all its evidence has about 40 KB.
pub const ANSWER_BYTES_MAX: usize = 1024 * 1024;
/// Bytes kept of one thing an agent said or did; screens show a line of it.
pub const ACTIVITY_BYTES_MAX: usize = 4 * 1024;
/// Bytes kept of what a crashed agent said last: enough for a stack trace's first lines.
pub const SAID_BYTES_MAX: usize = 4 * 1024;

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
