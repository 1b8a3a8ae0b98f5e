//! The terminal device: raw mode, terminal modes, the thread that reads input, the thread that writes frames, and
//! restoring everything on every way out (CONTRACT 9.3).
//!
//! The decoder is our own rather than a library's: terminals answer queries at any time, and a reply must neither be typed
//! into the prompt nor swallow what is typed next.

mod device;
mod keyboard;
mod output;
mod reader;
mod restore;
mod signal;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

pub use device::{Size, Tty, TtyError, discard_typed};
pub use keyboard::Keyboard;
pub use output::Output;
pub use reader::InputEvents;
pub use restore::{ALT_SCREEN_OFF, ALT_SCREEN_ON, QUERIES, restore_now, set_alt_screen};
pub use signal::Signal;
pub(crate) use system::{CLIPBOARD_PROGRAMS, clipboard_requests};
pub use system::{EndSignals, Signals, stop_process_group, survive_file_limit};
#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;
