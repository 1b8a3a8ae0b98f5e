//! Server-sent events out of bytes that may be cut anywhere: inside a line, inside a character.

use crate::error::LlmError;

/// One event may not be larger; beyond that it is not an answer but an attack on our memory.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The field `event`, often empty.
    pub(crate) name: String,
    /// The fields `data`, joined by newlines.
    pub(crate) data: String,
}

/// Bytes so far that are not yet an event.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// A line ended with CR; an LF that follows belongs to it.
    after_cr: bool,
}

impl SseParser {
    /// Takes bytes in and gives out the events they complete.
    ///
    /// # Errors
    /// When an event grows beyond any sense.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<SseEvent>, LlmError> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_cr && rest[0] == b'\n' {
                rest = &rest[1..];
                self.after_cr = false;
                continue;
            }
            self.after_cr = false;
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                break;
            };
            self.line.extend_from_slice(&rest[..end]);
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            events.extend(self.end_line());
        }
        if self.line.len() + self.event.data.len() > MAX_EVENT_BYTES {
            return Err(LlmError::invalid(format!("one event has more than {MAX_EVENT_BYTES} bytes")));
        }
        Ok(events)
    }

    /// The connection ended. An event whose closing blank line is missing still counts: some servers save it.
    pub(crate) fn end(&mut self) -> Option<SseEvent> {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.dispatch()
    }

    fn end_line(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.dispatch();
        }
        // What is no UTF-8 becomes a replacement character, which then fails, or not, as JSON.
        let line = String::from_utf8_lossy(&line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            // Comments, ids, retry times, and fields of the future.
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<SseEvent> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
