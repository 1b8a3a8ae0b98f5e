//! Files for output that does not fit in memory. A file in a folder the caller names is the caller's. Any other has no name: it
//! is gone when nothing holds it, also after this program was killed, and all of them together are bounded.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Bytes that all files without a name hold together.
const MAX_UNNAMED: u64 = 1 << 30;

static UNNAMED: AtomicU64 = AtomicU64::new(0);

/// A file without a name. It can be read by its path for as long as this is held; clones hold it too.
#[derive(Clone, Debug)]
pub struct HeldFile(Arc<Held>);

#[derive(Debug)]
struct Held {
    file: File,
    path: PathBuf,
    bytes: AtomicU64,
}

impl PartialEq for HeldFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for HeldFile {}

impl Drop for Held {
    fn drop(&mut self) {
        UNNAMED.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
        #[cfg(not(target_os = "linux"))]
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Where output goes.
#[derive(Debug)]
pub(crate) enum SpillFile {
    Named(File, PathBuf),
    Unnamed(HeldFile),
}

impl SpillFile {
    /// A new file in a folder, which stays there. Readable by its owner only: output can hold secrets.
    pub(crate) fn named(folder: &Path) -> io::Result<Self> {
        let named =
            tempfile::Builder::new().prefix("toolsmith-output-").suffix(".txt").tempfile_in(folder)?;
        let (file, path) = named.keep()?;
        Ok(Self::Named(file, path))
    }

    /// A new file without a name.
    pub(crate) fn unnamed() -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        let (file, path) = {
            let file = tempfile::tempfile()?;
            let number = std::os::fd::AsRawFd::as_raw_fd(&file);
            let path = PathBuf::from(format!("/proc/{}/fd/{number}", std::process::id()));
            (file, path)
        };
        #[cfg(not(target_os = "linux"))]
        let (file, path) = tempfile::Builder::new().prefix("toolsmith-output-").tempfile()?.keep()?;
        Ok(Self::Unnamed(HeldFile(Arc::new(Held { file, path, bytes: AtomicU64::new(0) }))))
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Named(_, path) => path,
            Self::Unnamed(HeldFile(held)) => &held.path,
        }
    }

    /// Keeps the file alive while it is held.
    pub(crate) fn held(&self) -> Option<HeldFile> {
        match self {
            Self::Named(..) => None,
            Self::Unnamed(held) => Some(held.clone()),
        }
    }

    /// Writes all of it.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Named(file, _) => file.write_all(bytes),
            Self::Unnamed(HeldFile(held)) => {
                let count = bytes.len() as u64;
                if UNNAMED.fetch_add(count, Ordering::Relaxed) + count > MAX_UNNAMED {
                    UNNAMED.fetch_sub(count, Ordering::Relaxed);
                    return Err(io::ErrorKind::StorageFull.into());
                }
                held.bytes.fetch_add(count, Ordering::Relaxed);
                (&held.file).write_all(bytes)
            }
        }
    }
}
