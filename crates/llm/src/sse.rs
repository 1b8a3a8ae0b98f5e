//! Parser for server-sent events from chunks that may end anywhere, even inside a character.

use crate::error::LlmError;

/// One event may not be larger; beyond that it is not an answer but an attack on our memory.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// The `event` field, often empty.
    pub(crate) name: String,
    /// The `data` fields, joined by newlines.
    pub(crate) data: String,
}

/// Buffered bytes of an incomplete event.
#[derive(Debug, Default)]
pub(crate) struct SseParser {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last line ended with CR; a following LF belongs to it.
    after_cr: bool,
}

impl SseParser {
    /// Adds bytes and returns the events they complete.
    ///
    /// # Errors
    /// Fails if an event exceeds the size limit.
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
            return Err(LlmError::too_long(format!("an event is larger than {MAX_EVENT_BYTES} bytes")));
        }
        Ok(events)
    }

    /// Ends the stream. An event without its closing blank line is still returned, because some servers omit it.
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
        // Invalid UTF-8 becomes replacement characters; the JSON parser decides whether that is an error.
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
            // Comments, ids, retry times and unknown fields.
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
