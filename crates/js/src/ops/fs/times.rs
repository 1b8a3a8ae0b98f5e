//! Access and modification times.

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, futimens, utimensat};

use super::{
    error::{FsError, about, about_file},
    open_files::file,
    request::{Request, Scene},
};
use crate::instance::Settled;

pub(super) fn set(syscall: &str, request: &Request, scene: &Scene) -> Result<Settled, FsError> {
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
