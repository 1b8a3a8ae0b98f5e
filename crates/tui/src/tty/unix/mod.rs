//! The terminal device on Unix.

mod clipboard;
mod input;
mod modes;
mod signals;

pub(crate) use clipboard::{CLIPBOARD_PROGRAMS, clipboard_requests};
pub(super) use input::{Ready, Waiting, Wake, waiting};
pub(super) use modes::{Modes, discard_typed, size};
pub use signals::{EndSignals, Signals, stop_process_group, survive_file_limit};
