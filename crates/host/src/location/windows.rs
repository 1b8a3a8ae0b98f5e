//! Directories on Windows. Names are opened, renamed and removed relative to the open handle of their directory, and a link is
//! never followed by the system, as on Unix. What differs: a name is checked first, because Windows takes some for devices or
//! streams; two files cannot be exchanged in one step; and a file that another program has open may not be replaceable.

#![expect(unsafe_code, reason = "std cannot open a name relative to an open directory")]

use std::{
    ffi::{OsStr, OsString, c_void},
    fs::{File, Metadata},
    io::{self, ErrorKind},
    os::windows::{
        ffi::{OsStrExt as _, OsStringExt as _},
        io::{AsRawHandle as _, FromRawHandle as _},
    },
    path::{Component, Path, PathBuf, Prefix},
    ptr,
};

use windows_sys::{
    Wdk::{
        Foundation::OBJECT_ATTRIBUTES,
        Storage::FileSystem::{
            FILE_CREATE, FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN,
            FILE_OPEN_FOR_BACKUP_INTENT, FILE_OPEN_IF, FILE_OPEN_REPARSE_POINT, FILE_RENAME_INFORMATION,
            FILE_SYNCHRONOUS_IO_NONALERT, FileDispositionInformation, FileDispositionInformationEx,
            FileRenameInformation, FileRenameInformationEx, NtCreateFile, NtSetInformationFile,
        },
    },
    Win32::{
        Foundation::{HANDLE, NTSTATUS, OBJ_CASE_INSENSITIVE, RtlNtStatusToDosError, UNICODE_STRING},
        Storage::FileSystem::{
            DELETE, FILE_ATTRIBUTE_NORMAL, FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_NAME_NORMALIZED,
            FILE_READ_ATTRIBUTES, FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE,
            GetFinalPathNameByHandleW, READ_CONTROL, SYNCHRONIZE, VOLUME_NAME_DOS, WRITE_DAC,
        },
        System::{
            IO::{DeviceIoControl, IO_STATUS_BLOCK},
            Ioctl::FSCTL_GET_REPARSE_POINT,
        },
    },
};

use super::{walk::Part, windows_names, windows_reparse};
use crate::system::{files, wide::read_text};

/// Longest data of a reparse point.
const MAX_REPARSE: usize = 16 << 10;
/// Of `FileRenameInformationEx`: replace an existing file, also one that others have open and agreed to.
const REPLACE: u32 = 0x1 | 0x2;
/// Of `FileDispositionInformationEx`: remove the name at once, whatever else has the file open.
const REMOVE_NAME: u32 = 0x1 | 0x2;

/// Kind of an entry in a directory.
pub(super) enum Entry {
    Missing,
    Folder(Folder),
    /// A symbolic link or a junction, with its target.
    Link(OsString),
    Other,
}

/// Splits a path into its steps. The text of a link may be relative, or start at the root of the drive it is on.
pub(super) fn split(path: &OsStr, link_in: &Path) -> io::Result<Vec<Part>> {
    let refused = |reason: &str| Err(io::Error::new(ErrorKind::InvalidInput, reason));
    let mut parts = Vec::new();
    let mut components = Path::new(path).components().peekable();
    if let Some(Component::Prefix(prefix)) = components.peek().copied() {
        components.next();
        let has_root = matches!(components.peek(), Some(Component::RootDir));
        parts.push(Part::Root(match prefix.kind() {
            Prefix::Disk(_) if !has_root => {
                return refused("the path is relative to the current directory of a drive; write it out");
            }
            Prefix::Disk(drive) | Prefix::VerbatimDisk(drive) => {
                PathBuf::from(format!("{}:\\", char::from(drive.to_ascii_uppercase())))
            }
            Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
                let mut root = OsString::from(r"\\");
                root.extend([server, OsStr::new(r"\"), share, OsStr::new(r"\")]);
                files::check_path(Path::new(&root))?;
                root.into()
            }
            Prefix::Verbatim(name) if name.to_string_lossy().starts_with("Volume{") => {
                let mut root = OsString::from(r"\\?\");
                root.extend([name, OsStr::new(r"\")]);
                root.into()
            }
            Prefix::Verbatim(_) | Prefix::DeviceNS(_) => return refused("the path names a device"),
        }));
    } else if matches!(components.peek(), Some(Component::RootDir)) {
        let root = link_in.ancestors().last().unwrap_or(link_in);
        parts.push(Part::Root(root.to_path_buf()));
    }
    for component in components {
        parts.push(match component {
            Component::Prefix(_) | Component::RootDir => continue,
            Component::CurDir => Part::Here,
            Component::ParentDir => Part::Up,
            Component::Normal(name) => {
                if let Err(bad) = windows_names::check(&name.to_string_lossy()) {
                    return refused(bad.reason());
                }
                Part::Name(name.to_owned())
            }
        });
    }
    // A separator at the end asks for a directory.
    if path.as_encoded_bytes().ends_with(b"\\") || path.as_encoded_bytes().ends_with(b"/") {
        parts.push(Part::Here);
    }
    Ok(parts)
}

/// An open directory.
#[derive(Debug)]
pub(super) struct Folder(File);

impl Folder {
    pub(super) fn root(path: &Path) -> io::Result<Self> {
        files::open_folder(path, FILE_READ_ATTRIBUTES | SYNCHRONIZE).map(Self)
    }

    /// Opens the directory above. Windows has no relative name for it, so it is opened by path and compared.
    pub(super) fn parent(&self) -> io::Result<Self> {
        let own = path_of(&self.0).ok_or(ErrorKind::NotFound)?;
        let Some(above) = own.parent() else { return self.0.try_clone().map(Self) };
        let opened = files::open_folder(above, FILE_READ_ATTRIBUTES | SYNCHRONIZE)?;
        match path_of(&opened) {
            Some(found) if found == above => Ok(Self(opened)),
            _ => Err(io::Error::other("the directory was moved meanwhile")),
        }
    }

    /// Opens or creates a name in the directory, without following a link.
    fn open_name(&self, name: &OsStr, access: u32, disposition: u32, options: u32) -> io::Result<File> {
        let mut units: Vec<u16> = name.encode_wide().collect();
        let bytes = u16::try_from(units.len() * 2).map_err(|_| ErrorKind::InvalidFilename)?;
        let text = UNICODE_STRING { Length: bytes, MaximumLength: bytes, Buffer: units.as_mut_ptr() };
        let attributes = OBJECT_ATTRIBUTES {
            Length: u32::try_from(size_of::<OBJECT_ATTRIBUTES>()).unwrap_or(0),
            RootDirectory: self.0.as_raw_handle(),
            ObjectName: &raw const text,
            Attributes: OBJ_CASE_INSENSITIVE,
            SecurityDescriptor: ptr::null(),
            SecurityQualityOfService: ptr::null(),
        };
        let mut handle: HANDLE = ptr::null_mut();
        let mut status = IO_STATUS_BLOCK::default();
        // SAFETY: everything that is pointed to lives until the call returns.
        check(unsafe {
            NtCreateFile(
                &raw mut handle,
                access | SYNCHRONIZE | FILE_READ_ATTRIBUTES,
                &raw const attributes,
                &raw mut status,
                ptr::null(),
                FILE_ATTRIBUTE_NORMAL,
                FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                disposition,
                options | FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_REPARSE_POINT,
                ptr::null(),
                0,
            )
        })?;
        // SAFETY: it was opened just now and belongs to nobody else.
        Ok(unsafe { File::from_raw_handle(handle) })
    }

    /// Looks up `name`. Reparse points that lead somewhere and are neither links nor junctions are errors.
    pub(super) fn look(&self, name: &OsStr) -> io::Result<Entry> {
        let Some(file) = self.peek(name)? else { return Ok(Entry::Missing) };
        let found = file.metadata()?;
        if found.is_symlink() {
            let target = reparse_data(&file)?;
            let units = windows_reparse::target(&target)
                .ok_or_else(|| io::Error::other("the path leads through a reparse point of unknown kind"))?;
            return Ok(Entry::Link(OsString::from_wide(&units)));
        }
        Ok(if found.is_dir() { Entry::Folder(Self(file)) } else { Entry::Other })
    }

    /// A handle to whatever `name` is, good for looking at it only.
    fn peek(&self, name: &OsStr) -> io::Result<Option<File>> {
        match self.open_name(name, FILE_READ_ATTRIBUTES, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the metadata of `name` itself; `None` if it does not exist.
    pub(super) fn metadata_of(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        self.peek(name)?.map(|file| file.metadata()).transpose()
    }

    /// Where the directory is now; where it was found on file systems that do not tell.
    pub(super) fn path(&self, found: &Path) -> io::Result<PathBuf> {
        Ok(path_of(&self.0).unwrap_or_else(|| found.to_path_buf()))
    }

    /// Returns a name as it is written in the directory: its own case, and the long form of `PROGRA~1`.
    pub(super) fn written_name(&self, name: OsString) -> OsString {
        let path = self.peek(&name).ok().flatten().and_then(|file| path_of(&file));
        path.and_then(|path| path.file_name().map(OsStr::to_owned)).unwrap_or(name)
    }

    /// Makes a directory, unless there is one, and opens it. A link in its place is an error.
    pub(super) fn make(&self, name: &OsStr) -> io::Result<Self> {
        let file = self.open_name(name, FILE_READ_ATTRIBUTES, FILE_OPEN_IF, FILE_DIRECTORY_FILE)?;
        if file.metadata()?.is_symlink() {
            return Err(files::link_error());
        }
        Ok(Self(file))
    }

    /// Opens a file for reading.
    pub(super) fn open(&self, name: &OsStr) -> io::Result<File> {
        not_a_link(self.open_name(name, FILE_GENERIC_READ, FILE_OPEN, FILE_NON_DIRECTORY_FILE)?)
    }

    /// Opens a file for writing, as it is.
    pub(super) fn open_to_write(&self, name: &OsStr) -> io::Result<File> {
        let opened = self.open_name(name, FILE_GENERIC_WRITE, FILE_OPEN, FILE_NON_DIRECTORY_FILE);
        not_a_link(opened.map_err(files::explain_busy)?)
    }

    /// Creates a file that must not exist yet. Its permissions are those of the directory.
    pub(super) fn create(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        let access = FILE_GENERIC_WRITE | READ_CONTROL | WRITE_DAC;
        self.open_name(name, access, FILE_CREATE, FILE_NON_DIRECTORY_FILE)
    }

    /// There are no files without a name.
    pub(super) fn create_unnamed(&self, _mode: u32) -> io::Result<Option<File>> {
        Ok(None)
    }

    /// Not called, because there are no files without a name.
    pub(super) fn name_file(&self, _file: &File, _name: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_with(from, to, REPLACE).map_err(files::explain_busy)
    }

    /// Renames to a name that must be free.
    pub(super) fn rename_to_free(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.rename_with(from, to, 0)
    }

    fn rename_with(&self, from: &OsStr, to: &OsStr, flags: u32) -> io::Result<()> {
        let file = self.open_name(from, DELETE, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT)?;
        let name: Vec<u16> = to.encode_wide().collect();
        let bytes = size_of::<FILE_RENAME_INFORMATION>() + name.len() * 2;
        // Numbers of eight bytes, so that the structure at the start is aligned.
        let mut buffer = vec![0_u64; bytes.div_ceil(8)];
        let rename = buffer.as_mut_ptr().cast::<FILE_RENAME_INFORMATION>();
        // SAFETY: the buffer has room for the structure and the name behind it.
        unsafe {
            (*rename).Anonymous.Flags = flags;
            (*rename).RootDirectory = self.0.as_raw_handle();
            (*rename).FileNameLength =
                u32::try_from(name.len() * 2).map_err(|_| ErrorKind::InvalidFilename)?;
            ptr::copy_nonoverlapping(name.as_ptr(), (&raw mut (*rename).FileName).cast(), name.len());
        }
        let mut status = IO_STATUS_BLOCK::default();
        let information: *const c_void = rename.cast();
        let mut set = |class| {
            // SAFETY: as above; the handle is open.
            check(unsafe {
                NtSetInformationFile(
                    file.as_raw_handle(),
                    &raw mut status,
                    information,
                    u32::try_from(bytes).unwrap_or(0),
                    class,
                )
            })
        };
        match set(FileRenameInformationEx) {
            Err(error) if is_unknown(&error) => {
                // SAFETY: as above.
                unsafe {
                    (*rename).Anonymous.Flags = 0;
                    (*rename).Anonymous.ReplaceIfExists = flags != 0;
                }
                set(FileRenameInformation)
            }
            done => done,
        }
    }

    /// Windows cannot exchange two files in one step.
    pub(super) fn exchange(&self, _one: &OsStr, _other: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    /// Removes a file or link. A missing one is not an error.
    pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        match self.open_name(name, DELETE, FILE_OPEN, FILE_OPEN_FOR_BACKUP_INTENT) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(files::explain_busy(error)),
            Ok(file) if file.metadata()?.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Ok(file) => delete(&file).map_err(files::explain_busy),
        }
    }

    /// Removes an empty directory.
    pub(super) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        delete(&self.open_name(name, DELETE, FILE_OPEN, FILE_DIRECTORY_FILE)?)
    }

    /// Windows writes names to its journal by itself.
    pub(super) fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

fn not_a_link(file: File) -> io::Result<File> {
    if file.metadata()?.is_symlink() { Err(files::link_error()) } else { Ok(file) }
}

/// Removes the name of an open file.
fn delete(file: &File) -> io::Result<()> {
    let mut status = IO_STATUS_BLOCK::default();
    let mut set = |class, information: &[u8]| {
        // SAFETY: the handle is open, and the information has the length that is given.
        check(unsafe {
            NtSetInformationFile(
                file.as_raw_handle(),
                &raw mut status,
                information.as_ptr().cast(),
                u32::try_from(information.len()).unwrap_or(0),
                class,
            )
        })
    };
    match set(FileDispositionInformationEx, &REMOVE_NAME.to_ne_bytes()) {
        Err(error) if is_unknown(&error) => set(FileDispositionInformation, &[1]),
        done => done,
    }
}

/// Returns whether the system or the file system does not know a request.
fn is_unknown(error: &io::Error) -> bool {
    use windows_sys::Win32::Foundation::{
        ERROR_CALL_NOT_IMPLEMENTED, ERROR_INVALID_FUNCTION, ERROR_INVALID_PARAMETER, ERROR_NOT_SUPPORTED,
    };
    matches!(
        error.raw_os_error().map(i32::cast_unsigned),
        Some(
            ERROR_CALL_NOT_IMPLEMENTED
                | ERROR_INVALID_FUNCTION
                | ERROR_INVALID_PARAMETER
                | ERROR_NOT_SUPPORTED
        )
    )
}

fn check(status: NTSTATUS) -> io::Result<()> {
    if status >= 0 {
        return Ok(());
    }
    // SAFETY: touches no memory.
    let code = unsafe { RtlNtStatusToDosError(status) };
    Err(io::Error::from_raw_os_error(code.cast_signed()))
}

fn reparse_data(link: &File) -> io::Result<Vec<u8>> {
    let mut data = vec![0_u8; MAX_REPARSE];
    let mut length = 0;
    // SAFETY: the buffer has the length that is given.
    let read = unsafe {
        DeviceIoControl(
            link.as_raw_handle(),
            FSCTL_GET_REPARSE_POINT,
            ptr::null(),
            0,
            data.as_mut_ptr().cast(),
            u32::try_from(data.len()).unwrap_or(0),
            &raw mut length,
            ptr::null_mut(),
        )
    };
    if read == 0 {
        return Err(io::Error::last_os_error());
    }
    data.truncate(length as usize);
    Ok(data)
}

/// Where an open file or directory is now, in its own case and with long names.
fn path_of(file: &File) -> Option<PathBuf> {
    let path = read_text(|buffer| {
        let length = u32::try_from(buffer.len()).unwrap_or(0);
        // SAFETY: the buffer has the length that is given.
        unsafe {
            GetFinalPathNameByHandleW(
                file.as_raw_handle(),
                buffer.as_mut_ptr(),
                length,
                FILE_NAME_NORMALIZED | VOLUME_NAME_DOS,
            )
        }
    });
    path.ok().map(|path| files::without_prefix(path.into())).filter(|path| path.is_absolute())
}

/// The system is not asked; the path is followed step by step instead.
pub(super) fn open_without_links(_path: &Path) -> io::Result<Option<File>> {
    Ok(None)
}
