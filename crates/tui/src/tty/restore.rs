//! The terminal modes of the interface, and restoring the terminal from anywhere: a normal exit, a panic of the interface,
//! or a signal.
//!
//! The state is global because a panic hook has no other way to reach it. It is taken once, so that restoring twice does
//! nothing.

use std::{
    io::Write as _,
    sync::{
        Mutex, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::system::Modes;

/// The state before, and whether the modes of the interface were turned on.
static ORIGINAL: Mutex<Option<(Modes, bool)>> = Mutex::new(None);
static IN_ALT_SCREEN: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Notes whether the alternate screen is shown, so that it is left on the way out.
pub fn set_alt_screen(is_on: bool) {
    IN_ALT_SCREEN.store(is_on, Ordering::SeqCst);
}

pub(super) fn remember(original: Modes) {
    remember_with(original, true);
}

/// Remembers the state before keys are read one by one, without other modes of the interface.
pub(super) fn remember_keyboard(original: Modes) {
    remember_with(original, false);
}

fn remember_with(original: Modes, has_modes: bool) {
    *ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner) = Some((original, has_modes));
    let owner = std::thread::current().id();
    HOOK.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if std::thread::current().id() == owner {
                restore_now();
            } else if is_in_use() {
                // Panics of other threads are caught where they matter, and the interface goes on: the message would be
                // printed over it.
                return tracing::error!(panic = %info, "A background task panicked");
            }
            previous(info);
        }));
    });
}

fn is_in_use() -> bool {
    ORIGINAL.lock().unwrap_or_else(PoisonError::into_inner).is_some()
}

/// Restores the terminal if it is in use. Safe to call at any time, from any thread.
pub fn restore_now() {
    let original = match ORIGINAL.try_lock() {
        Ok(mut original) => original.take(),
        Err(std::sync::TryLockError::Poisoned(poisoned)) => poisoned.into_inner().take(),
        // Another thread is restoring.
        Err(std::sync::TryLockError::WouldBlock) => None,
    };
    let Some((original, has_modes)) = original else { return };
    if !has_modes {
        // Standard output may be a file.
        let _ = original.set();
        return;
    }
    let mut out = std::io::stdout();
    if IN_ALT_SCREEN.swap(false, Ordering::SeqCst) {
        let _ = out.write_all(ALT_SCREEN_OFF.as_bytes());
    }
    // Nothing helps if the terminal is gone.
    let _ = out.write_all(LEAVE.as_bytes());
    let _ = out.flush();
    let _ = original.set();
}

/// Turned on at the start: bracketed paste, focus reports, notice of colour scheme changes, unambiguous keys (kitty, and
/// modifyOtherKeys where kitty's protocol is unknown), and the window title saved.
pub(super) const ENTER: &str = "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>1u\x1b[>4;2m\x1b[22;2t";

/// Turned off on every way out, whatever was turned on: end of a string that was being written, synchronized output, paste,
/// focus, scheme, mouse, keys; autowrap and cursor on; styles reset; window title back.
pub(super) const LEAVE: &str = "\x1b\\\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?2031l\x1b[?1006l\x1b[?1002l\x1b[<u\x1b[>4;0m\x1b[?7h\x1b[?25h\x1b[0m\x1b[23;2t";

/// Enters the alternate screen, with mouse reports.
pub const ALT_SCREEN_ON: &str = "\x1b[?1049h\x1b[?1002h\x1b[?1006h\x1b[H";
/// Leaves it.
pub const ALT_SCREEN_OFF: &str = "\x1b[?1006l\x1b[?1002l\x1b[?1049l";

/// Queries sent once at the start: synchronized output, background colour, name of the terminal, keyboard flags, size, and
/// the device attributes, which every terminal answers, so that their reply ends the series.
pub const QUERIES: &str = "\x1b[?2026$p\x1b]11;?\x1b\\\x1b[>0q\x1b[?u\x1b[18t\x1b[c";
