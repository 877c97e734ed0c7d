//! Clients, one thread each: reads a request, lets the script choose, and sends what was chosen, with the trouble it is to meet.

use std::io::{self, BufReader};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::acts;
use super::answer::Answer;
use super::book::{AnsweredBy, Ending};
use super::event::Event;
use super::http::{self, Unread};
use super::limits::{PING_INTERVAL, REQUEST_TIME_MAX, WRITE_TIME_MAX};
use super::refusal;
use super::request::{Asked, Request, Wire};
use super::script::Choice;
use super::shared::{Entry, Shared};
use super::step::{Refusal, Reply, Step, Trouble};
use super::usage::Usage;

/// What `count_tokens` answers; no script has wanted another number.
const COUNTED: u64 = 100;

/// Whether the connection is good for another request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum After {
    StaysOpen,
    Closes,
}

/// Takes clients until the server is over, and then waits for their threads, which end with their connections.
pub(super) fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.is_over() {
            break;
        }
        threads.retain(|thread| !thread.is_finished());
        let Ok(stream) = stream else { continue };
        let Some(number) = shared.opened(&stream) else { continue };
        let own = Arc::clone(shared);
        let work = move || {
            // A client that leaves in the middle is no fault of ours; the book says what it got.
            let _ = serve(stream, &own);
            own.closed(number);
        };
        match thread::Builder::new().name("model-client".into()).spawn(work) {
            Ok(thread) => threads.push(thread),
            Err(_) => shared.closed(number),
        }
    }
    for thread in threads {
        let _ = thread.join();
    }
}

fn serve(stream: TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(WRITE_TIME_MAX))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut client = Client { stream, shared };
    // Each round takes a request, and there are only so many of them.
    for _ in 0..=shared.bounds.requests_max {
        client.stream.set_read_timeout(Some(shared.bounds.life_max))?;
        let read = client.read(&mut reader);
        let after = match read {
            Ok((request, closes)) => client.answer(request)?.or_close(closes),
            Err(Unread::Closed | Unread::Io(_)) => return Ok(()),
            Err(unread) => client.refuse_unread(&unread)?,
        };
        if after == After::Closes {
            break;
        }
    }
    client.stream.shutdown(Shutdown::Both)
}

impl After {
    fn or_close(self, closes: bool) -> After {
        if closes { After::Closes } else { self }
    }
}

struct Client<'a> {
    stream: TcpStream,
    shared: &'a Shared,
}

impl Client<'_> {
    fn read(&mut self, reader: &mut BufReader<TcpStream>) -> Result<(Request, bool), Unread> {
        let head = http::read_head(reader)?;
        self.stream.set_read_timeout(Some(REQUEST_TIME_MAX))?;
        if head.waits_for_leave() {
            http::write_leave(&mut self.stream)?;
        }
        let closes = head.closes();
        Ok((head.with_body(reader, self.shared.bounds.request_bytes_max)?, closes))
    }

    /// There is no request for the book; the answer says why.
    fn refuse_unread(&mut self, unread: &Unread) -> io::Result<After> {
        let status = match unread {
            Unread::TooLarge => 413,
            Unread::Encoded => 415,
            Unread::Malformed(_) | Unread::Closed | Unread::Io(_) => 400,
        };
        let body = json!({"error": {"message": unread.to_string()}});
        http::write_json(&mut self.stream, status, &[], &body)?;
        Ok(After::Closes)
    }

    fn answer(&mut self, request: Request) -> io::Result<After> {
        match request.asked() {
            Asked::Models => self.own(request, 200, &models()),
            Asked::Count(Wire::Gemini) => self.own(request, 200, &json!({"totalTokens": COUNTED})),
            Asked::Count(_) => self.own(request, 200, &json!({"input_tokens": COUNTED})),
            Asked::Unknown => {
                let message = format!("there is no {} {}", request.method, request.path);
                let error = json!({"type": "not_found_error", "message": message});
                self.own(request, 404, &json!({"type": "error", "error": error}))
            }
            Asked::Answer { wire, streamed } => self.of_script(request, wire, streamed),
        }
    }

    /// What is the server's own to answer, and in no script.
    fn own(&mut self, request: Request, status: u16, body: &Value) -> io::Result<After> {
        let Some(entry) = self.shared.enter(request, AnsweredBy::Server) else {
            return self.over_limit();
        };
        let ending = if status == 200 { Ending::Whole } else { Ending::Refused(status) };
        self.shared.settle(entry, ending, Usage::default());
        http::write_json(&mut self.stream, status, &[], body)?;
        Ok(After::StaysOpen)
    }

    fn over_limit(&mut self) -> io::Result<After> {
        let message = "the model server has answered as many requests as it may";
        let error = json!({"type": "invalid_request_error", "message": message});
        http::write_json(&mut self.stream, 400, &[], &json!({"type": "error", "error": error}))?;
        Ok(After::Closes)
    }

    fn of_script(&mut self, request: Request, wire: Wire, streamed: bool) -> io::Result<After> {
        let (by, step) = match self.shared.choose(&request) {
            Choice::Listed(index, step) => (AnsweredBy::Step(index), step),
            Choice::Chosen(step) => (AnsweredBy::Choice, step),
            Choice::Otherwise(step) => (AnsweredBy::Otherwise, step),
            Choice::Beside(step) => (AnsweredBy::Beside, step),
        };
        let Some(entry) = self.shared.enter(request.clone(), by) else {
            return self.over_limit();
        };
        self.shared.wait_for_end(step.delay);
        match &step.reply {
            Reply::Refusal(refusal) => self.refuse(entry, refusal, wire, &step),
            Reply::Message(message) => match acts::speak(message, &request) {
                Err(why) => self.refuse(entry, &impossible(why), wire, &step),
                Ok(spoken) => {
                    let answer = Answer::new(wire, entry.number(), &request, message, spoken);
                    self.send(entry, &answer, streamed, &step)
                }
            },
        }
    }

    fn refuse(
        &mut self,
        entry: Entry,
        refusal: &Refusal,
        wire: Wire,
        step: &Step,
    ) -> io::Result<After> {
        self.shared.settle(entry, Ending::Refused(refusal.status), Usage::default());
        let body = refusal::body(refusal, wire, entry.number());
        http::write_json(&mut self.stream, refusal.status, &step.headers, &body)?;
        Ok(After::StaysOpen)
    }

    fn send(
        &mut self,
        entry: Entry,
        answer: &Answer,
        streamed: bool,
        step: &Step,
    ) -> io::Result<After> {
        let ending = if step.trouble.is_some() { Ending::Cut } else { Ending::Whole };
        self.shared.settle(entry, ending, answer.usage);
        match &step.trouble {
            Some(Trouble::DroppedBefore) => return Ok(After::Closes),
            Some(Trouble::SilentBefore) => return self.hang(None),
            Some(_) | None => {}
        }
        let sent = match streamed {
            true => self.stream(answer, step),
            false => self.whole(entry, answer, step),
        };
        if sent.is_err() {
            self.shared.settle(entry, Ending::Cut, answer.usage);
        }
        sent
    }

    /// Trouble in the stream is, without one, the same trouble in the body.
    fn whole(&mut self, entry: Entry, answer: &Answer, step: &Step) -> io::Result<After> {
        let body = answer.whole();
        match &step.trouble {
            None | Some(Trouble::DroppedBefore | Trouble::SilentBefore) => {
                http::write_json(&mut self.stream, 200, &step.headers, &body)?;
                Ok(After::StaysOpen)
            }
            Some(Trouble::SilentInStream | Trouble::PingsInStream) => {
                http::write_half(&mut self.stream, &step.headers, &body)?;
                self.hang(None)
            }
            Some(Trouble::DroppedInStream | Trouble::EndsEarly) => {
                http::write_half(&mut self.stream, &step.headers, &body)?;
                Ok(After::Closes)
            }
            Some(Trouble::InvalidJson) => {
                http::write_broken(&mut self.stream, &step.headers, &body)?;
                Ok(After::StaysOpen)
            }
            Some(Trouble::ErrorEvent { kind, message }) => {
                self.refuse(entry, &refusal::of_event(kind, message), answer.wire, step)
            }
        }
    }

    fn stream(&mut self, answer: &Answer, step: &Step) -> io::Result<After> {
        let events = answer.events();
        http::begin_stream(&mut self.stream, &step.headers)?;
        let sent = match step.trouble {
            None => &events[..],
            // More than its first event, so that a reader has begun to put the answer together.
            Some(Trouble::DroppedInStream | Trouble::EndsEarly) => &events[..events.len() / 2],
            // Never its last one, which could be all of it.
            Some(_) => &events[..events.len().saturating_sub(1).min(1)],
        };
        for event in sent {
            http::write_event(&mut self.stream, event)?;
        }
        match &step.trouble {
            Some(Trouble::DroppedInStream) => return Ok(After::Closes),
            Some(Trouble::SilentInStream) => return self.hang(None),
            Some(Trouble::PingsInStream) => return self.hang(answer.ping()),
            Some(Trouble::InvalidJson) => {
                http::write_event(&mut self.stream, &answer.broken_event())?;
            }
            Some(Trouble::ErrorEvent { kind, message }) => {
                http::write_event(&mut self.stream, &answer.error_event(kind, message))?;
            }
            Some(Trouble::EndsEarly | Trouble::DroppedBefore | Trouble::SilentBefore) | None => {}
        }
        http::end_stream(&mut self.stream)?;
        Ok(After::StaysOpen)
    }

    /// Until the client leaves or the server ends; both wake the one who looks for further bytes.
    fn hang(&mut self, ping: Option<Event>) -> io::Result<After> {
        let ends = Instant::now() + self.shared.bounds.life_max;
        loop {
            let left = ends.saturating_duration_since(Instant::now());
            if left.is_zero() || self.shared.is_over() {
                return Ok(After::Closes);
            }
            let pause = if ping.is_some() { left.min(PING_INTERVAL) } else { left };
            match self.client_says(pause)? {
                Heard::Nothing => {}
                Heard::Left => return Ok(After::Closes),
                // A client that sends more while it waits would wake us for ever.
                Heard::More => drop(self.shared.wait_for_end(pause)),
            }
            if let Some(ping) = &ping {
                http::write_event(&mut self.stream, ping)?;
            }
        }
    }

    fn client_says(&self, time: Duration) -> io::Result<Heard> {
        self.stream.set_read_timeout(Some(time))?;
        match self.stream.peek(&mut [0]) {
            Ok(0) => Ok(Heard::Left),
            Ok(_) => Ok(Heard::More),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(Heard::Nothing),
                io::ErrorKind::Interrupted => Ok(Heard::Nothing),
                _ => Ok(Heard::Left),
            },
        }
    }
}

enum Heard {
    Nothing,
    More,
    Left,
}

fn impossible(why: String) -> Refusal {
    Refusal { status: 400, kind: None, message: Some(why), more: Value::Null }
}

fn models() -> Value {
    let model = json!({
        "id": "scripted", "name": "models/scripted", "object": "model", "type": "model",
        "display_name": "Scripted", "created_at": "2026-01-01T00:00:00Z",
    });
    json!({
        "object": "list", "data": [model], "models": [model],
        "has_more": false, "first_id": "scripted", "last_id": "scripted",
    })
}
