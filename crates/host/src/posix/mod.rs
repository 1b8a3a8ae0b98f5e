//! The system under the names of POSIX, on every system: files, errors, the machine and local sockets, as the modules of Node
//! show them to JavaScript. Where Windows differs it does what Node does there.

mod interfaces;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

/// Error numbers, as Node reports them without their sign.
pub use system::errors as errno;
pub use system::{
    files::{
        FileFlags, FileStatus, access, change_mode, change_mode_of_path, change_owner, change_owner_of_path,
        create_folder, descriptor, file_status, hard_link, is_endless, kind_number, name_to_bytes, open,
        path_from_bytes, path_status, read_at, set_file_times, set_path_times, space, symbolic_link,
        wait_for, write_all_at, write_at,
    },
    machine::{KillError, describe_machine, kill, user_ids},
    removal::remove_tree,
    sockets::{LocalListener, LocalReader, LocalWriter, close_listener, connect_local},
};

/// A time in seconds since the Unix epoch, in the precision of Node, which is a microsecond.
fn split_seconds(seconds: f64) -> (i64, u32) {
    let whole = seconds.floor();
    #[expect(clippy::cast_possible_truncation, reason = "a cast from a float saturates")]
    let (whole, micros) = (whole as i64, ((seconds - whole) * 1e6).round() as i64);
    let nanoseconds = u32::try_from(micros % 1_000_000).unwrap_or(0) * 1000;
    (whole.saturating_add(micros / 1_000_000), nanoseconds)
}
