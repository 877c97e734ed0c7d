//! As much of HTTP/1.1 as agents speak: requests with a length or in chunks, answers as JSON or as a chunked stream. Everything
//! read is bounded; what the words mean is `request`'s.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

use super::event::Event;
use super::limits::HEAD_BYTES_MAX;
use super::request::Request;

/// What came instead of a request.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unread {
    /// The client is done; no fault.
    #[error("the connection was closed")]
    Closed,
    #[error("the request is larger than the server takes")]
    TooLarge,
    #[error("the body is encoded, and only plain ones are read")]
    Encoded,
    #[error("this is not HTTP: {0}")]
    Malformed(&'static str),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The head of a request, before its body was read.
pub(super) struct Head {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

pub(super) fn read_head(stream: &mut impl BufRead) -> Result<Head, Unread> {
    let mut left = HEAD_BYTES_MAX;
    let first = match line(stream, &mut left) {
        Err(Unread::Malformed(_)) if left == HEAD_BYTES_MAX => return Err(Unread::Closed),
        first => first?,
    };
    let mut words = first.split(' ');
    let (Some(method), Some(path), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Err(Unread::Malformed("no request line"));
    };
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return Err(Unread::Malformed("no request line"));
    }
    let mut headers = Vec::new();
    loop {
        let line = line(stream, &mut left)?;
        if line.is_empty() {
            return Ok(Head { method: method.into(), path: path.into(), headers });
        }
        let (name, value) =
            line.split_once(':').ok_or(Unread::Malformed("a header without a colon"))?;
        headers.push((name.trim().to_ascii_lowercase(), value.trim().to_string()));
    }
}

impl Head {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The client sends its body only when it was told to.
    pub(super) fn waits_for_leave(&self) -> bool {
        self.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue"))
    }

    pub(super) fn closes(&self) -> bool {
        self.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"))
    }

    pub(super) fn with_body(
        self,
        stream: &mut impl BufRead,
        bytes_max: usize,
    ) -> Result<Request, Unread> {
        let is_plain = |value: &str| value.eq_ignore_ascii_case("identity");
        if self.header("content-encoding").is_some_and(|value| !is_plain(value)) {
            return Err(Unread::Encoded);
        }
        let chunked = |value: &str| value.eq_ignore_ascii_case("chunked");
        let bytes = if self.header("transfer-encoding").is_some_and(chunked) {
            chunks(stream, bytes_max)?
        } else {
            let length = self.header("content-length").unwrap_or("0").parse();
            let length = length.map_err(|_| Unread::Malformed("a length that is no number"))?;
            exactly(stream, length, bytes_max)?
        };
        let Head { method, path, headers } = self;
        Ok(Request { method, path, headers, body: body(&bytes) })
    }
}

fn body(bytes: &[u8]) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    let text = || Value::String(String::from_utf8_lossy(bytes).into_owned());
    serde_json::from_slice(bytes).unwrap_or_else(|_| text())
}

/// One line without its end; `left` counts down what the lines may have together.
fn line(stream: &mut impl BufRead, left: &mut usize) -> Result<String, Unread> {
    let mut bytes = Vec::new();
    let read = stream.take(*left as u64).read_until(b'\n', &mut bytes)?;
    if bytes.last() != Some(&b'\n') {
        let is_full = read == *left;
        return Err(if is_full { Unread::TooLarge } else { Unread::Malformed("it breaks off") });
    }
    *left -= read;
    let text = String::from_utf8(bytes).map_err(|_| Unread::Malformed("a line is not UTF-8"))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_string())
}

fn exactly(stream: &mut impl BufRead, length: usize, bytes_max: usize) -> Result<Vec<u8>, Unread> {
    if length > bytes_max {
        return Err(Unread::TooLarge);
    }
    let mut bytes = Vec::new();
    stream.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Err(Unread::Malformed("the body breaks off"));
    }
    Ok(bytes)
}

fn chunks(stream: &mut impl BufRead, bytes_max: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    loop {
        let mut left = HEAD_BYTES_MAX;
        let line = line(stream, &mut left)?;
        let length = line.split(';').next().unwrap_or_default().trim();
        let length = usize::from_str_radix(length, 16);
        let length = length.map_err(|_| Unread::Malformed("a chunk without a length"))?;
        bytes.extend(exactly(stream, length, bytes_max - bytes.len())?);
        self::line(stream, &mut left)?;
        if length == 0 {
            return Ok(bytes);
        }
    }
}

pub(super) fn write_leave(stream: &mut impl Write) -> io::Result<()> {
    stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
}

pub(super) fn write_json(
    stream: &mut impl Write,
    status: u16,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    // In one write: a client that gives up early must not see half of a small answer.
    stream.write_all(&with_length(status, headers, body.len(), body.as_bytes()))
}

/// Promises the whole body and sends half of it.
pub(super) fn write_half(
    stream: &mut impl Write,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let half = &body.as_bytes()[..body.len() / 2];
    stream.write_all(&with_length(200, headers, body.len(), half))
}

/// A body of the right length that breaks off as JSON.
pub(super) fn write_broken(
    stream: &mut impl Write,
    headers: &[(String, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    let half = &body.as_bytes()[..body.len() / 2];
    stream.write_all(&with_length(200, headers, half.len(), half))
}

fn with_length(status: u16, headers: &[(String, String)], length: usize, body: &[u8]) -> Vec<u8> {
    let own = format!("content-type: application/json\r\ncontent-length: {length}");
    let mut bytes = head(status, headers, &own).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

pub(super) fn begin_stream(
    stream: &mut impl Write,
    headers: &[(String, String)],
) -> io::Result<()> {
    let own =
        "content-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked";
    stream.write_all(head(200, headers, own).as_bytes())
}

pub(super) fn write_event(stream: &mut impl Write, event: &Event) -> io::Result<()> {
    let bytes = event.bytes();
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    stream.write_all(&chunk)
}

pub(super) fn end_stream(stream: &mut impl Write) -> io::Result<()> {
    stream.write_all(b"0\r\n\r\n")
}

fn head(status: u16, headers: &[(String, String)], own: &str) -> String {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} {}\r\n{own}\r\n{headers}\r\n", phrase(status))
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        529 => "Overloaded",
        _ => "Scripted",
    }
}
