//! Calls on files that std does not wrap, or wraps for some systems only.

use std::{
    ffi::OsString,
    fs::{DirBuilder, File, FileType, Metadata, Permissions},
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::{DirBuilderExt, FileExt, FileTypeExt, MetadataExt, PermissionsExt},
        },
    },
    path::Path,
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec as Timeout, poll},
    fs::{Access, AtFlags, CWD, Mode, OFlags, Timespec, Timestamps, futimens, utimensat},
};

use super::super::split_seconds;

/// The flags that files are opened with, by their names in `fs.constants`.
#[derive(Clone, Copy, Debug)]
pub struct FileFlags;

impl FileFlags {
    /// For reading.
    pub const READ: i32 = libc::O_RDONLY;
    /// For writing.
    pub const WRITE: i32 = libc::O_WRONLY;
    /// Creates it if it does not exist.
    pub const CREATE: i32 = libc::O_CREAT;
    /// Fails if it exists.
    pub const EXCLUSIVE: i32 = libc::O_EXCL;

    /// Returns whether a file that is opened with these flags can be changed.
    pub fn may_change(flags: i32) -> bool {
        let flags = OFlags::from_bits_retain(flags.cast_unsigned());
        flags.intersects(OFlags::WRONLY | OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC)
    }

    /// Returns all numbers that depend on the system.
    pub fn table() -> Vec<(&'static str, i64)> {
        #[allow(unused_mut, reason = "some systems have more")]
        let mut table: Vec<(&str, i64)> = vec![
            ("O_RDONLY", libc::O_RDONLY.into()),
            ("O_WRONLY", libc::O_WRONLY.into()),
            ("O_RDWR", libc::O_RDWR.into()),
            ("S_IFMT", libc::S_IFMT.into()),
            ("S_IFREG", libc::S_IFREG.into()),
            ("S_IFDIR", libc::S_IFDIR.into()),
            ("S_IFCHR", libc::S_IFCHR.into()),
            ("S_IFBLK", libc::S_IFBLK.into()),
            ("S_IFIFO", libc::S_IFIFO.into()),
            ("S_IFLNK", libc::S_IFLNK.into()),
            ("S_IFSOCK", libc::S_IFSOCK.into()),
            ("O_CREAT", libc::O_CREAT.into()),
            ("O_EXCL", libc::O_EXCL.into()),
            ("UV_FS_O_FILEMAP", 0),
            ("O_NOCTTY", libc::O_NOCTTY.into()),
            ("O_TRUNC", libc::O_TRUNC.into()),
            ("O_APPEND", libc::O_APPEND.into()),
            ("O_DIRECTORY", libc::O_DIRECTORY.into()),
            ("O_NOFOLLOW", libc::O_NOFOLLOW.into()),
            ("O_SYNC", libc::O_SYNC.into()),
            ("O_DSYNC", libc::O_DSYNC.into()),
            ("O_NONBLOCK", libc::O_NONBLOCK.into()),
        ];
        #[cfg(target_os = "linux")]
        table.extend([("O_DIRECT", libc::O_DIRECT.into()), ("O_NOATIME", libc::O_NOATIME.into())]);
        #[cfg(target_os = "macos")]
        table.push(("O_SYMLINK", libc::O_SYMLINK.into()));
        table
    }
}

/// Opens a file. A named pipe without a partner is waited for, as long as `go_on` agrees, which is asked again after every
/// `pause`; a device is not waited for.
///
/// # Errors
/// Fails with the error of `go_on`; the inner error is the system's.
pub fn open<E>(
    path: &Path,
    flags: i32,
    mode: u32,
    pause: Duration,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<io::Result<File>, E> {
    let flags = OFlags::from_bits_retain(flags.cast_unsigned()) | OFlags::CLOEXEC;
    let mode = raw_mode(mode);
    let kind = std::fs::metadata(path).map(|found| found.file_type()).ok();
    let is_pipe = kind.is_some_and(|kind| kind.is_fifo());
    let may_wait = is_pipe || kind.is_some_and(|kind| kind.is_char_device());
    if flags.contains(OFlags::NONBLOCK) || !may_wait {
        return Ok(rustix::fs::open(path, flags, mode).map(File::from).map_err(Into::into));
    }
    let opened = loop {
        go_on()?;
        match rustix::fs::open(path, flags | OFlags::NONBLOCK, mode) {
            Ok(file) => break file,
            // Nobody reads yet.
            Err(rustix::io::Errno::NXIO) if is_pipe => std::thread::sleep(pause),
            Err(error) => return Ok(Err(error.into())),
        }
    };
    let opened = match blocking_again(opened) {
        Ok(opened) => File::from(opened),
        Err(error) => return Ok(Err(error.into())),
    };
    if is_pipe
        && !flags.intersects(OFlags::WRONLY | OFlags::RDWR)
        && let Err(error) = wait_for(&opened, false, pause, go_on)?
    {
        return Ok(Err(error));
    }
    Ok(Ok(opened))
}

fn raw_mode(bits: u32) -> Mode {
    #[allow(clippy::useless_conversion, reason = "the type differs between systems")]
    Mode::from_raw_mode(rustix::fs::RawMode::try_from(bits & 0o7777).unwrap_or(0))
}

fn blocking_again(file: OwnedFd) -> rustix::io::Result<OwnedFd> {
    let flags = rustix::fs::fcntl_getfl(&file)?;
    rustix::fs::fcntl_setfl(&file, flags - OFlags::NONBLOCK)?;
    Ok(file)
}

/// Waits until a file can be read or written without waiting, as long as `go_on` agrees.
///
/// # Errors
/// Fails with the error of `go_on`; the inner error is the system's.
pub fn wait_for<E>(
    file: &File,
    for_writing: bool,
    pause: Duration,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<io::Result<()>, E> {
    let timeout = Timeout { tv_sec: 0, tv_nsec: i64::from(pause.subsec_nanos()) };
    let what = if for_writing { PollFlags::OUT } else { PollFlags::IN };
    loop {
        go_on()?;
        let mut waiting = [PollFd::new(file, what)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(Ok(())),
            Err(error) => return Ok(Err(error.into())),
        }
    }
}

/// Returns whether reading and writing may block on another process. Kernel files are regular, report a size of zero,
/// and may block forever, as `/proc/kmsg` does.
pub fn is_endless(file: &File) -> bool {
    file.metadata().is_ok_and(|found| {
        let kind = found.file_type();
        kind.is_fifo() || kind.is_socket() || kind.is_char_device() || (kind.is_file() && found.len() == 0)
    })
}

/// Reads at a position.
///
/// # Errors
/// Fails with the system's error.
pub fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    file.read_at(buffer, position)
}

/// Writes at a position.
///
/// # Errors
/// Fails with the system's error.
pub fn write_at(file: &File, data: &[u8], position: u64) -> io::Result<usize> {
    file.write_at(data, position)
}

/// Writes everything at a position.
///
/// # Errors
/// Fails with the system's error.
pub fn write_all_at(file: &File, mut data: &[u8], mut position: u64) -> io::Result<()> {
    while !data.is_empty() {
        match write_at(file, data, position) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                data = data.get(count..).unwrap_or_default();
                position = position.saturating_add(count as u64);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the number of an open file. `_free` is one that no other file of the caller has.
pub fn descriptor(file: &File, _free: i32) -> i32 {
    file.as_raw_fd()
}

/// The numbers of `fs.Stats`.
#[derive(Clone, Copy, Debug)]
pub struct FileStatus {
    /// Device, mode, links, user, group, device of a special file, block size, file number, size, blocks.
    pub unsigned: [u64; 10],
    /// Seconds and nanoseconds of access, modification, change and creation.
    pub signed: [i64; 8],
}

impl FileStatus {
    /// Returns whether both are the same file.
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.unsigned[0], self.unsigned[7]) == (other.unsigned[0], other.unsigned[7])
    }

    /// Permissions of the file.
    pub fn permissions(&self) -> u32 {
        u32::try_from(self.unsigned[1]).unwrap_or(0) & 0o7777
    }

    fn of(found: &Metadata) -> Self {
        let created = found
            .created()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or((found.ctime(), found.ctime_nsec()), |since| {
                (i64::try_from(since.as_secs()).unwrap_or(0), i64::from(since.subsec_nanos()))
            });
        Self {
            unsigned: [
                found.dev(),
                u64::from(found.mode()),
                found.nlink(),
                u64::from(found.uid()),
                u64::from(found.gid()),
                found.rdev(),
                found.blksize(),
                found.ino(),
                found.size(),
                found.blocks(),
            ],
            signed: [
                found.atime(),
                found.atime_nsec(),
                found.mtime(),
                found.mtime_nsec(),
                found.ctime(),
                found.ctime_nsec(),
                created.0,
                created.1,
            ],
        }
    }
}

/// Returns the status of an open file.
///
/// # Errors
/// Fails with the system's error.
pub fn file_status(file: &File) -> io::Result<FileStatus> {
    file.metadata().map(|found| FileStatus::of(&found))
}

/// Returns the status of a file, or of a link itself.
///
/// # Errors
/// Fails with the system's error.
pub fn path_status(path: &Path, follow: bool) -> io::Result<FileStatus> {
    let found = if follow { path.metadata() } else { path.symlink_metadata() };
    found.map(|found| FileStatus::of(&found))
}

/// Returns the numbers of `fs.StatFs`: type, block size, blocks, free and available blocks, files and free files.
///
/// # Errors
/// Fails with the system's error.
pub fn space(path: &Path) -> io::Result<Vec<String>> {
    let found = rustix::fs::statvfs(path)?;
    #[cfg(target_os = "linux")]
    let kind = rustix::fs::statfs(path)?.f_type;
    #[cfg(not(target_os = "linux"))]
    let kind = 0;
    let list = [found.f_bsize, found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree];
    Ok(std::iter::once(kind.to_string()).chain(list.iter().map(ToString::to_string)).collect())
}

/// Sets access and modification time of an open file, in seconds.
///
/// # Errors
/// Fails with the system's error.
pub fn set_file_times(file: &File, accessed: f64, modified: f64) -> io::Result<()> {
    Ok(futimens(file, &timestamps(accessed, modified))?)
}

/// Sets access and modification time of a file, or of a link itself, in seconds.
///
/// # Errors
/// Fails with the system's error.
pub fn set_path_times(path: &Path, follow: bool, accessed: f64, modified: f64) -> io::Result<()> {
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    Ok(utimensat(CWD, path, &timestamps(accessed, modified), flags)?)
}

fn timestamps(accessed: f64, modified: f64) -> Timestamps {
    let moment = |seconds: f64| {
        let (tv_sec, nanoseconds) = split_seconds(seconds);
        Timespec { tv_sec, tv_nsec: nanoseconds.into() }
    };
    Timestamps { last_access: moment(accessed), last_modification: moment(modified) }
}

/// Fails if the file does not exist or the user may not do what the bits ask for.
///
/// # Errors
/// See above.
pub fn access(path: &Path, bits: u32) -> io::Result<()> {
    // The numbers are the same on all systems, their type is not.
    let known = [(4, Access::READ_OK), (2, Access::WRITE_OK), (1, Access::EXEC_OK)];
    let wanted = known.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, access)| access).collect();
    Ok(rustix::fs::access(path, wanted)?)
}

/// Creates another name of a file. A link is not followed.
///
/// # Errors
/// Fails with the system's error.
pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    Ok(rustix::fs::link(from, to)?)
}

/// Creates a link. The target is stored as it is.
///
/// # Errors
/// Fails with the system's error.
pub fn symbolic_link(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

/// Sets the permissions of an open file.
///
/// # Errors
/// Fails with the system's error.
pub fn change_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// Sets the permissions of a file.
///
/// # Errors
/// Fails with the system's error.
pub fn change_mode_of_path(path: &Path, mode: u32) -> io::Result<()> {
    std::fs::set_permissions(path, Permissions::from_mode(mode))
}

/// Sets the owner of an open file.
///
/// # Errors
/// Fails with the system's error.
pub fn change_owner(file: &File, user: Option<u32>, group: Option<u32>) -> io::Result<()> {
    std::os::unix::fs::fchown(file, user, group)
}

/// Sets the owner of a file, or of a link itself.
///
/// # Errors
/// Fails with the system's error.
pub fn change_owner_of_path(
    path: &Path,
    follow: bool,
    user: Option<u32>,
    group: Option<u32>,
) -> io::Result<()> {
    if follow {
        std::os::unix::fs::chown(path, user, group)
    } else {
        std::os::unix::fs::lchown(path, user, group)
    }
}

/// Creates a folder.
///
/// # Errors
/// Fails with the system's error.
pub fn create_folder(path: &Path, mode: u32) -> io::Result<()> {
    DirBuilder::new().mode(mode).create(path)
}

/// Returns the value of `UV_DIRENT_…` for a kind of file.
pub fn kind_number(kind: FileType) -> u8 {
    if kind.is_file() {
        1
    } else if kind.is_dir() {
        2
    } else if kind.is_symlink() {
        3
    } else if kind.is_fifo() {
        4
    } else if kind.is_socket() {
        5
    } else if kind.is_char_device() {
        6
    } else if kind.is_block_device() {
        7
    } else {
        0
    }
}

/// Returns the bytes of a name.
pub fn name_to_bytes(name: &Path) -> Vec<u8> {
    name.as_os_str().as_bytes().to_vec()
}

/// Returns the path that bytes mean.
pub fn path_from_bytes(bytes: Vec<u8>) -> OsString {
    OsString::from_vec(bytes)
}
