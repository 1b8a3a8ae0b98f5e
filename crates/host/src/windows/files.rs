//! Files on Windows: opening without following links, identity, permissions, and files for the user alone.

#![expect(unsafe_code, reason = "identities and access lists are reached by calls that std does not wrap")]

use std::{
    fs::{self, File, Metadata, OpenOptions, TryLockError},
    io,
    os::windows::{
        fs::{MetadataExt, OpenOptionsExt},
        io::AsRawHandle,
    },
    path::{Component, Path, PathBuf, Prefix},
};

use windows_sys::Win32::{
    Foundation::{
        ERROR_ACCESS_DENIED, ERROR_CANT_RESOLVE_FILENAME, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION,
        ERROR_SHARING_VIOLATION, ERROR_USER_MAPPED_FILE,
    },
    Storage::FileSystem::{
        BY_HANDLE_FILE_INFORMATION, CreateDirectoryW, FILE_FLAG_BACKUP_SEMANTICS,
        FILE_FLAG_OPEN_REPARSE_POINT, GetFileInformationByHandle, LOCKFILE_EXCLUSIVE_LOCK,
        LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
    },
    System::IO::{OVERLAPPED, OVERLAPPED_0_0},
};

use super::{
    security::{Private, copy_access, is_own},
    wide::wide,
};

/// Permissions as Node reports them: Windows has a read-only attribute and no modes.
const WRITABLE: u32 = 0o666;
const READ_ONLY: u32 = 0o444;
/// Longest path that every program takes.
const MAX_SHORT_PATH: usize = 259;

/// Has a link at the end of the path opened itself if `follow` is false.
pub(crate) fn without_waiting(options: &mut OpenOptions, follow: bool) -> &mut OpenOptions {
    if follow { options } else { options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT) }
}

/// A link is opened and then recognised, so opening never fails because of it.
pub(crate) fn is_link_error(_error: &io::Error) -> bool {
    false
}

/// The error for a path that leads through a link where none may be, or through too many.
pub(crate) fn link_error() -> io::Error {
    io::Error::from_raw_os_error(ERROR_CANT_RESOLVE_FILENAME.cast_signed())
}

/// Refuses devices and pipes by name: opening one to look at it has effects.
pub(crate) fn check_path(path: &Path) -> io::Result<()> {
    let is_device = match path.components().next() {
        Some(Component::Prefix(prefix)) => match prefix.kind() {
            Prefix::DeviceNS(_) => true,
            Prefix::Verbatim(name) => name.eq_ignore_ascii_case("pipe"),
            Prefix::UNC(_, share) | Prefix::VerbatimUNC(_, share) => {
                share.eq_ignore_ascii_case("pipe") || share.eq_ignore_ascii_case("mailslot")
            }
            _ => false,
        },
        _ => false,
    };
    if is_device {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is not a regular file (a pipe, socket or device)",
        ));
    }
    Ok(())
}

/// Returns the absolute path without links. The file must exist.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    Ok(without_prefix(fs::canonicalize(path)?))
}

/// Returns `C:\x` for `\\?\C:\x` and `\\server\share\x` for `\\?\UNC\server\share\x`. Paths that would mean something else
/// without the prefix, or that are too long for programs, keep it.
pub(crate) fn without_prefix(path: PathBuf) -> PathBuf {
    let Some(text) = path.to_str() else { return path };
    let short = match text.strip_prefix(r"\\?\UNC\") {
        Some(rest) => format!(r"\\{rest}"),
        None => match text.strip_prefix(r"\\?\") {
            Some(rest) if rest.as_bytes().get(1) == Some(&b':') => rest.to_owned(),
            _ => return path,
        },
    };
    let has_plain_names = Path::new(&short).components().all(|part| match part {
        Component::Normal(name) => {
            name.to_str().is_some_and(|name| crate::location::windows_names::check(name).is_ok())
        }
        _ => true,
    });
    if has_plain_names && short.encode_utf16().count() <= MAX_SHORT_PATH { short.into() } else { path }
}

fn information(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open and the structure is on this stack.
    match unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut found) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(found),
    }
}

/// Returns whether two open files are the same one.
pub(crate) fn is_same(one: &File, other: &File) -> io::Result<bool> {
    let identity = |file| {
        information(file).map(|found| (found.dwVolumeSerialNumber, found.nFileIndexHigh, found.nFileIndexLow))
    };
    Ok(identity(one)? == identity(other)?)
}

/// Returns how many names an open file has.
pub(crate) fn hard_links(file: &File) -> io::Result<u64> {
    information(file).map(|found| found.nNumberOfLinks.into())
}

/// Returns what tells two files apart by metadata alone: when it was created and when it was last written. A program can set
/// both, which it cannot on Unix.
pub(crate) fn identity(found: &Metadata) -> (u64, u64, (i64, i64)) {
    (found.creation_time(), 0, (found.last_write_time().cast_signed(), 0))
}

/// Returns the permissions of a file as bits.
pub(crate) fn mode(found: &Metadata) -> u32 {
    if found.permissions().readonly() { READ_ONLY } else { WRITABLE }
}

/// Sets the read-only attribute if nobody may write.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    file.set_permissions(permissions)
}

/// Returns whether nobody may write the file.
pub(crate) fn is_read_only(found: &Metadata) -> bool {
    found.permissions().readonly()
}

/// Returns whether a file can be run by itself, which its extension decides.
pub(crate) fn is_executable(path: &Path, _found: &Metadata) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["exe", "com", "bat", "cmd"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Takes over the access list and the attributes of the file that `file` will replace.
pub(crate) fn take_over(
    file: &File,
    old: impl FnOnce() -> io::Result<File>,
    found: &Metadata,
) -> io::Result<()> {
    let old = old()?;
    // A file system without access lists, such as FAT, has nothing to copy.
    if let Err(error) = copy_access(old.as_raw_handle(), file.as_raw_handle()) {
        tracing::debug!(%error, "The access list of a file was not copied");
    }
    file.set_permissions(found.permissions())
}

/// New files take the access list of their folder. Folders of this program admit the user alone.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// The folder of a file decides who can read it.
pub(crate) fn make_private(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Locks a file without waiting. Windows keeps others from the locked bytes, so a byte is locked that no file has.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    let mut at = beyond_end();
    // SAFETY: the handle is open and the position is on this stack; without waiting nothing is written to it later.
    let locked = unsafe {
        LockFileEx(
            file.as_raw_handle(),
            LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
            0,
            1,
            0,
            &raw mut at,
        )
    };
    if locked != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    Err(match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => TryLockError::WouldBlock,
        _ => TryLockError::Error(error),
    })
}

/// Returns whether a lock failed because a network file system has no daemon for locks. Windows reports that as unsupported.
pub(crate) fn is_missing_lock_daemon(_error: &io::Error) -> bool {
    false
}

/// Releases the lock.
pub(crate) fn unlock(file: &File) {
    let mut at = beyond_end();
    // SAFETY: as for locking.
    unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut at) };
}

fn beyond_end() -> OVERLAPPED {
    let mut at = OVERLAPPED::default();
    at.Anonymous.Anonymous = OVERLAPPED_0_0 { Offset: u32::MAX - 1, OffsetHigh: 0x7FFF_FFFF };
    at
}

/// Creates a folder and those above it. What is created can be read and written by the user alone, apart from the system and
/// administrators.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_private_folder(above)?;
    }
    let private = Private::new()?;
    let name = wide(std::path::absolute(path)?)?;
    // SAFETY: the name ends with a zero; the attributes live as long as `private`.
    if unsafe { CreateDirectoryW(name.as_ptr(), private.attributes()) } == 0 {
        let error = io::Error::last_os_error();
        // Somebody else was faster.
        return if path.is_dir() { Ok(()) } else { Err(error) };
    }
    Ok(())
}

/// Creates a folder for the user alone in the system's temporary folder.
pub(crate) fn private_temporary_folder(prefix: &str) -> io::Result<tempfile::TempDir> {
    // `%TEMP%` is a folder of the user.
    tempfile::Builder::new().prefix(prefix).tempdir()
}

/// Returns whether the file belongs to the user and has one name. Who else can read it is decided by its folder.
pub(crate) fn is_private(path: &Path, found: &Metadata) -> io::Result<bool> {
    if !found.is_file() {
        return Ok(false);
    }
    let file = without_waiting(File::options().read(true), false).open(path)?;
    Ok(hard_links(&file)? == 1 && is_own(file.as_raw_handle())?)
}

/// Fails if files cannot be created in a folder. Only trying tells.
pub(crate) fn require_writable(folder: &Path) -> io::Result<()> {
    tempfile::Builder::new().prefix(".toolsmith-").tempfile_in(folder).map(drop)
}

/// Does nothing: Windows writes names to its journal by itself, and a folder cannot be opened as a file.
///
/// # Errors
/// Does not fail.
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns whether a file was not opened for writing because it is a program that runs. On Windows such a file cannot be
/// replaced either.
pub(crate) fn is_running_program(_error: &io::Error) -> bool {
    false
}

/// Returns a path as bytes, for files that other processes read. Windows names are UTF-16; one that is not valid has
/// replacement characters, and is then not found.
pub(crate) fn path_to_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

/// Returns the path that [`path_to_bytes`] wrote.
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Opens a folder itself.
pub(crate) fn open_folder(path: &Path, access: u32) -> io::Result<File> {
    File::options().access_mode(access).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)
}

/// Says what to do about an error of replacing or removing a file that another program has open.
pub(crate) fn explain_busy(error: io::Error) -> io::Error {
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION | ERROR_USER_MAPPED_FILE) => {
            io::Error::other("another program has the file open; close it there and try again")
        }
        Some(ERROR_ACCESS_DENIED) => io::Error::other(
            "access is denied: the file is read-only, another program has it open, or it belongs to another user",
        ),
        _ => error,
    }
}
