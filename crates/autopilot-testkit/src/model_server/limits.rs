//! What bounds the server, each with the reason for its number. A test that needs less or more says so by `Bounds`.

use std::time::Duration;

/// The longest scripted phase takes about 40 requests; an agent that asks this often has lost its way.
const REQUESTS_MAX: usize = 400;
/// An agent keeps one or two connections open, its title and token requests another two; tests start a few agents at once.
const CONNECTIONS_MAX: usize = 64;
/// The first request of an agent, with its tools and rules, has about 200 KB; a long conversation some megabytes.
const REQUEST_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The longest test with an agent takes two minutes on a busy machine. Whoever forgets the server loses it then.
const LIFE_MAX: Duration = Duration::from_secs(600);

/// The lines before a body. Agents send about 1 KB; a login token has up to 4 KB.
pub(super) const HEAD_BYTES_MAX: usize = 64 * 1024;
/// A client that stops in the middle of a request is not waited for longer.
pub(super) const REQUEST_TIME_MAX: Duration = Duration::from_secs(30);
/// A client that does not take its answer is not waited for longer; answers are small enough for the kernel's buffers.
pub(super) const WRITE_TIME_MAX: Duration = Duration::from_secs(30);
/// Between two signs of life of a stream that says nothing else, as the real servers do it.
pub(super) const PING_INTERVAL: Duration = Duration::from_secs(1);
/// On the loopback address a connection is there at once or never.
pub(super) const WAKE_TIME_MAX: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Beyond it every request is refused with status 400.
    pub requests_max: usize,
    /// At the same time; beyond it a connection is closed as soon as it is made.
    pub connections_max: usize,
    /// A larger request is refused with status 413.
    pub request_bytes_max: usize,
    pub life_max: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            requests_max: REQUESTS_MAX,
            connections_max: CONNECTIONS_MAX,
            request_bytes_max: REQUEST_BYTES_MAX,
            life_max: LIFE_MAX,
        }
    }
}
