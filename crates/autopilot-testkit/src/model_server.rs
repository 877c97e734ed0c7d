//! A model that says what a script tells it to: a server on the loopback address that speaks the wire formats of the models
//! which real agents are made for. Owns starting it, what it saw and served, and its end: when it is dropped, nothing of it is
//! left. Which step answers is `script`'s, how an answer looks on the wire is `anthropic`'s, `responses`', `chat`'s and
//! `gemini`'s, what is sent and when is `connection`'s.
//!
//! ```
//! use autopilot_testkit::model_server::{ModelServer, Script, Step, Usage};
//! use serde_json::json;
//!
//! let script = Script::new()
//!     .step(Step::text("I write it.").tool("Write", json!({"file_path": "/t/a", "content": "a"})))
//!     .step(Step::text("Done.").usage(Usage { input: 1_000, output: 50, ..Usage::default() }));
//! let server = ModelServer::start(script)?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // An agent works here, with the address in its environment.
//! assert_eq!(server.served(), Usage::default());
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

mod acts;
mod answer;
mod anthropic;
mod book;
mod chat;
mod connection;
mod conversation;
mod event;
mod gemini;
mod http;
mod limits;
mod refusal;
mod request;
mod responses;
mod script;
mod script_file;
mod shared;
mod step;
mod usage;

pub use book::{AnsweredBy, Ending, Recorded};
pub use conversation::{Said, Who};
pub use limits::Bounds;
pub use request::{Asked, Request, Wire};
pub use script::Script;
pub use script_file::ScriptError;
pub use step::{Step, ToolCall, Trouble};
pub use usage::Usage;

use shared::Shared;

/// Runs until it is dropped, or until its time is over.
pub struct ModelServer {
    shared: Arc<Shared>,
    address: SocketAddr,
    threads: Vec<JoinHandle<()>>,
}

impl ModelServer {
    pub fn start(script: Script) -> io::Result<ModelServer> {
        ModelServer::bounded(script, Bounds::default())
    }

    /// With bounds of one's own, for whoever tries the bounds or stays longer than a test.
    pub fn bounded(script: Script, bounds: Bounds) -> io::Result<ModelServer> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(script, bounds));
        let mut server = ModelServer { shared, address, threads: Vec::new() };
        let shared = Arc::clone(&server.shared);
        let accepting = move || connection::accept(&listener, &shared);
        server.threads.push(named("model-accept", accepting)?);
        let shared = Arc::clone(&server.shared);
        let watching = move || {
            shared.wait_for_end(bounds.life_max);
            end(&shared, address);
        };
        server.threads.push(named("model-watch", watching)?);
        Ok(server)
    }

    /// Without a path, as the variables of agents want it: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Every request so far, in the order they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.book(|book| book.recorded.clone())
    }

    /// What the whole answers of the script cost. Answers beside it (titles, probes) and answers that were cut are not in it.
    pub fn served(&self) -> Usage {
        self.shared.book(|book| book.served())
    }

    /// What the answers to requests without tools cost.
    pub fn served_beside(&self) -> Usage {
        self.shared.book(|book| book.served_beside())
    }

    /// What answers would have cost that began and never ended.
    pub fn cut(&self) -> Usage {
        self.shared.book(|book| book.cut())
    }

    /// Waits until what it has seen is as wanted, and says whether it came to that in time.
    pub fn wait_until(&self, time: Duration, holds: impl Fn(&[Recorded]) -> bool) -> bool {
        self.shared.wait_until(time, |book| holds(&book.recorded))
    }

    /// Waits until no client is connected any more, and says whether it came to that in time.
    pub fn wait_until_alone(&self, time: Duration) -> bool {
        self.shared.wait_until(time, |book| book.open == 0)
    }

    /// Waits until its own time is over, and says whether it came to that in this time.
    pub fn is_over_within(&self, time: Duration) -> bool {
        self.shared.wait_for_end(time)
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.end();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Closes what is open; the connection to ourselves wakes the thread that waits for the next one.
fn end(shared: &Shared, address: SocketAddr) {
    shared.end();
    let _ = TcpStream::connect_timeout(&address, limits::WAKE_TIME_MAX);
}

fn named(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    thread::Builder::new().name(name.into()).spawn(work)
}

#[cfg(test)]
#[path = "model_server_tests.rs"]
mod tests;
#[cfg(test)]
#[path = "model_server/trouble_tests.rs"]
mod trouble_tests;
