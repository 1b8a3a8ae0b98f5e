//! Input from the client: lines of at most [`MAX_FRAME_BYTES`], parsed as JSON and classified as requests or answers.

use std::{
    io::{self, BufRead},
    sync::LazyLock,
};

use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::mpsc;
use toolsmith_tool::closest_names;

use super::{
    request::{Answer, Request, RequestId},
    schema::variant_names,
};

/// Maximum length of a line: enough for a prompt with some images.
pub(super) const MAX_FRAME_BYTES: usize = 16 << 20;
/// Number of lines read ahead.
const READ_AHEAD: usize = 8;

/// A line from the client.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A request, which gets a reply.
    Request(Option<RequestId>, String, Box<Request>),
    /// An answer to a question.
    Answer(String, Answer),
    /// Neither. The reply says why.
    Wrong {
        /// The `id`, if there is one.
        id: Option<RequestId>,
        /// The `type`, or `parse`.
        command: String,
        /// Error message.
        error: String,
    },
}

/// Reads lines on its own thread until the input ends. The channel closes then.
pub(super) fn start(source: impl BufRead + Send + 'static) -> io::Result<mpsc::Receiver<Incoming>> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    std::thread::Builder::new().name("rpc-in".to_owned()).spawn(move || {
        let mut source = source;
        while let Ok(Some(line)) = next_line(&mut source) {
            let incoming = match line {
                Ok(line) if line.trim_ascii().is_empty() => continue,
                Ok(line) => read(&line),
                Err(TooLong { bytes }) => wrong(format!(
                    "The line has {bytes} bytes; the maximum is {MAX_FRAME_BYTES}. It was ignored."
                )),
            };
            if sender.blocking_send(incoming).is_err() {
                return;
            }
        }
    })?;
    Ok(receiver)
}

struct TooLong {
    bytes: usize,
}

/// Returns the next line without its line end; `None` at the end. A line that is too long is skipped.
fn next_line(source: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, TooLong>>> {
    let mut line = Vec::new();
    let mut bytes = 0;
    loop {
        let chunk = match source.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if chunk.is_empty() {
            // An unterminated last line is incomplete, because its writer is gone.
            return Ok(None);
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = &chunk[..end.unwrap_or(chunk.len())];
        bytes += part.len();
        if bytes <= MAX_FRAME_BYTES {
            line.extend_from_slice(part);
        } else {
            line = Vec::new();
        }
        let used = part.len() + usize::from(end.is_some());
        source.consume(used);
        if end.is_some() {
            let line = if bytes <= MAX_FRAME_BYTES { Ok(line) } else { Err(TooLong { bytes }) };
            return Ok(Some(line));
        }
    }
}

static REQUESTS: LazyLock<Vec<String>> = LazyLock::new(variant_names::<Request>);
static ANSWERS: LazyLock<Vec<String>> = LazyLock::new(variant_names::<Answer>);

fn wrong(error: String) -> Incoming {
    Incoming::Wrong { id: None, command: "parse".to_owned(), error }
}

/// Classifies a line.
fn read(line: &[u8]) -> Incoming {
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => return wrong(format!("The line is not UTF-8 (byte {})", error.valid_up_to())),
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return wrong(format!("The line is not valid JSON: {error}")),
    };
    let Some(fields) = value.as_object() else {
        return wrong("The line is not an object. A request is {\"id\": …, \"type\": …, …}".to_owned());
    };
    let id = match fields.get("id") {
        None | Some(Value::Null) => None,
        Some(id) => match serde_json::from_value(id.clone()) {
            Ok(id) => Some(id),
            Err(_) => return wrong("\"id\" must be a string or an integer".to_owned()),
        },
    };
    let Some(command) = fields.get("type").and_then(Value::as_str).map(str::to_owned) else {
        return Incoming::Wrong { id, command: "parse".to_owned(), error: "\"type\" is missing".to_owned() };
    };
    if ANSWERS.contains(&command) {
        return match parse(&command, value) {
            Ok(answer) => Incoming::Answer(command, answer),
            Err(error) => Incoming::Wrong { id, command, error },
        };
    }
    if REQUESTS.contains(&command) {
        return match parse(&command, value) {
            Ok(request) => Incoming::Request(id, command, Box::new(request)),
            Err(error) => Incoming::Wrong { id, command, error },
        };
    }
    let error = unknown(&command);
    Incoming::Wrong { id, command, error }
}

fn parse<T: DeserializeOwned>(command: &str, value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("invalid \"{command}\": {error}"))
}

fn unknown(command: &str) -> String {
    let shown: String = command.chars().take(100).collect();
    let known = REQUESTS.iter().chain(ANSWERS.iter()).map(String::as_str);
    match closest_names(command, known).as_slice() {
        [] => format!("Unknown command: {shown}. `toolsmith rpc-schema` lists them."),
        closest => format!("Unknown command: {shown}. Did you mean {}?", closest.join(", ")),
    }
}

#[cfg(test)]
#[path = "incoming_tests.rs"]
mod tests;
