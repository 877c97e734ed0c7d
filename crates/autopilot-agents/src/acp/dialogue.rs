//! The dialogue itself: greeting, a session, one prompt, and permissions on the way. Files and terminals are not offered: the agent works
//! with its own, inside of the fence.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::thread;
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, Implementation, InitializeRequest, NewSessionRequest,
    PromptRequest, RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionNotification, TextContent,
};
use agent_client_protocol::{Agent, Client, ConnectTo, Error};
use futures::channel::oneshot;
use futures::future::{Either, select};

use super::line::Line;
use super::{permission, updates};
use crate::bounded_text::start_of;
use crate::limits;
use crate::request::Access;

pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) access: Access,
    /// Where the agent works.
    pub(super) folder: PathBuf,
}

/// Tells everything, the end too, unless nobody listens any more.
pub(super) async fn hold(
    agent: impl ConnectTo<Client> + 'static,
    prompt: Prompt,
    tell: SyncSender<Line>,
    cancel: oneshot::Receiver<()>,
) {
    let (said, permitted, last) = (tell.clone(), tell.clone(), tell.clone());
    let access = prompt.access;
    let connection = Client
        .v1()
        .name("autopilot")
        .on_receive_notification(
            async move |notification: SessionNotification, _| match updates::line(
                notification.update,
            ) {
                Some(line) => said.send(line).map_err(|_| Error::internal_error()),
                None => Ok(()),
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                let is_allowed = permission::is_allowed(access, updates::kind_of(&request));
                let _ = permitted.send(updates::asked(&request, is_allowed));
                responder.respond(RequestPermissionResponse::new(answer(&request, is_allowed)))
            },
            agent_client_protocol::on_receive_request!(),
        );
    let talked = connection
        .connect_with(agent, async move |connection| talk(&connection, prompt, &tell, cancel).await)
        .await;
    let line = match talked {
        Ok(line) => line,
        Err(error) if agent_client_protocol::is_incoming_transport_closed(&error) => {
            Line::Gone { why: "it ended without an answer".to_string() }
        }
        Err(error) if agent_client_protocol::is_connection_terminated(&error) => {
            Line::Gone { why: start_of(&error.to_string(), limits::SAID_BYTES_MAX) }
        }
        Err(error) => updates::failed(&error),
    };
    let _ = last.send(line);
}

fn answer(request: &RequestPermissionRequest, is_allowed: bool) -> RequestPermissionOutcome {
    match permission::choose(&request.options, is_allowed) {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
            option.option_id.clone(),
        )),
        None => RequestPermissionOutcome::Cancelled,
    }
}

/// The last line of the dialogue, if it gets that far.
async fn talk(
    connection: &ConnectionTo<Agent>,
    prompt: Prompt,
    tell: &SyncSender<Line>,
    cancel: oneshot::Receiver<()>,
) -> Result<Line, Error> {
    let us = Implementation::new("autopilot", env!("CARGO_PKG_VERSION"));
    let greeting = InitializeRequest::new(ProtocolVersion::V1).client_info(us);
    let greeting = connection.send_request(greeting).block_task();
    let Some(greeted) = within(limits::GREETING_TIME_MAX, greeting).await else {
        return Ok(Line::Gone { why: "it did not greet".to_string() });
    };
    let session = connection.send_request(NewSessionRequest::new(prompt.folder)).block_task();
    let Some(session) = within(limits::GREETING_TIME_MAX, session).await else {
        return Ok(Line::Gone { why: "it opened no session".to_string() });
    };
    let (greeted, session) = (greeted?, session?.session_id);
    let agent = greeted.agent_info.map(|info| format!("{} {}", info.name, info.version));
    let agent = agent.map(|agent| start_of(&agent, limits::SUMMARY_BYTES_MAX));
    let id = start_of(&session.to_string(), limits::SUMMARY_BYTES_MAX);
    let _ = tell.send(Line::Started { session: id, agent });
    let words = vec![ContentBlock::Text(TextContent::new(prompt.text))];
    let asked = PromptRequest::new(session.clone(), words);
    let answer = Box::pin(connection.send_request(asked).block_task());
    let answer = match select(answer, cancel).await {
        Either::Left((answer, _)) => Some(answer),
        Either::Right((_, answer)) => {
            connection.send_notification(CancelNotification::new(session))?;
            within(limits::BREAK_OFF_TIME_MAX, answer).await
        }
    };
    let broke_off = || Line::Gone { why: "it did not break off".to_string() };
    answer.map_or_else(|| Ok(broke_off()), |answer| Ok(updates::ended(&answer?)))
}

/// What comes in time.
async fn within<T>(
    time: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Option<Result<T, Error>> {
    let Ok(alarm) = alarm(time) else { return Some(Err(Error::internal_error())) };
    match select(Box::pin(work), alarm).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}

/// Rings once. There is no runtime here that could; a dialogue needs three of these.
fn alarm(time: Duration) -> io::Result<oneshot::Receiver<()>> {
    let (ring, alarm) = oneshot::channel();
    thread::Builder::new().name("acp-alarm".to_string()).spawn(move || {
        thread::sleep(time);
        let _ = ring.send(());
    })?;
    Ok(alarm)
}
