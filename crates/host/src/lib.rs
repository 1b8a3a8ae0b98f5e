//! The only door to the operating system for tools. What a tool starts goes through [`exec`], which can end it
//! with everything it started in turn; what it prints goes through [`output`], which keeps both ends in memory and
//! the whole in a file; what it logs goes through [`log`]; what it makes of files goes through [`changes`], which shows it
//! first and can take it back. Files of others are opened through [`regular_file`]. Whose code may run at all is kept by
//! [`trust`], and what was confirmed by content by [`confirmed`]; secrets are stored by [`keychain`] where the system has one; how memory is had from the system is set in [`memory`]; CPU time is measured by [`cpu_clock`]; what the system grants is checked in [`limits`].
//!
//! This crate knows nothing of JavaScript, models or terminals.
#![warn(missing_docs)]

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
compile_error!("toolsmith-host supports Linux, macOS and Windows");

pub mod blocking;
pub mod changes;
pub mod confirmed;
pub mod cpu_clock;
pub mod exec;
pub mod file_lock;
pub mod file_stamp;
mod home;
pub mod ignore_files;
pub mod keychain;
pub mod limits;
pub mod location;
pub mod log;
pub mod memory;
pub mod output;
mod output_closed;
pub mod posix;
mod private_files;
mod real_path;
pub mod regular_file;
pub mod seal;
pub mod spelling;
mod spill;
mod time_zone;
pub mod trust;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use home::{home_folder, home_variable};
pub use output_closed::output_closed;
pub use private_files::{create_private_folder, make_private, private, private_temporary_folder};
pub use real_path::real_path;
pub use system::{files::sync_folder, program::HiddenInput};
pub use time_zone::{local_time_zone, today};
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;
