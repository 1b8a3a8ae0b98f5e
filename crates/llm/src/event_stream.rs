//! Parser for AWS event streams (`application/vnd.amazon.eventstream`): binary messages with two checksums, from chunks that
//! may end anywhere. Only the headers that name an event are kept.

use crate::{error::LlmError, sse::SseEvent};

/// Bytes before the headers: total length, length of the headers, checksum of both.
const PRELUDE: usize = 12;
/// Bytes of the checksum at the end.
const TRAILER: usize = 4;
/// One message may not be larger; the format itself allows 24 MB.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// The format allows no more.
const MAX_HEADER_BYTES: usize = 128 * 1024;
/// Prefix of the name of an event that reports an error.
pub(crate) const EXCEPTION: &str = "exception:";

/// Buffered bytes of an incomplete message.
#[derive(Debug, Default)]
pub(crate) struct EventStreamParser {
    bytes: Vec<u8>,
}

impl EventStreamParser {
    /// Adds bytes and returns the events they complete. The event's name is the message's type.
    ///
    /// # Errors
    /// Fails if a length or a checksum is wrong: what follows cannot be trusted.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, LlmError> {
        self.bytes.extend_from_slice(bytes);
        let mut events = Vec::new();
        let mut start = 0;
        while let Some(message) = next_message(&self.bytes[start..])? {
            start += message.len();
            events.push(read_message(message)?);
        }
        self.bytes.drain(..start);
        Ok(events)
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// Fails if it ends inside a message.
    pub(crate) fn end(&self) -> Result<(), LlmError> {
        match self.bytes.is_empty() {
            true => Ok(()),
            false => Err(LlmError::network("the connection closed inside a message")),
        }
    }
}

fn invalid(what: &str) -> LlmError {
    LlmError::invalid(format!("a message of the event stream {what}"))
}

/// Returns the first message if it is complete.
fn next_message(bytes: &[u8]) -> Result<Option<&[u8]>, LlmError> {
    let Some(prelude) = bytes.get(..PRELUDE) else { return Ok(None) };
    // Checked before the lengths are used: they decide how much is buffered.
    if crc32(&prelude[..8]) != number(&prelude[8..]) {
        return Err(invalid("has a wrong checksum in its head"));
    }
    let (total, headers) = (number(&prelude[..4]) as usize, number(&prelude[4..8]) as usize);
    if total > MAX_MESSAGE_BYTES {
        let text = format!("a message of the event stream is larger than {MAX_MESSAGE_BYTES} bytes");
        return Err(LlmError::too_long(text));
    }
    if headers > MAX_HEADER_BYTES || total < PRELUDE + headers + TRAILER {
        return Err(invalid("has lengths that contradict each other"));
    }
    Ok(bytes.get(..total))
}

fn read_message(message: &[u8]) -> Result<SseEvent, LlmError> {
    let (content, trailer) = message.split_at(message.len() - TRAILER);
    if crc32(content) != number(trailer) {
        return Err(invalid("has a wrong checksum"));
    }
    let headers = number(&message[4..8]) as usize;
    let names = read_headers(&content[PRELUDE..PRELUDE + headers])?;
    let payload = &content[PRELUDE + headers..];
    let name = match (names.kind.as_str(), names.exception) {
        ("exception", exception) => format!("{EXCEPTION}{}", exception.unwrap_or_default()),
        ("error", _) => format!("{EXCEPTION}{}", names.code.unwrap_or_default()),
        _ => names.event.unwrap_or_default(),
    };
    let data = match (names.message, payload) {
        (Some(text), []) => serde_json::json!({ "message": text }).to_string(),
        _ => String::from_utf8_lossy(payload).into_owned(),
    };
    Ok(SseEvent { name, data })
}

/// The headers that matter.
#[derive(Default)]
struct Names {
    kind: String,
    event: Option<String>,
    exception: Option<String>,
    code: Option<String>,
    message: Option<String>,
}

fn read_headers(mut bytes: &[u8]) -> Result<Names, LlmError> {
    let short = || invalid("has a header that is cut off");
    let mut names = Names::default();
    while let Some((length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or_else(short)?;
        let (kind, rest) = rest.split_first().ok_or_else(short)?;
        let (length, rest) = match kind {
            0 | 1 => (0, rest),
            2 => (1, rest),
            3 => (2, rest),
            4 => (4, rest),
            5 | 8 => (8, rest),
            6 | 7 => {
                let (length, rest) = rest.split_at_checked(2).ok_or_else(short)?;
                (usize::from(u16::from_be_bytes([length[0], length[1]])), rest)
            }
            9 => (16, rest),
            _ => return Err(invalid("has a header of an unknown type")),
        };
        let (value, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        bytes = rest;
        let text = || String::from_utf8_lossy(value).into_owned();
        match name {
            b":message-type" => names.kind = text(),
            b":event-type" => names.event = Some(text()),
            b":exception-type" => names.exception = Some(text()),
            b":error-code" => names.code = Some(text()),
            b":error-message" => names.message = Some(text()),
            _ => {}
        }
    }
    Ok(names)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte))
}

/// The checksum of gzip, zip and PNG.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let mut value = at as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { 0xEDB8_8320 ^ (value >> 1) } else { value >> 1 };
            bit += 1;
        }
        table[at] = value;
        at += 1;
    }
    table
};

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| CRC_TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize] ^ (sum >> 8))
}

#[cfg(test)]
#[path = "event_stream_tests.rs"]
mod tests;
