//! The inline writer: finished rows above, the live region below.
//!
//! All movement is relative to the cursor, whose row within the region is known, so the writer works wherever the region
//! is on the screen and does not ask the terminal. Rows are appended with CR LF, so that the terminal scrolls by itself and
//! keeps what leaves the screen.

use std::{
    fmt::Write as _,
    time::{Duration, Instant},
};

use super::{
    Abilities, Frame, PlacedImage,
    cells::{change, write_row},
};
use crate::{text::Row, tty::Size};

const SYNC_ON: &str = "\x1b[?2026h";
const SYNC_OFF: &str = "\x1b[?2026l";
const CURSOR_OFF: &str = "\x1b[?25l";
const CURSOR_ON: &str = "\x1b[?25h";
const WRAP_OFF: &str = "\x1b[?7l";
const WRAP_ON: &str = "\x1b[?7h";

/// Draws the live region at the bottom of the normal screen.
#[derive(Debug)]
pub struct Inline {
    size: Size,
    abilities: Abilities,
    /// Rows of the region as the terminal shows them; `None` if that is not known.
    drawn: Option<Vec<Row>>,
    /// Rows the region takes on the terminal, and the row and column of the cursor in it.
    height: usize,
    cursor: (usize, usize),
    shows_cursor: bool,
    /// When the terminal was last written to.
    written: Option<Instant>,
}

/// A terminal may be narrower for this long before the program learns it. Rows written meanwhile were cut, not wrapped.
const LATE_TIME: Duration = Duration::from_millis(400);

impl Inline {
    /// Creates a writer whose region starts at the cursor's row, which must be empty.
    pub fn new(size: Size, abilities: Abilities) -> Self {
        Self {
            size,
            abilities,
            drawn: Some(Vec::new()),
            height: 1,
            cursor: (0, 0),
            shows_cursor: true,
            written: None,
        }
    }

    /// Sets what is known about the terminal.
    pub fn set_abilities(&mut self, abilities: Abilities) {
        if self.abilities.depth != abilities.depth {
            self.drawn = None;
        }
        self.abilities = abilities;
    }

    /// Returns what is known about the terminal.
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// Returns the number of rows a region may have.
    pub fn max_rows(&self) -> usize {
        self.size.rows.saturating_sub(1).max(1)
    }

    /// Draws the region again with the next frame, whatever the terminal shows.
    pub fn forget(&mut self) {
        self.drawn = None;
    }

    /// Starts a new region at the cursor's row, after another program used the terminal.
    pub fn restart(&mut self) {
        (self.drawn, self.height, self.cursor, self.shows_cursor) = (Some(Vec::new()), 1, (0, 0), true);
    }

    /// Adapts to a new size. The region is drawn again with the next frame.
    pub fn resize(&mut self, size: Size) {
        if size == self.size {
            return;
        }
        let narrower = size.columns < self.size.columns;
        self.size = size;
        let drawn = self.drawn.take();
        // If rows were written while the terminal may have been narrower already, it is not known which of them it wrapped.
        // Then none is assumed to be: a copy of a row may stay, but no row of the history is overwritten.
        let is_certain = self.written.is_none_or(|written| written.elapsed() > LATE_TIME);
        if narrower
            && is_certain
            && self.abilities.reflows
            && let Some(drawn) = drawn
        {
            // The terminal wrapped the rows of the region; the cursor moved with its row.
            let taken = |row: &Row| row.width().max(1).div_ceil(size.columns);
            let above: usize = drawn.iter().take(self.cursor.0).map(taken).sum();
            self.height = drawn.iter().map(taken).sum::<usize>().max(1);
            self.cursor = (above + self.cursor.1 / size.columns, self.cursor.1 % size.columns);
        }
        // What no longer fits has left the screen at the top.
        let gone = self.height.saturating_sub(size.rows);
        self.height -= gone;
        self.cursor.0 = self.cursor.0.saturating_sub(gone).min(self.height.saturating_sub(1));
    }

    /// Draws a frame, with `history` above it. Returns the bytes for the terminal; empty if nothing changed.
    pub fn draw(&mut self, history: &[Row], frame: &Frame) -> Vec<u8> {
        self.draw_with_images(history, &[], frame)
    }

    /// Draws a frame, with `history` and its images above it. Returns the bytes for the terminal.
    pub fn draw_with_images(&mut self, history: &[Row], images: &[PlacedImage], frame: &Frame) -> Vec<u8> {
        let frame = self.fitted(frame);
        let is_full = !history.is_empty() || self.drawn.is_none();
        let mut body = String::new();
        let mut changes = 0;
        if is_full {
            self.draw_all(history, images, &frame, &mut body);
            changes = usize::MAX;
        } else {
            self.draw_changes(&frame, &mut body, &mut changes);
        }
        self.place_cursor(frame.cursor, &mut body);
        if frame.shows_cursor != self.shows_cursor {
            self.shows_cursor = frame.shows_cursor;
            body.push_str(if frame.shows_cursor { CURSOR_ON } else { CURSOR_OFF });
        } else if changes > 1 && frame.shows_cursor {
            body.push_str(CURSOR_ON);
        }
        self.drawn = Some(frame.rows);
        if !body.is_empty() {
            self.written = Some(Instant::now());
        }
        // A single run of cells cannot be seen half drawn.
        if changes <= 1 {
            return body.into_bytes();
        }
        let (on, off) = if self.abilities.synchronized { (SYNC_ON, SYNC_OFF) } else { ("", "") };
        format!("{on}{CURSOR_OFF}{WRAP_OFF}{body}{WRAP_ON}{off}").into_bytes()
    }

    /// Erases the region and leaves the cursor at its first row, for the end of the program or another one.
    pub fn erase(&mut self) -> Vec<u8> {
        let mut out = String::new();
        self.move_to_row(0, &mut out);
        for row in 0..self.height {
            out.push_str("\r\x1b[2K");
            if row + 1 < self.height {
                out.push_str("\x1b[B");
                self.cursor.0 += 1;
            }
        }
        self.move_to_row(0, &mut out);
        out.push('\r');
        out.push_str(CURSOR_ON);
        self.restart();
        out.into_bytes()
    }

    /// The last rows of a frame that is too high.
    fn fitted(&self, frame: &Frame) -> Frame {
        let mut frame = frame.clone();
        if frame.rows.is_empty() {
            frame.rows.push(Row::new());
        }
        let extra = frame.rows.len().saturating_sub(self.max_rows());
        // The caret stays visible.
        let cut = extra.min(frame.cursor.0);
        frame.rows.drain(..cut);
        frame.rows.truncate(self.max_rows());
        frame.cursor.0 = frame.cursor.0.saturating_sub(cut).min(frame.rows.len().saturating_sub(1));
        frame.cursor.1 = frame.cursor.1.min(self.size.columns.saturating_sub(1));
        for row in &mut frame.rows {
            if row.width() > self.size.columns {
                *row = std::mem::take(row).cut(self.size.columns);
            }
        }
        frame
    }

    fn draw_all(&mut self, history: &[Row], images: &[PlacedImage], frame: &Frame, out: &mut String) {
        let depth = self.abilities.depth;
        self.move_to_row(0, out);
        out.push('\r');
        for (at, row) in history.iter().enumerate() {
            write_row(row, depth, out);
            out.push_str("\r\n");
            // An image is drawn once its rows are on the screen, so that it cannot scroll. Terminals move the cursor
            // differently after an image; the saved position does not depend on that.
            for image in images.iter().filter(|image| image.row + image.rows == at + 1) {
                if image.rows < self.size.rows {
                    let _ = write!(out, "\x1b7\x1b[{}A\r", image.rows);
                    if image.column > 0 {
                        let _ = write!(out, "\x1b[{}C", image.column);
                    }
                    let _ = write!(out, "{}\x1b8", image.sequence);
                }
            }
        }
        for (at, row) in frame.rows.iter().enumerate() {
            if at > 0 {
                out.push_str("\r\n");
            }
            write_row(row, depth, out);
        }
        // Rows of the old region below the new one.
        let written = history.len() + frame.rows.len();
        let left = self.height.saturating_sub(written);
        for _ in 0..left {
            out.push_str("\r\n\x1b[2K");
        }
        self.height = frame.rows.len();
        self.cursor.0 = (frame.rows.len() + left).saturating_sub(1);
        // The column is not known; placing the cursor sets it.
        self.cursor.1 = usize::MAX;
    }

    fn draw_changes(&mut self, frame: &Frame, out: &mut String, changes: &mut usize) {
        let depth = self.abilities.depth;
        let drawn = self.drawn.take().unwrap_or_default();
        let height = self.height;
        for at in 0..frame.rows.len().max(height) {
            match (drawn.get(at).or((at < height).then_some(&EMPTY)), frame.rows.get(at)) {
                (Some(old), new) => {
                    let Some(change) = change(old, new.unwrap_or(&EMPTY), depth) else { continue };
                    self.move_to_row(at, out);
                    self.move_to_column(change.column, out);
                    out.push_str(&change.bytes);
                    self.cursor.1 = usize::MAX;
                }
                (None, Some(new)) => {
                    self.move_to_row(at - 1, out);
                    out.push_str("\r\n");
                    self.cursor.0 = at;
                    write_row(new, depth, out);
                    self.cursor.1 = usize::MAX;
                    *changes += 1;
                }
                (None, None) => {}
            }
            *changes += 1;
        }
        self.height = frame.rows.len();
    }

    fn move_to_row(&mut self, row: usize, out: &mut String) {
        let current = self.cursor.0;
        if row < current {
            let _ = write!(out, "\x1b[{}A", current - row);
        } else if row > current {
            let _ = write!(out, "\x1b[{}B", row - current);
        }
        self.cursor.0 = row;
    }

    fn move_to_column(&mut self, column: usize, out: &mut String) {
        if column == 0 {
            out.push('\r');
        } else if self.cursor.1 != column {
            let _ = write!(out, "\x1b[{}G", column + 1);
        }
        self.cursor.1 = column;
    }

    fn place_cursor(&mut self, cursor: (usize, usize), out: &mut String) {
        if self.cursor == cursor {
            return;
        }
        self.move_to_row(cursor.0, out);
        if self.cursor.1 != cursor.1 {
            self.move_to_column(cursor.1, out);
        }
    }
}

static EMPTY: Row = Row::new();
