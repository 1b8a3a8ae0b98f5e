//! The file store: one write per line, at a known position, under a lock.
//!
//! A failed write is truncated again and the line waits in memory, so that the file never has a partial line in the
//! middle.

use std::{
    fs::File,
    io::{self, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use toolsmith_host::{
    posix::{read_at, write_all_at},
    regular_file::{open_for_appending, open_for_writing},
    sync_folder,
};

use super::{
    error::StoreError,
    files::{
        Lock, beside, create_private_file, create_private_folder, lock, read_failed, remove_if_there,
        write_failed,
    },
    format::title_line,
    store::{SessionStore, Weight},
    stored_lines::read_all_at,
};

/// A session's file, open for writing.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    /// The header, written when the file is created.
    header: String,
    /// Content of the title line.
    title: String,
    /// The file once it exists, and its lock.
    open: Option<Open>,
    /// Lines that are not in the file yet.
    waiting: String,
    waiting_count: usize,
    /// Set if one of them requires the file.
    wanted: bool,
    /// Set once the directory entry of the file is on disk.
    folder_synced: bool,
}

#[derive(Debug)]
struct Open {
    file: File,
    _lock: Lock,
    /// Length of the valid part of the file; the next line starts here.
    length: u64,
}

impl FileStore {
    /// Creates a store whose file is created with the first line that requires it.
    pub(crate) fn planned(path: PathBuf, header: String, title: &str) -> Self {
        Self {
            path,
            header,
            title: title.to_owned(),
            open: None,
            waiting: String::new(),
            waiting_count: 0,
            wanted: false,
            folder_synced: false,
        }
    }

    /// Creates a new file with these lines, each with its line end. It appears complete or not at all.
    pub(crate) fn create(
        path: PathBuf,
        header: String,
        title: &str,
        lines: &str,
    ) -> Result<Self, StoreError> {
        let mut store = Self::planned(path, header, title);
        let folder = store.path.parent().unwrap_or(Path::new("."));
        create_private_folder(folder)?;
        let write = || -> io::Result<(File, u64)> {
            let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
            let text = store.beginning() + lines;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_data()?;
            Ok((file.persist_noclobber(&store.path)?, text.len() as u64))
        };
        let (file, length) = write().map_err(write_failed(&store.path))?;
        let held = lock(&file, &store.path)?;
        store.open = Some(Open { file, _lock: held, length });
        Ok(store)
    }

    /// Opens a file for writing and returns a second handle for reading. An incomplete last line is moved to a file with
    /// the extension `.torn`.
    pub(crate) fn open(path: &Path) -> Result<(Self, File), StoreError> {
        // Somebody else may have put the file there, with links beside it.
        let mut file = open_for_writing(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => read_failed(path)(source),
            _ => write_failed(path)(source),
        })?;
        let held = lock(&file, path)?;
        let length = repair_tail(&file, path)?;
        file.seek(SeekFrom::Start(0)).map_err(read_failed(path))?;
        let readable = file.try_clone().map_err(read_failed(path))?;
        let open = Open { file, _lock: held, length };
        let mut store = Self::planned(path.to_path_buf(), String::new(), "");
        store.open = Some(open);
        store.folder_synced = true;
        Ok((store, readable))
    }

    /// Returns the first two lines.
    fn beginning(&self) -> String {
        format!("{}\n{}", self.header, title_line(&self.title))
    }

    fn write_waiting(&mut self) -> Result<(), StoreError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        match &mut self.open {
            Some(open) => open.write(&self.waiting).map_err(write_failed(&self.path))?,
            None => {
                create_private_folder(self.path.parent().unwrap_or(Path::new(".")))?;
                let file = create_private_file(&self.path).map_err(write_failed(&self.path))?;
                let held = lock(&file, &self.path)?;
                let mut open = Open { file, _lock: held, length: 0 };
                if let Err(source) = open.write(&(self.beginning() + &self.waiting)) {
                    remove_if_there(&self.path)?;
                    return Err(write_failed(&self.path)(source));
                }
                self.open = Some(open);
            }
        }
        self.waiting.clear();
        self.waiting_count = 0;
        Ok(())
    }
}

impl Open {
    fn write(&mut self, text: &str) -> io::Result<()> {
        match write_all_at(&self.file, text.as_bytes(), self.length) {
            Ok(()) => {
                self.length += text.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A partial line must not precede the next one. If truncating fails too, the next write starts at the
                // same position, and opening repairs the end.
                let _ = self.file.set_len(self.length);
                Err(error)
            }
        }
    }
}

impl SessionStore for FileStore {
    fn path(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn append(&mut self, line: &str, weight: Weight) -> Result<(), StoreError> {
        self.waiting.push_str(line);
        self.waiting.push('\n');
        self.waiting_count += 1;
        self.wanted |= weight == Weight::Full;
        if self.open.is_none() && !self.wanted {
            return Ok(());
        }
        self.write_waiting()
    }

    fn set_title(&mut self, title: &str) -> Result<(), StoreError> {
        title.clone_into(&mut self.title);
        let Some(open) = &self.open else {
            return Ok(());
        };
        // A file without a title line is left unchanged: an entry has the name too.
        let mut head = vec![0; 1 << 16];
        let read = read_at(&open.file, &mut head, 0).map_err(read_failed(&self.path))?;
        head.truncate(read);
        let Some(start) = head.iter().position(|byte| *byte == b'\n').map(|end| end + 1) else {
            return Ok(());
        };
        let line = title_line(title);
        let there = head.get(start..start + line.len()).unwrap_or_default();
        if !there.starts_with(b"{\"type\":\"title\"") || !there.ends_with(b"\n") {
            return Ok(());
        }
        write_all_at(&open.file, line.as_bytes(), start as u64).map_err(write_failed(&self.path))
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        if self.open.is_some() || self.wanted {
            self.write_waiting()?;
        }
        let Some(open) = &self.open else {
            return Ok(());
        };
        open.file.sync_data().map_err(write_failed(&self.path))?;
        if !self.folder_synced {
            let folder = self.path.parent().unwrap_or(Path::new("."));
            sync_folder(folder).map_err(write_failed(folder))?;
            self.folder_synced = true;
        }
        Ok(())
    }

    fn unsaved(&self) -> usize {
        if self.wanted || self.open.is_some() { self.waiting_count } else { 0 }
    }
}

/// Completes a last line that only lacks its line end. Anything else after the last line end was never acknowledged and
/// is moved aside. Returns the length of the file.
fn repair_tail(file: &File, path: &Path) -> Result<u64, StoreError> {
    let length = file.metadata().map_err(read_failed(path))?.len();
    let (good, tail) = after_last_line_end(file, length).map_err(read_failed(path))?;
    // Without a complete line there is no session yet; the reader of the header reports what the file is.
    if tail.is_empty() || good == 0 {
        return Ok(length);
    }
    if serde_json::from_slice::<serde::de::IgnoredAny>(&tail).is_ok() {
        write_all_at(file, b"\n", length).map_err(write_failed(path))?;
        return Ok(length + 1);
    }
    let aside = beside(path, ".torn");
    let put_aside = || -> io::Result<()> {
        let mut aside = open_for_appending(&aside)?;
        aside.write_all(&tail)?;
        aside.write_all(b"\n")?;
        aside.sync_data()
    };
    put_aside().map_err(write_failed(&aside))?;
    file.set_len(good).map_err(write_failed(path))?;
    tracing::warn!(path = %path.display(), bytes = tail.len(), aside = %aside.display(), "repaired a torn last line");
    Ok(good)
}

/// Returns the position after the last line end, and what follows it, reading from the end.
fn after_last_line_end(file: &File, length: u64) -> io::Result<(u64, Vec<u8>)> {
    const STEP: u64 = 64 << 10;
    let (mut start, mut tail) = (length, Vec::new());
    while start > 0 {
        let from = start.saturating_sub(STEP);
        let mut block = vec![0; usize::try_from(start - from).unwrap_or_default()];
        let read = read_all_at(file, &mut block, from)?;
        block.truncate(read);
        let end = memchr::memrchr(b'\n', &block).map(|end| end + 1);
        tail.splice(..0, block.split_off(end.unwrap_or(0)));
        if let Some(end) = end {
            return Ok((from + end as u64, tail));
        }
        start = from;
    }
    Ok((0, tail))
}
