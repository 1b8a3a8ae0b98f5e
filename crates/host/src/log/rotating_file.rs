//! A file that lines are appended to and that is put aside when it has grown: `name`, then `name.1`, `name.2` and so on.
//! Several processes may write to it at once.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::{file_lock, system::files};

/// A log file that never grows without end. Nothing is opened or created before the first line.
#[derive(Debug)]
pub struct RotatingFile {
    path: PathBuf,
    max_bytes: u64,
    kept: usize,
    open: Mutex<Option<File>>,
}

impl RotatingFile {
    /// A file of at most about 5 MB, with three older ones beside it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), max_bytes: 5 << 20, kept: 3, open: Mutex::new(None) }
    }

    /// Sets the size at which a file is put aside, and how many older ones are kept.
    #[must_use]
    pub fn limits(mut self, max_bytes: u64, kept: usize) -> Self {
        self.max_bytes = max_bytes;
        self.kept = kept;
        self
    }

    /// The newest file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line; the line's end is added.
    ///
    /// # Errors
    /// When the file cannot be created or written.
    pub fn append(&self, line: &str) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = match open.take() {
            Some(file) => file,
            None => self.create()?,
        };
        if file.metadata()?.len() >= self.max_bytes {
            drop(file);
            self.put_aside()?;
            file = self.create()?;
        }
        // One write in append mode: lines of two processes cannot mix.
        file.write_all(&bytes)?;
        *open = Some(file);
        Ok(())
    }

    fn create(&self) -> io::Result<File> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        // What tools log may be private.
        files::private(OpenOptions::new().append(true).create(true)).open(&self.path)
    }

    fn put_aside(&self) -> io::Result<()> {
        let lock = files::private(OpenOptions::new().write(true).create(true).truncate(false))
            .open(with_suffix(&self.path, "lock"))?;
        file_lock::lock(&lock)?;
        // Another process may have done it while this one waited.
        if fs::metadata(&self.path).map_or(0, |now| now.len()) < self.max_bytes {
            return Ok(());
        }
        for age in (1..self.kept).rev() {
            move_if_there(&with_suffix(&self.path, age), &with_suffix(&self.path, age + 1))?;
        }
        match self.kept {
            0 => fs::remove_file(&self.path),
            _ => move_if_there(&self.path, &with_suffix(&self.path, 1)),
        }
    }
}

fn with_suffix(path: &Path, suffix: impl std::fmt::Display) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{suffix}"));
    PathBuf::from(name)
}

fn move_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        outcome => outcome,
    }
}

#[cfg(test)]
#[path = "rotating_file_tests.rs"]
mod tests;
