//! File and file-system metadata, as numbers in the order JavaScript expects; setting access and modification times.

use std::{fs::Metadata, os::unix::fs::MetadataExt};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, futimens, utimensat};
use serde_json::{Value, json};

use super::{
    error::{FsError, about, about_file},
    open_files::file,
    request::{Request, Scene},
};
use crate::instance::Settled;

pub(super) fn stat(name: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let found = match name {
        "fstat" => file(request, scene, name)?.metadata().map_err(about_file(name))?,
        "lstat" => scene.path(&request.path).symlink_metadata().map_err(about(name, &request.path))?,
        _ => scene.path(&request.path).metadata().map_err(about(name, &request.path))?,
    };
    Ok(Settled::Text(numbers(&found, request.big)))
}

fn numbers(found: &Metadata, big: bool) -> String {
    let created = found
        .created()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or((found.ctime(), found.ctime_nsec()), |since| {
            (i64::try_from(since.as_secs()).unwrap_or(0), i64::from(since.subsec_nanos()))
        });
    let unsigned = [
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
    ];
    let signed = [
        found.atime(),
        found.atime_nsec(),
        found.mtime(),
        found.mtime_nsec(),
        found.ctime(),
        found.ctime_nsec(),
        created.0,
        created.1,
    ];
    let list: Vec<Value> = if big {
        let unsigned = unsigned.iter().map(|number| json!(number.to_string()));
        unsigned.chain(signed.iter().map(|number| json!(number.to_string()))).collect()
    } else {
        unsigned.iter().map(|number| json!(number)).chain(signed.iter().map(|number| json!(number))).collect()
    };
    Value::Array(list).to_string()
}

pub(super) fn statfs(request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let path = scene.path(&request.path);
    let found = rustix::fs::statvfs(&path).map_err(about("statfs", &request.path))?;
    #[cfg(target_os = "linux")]
    let kind = rustix::fs::statfs(&path).map_err(about("statfs", &request.path))?.f_type;
    #[cfg(not(target_os = "linux"))]
    let kind = 0;
    let list = [found.f_bsize, found.f_blocks, found.f_bfree, found.f_bavail, found.f_files, found.f_ffree];
    let numbers = list.iter().map(|number| json!(number.to_string()));
    let list: Vec<Value> = std::iter::once(json!(kind.to_string())).chain(numbers).collect();
    Ok(Settled::Text(Value::Array(list).to_string()))
}

pub(super) fn set_times(syscall: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
    let times =
        Timestamps { last_access: moment(request.accessed), last_modification: moment(request.modified) };
    if syscall == "futime" {
        return futimens(file(request, scene, syscall)?, &times)
            .map(|()| Settled::Nothing)
            .map_err(about_file(syscall));
    }
    let flags = if syscall == "lutime" { AtFlags::SYMLINK_NOFOLLOW } else { AtFlags::empty() };
    utimensat(CWD, scene.path(&request.path), &times, flags)
        .map(|()| Settled::Nothing)
        .map_err(about(syscall, &request.path))
}

/// Converts seconds since the Unix epoch to the system's form.
#[expect(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
fn moment(seconds: f64) -> Timespec {
    let whole = seconds.floor();
    // Node's precision is a microsecond.
    let micros = ((seconds - whole) * 1e6).round() as i64;
    Timespec { tv_sec: whole as i64 + micros / 1_000_000, tv_nsec: (micros % 1_000_000) * 1000 }
}
