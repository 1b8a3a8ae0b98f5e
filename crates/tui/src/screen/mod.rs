//! Writing rows to the terminal: finished rows once into the terminal's own scrollback, and the live region below them by
//! difference (CONTRACT 9.1); or the whole alternate screen.
//!
//! Rules, each with a test: rows that left the live region are never repainted; nothing is erased but single rows; no scroll
//! regions; the cursor is at the caret after every frame; a frame that changes nothing writes nothing.

mod cells;
mod flight;
mod full;
mod inline;

pub(crate) use flight::ASK_SIZE;
pub use full::FullScreen;
pub use inline::Inline;

use crate::{
    text::{ColorDepth, Row},
    tty::Size,
};

/// The rows of the live region or screen, and the caret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The rows, top to bottom.
    pub rows: Vec<Row>,
    /// Row and column of the caret.
    pub cursor: (usize, usize),
    /// The caret is visible. It is always at its place, because input methods open there.
    pub shows_cursor: bool,
}

/// An image in finished rows. The rows it covers are part of them and empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedImage {
    /// First finished row that it covers.
    pub row: usize,
    /// Rows it covers.
    pub rows: usize,
    /// Column of its left edge.
    pub column: usize,
    /// The sequence that draws it at the cursor.
    pub sequence: String,
}

/// Abilities of the terminal, as far as they are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Number of colours.
    pub depth: ColorDepth,
    /// The terminal shows a frame at once when told (mode 2026).
    pub synchronized: bool,
    /// The terminal wraps existing rows again when it becomes narrower, as most do; xterm and the Linux console cut them.
    pub reflows: bool,
    /// The terminal answers questions for its size, so each frame can be confirmed.
    pub tells_size: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self { depth: ColorDepth::default(), synchronized: false, reflows: true, tells_size: false }
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
