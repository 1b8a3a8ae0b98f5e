//! Calls on files that std wraps for some systems only, as Node does them on Windows.

#![expect(unsafe_code, reason = "file numbers and free space are reached by calls that std does not wrap")]

use std::{
    ffi::OsString,
    fs::{self, File, FileTimes, FileType, Metadata},
    io,
    os::windows::{
        fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt},
        io::AsRawHandle,
    },
    path::Path,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_APPEND_DATA, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_FLAG_WRITE_THROUGH, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_READ_ATTRIBUTES,
    FILE_WRITE_ATTRIBUTES, FILE_WRITE_DATA, GetDiskFreeSpaceExW, GetFileInformationByHandle,
};

use super::{super::split_seconds, errors};
use crate::system::{files, wide::wide};

const READ_WRITE: i32 = 2;
const APPEND: i32 = 0x8;
const TRUNCATE: i32 = 0x200;
const WRITE_THROUGH: i32 = 0x1000_0000;
/// Kinds of files in a mode.
const REGULAR: u64 = 0o100_000;
const FOLDER: u64 = 0o040_000;
const LINK: u64 = 0o120_000;
/// Node's block size on Windows.
const BLOCK: u64 = 4096;
/// Seconds between the epochs of Windows and Unix.
const EPOCH: i64 = 11_644_473_600;

/// The flags that files are opened with, by their names in `fs.constants`.
#[derive(Clone, Copy, Debug)]
pub struct FileFlags;

impl FileFlags {
    /// For reading.
    pub const READ: i32 = 0;
    /// For writing.
    pub const WRITE: i32 = 1;
    /// Creates it if it does not exist.
    pub const CREATE: i32 = 0x100;
    /// Fails if it exists.
    pub const EXCLUSIVE: i32 = 0x400;

    /// Returns whether a file that is opened with these flags can be changed.
    pub fn may_change(flags: i32) -> bool {
        flags & (Self::WRITE | READ_WRITE | Self::CREATE | TRUNCATE) != 0
    }

    /// Returns all numbers that depend on the system.
    pub fn table() -> Vec<(&'static str, i64)> {
        vec![
            ("O_RDONLY", 0),
            ("O_WRONLY", 1),
            ("O_RDWR", READ_WRITE.into()),
            ("S_IFMT", 0o170_000),
            ("S_IFREG", 0o100_000),
            ("S_IFDIR", 0o040_000),
            ("S_IFCHR", 0o020_000),
            ("S_IFIFO", 0o010_000),
            ("S_IFLNK", 0o120_000),
            ("O_CREAT", Self::CREATE.into()),
            ("O_EXCL", Self::EXCLUSIVE.into()),
            ("UV_FS_O_FILEMAP", 0x2000_0000),
            ("O_TRUNC", TRUNCATE.into()),
            ("O_APPEND", APPEND.into()),
        ]
    }
}

/// Opens a file. Nothing is waited for: opening a named pipe does not wait for its other end on Windows.
///
/// # Errors
/// Fails with the error of `go_on`; the inner error is the system's.
pub fn open<E>(
    path: &Path,
    flags: i32,
    mode: u32,
    _pause: Duration,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<io::Result<File>, E> {
    go_on()?;
    Ok(open_now(path, flags, mode))
}

fn open_now(path: &Path, flags: i32, mode: u32) -> io::Result<File> {
    let reads = flags & (FileFlags::WRITE | READ_WRITE) != FileFlags::WRITE;
    let writes = flags & (FileFlags::WRITE | READ_WRITE) != 0;
    let mut access = 0;
    if reads {
        access |= FILE_GENERIC_READ;
    }
    if writes {
        access |= FILE_GENERIC_WRITE;
    }
    if flags & APPEND != 0 {
        access = (access & !FILE_WRITE_DATA) | FILE_APPEND_DATA;
    }
    let create = flags & FileFlags::CREATE != 0;
    let exclusive = create && flags & FileFlags::EXCLUSIVE != 0;
    let mut options = File::options();
    options.read(reads).write(writes).access_mode(access).custom_flags(
        // Folders can be opened, as on other systems.
        FILE_FLAG_BACKUP_SEMANTICS | if flags & WRITE_THROUGH != 0 { FILE_FLAG_WRITE_THROUGH } else { 0 },
    );
    if writes {
        options.create(create && !exclusive).create_new(exclusive);
    }
    let is_new = create && !path.exists();
    let file = options.open(path)?;
    if flags & TRUNCATE != 0 && writes {
        file.set_len(0)?;
    }
    if is_new && mode & 0o200 == 0 {
        change_mode(&file, mode)?;
    }
    Ok(file)
}

/// Files of tools are never pipes here, so nothing is waited for.
///
/// # Errors
/// Fails with the error of `go_on`.
pub fn wait_for<E>(
    _file: &File,
    _for_writing: bool,
    _pause: Duration,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<io::Result<()>, E> {
    go_on().map(Ok)
}

/// Returns whether reading and writing may block on another process.
pub fn is_endless(file: &File) -> bool {
    file.metadata().is_err()
}

/// Reads at a position.
///
/// # Errors
/// Fails with the system's error.
pub fn read_at(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    file.seek_read(buffer, position)
}

/// Writes at a position.
///
/// # Errors
/// Fails with the system's error.
pub fn write_at(file: &File, data: &[u8], position: u64) -> io::Result<usize> {
    file.seek_write(data, position)
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

/// Returns the number of an open file. Windows has handles instead, so it is `free`, which no other file of the caller has.
pub fn descriptor(_file: &File, free: i32) -> i32 {
    free
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

    fn of(found: &Metadata, file: Option<&File>) -> Self {
        let mut numbers = BY_HANDLE_FILE_INFORMATION::default();
        if let Some(file) = file {
            // SAFETY: the handle is open and the structure is on this stack. Zeros are reported if it fails.
            unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut numbers) };
        }
        let kind = if found.is_symlink() {
            LINK
        } else if found.is_dir() {
            FOLDER
        } else {
            REGULAR
        };
        let writable = if found.permissions().readonly() { 0o444 } else { 0o666 };
        let number = (u64::from(numbers.nFileIndexHigh) << 32) | u64::from(numbers.nFileIndexLow);
        let time = |ticks: u64| {
            let ticks = i64::try_from(ticks).unwrap_or(0);
            (ticks / 10_000_000 - EPOCH, ticks % 10_000_000 * 100)
        };
        let (accessed, modified) = (time(found.last_access_time()), time(found.last_write_time()));
        let created = time(found.creation_time());
        Self {
            unsigned: [
                numbers.dwVolumeSerialNumber.into(),
                kind | writable,
                u64::from(numbers.nNumberOfLinks).max(1),
                0,
                0,
                0,
                BLOCK,
                number,
                found.len(),
                found.len().div_ceil(512),
            ],
            signed: [
                accessed.0, accessed.1, modified.0, modified.1, modified.0, modified.1, created.0, created.1,
            ],
        }
    }
}

/// Returns the status of an open file.
///
/// # Errors
/// Fails with the system's error.
pub fn file_status(file: &File) -> io::Result<FileStatus> {
    file.metadata().map(|found| FileStatus::of(&found, Some(file)))
}

/// Returns the status of a file, or of a link itself.
///
/// # Errors
/// Fails with the system's error.
pub fn path_status(path: &Path, follow: bool) -> io::Result<FileStatus> {
    let found = if follow { path.metadata() } else { path.symlink_metadata() }?;
    Ok(FileStatus::of(&found, open_attributes(path, FILE_READ_ATTRIBUTES, follow).ok().as_ref()))
}

fn open_attributes(path: &Path, access: u32, follow: bool) -> io::Result<File> {
    let link = if follow { 0 } else { FILE_FLAG_OPEN_REPARSE_POINT };
    File::options().access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS | link).open(path)
}

/// Returns the numbers of `fs.StatFs`: type, block size, blocks, free and available blocks, files and free files.
///
/// # Errors
/// Fails with the system's error.
pub fn space(path: &Path) -> io::Result<Vec<String>> {
    let found = path.metadata()?;
    let folder = if found.is_dir() { path } else { path.parent().unwrap_or(path) };
    let name = wide(folder)?;
    let (mut available, mut total, mut free) = (0, 0, 0);
    // SAFETY: the name ends with a zero and the numbers are on this stack.
    let known =
        unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &raw mut available, &raw mut total, &raw mut free) };
    if known == 0 {
        return Err(io::Error::last_os_error());
    }
    let list = [0, BLOCK, total / BLOCK, free / BLOCK, available / BLOCK, 0, 0];
    Ok(list.iter().map(ToString::to_string).collect())
}

fn times(accessed: f64, modified: f64) -> FileTimes {
    let time = |seconds: f64| -> SystemTime {
        let (whole, nanoseconds) = split_seconds(seconds);
        let rest = Duration::from_nanos(nanoseconds.into());
        let moment = match u64::try_from(whole) {
            Ok(after) => UNIX_EPOCH.checked_add(Duration::from_secs(after)),
            Err(_) => UNIX_EPOCH.checked_sub(Duration::from_secs(whole.unsigned_abs())),
        };
        moment.and_then(|moment| moment.checked_add(rest)).unwrap_or(UNIX_EPOCH)
    };
    FileTimes::new().set_accessed(time(accessed)).set_modified(time(modified))
}

/// Sets access and modification time of an open file, in seconds.
///
/// # Errors
/// Fails with the system's error.
pub fn set_file_times(file: &File, accessed: f64, modified: f64) -> io::Result<()> {
    file.set_times(times(accessed, modified))
}

/// Sets access and modification time of a file, or of a link itself, in seconds.
///
/// # Errors
/// Fails with the system's error.
pub fn set_path_times(path: &Path, follow: bool, accessed: f64, modified: f64) -> io::Result<()> {
    open_attributes(path, FILE_WRITE_ATTRIBUTES, follow)?.set_times(times(accessed, modified))
}

/// Fails if the file does not exist, or is read-only and the bits ask for writing.
///
/// # Errors
/// See above.
pub fn access(path: &Path, bits: u32) -> io::Result<()> {
    let found = path.metadata()?;
    if bits & 2 != 0 && found.permissions().readonly() && !found.is_dir() {
        return Err(errors::error(errors::EPERM));
    }
    Ok(())
}

/// Creates another name of a file.
///
/// # Errors
/// Fails with the system's error.
pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(from, to)
}

/// Creates a link to a file or a folder, whichever the target is. Windows allows it to administrators and in developer mode.
///
/// # Errors
/// Fails with the system's error.
pub fn symbolic_link(target: &Path, link: &Path) -> io::Result<()> {
    let seen = link.parent().map_or_else(|| target.to_path_buf(), |folder| folder.join(target));
    if seen.is_dir() {
        std::os::windows::fs::symlink_dir(target, link)
    } else {
        std::os::windows::fs::symlink_file(target, link)
    }
}

/// Sets the read-only attribute of an open file by the permission to write.
///
/// # Errors
/// Fails with the system's error.
pub fn change_mode(file: &File, mode: u32) -> io::Result<()> {
    files::set_mode(file, mode)
}

/// Sets the read-only attribute of a file by the permission to write.
///
/// # Errors
/// Fails with the system's error.
pub fn change_mode_of_path(path: &Path, mode: u32) -> io::Result<()> {
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    fs::set_permissions(path, permissions)
}

/// Does nothing, as in Node: owners are not numbers.
///
/// # Errors
/// Never.
pub fn change_owner(_file: &File, _user: Option<u32>, _group: Option<u32>) -> io::Result<()> {
    Ok(())
}

/// Does nothing if the file exists, as in Node: owners are not numbers.
///
/// # Errors
/// Fails if the file does not exist.
pub fn change_owner_of_path(
    path: &Path,
    follow: bool,
    _user: Option<u32>,
    _group: Option<u32>,
) -> io::Result<()> {
    let found = if follow { path.metadata() } else { path.symlink_metadata() };
    found.map(drop)
}

/// Creates a folder. Its permissions are those of the folder above.
///
/// # Errors
/// Fails with the system's error.
pub fn create_folder(path: &Path, _mode: u32) -> io::Result<()> {
    fs::create_dir(path)
}

/// Returns the value of `UV_DIRENT_…` for a kind of file.
pub fn kind_number(kind: FileType) -> u8 {
    if kind.is_symlink() || kind.is_symlink_dir() {
        3
    } else if kind.is_dir() {
        2
    } else if kind.is_file() {
        1
    } else {
        0
    }
}

/// Returns the bytes of a name, in UTF-8.
pub fn name_to_bytes(name: &Path) -> Vec<u8> {
    name.to_string_lossy().into_owned().into_bytes()
}

/// Returns the path that bytes in UTF-8 mean.
pub fn path_from_bytes(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}
