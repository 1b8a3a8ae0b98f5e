//! Files on Unix: opening without following or waiting, identity, modes, owners, and files for the user alone.

#[cfg(target_os = "linux")]
use std::os::fd::AsRawFd as _;
use std::{
    ffi::OsString,
    fs::{DirBuilder, File, Metadata, OpenOptions, Permissions, TryLockError},
    io,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown},
    },
    path::{Path, PathBuf},
};

const MODE_BITS: u32 = 0o7777;
const ANY_WRITE_BIT: u32 = 0o222;
/// Mode of private files: they may contain contents of files and secrets.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// Has a file opened without waiting for another process, and without following a link at the end of the path if `follow` is
/// false.
pub(crate) fn without_waiting(options: &mut OpenOptions, follow: bool) -> &mut OpenOptions {
    let follow = if follow { 0 } else { libc::O_NOFOLLOW };
    options.custom_flags(follow | libc::O_NONBLOCK | libc::O_NOCTTY)
}

/// Returns whether a file was not opened because it is a link.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

/// The error for a path that leads through a link where none may be, or through too many.
pub(crate) fn link_error() -> io::Error {
    io::Error::from_raw_os_error(libc::ELOOP)
}

/// Every path can be opened to look at it.
pub(crate) fn check_path(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns the absolute path without links. The file must exist.
pub(crate) fn real_path(path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    match opened_path(path) {
        Ok(Some(real)) => return Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    std::fs::canonicalize(path)
}

/// Asks the system where a path leads. `canonicalize` asks once for every part of the path, which is most of the time that
/// the modules of a project cost that are not used.
#[cfg(target_os = "linux")]
fn opened_path(path: &Path) -> io::Result<Option<PathBuf>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path)?;
    let Ok(real) = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) else { return Ok(None) };
    // The system marks what was removed meanwhile, and what is outside of the root directory, in the path.
    let is_marked = real.as_os_str().as_bytes().ends_with(b" (deleted)");
    Ok(Some(real).filter(|real| real.is_absolute() && !is_marked))
}

/// Returns whether two open files are the same one.
pub(crate) fn is_same(one: &File, other: &File) -> io::Result<bool> {
    let (one, other) = (one.metadata()?, other.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Returns how many names an open file has.
pub(crate) fn hard_links(file: &File) -> io::Result<u64> {
    Ok(file.metadata()?.nlink())
}

/// Returns device, file number and change time of a file.
pub(crate) fn identity(found: &Metadata) -> (u64, u64, (i64, i64)) {
    (found.dev(), found.ino(), (found.ctime(), found.ctime_nsec()))
}

/// Returns the permissions of a file as bits.
pub(crate) fn mode(found: &Metadata) -> u32 {
    found.mode() & MODE_BITS
}

/// Sets the permissions of a file.
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode & MODE_BITS))
}

/// Returns whether nobody may write the file.
pub(crate) fn is_read_only(found: &Metadata) -> bool {
    found.mode() & ANY_WRITE_BIT == 0
}

/// Returns whether a file can be run by itself.
pub(crate) fn is_executable(_path: &Path, found: &Metadata) -> bool {
    found.mode() & 0o111 != 0
}

/// Takes over owner and permissions of the file that `file` will replace.
pub(crate) fn take_over(
    file: &File,
    _old: impl FnOnce() -> io::Result<File>,
    found: &Metadata,
) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
        // Only root may give files away; for others the content matters more than whose it is.
        let _ = fchown(file, Some(found.uid()), Some(found.gid()));
    }
    // After the owner: changing that takes bits off the mode.
    set_mode(file, mode(found))
}

/// Has a new file created for the user alone.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.mode(PRIVATE_FILE)
}

/// Makes a file one for the user alone.
pub(crate) fn make_private(file: &File) -> io::Result<()> {
    set_mode(file, PRIVATE_FILE)
}

/// Locks a file without waiting. Locks are advisory here: others can read and write.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Returns whether a lock failed because a network file system has no daemon for locks.
pub(crate) fn is_missing_lock_daemon(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENOLCK)
}

/// Releases the lock.
pub(crate) fn unlock(file: &File) {
    let _ = file.unlock();
}

/// Creates a folder and those above it. What is created can be read and written by the user alone.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(PRIVATE_FOLDER).create(path)
}

/// Creates a folder for the user alone in the system's temporary folder.
pub(crate) fn private_temporary_folder(prefix: &str) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(PRIVATE_FOLDER)).tempdir()
}

/// Returns whether the file belongs to the user, has one name, and no other user can read or write it.
pub(crate) fn is_private(_path: &Path, found: &Metadata) -> io::Result<bool> {
    let is_own = found.uid() == rustix::process::geteuid().as_raw();
    Ok(found.is_file() && is_own && found.mode() & 0o077 == 0 && found.nlink() == 1)
}

/// Fails if files cannot be created in a folder.
pub(crate) fn require_writable(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(folder, rustix::fs::Access::WRITE_OK)?)
}

/// Makes new names and renames in a folder durable.
///
/// # Errors
/// Fails if the folder cannot be opened or written to the disk.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    sync_opened_folder(&File::open(folder)?)
}

/// Makes renames in an open folder durable.
pub(crate) fn sync_opened_folder(folder: &File) -> io::Result<()> {
    match folder.sync_all() {
        // Some file systems cannot do this for folders, and need not.
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTSUP)) => Ok(()),
        done => done,
    }
}

/// Returns whether a file was not opened for writing because it is a program that runs. It can be replaced.
pub(crate) fn is_running_program(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ETXTBSY)
}

/// Returns a path as bytes, for files that other processes read.
pub(crate) fn path_to_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Returns the path that [`path_to_bytes`] wrote.
pub(crate) fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    Some(OsString::from_vec(bytes).into())
}
