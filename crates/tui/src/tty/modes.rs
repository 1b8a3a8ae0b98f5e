//! The terminal modes the interface uses, as escape sequences.

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
