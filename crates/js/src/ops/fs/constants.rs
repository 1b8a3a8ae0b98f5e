//! The system constants in `fs.constants`.

use serde_json::{Map, Value};
use toolsmith_host::posix::FileFlags;

/// Constants that are the same on every system.
const COMMON: &[(&str, i64)] = &[
    ("UV_FS_SYMLINK_DIR", 1),
    ("UV_FS_SYMLINK_JUNCTION", 2),
    ("UV_DIRENT_UNKNOWN", 0),
    ("UV_DIRENT_FILE", 1),
    ("UV_DIRENT_DIR", 2),
    ("UV_DIRENT_LINK", 3),
    ("UV_DIRENT_FIFO", 4),
    ("UV_DIRENT_SOCKET", 5),
    ("UV_DIRENT_CHAR", 6),
    ("UV_DIRENT_BLOCK", 7),
    ("S_IRWXU", 0o700),
    ("S_IRUSR", 0o400),
    ("S_IWUSR", 0o200),
    ("S_IXUSR", 0o100),
    ("S_IRWXG", 0o070),
    ("S_IRGRP", 0o040),
    ("S_IWGRP", 0o020),
    ("S_IXGRP", 0o010),
    ("S_IRWXO", 0o007),
    ("S_IROTH", 0o004),
    ("S_IWOTH", 0o002),
    ("S_IXOTH", 0o001),
    ("F_OK", 0),
    ("R_OK", 4),
    ("W_OK", 2),
    ("X_OK", 1),
    ("UV_FS_COPYFILE_EXCL", 1),
    ("COPYFILE_EXCL", 1),
    ("UV_FS_COPYFILE_FICLONE", 2),
    ("COPYFILE_FICLONE", 2),
    ("UV_FS_COPYFILE_FICLONE_FORCE", 4),
    ("COPYFILE_FICLONE_FORCE", 4),
];

/// Returns the constants as JSON.
pub(super) fn table() -> String {
    let table: Map<String, Value> = COMMON
        .iter()
        .copied()
        .chain(FileFlags::table())
        .map(|(name, number)| (name.to_owned(), number.into()))
        .collect();
    Value::Object(table).to_string()
}
