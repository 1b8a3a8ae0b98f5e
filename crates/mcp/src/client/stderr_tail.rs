//! The last lines a server printed to standard error, for error texts and `/mcp`.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

const MAX_LINES: usize = 20;
const MAX_LINE_CHARS: usize = 400;

/// The tail. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct StderrTail {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl StderrTail {
    /// Reads the stream to its end.
    pub(crate) async fn follow(self, mut stream: impl AsyncRead + Unpin, server: String) {
        let mut buffer = vec![0; 8 << 10];
        let mut line: Vec<u8> = Vec::new();
        loop {
            let count = match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(count) => count,
            };
            for byte in buffer.iter().take(count) {
                match byte {
                    b'\n' => self.add(&std::mem::take(&mut line), &server),
                    // The rest of a long line is not kept.
                    _ if line.len() < MAX_LINE_CHARS * 4 => line.push(*byte),
                    _ => {}
                }
            }
        }
        if !line.is_empty() {
            self.add(&line, &server);
        }
    }

    fn add(&self, line: &[u8], server: &str) {
        let text: String = String::from_utf8_lossy(line).trim_end().chars().take(MAX_LINE_CHARS).collect();
        if text.is_empty() {
            return;
        }
        tracing::debug!(server, text, "MCP server stderr");
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() >= MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(text);
    }

    /// Returns the lines, oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}
