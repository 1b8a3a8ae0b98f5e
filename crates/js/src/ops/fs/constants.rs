//! The system constants in `fs.constants`.

use serde_json::{Map, Value};

/// Returns the constants as JSON.
pub(super) fn table() -> String {
    #[allow(unused_mut, reason = "some systems have more")]
    let mut table: Vec<(&str, i64)> = vec![
        ("UV_FS_SYMLINK_DIR", 1),
        ("UV_FS_SYMLINK_JUNCTION", 2),
        ("O_RDONLY", i64::from(libc::O_RDONLY)),
        ("O_WRONLY", i64::from(libc::O_WRONLY)),
        ("O_RDWR", i64::from(libc::O_RDWR)),
        ("UV_DIRENT_UNKNOWN", 0),
        ("UV_DIRENT_FILE", 1),
        ("UV_DIRENT_DIR", 2),
        ("UV_DIRENT_LINK", 3),
        ("UV_DIRENT_FIFO", 4),
        ("UV_DIRENT_SOCKET", 5),
        ("UV_DIRENT_CHAR", 6),
        ("UV_DIRENT_BLOCK", 7),
        ("S_IFMT", i64::from(libc::S_IFMT)),
        ("S_IFREG", i64::from(libc::S_IFREG)),
        ("S_IFDIR", i64::from(libc::S_IFDIR)),
        ("S_IFCHR", i64::from(libc::S_IFCHR)),
        ("S_IFBLK", i64::from(libc::S_IFBLK)),
        ("S_IFIFO", i64::from(libc::S_IFIFO)),
        ("S_IFLNK", i64::from(libc::S_IFLNK)),
        ("S_IFSOCK", i64::from(libc::S_IFSOCK)),
        ("O_CREAT", i64::from(libc::O_CREAT)),
        ("O_EXCL", i64::from(libc::O_EXCL)),
        ("UV_FS_O_FILEMAP", 0),
        ("O_NOCTTY", i64::from(libc::O_NOCTTY)),
        ("O_TRUNC", i64::from(libc::O_TRUNC)),
        ("O_APPEND", i64::from(libc::O_APPEND)),
        ("O_DIRECTORY", i64::from(libc::O_DIRECTORY)),
        ("O_NOFOLLOW", i64::from(libc::O_NOFOLLOW)),
        ("O_SYNC", i64::from(libc::O_SYNC)),
        ("O_DSYNC", i64::from(libc::O_DSYNC)),
        ("O_NONBLOCK", i64::from(libc::O_NONBLOCK)),
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
    #[cfg(target_os = "linux")]
    table.extend([("O_DIRECT", i64::from(libc::O_DIRECT)), ("O_NOATIME", i64::from(libc::O_NOATIME))]);
    #[cfg(target_os = "macos")]
    table.push(("O_SYMLINK", i64::from(libc::O_SYMLINK)));
    let table: Map<String, Value> =
        table.into_iter().map(|(name, number)| (name.to_owned(), number.into())).collect();
    Value::Object(table).to_string()
}
