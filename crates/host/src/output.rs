//! Output that cannot run over: the beginning and the end stay in memory, the whole goes to a file, and that file
//! has an end too.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

pub use crate::spill::HeldFile;
use crate::spill::SpillFile;

/// Field of a result's details in which a tool names the file that has the whole output.
pub const FULL_OUTPUT: &str = "fullOutputPath";
/// Field beside it that is true if the file has only the first part.
pub const FULL_OUTPUT_INCOMPLETE: &str = "fullOutputIncomplete";

/// How much of an output is kept where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutputLimits {
    /// Bytes kept from the beginning once there is too much.
    pub head: usize,
    /// Bytes kept from the end once there is too much.
    pub tail: usize,
    /// Where the whole goes once there is too much.
    pub spill: SpillTo,
    /// Bytes after which the file stops growing, so that a loop cannot fill the disk.
    pub max_spill: u64,
}

/// Where output goes that does not fit in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpillTo {
    /// Into a file without a name, which is there as long as [`Output::held`] is.
    Unnamed,
    /// Into a new file in this folder, which stays there.
    Folder(PathBuf),
    /// Nowhere.
    Nowhere,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self { head: 8 << 20, tail: 8 << 20, spill: SpillTo::Unnamed, max_spill: 256 << 20 }
    }
}

impl OutputLimits {
    /// Keeps `head` and `tail` bytes in memory.
    pub fn new(head: usize, tail: usize) -> Self {
        Self { head, tail, ..Self::default() }
    }

    /// Puts the whole into this folder; `None` keeps it nowhere.
    #[must_use]
    pub fn spill_dir(mut self, dir: Option<&Path>) -> Self {
        self.spill = dir.map_or(SpillTo::Nowhere, |dir| SpillTo::Folder(dir.to_path_buf()));
        // Nothing else counts what is in a folder.
        self.max_spill = 1 << 30;
        self
    }

    /// Stops the file at this many bytes.
    #[must_use]
    pub fn max_spill(mut self, bytes: u64) -> Self {
        self.max_spill = bytes;
        self
    }
}

/// The captured output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Output {
    /// All of it, or the beginning.
    pub head: Vec<u8>,
    /// The end, when something between was left out.
    pub tail: Vec<u8>,
    /// How much there was in all.
    pub total: u64,
    /// The whole, when it did not fit; up to the limit of the file.
    pub file: Option<PathBuf>,
    /// Keeps the file, if it has no name.
    pub held: Option<HeldFile>,
    /// The file stopped growing, or could not be written: it does not hold everything.
    pub file_incomplete: bool,
}

impl Output {
    /// How many bytes lie between head and tail.
    pub fn omitted(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// Returns the captured text. Invalid UTF-8 becomes replacement characters; where something was omitted, a line
    /// says how much and where the whole output is.
    pub fn text(&self) -> String {
        let omitted = self.omitted();
        if omitted == 0 {
            let mut all = self.head.clone();
            all.extend_from_slice(&self.tail);
            return into_lossy_text(all);
        }
        let file = match (&self.file, self.file_incomplete) {
            (Some(file), false) => format!("; the whole output is in {}", file.display()),
            (Some(file), true) => format!("; the first part of the output is in {}", file.display()),
            (None, _) => String::new(),
        };
        // Cutting between bytes must not make characters that were never there.
        let head = &self.head[..self.head.len() - incomplete_suffix(&self.head)];
        let tail = &self.tail[self.tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count()..];
        let omitted = omitted + (self.head.len() - head.len() + self.tail.len() - tail.len()) as u64;
        format!(
            "{}\n[{omitted} bytes left out{file}]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail)
        )
    }
}

fn into_lossy_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How many bytes at the end begin a character that is not finished.
fn incomplete_suffix(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if is_continuation(byte) {
            continue;
        }
        let needs = match byte {
            0b1100_0000..=0b1101_1111 => 2,
            0b1110_0000..=0b1110_1111 => 3,
            0b1111_0000..=0b1111_0111 => 4,
            _ => 1,
        };
        return if needs > back { back } else { 0 };
    }
    0
}

/// Collects an output as it comes. Reading goes on after every limit, so the writer never waits for us.
#[derive(Debug)]
pub struct OutputBuffer {
    limits: OutputLimits,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
    spill: Spill,
}

#[derive(Debug)]
enum Spill {
    /// Everything still fits in memory.
    NotNeeded,
    Open {
        file: SpillFile,
        written: u64,
    },
    /// No file, or no longer one: there is none, it is full, or writing failed.
    Ended {
        file: Option<SpillFile>,
    },
}

impl OutputBuffer {
    /// An empty buffer.
    pub fn new(limits: OutputLimits) -> Self {
        Self { limits, head: Vec::new(), tail: VecDeque::new(), total: 0, spill: Spill::NotNeeded }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.limits.head + self.limits.tail;
        if matches!(self.spill, Spill::NotNeeded) {
            if self.head.len() + bytes.len() <= room {
                self.head.extend_from_slice(bytes);
                return;
            }
            // Up to here everything was kept in one piece; now it is divided.
            self.spill = self.open_spill();
            let kept = std::mem::take(&mut self.head);
            self.write_spill(&kept);
            let (head, rest) = kept.split_at(kept.len().min(self.limits.head));
            self.head = head.to_vec();
            self.push_tail(rest);
        }
        self.write_spill(bytes);
        let (head, rest) = bytes.split_at(bytes.len().min(self.limits.head - self.head.len()));
        self.head.extend_from_slice(head);
        self.push_tail(rest);
    }

    fn push_tail(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(self.limits.tail)..];
        let excess = (self.tail.len() + bytes.len()).saturating_sub(self.limits.tail);
        self.tail.drain(..excess);
        self.tail.extend(bytes);
    }

    fn open_spill(&self) -> Spill {
        let opened = match &self.limits.spill {
            SpillTo::Unnamed => SpillFile::unnamed().ok(),
            SpillTo::Folder(folder) => SpillFile::named(folder).ok(),
            SpillTo::Nowhere => None,
        };
        match opened {
            Some(file) => Spill::Open { file, written: 0 },
            None => Spill::Ended { file: None },
        }
    }

    fn write_spill(&mut self, bytes: &[u8]) {
        let Spill::Open { file, written } = &mut self.spill else {
            return;
        };
        let room = usize::try_from(self.limits.max_spill - *written).unwrap_or(usize::MAX);
        let part = &bytes[..bytes.len().min(room)];
        // A full disk costs the file, not the call: what is in memory is still there.
        let failed = file.write(part).is_err();
        *written += part.len() as u64;
        if failed || part.len() < bytes.len() {
            let ended = std::mem::replace(&mut self.spill, Spill::NotNeeded);
            self.spill =
                Spill::Ended { file: if let Spill::Open { file, .. } = ended { Some(file) } else { None } };
        }
    }

    /// The captured output.
    pub fn finish(self) -> Output {
        let (file, file_incomplete) = match self.spill {
            Spill::NotNeeded => (None, false),
            Spill::Open { file, .. } => (Some(file), false),
            Spill::Ended { file } => (file, true),
        };
        Output {
            head: self.head,
            tail: self.tail.into(),
            total: self.total,
            held: file.as_ref().and_then(SpillFile::held),
            file: file.map(|file| file.path().to_path_buf()),
            file_incomplete,
        }
    }
}

/// Turns bytes into text as they come: a character cut by the end of a chunk waits for its rest.
#[derive(Debug, Default)]
pub struct TextDecoder {
    held: Vec<u8>,
}

impl TextDecoder {
    /// The text of these bytes, as far as it is complete.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let complete = self.held.len() - incomplete_suffix(&self.held);
        let rest = self.held.split_off(complete);
        into_lossy_text(std::mem::replace(&mut self.held, rest))
    }

    /// Bytes of an incomplete character at the end.
    pub fn finish(self) -> String {
        into_lossy_text(self.held)
    }
}

/// Returns the first of these folders that exists or can be created.
pub fn usable_folder<'a>(folders: impl IntoIterator<Item = &'a Path>) -> Option<&'a Path> {
    folders.into_iter().find(|folder| fs::create_dir_all(folder).is_ok())
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
