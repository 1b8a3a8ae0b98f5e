//! A tool's open files by descriptor. It can use no others: those of the program are not its own.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Write},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::Semaphore;
pub(super) use toolsmith_host::posix::is_endless;
use toolsmith_host::posix::{self, FileFlags, errno};

use super::{
    error::{FsError, about, about_file},
    request::{GivenPath, Request, Scene},
};
use crate::instance::Settled;

/// Interval at which waiting operations check whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// The numbers below are the standard streams.
const FIRST_FREE: i32 = 3;

/// Maximum size of one read.
const MAX_READ: usize = 1 << 30;

/// Maximum number of open files of a tool: those of the program are limited, and there are other tools.
const MAX_OPEN: usize = 512;

/// Maximum number of concurrent file operations of one tool. More of them wait, as in Node, where it is four.
const MAX_BUSY: usize = 32;

/// The open files of one instance; closed with it.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    files: Mutex<HashMap<i32, Arc<File>>>,
    /// Permits for file operations outside the engine.
    pub(super) turns: Arc<Semaphore>,
}

impl Default for OpenFiles {
    fn default() -> Self {
        Self { files: Mutex::default(), turns: Arc::new(Semaphore::new(MAX_BUSY)) }
    }
}

impl OpenFiles {
    /// Adds a file and returns its descriptor, unless there are too many.
    pub(crate) fn keep(&self, file: File) -> Option<i32> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if files.len() >= MAX_OPEN {
            return None;
        }
        let free = (FIRST_FREE..).find(|fd| !files.contains_key(fd)).unwrap_or(FIRST_FREE);
        let fd = posix::descriptor(&file, free);
        files.insert(fd, Arc::new(file));
        Some(fd)
    }

    /// Returns the file behind a descriptor, if it is the tool's.
    pub(crate) fn get(&self, fd: i32) -> Option<Arc<File>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).get(&fd).cloned()
    }

    /// Releases a file; it is closed when nothing uses it any more. Returns whether there was one.
    pub(crate) fn close(&self, fd: i32) -> bool {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).remove(&fd).is_some()
    }
}

/// Returns the file of a request's descriptor.
pub(super) fn file(request: &Request, scene: &Scene, syscall: &str) -> Result<Arc<File>, FsError> {
    let fd = request.fd.unwrap_or(-1);
    scene.shared.files.get(fd).ok_or_else(|| FsError::number(errno::EBADF, syscall))
}

/// Opens a file. A named pipe without a partner is waited for, but not beyond being stopped; a device is not waited for.
pub(super) fn open_file(given: &GivenPath, flags: i32, mode: u32, scene: &Scene) -> Result<File, FsError> {
    let path = scene.path(given);
    posix::open(&path, flags, mode, LOOK, || scene.go_on("open"))?.map_err(about("open", given))
}

fn wait_for(file: &File, for_writing: bool, scene: &Scene, syscall: &'static str) -> Result<(), FsError> {
    posix::wait_for(file, for_writing, LOOK, || scene.go_on(syscall))?.map_err(about_file(syscall))
}

/// Reads once, without blocking forever.
pub(super) fn read_some(
    mut file: &File,
    buffer: &mut [u8],
    position: Option<u64>,
    endless: bool,
    scene: &Scene,
) -> Result<usize, FsError> {
    if endless {
        wait_for(file, false, scene, "read")?;
    }
    loop {
        let outcome = match position {
            Some(position) => posix::read_at(file, buffer, position),
            None => file.read(buffer),
        };
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => scene.go_on("read")?,
            other => {
                scene.meter.add_read(*other.as_ref().unwrap_or(&0));
                return other.map_err(about_file("read"));
            }
        }
    }
}

/// Writes once, without blocking forever.
pub(super) fn write_some(
    mut file: &File,
    data: &[u8],
    position: Option<u64>,
    endless: bool,
    scene: &Scene,
) -> Result<usize, FsError> {
    if endless {
        wait_for(file, true, scene, "write")?;
    }
    loop {
        let outcome = match position {
            Some(position) => posix::write_at(file, data, position),
            // A pipe takes this much at once when it says that it takes anything.
            None if endless && !is_regular(file) => file.write(&data[..data.len().min(4096)]),
            None => file.write(data),
        };
        match outcome {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => scene.go_on("write")?,
            other => {
                scene.meter.add_written(*other.as_ref().unwrap_or(&0));
                return other.map_err(about_file("write"));
            }
        }
    }
}

fn is_regular(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.is_file())
}

/// Waits between two attempts, but not beyond being stopped.
pub(super) fn pause(time: Duration, scene: &Scene, syscall: &'static str) -> Result<(), FsError> {
    let until = Instant::now().checked_add(time);
    loop {
        scene.go_on(syscall)?;
        let left = until.map_or(LOOK, |until| until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(LOOK));
    }
}

pub(super) fn open(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let file = open_file(&request.path, request.flags, request.mode, scene)?;
    // The requester may have given up while a pipe was waited for.
    scene.go_on("open")?;
    match scene.shared.files.keep(file) {
        Some(fd) => Ok(Settled::Text(fd.to_string())),
        None => Err(FsError::number(errno::EMFILE, "open").with_path(request.path.shown())),
    }
}

pub(super) fn close(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    if scene.shared.files.close(request.fd.unwrap_or(-1)) {
        Ok(Settled::Nothing)
    } else {
        Err(FsError::number(errno::EBADF, "close"))
    }
}

pub(super) fn read(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let file = file(request, scene, "read")?;
    let wanted = usize::try_from(request.length).unwrap_or(MAX_READ).min(MAX_READ).min(scene.room);
    let position = request.position.and_then(|position| u64::try_from(position).ok());
    let _held = scene.shared.charge(wanted).map_err(FsError::Other)?;
    let mut buffer = vec![0; wanted];
    let count = read_some(&file, &mut buffer, position, is_endless(&file), scene)?;
    buffer.truncate(count);
    Ok(Settled::Bytes(buffer))
}

pub(super) fn write(request: &Request, data: &[u8], scene: &Scene) -> Result<Settled, FsError> {
    let file = file(request, scene, "write")?;
    let position = request.position.and_then(|position| u64::try_from(position).ok());
    let count = write_some(&file, data, position, is_endless(&file), scene)?;
    Ok(Settled::Text(count.to_string()))
}

pub(super) fn sync(name: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let file = file(request, scene, name)?;
    let outcome = if name == "fsync" { file.sync_all() } else { file.sync_data() };
    outcome.map(|()| Settled::Nothing).map_err(about_file(name))
}

pub(super) fn truncate(name: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let file = if name == "ftruncate" {
        file(request, scene, name)?
    } else {
        Arc::new(open_file(&request.path, FileFlags::WRITE, 0, scene)?)
    };
    file.set_len(request.length).map(|()| Settled::Nothing).map_err(about_file("ftruncate"))
}
