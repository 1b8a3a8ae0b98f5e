//! The record of a day: a file of lines, each with what one call or request used. All sessions of a user add to it.
//!
//! A line is added with one write in append mode, so that lines of two programs do not mix, and begins with a line end, so that
//! a line that was torn by a kill does not spoil the next one. A line that cannot be read is passed over and counted. Anything but
//! a regular file of a plausible size is an error: a link to a device would make every day free, and a pipe would never end.

use std::{
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use jiff::{
    ToSpan as _,
    civil::{self, Date},
};
use thiserror::Error;
use toolsmith_host::regular_file::{open_for_appending, open_not_linked};

use super::used::Used;

/// Days for which records are kept.
const KEPT_DAYS: i64 = 32;
/// Maximum number of bytes read at once.
const PART: u64 = 8 << 20;
/// Maximum size of a record: about half a million calls.
const MAX_SIZE: u64 = 64 << 20;
/// Ending of the file names.
const ENDING: &str = ".jsonl";

/// The record cannot be used.
#[derive(Debug, Error)]
#[error("the record of the day {} cannot be used: {source}", path.display())]
pub struct LedgerError {
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error.
    #[source]
    pub source: io::Error,
}

/// The records of days in a folder.
#[derive(Debug)]
pub struct DayLedger {
    folder: PathBuf,
    /// Returns today, by the clock.
    today: fn() -> Date,
    read: Mutex<ReadSoFar>,
}

#[derive(Debug, Default)]
struct ReadSoFar {
    day: Option<Date>,
    offset: u64,
    used: Used,
    unreadable: u64,
}

impl DayLedger {
    /// Uses the records in `folder`, which is created when it is needed.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self::with_clock(folder, toolsmith_host::today)
    }

    /// The same with another clock.
    pub(crate) fn with_clock(folder: impl Into<PathBuf>, today: fn() -> Date) -> Self {
        Self { folder: folder.into(), today, read: Mutex::default() }
    }

    /// Returns the day that use counts for. It is today by the clock, or tomorrow if there is a record of tomorrow: a clock
    /// that was set back, or a journey to the west, does not make the use of a day free again.
    pub fn day(&self) -> Date {
        let today = (self.today)();
        match today.checked_add(1.day()) {
            Ok(tomorrow) if self.file(tomorrow).exists() => tomorrow,
            _ => today,
        }
    }

    fn file(&self, day: Date) -> PathBuf {
        self.folder.join(format!("{day}{ENDING}"))
    }

    /// Adds what was used.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn add(&self, used: &Used) -> Result<(), LedgerError> {
        let path = self.file(self.day());
        let failed = |source: io::Error| LedgerError { path: path.clone(), source };
        let line = serde_json::to_string(used).map_err(|error| failed(error.into()))?;
        if !path.exists() {
            toolsmith_host::create_private_folder(&self.folder).map_err(failed)?;
            self.remove_old();
        }
        let mut file = open_for_appending(&path).map_err(failed)?;
        file.write_all(format!("\n{line}\n").as_bytes()).map_err(failed)
    }

    /// Returns what was used today, by all programs so far, and the number of lines that could not be read.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn today(&self) -> Result<(Used, u64), LedgerError> {
        let day = self.day();
        let path = self.file(day);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.day != Some(day) {
            *read = ReadSoFar { day: Some(day), ..ReadSoFar::default() };
        }
        match read.go_on(&path) {
            Ok(()) => Ok((read.used, read.unreadable)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((Used::default(), 0)),
            Err(source) => Err(LedgerError { path, source }),
        }
    }

    /// Removes records that nobody needs any more. Failures are ignored: they are in nobody's way.
    fn remove_old(&self) {
        let today = (self.today)();
        let Ok(oldest) = today.checked_sub(KEPT_DAYS.days()) else { return };
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let day = name.to_str().and_then(|name| name.strip_suffix(ENDING)?.parse::<civil::Date>().ok());
            if day.is_some_and(|day| day < oldest) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl ReadSoFar {
    /// Reads what was added since. A line without its end is left for the next time.
    fn go_on(&mut self, path: &Path) -> io::Result<()> {
        let mut file = open_not_linked(path)?;
        let size = file.metadata()?.len();
        if size > MAX_SIZE {
            let message = format!("it is larger than {} MB", MAX_SIZE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if size < self.offset {
            // Somebody replaced the file: it is read anew.
            *self = Self { day: self.day, ..Self::default() };
        }
        while self.offset < size {
            file.seek(SeekFrom::Start(self.offset))?;
            let mut bytes = Vec::new();
            (&mut file).take(PART).read_to_end(&mut bytes)?;
            let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
                // A line as long as this is not one of ours.
                if bytes.len() as u64 == PART {
                    self.offset += PART;
                    self.unreadable += 1;
                    continue;
                }
                return Ok(());
            };
            for line in bytes[..end].split(|byte| *byte == b'\n') {
                if line.is_empty() {
                    continue;
                }
                match serde_json::from_slice::<Used>(line) {
                    Ok(used) => self.used.add(&used),
                    Err(_) => self.unreadable += 1,
                }
            }
            self.offset += end as u64 + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
