//! The lines that an opened session had already: in memory, or read again from its file when an entry is needed.

use std::{
    borrow::Cow,
    fs::File,
    io,
    sync::{Mutex, PoisonError},
};

use toolsmith_host::posix::read_at;

/// Entries are mostly read in order or in reverse order, so one read serves many of them.
const BLOCK: u64 = 256 << 10;

/// Position of a line in the content of a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRange {
    pub(crate) start: u64,
    pub(crate) length: usize,
}

/// The content of a session when it was opened.
#[derive(Debug)]
pub(crate) enum StoredLines {
    Memory(Vec<u8>),
    File { file: File, block: Mutex<Block> },
}

/// The part of the file that was read last.
#[derive(Debug, Default)]
pub(crate) struct Block {
    start: u64,
    bytes: Vec<u8>,
}

impl StoredLines {
    /// Reads lines from a file. Lines only ever follow each other in a session's file, so ranges stay valid while it grows.
    pub(crate) fn in_file(file: File) -> Self {
        Self::File { file, block: Mutex::default() }
    }

    /// Returns a line. One that cannot be read any more is empty.
    pub(crate) fn line(&self, range: LineRange) -> Cow<'_, str> {
        match self {
            Self::Memory(bytes) => {
                let start = usize::try_from(range.start).unwrap_or(usize::MAX);
                let line = bytes.get(start..start.saturating_add(range.length)).unwrap_or_default();
                String::from_utf8_lossy(line)
            }
            Self::File { file, block } => {
                let mut block = block.lock().unwrap_or_else(PoisonError::into_inner);
                match block.line(file, range) {
                    Ok(line) => Cow::Owned(line),
                    Err(error) => {
                        tracing::warn!(%error, start = range.start, "an entry of the session could not be read again");
                        Cow::Borrowed("")
                    }
                }
            }
        }
    }
}

impl Block {
    fn line(&mut self, file: &File, range: LineRange) -> io::Result<String> {
        let length = range.length as u64;
        let end = range.start + length;
        if range.start < self.start || end > self.start + self.bytes.len() as u64 {
            let size = length.max(BLOCK);
            // Somebody who reads backwards needs what precedes this line next.
            let start = if range.start < self.start { end.saturating_sub(size) } else { range.start };
            self.fill(file, start, size)?;
        }
        let from = usize::try_from(range.start - self.start).unwrap_or(usize::MAX);
        let line = self.bytes.get(from..from.saturating_add(range.length));
        let line = line.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?.to_vec();
        if length > BLOCK {
            *self = Self::default();
        }
        String::from_utf8(line).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn fill(&mut self, file: &File, start: u64, size: u64) -> io::Result<()> {
        self.start = start;
        self.bytes.resize(usize::try_from(size).unwrap_or(usize::MAX), 0);
        match read_all_at(file, &mut self.bytes, start) {
            Ok(filled) => {
                self.bytes.truncate(filled);
                Ok(())
            }
            Err(error) => {
                *self = Self::default();
                Err(error)
            }
        }
    }
}

/// Reads until the buffer is full or the file ends; returns the number of bytes.
pub(crate) fn read_all_at(file: &File, buffer: &mut [u8], start: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_at(file, &mut buffer[filled..], start + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
#[path = "stored_lines_tests.rs"]
mod tests;
