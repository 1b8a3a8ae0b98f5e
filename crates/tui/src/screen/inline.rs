//! The inline writer: finished rows above, the live region below.
//!
//! All movement is relative to the cursor, whose row within the region is known, so the writer works wherever the region
//! is on the screen and does not ask the terminal. Rows are appended with CR LF, so that the terminal scrolls by itself and
//! keeps what leaves the screen.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    time::{Duration, Instant},
};

use super::{
    Abilities, Frame, PlacedImage,
    cells::{change, write_row},
    flight::{ASK_SIZE, Assumed, Flight, Overflow, Region, wrapped},
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
    /// Frames that the terminal has not confirmed.
    flight: Option<Flight>,
    /// Finished rows and their images to write again, because the terminal was narrower when they were written.
    again: (Vec<Row>, Vec<PlacedImage>),
    /// Rows at the beginning of the region that are in the scrollback.
    lost: usize,
    /// Rows that the terminal is assumed to have wrapped since the last frame.
    assumed: Assumed,
    /// The last finished rows, as far as they may still be on the screen.
    recent: VecDeque<Row>,
}

/// A terminal may be narrower for this long before the program learns it. Rows written meanwhile were cut, not wrapped. Only
/// terminals that do not tell their size are assumed to be this late.
const LATE_TIME: Duration = Duration::from_millis(400);
/// Maximum time until an answer; it may come from far away.
const ANSWER_TIME: Duration = Duration::from_millis(500);

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
            flight: None,
            again: Default::default(),
            lost: 0,
            assumed: Assumed::default(),
            recent: VecDeque::new(),
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
        (self.flight, self.again, self.lost) = Default::default();
    }

    /// Returns until when an answer of the terminal is awaited. Frames can be drawn meanwhile, but if the terminal became
    /// narrower, each of them adds to what has to be drawn again.
    pub fn awaits_until(&self) -> Option<Instant> {
        self.flight.as_ref().map(|flight| flight.since + ANSWER_TIME)
    }

    /// Stops waiting for an answer.
    pub fn stop_waiting(&mut self) {
        self.flight = None;
    }

    /// Takes the number of rows at the beginning of the last frame that a narrower terminal pushed into its scrollback. They
    /// are finished whether they should be or not; drawn again, they would be there twice.
    pub fn take_lost(&mut self) -> usize {
        std::mem::take(&mut self.lost)
    }

    /// Takes the terminal's answer about its size. Returns whether the size is new; the next frame then repairs what was drawn
    /// in the wrong one.
    pub fn answered(&mut self, size: Size) -> bool {
        let expected = self.size;
        let Some(flight) = &mut self.flight else {
            self.resize(size);
            return size != expected;
        };
        if !flight.answer(size, expected) {
            return false;
        }
        let Some(flight) = self.flight.take() else { return false };
        let (overwritten, count) = flight.overwritten();
        match flight.damage(self.cursor.0, self.height, self.abilities.reflows) {
            None if overwritten > 0 => {
                // They are still known, and written again with those of the frames.
                let from = self.recent.len().saturating_sub(count + overwritten);
                self.again = (self.recent.iter().skip(from).cloned().collect(), Vec::new());
                (self.drawn, self.size) = (None, size);
                self.height += count;
                self.cursor = (self.cursor.0 + count, usize::MAX);
            }
            Some(damage) => {
                self.assumed = damage.assumed;
                (self.drawn, self.size, self.height) = (None, size, damage.height);
                // The column is not known; placing the cursor sets it.
                self.cursor = (damage.row, usize::MAX);
                self.again = (damage.history, damage.images);
                self.lost = damage.lost;
            }
            None => self.resize(size),
        }
        size != expected
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
        let is_certain =
            self.abilities.tells_size || self.written.is_none_or(|written| written.elapsed() > LATE_TIME);
        let (mut wrapped_rows, above_rows) = (None, self.cursor.0);
        if narrower
            && is_certain
            && self.abilities.reflows
            && let Some(drawn) = drawn
        {
            // The terminal wrapped the rows of the region; the cursor moved with its row.
            let taken = |row: &Row| wrapped(row, size.columns);
            let above: usize = drawn.iter().take(self.cursor.0).map(taken).sum();
            self.height = drawn.iter().map(taken).sum::<usize>().max(1);
            self.cursor = (above + self.cursor.1 / size.columns.max(1), self.cursor.1 % size.columns.max(1));
            wrapped_rows = Some(drawn);
        }
        // What no longer fits has left the screen at the top.
        let gone = self.height.saturating_sub(size.rows);
        let rows = wrapped_rows.unwrap_or_default();
        let over = Overflow::of(&rows, size.columns, gone, usize::MAX);
        self.lost += over.lost;
        self.remember(rows.get(..over.lost).unwrap_or_default());
        self.height = (self.height - gone).saturating_sub(over.kept).max(1);
        self.cursor.0 = self.cursor.0.saturating_sub(gone + over.kept).min(self.height - 1);
        self.assumed = match rows.is_empty() {
            true => Assumed::default(),
            false => Assumed {
                rows: rows.into_iter().take(above_rows).skip(over.lost).collect(),
                taken: self.cursor.0,
            },
        };
    }

    fn remember(&mut self, finished: &[Row]) {
        self.recent.extend(finished.iter().cloned());
        let extra = self.recent.len().saturating_sub(2 * self.size.rows);
        self.recent.drain(..extra);
    }

    /// Draws a frame, with `history` above it. Returns the bytes for the terminal; empty if nothing changed.
    pub fn draw(&mut self, history: &[Row], frame: &Frame) -> Vec<u8> {
        self.draw_with_images(history, &[], frame)
    }

    /// Draws a frame, with `history` and its images above it. Returns the bytes for the terminal.
    pub fn draw_with_images(&mut self, history: &[Row], images: &[PlacedImage], frame: &Frame) -> Vec<u8> {
        let frame = self.fitted(frame);
        let before = self.region();
        let (again, again_images) = std::mem::take(&mut self.again);
        let is_full = !history.is_empty() || self.drawn.is_none();
        let mut body = String::new();
        let mut changes = 0;
        if is_full {
            let above = self.draw_again(&again, &again_images, &mut body);
            self.draw_all(above, history, images, &frame, &mut body);
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
        let mut ask = "";
        self.remember(history);
        if self.abilities.tells_size {
            let assumed = std::mem::take(&mut self.assumed);
            let flight = self.flight.get_or_insert_with(|| Flight::new(before, assumed));
            flight.add_history(&again, &again_images, self.size.columns);
            flight.add_history(history, images, usize::MAX);
            flight.add();
            ask = ASK_SIZE;
        }
        let (on, off) = if self.abilities.synchronized { (SYNC_ON, SYNC_OFF) } else { ("", "") };
        format!("{on}{CURSOR_OFF}{WRAP_OFF}{body}{WRAP_ON}{off}{ask}").into_bytes()
    }

    fn region(&self) -> Region {
        let rows = self.drawn.clone().unwrap_or_default();
        Region { rows, height: self.height, cursor: self.cursor }
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

    /// Writes finished rows again, from the first row of the region on. They were made for a wider terminal, which wraps them.
    /// Returns how many rows they take.
    fn draw_again(&mut self, rows: &[Row], images: &[PlacedImage], out: &mut String) -> usize {
        if rows.is_empty() {
            return 0;
        }
        self.move_to_row(0, out);
        out.push('\r');
        let columns = self.size.columns;
        for (at, row) in rows.iter().enumerate() {
            let fits = row.width() <= columns;
            // A row is erased before it is written, so those it continues on are erased first.
            for _ in 1..wrapped(row, columns) {
                out.push_str("\x1b[2K\r\n");
            }
            if !fits {
                let _ = write!(out, "\x1b[2K\x1b[{}A{WRAP_ON}", wrapped(row, columns) - 1);
            }
            write_row(row, self.abilities.depth, out);
            if !fits {
                out.push_str(WRAP_OFF);
            }
            out.push_str("\r\n");
            self.draw_images(images, at, out);
        }
        rows.iter().map(|row| wrapped(row, columns)).sum()
    }

    fn draw_all(
        &mut self,
        above: usize,
        history: &[Row],
        images: &[PlacedImage],
        frame: &Frame,
        out: &mut String,
    ) {
        let depth = self.abilities.depth;
        if above == 0 {
            self.move_to_row(0, out);
            out.push('\r');
        }
        for (at, row) in history.iter().enumerate() {
            write_row(row, depth, out);
            out.push_str("\r\n");
            self.draw_images(images, at, out);
        }
        for (at, row) in frame.rows.iter().enumerate() {
            if at > 0 {
                out.push_str("\r\n");
            }
            write_row(row, depth, out);
        }
        // Rows of the old region below the new one.
        let written = above + history.len() + frame.rows.len();
        let left = self.height.saturating_sub(written);
        for _ in 0..left {
            out.push_str("\r\n\x1b[2K");
        }
        self.height = frame.rows.len();
        self.cursor.0 = (frame.rows.len() + left).saturating_sub(1);
        // The column is not known; placing the cursor sets it.
        self.cursor.1 = usize::MAX;
    }

    /// Draws the images that end in a finished row, once their rows are on the screen, so that they cannot scroll. Terminals
    /// move the cursor differently after an image; the saved position does not depend on that.
    fn draw_images(&self, images: &[PlacedImage], at: usize, out: &mut String) {
        let ends_here =
            |image: &&PlacedImage| image.row + image.rows == at + 1 && image.rows < self.size.rows;
        for image in images.iter().filter(ends_here) {
            let _ = write!(out, "\x1b7\x1b[{}A\r", image.rows);
            if image.column > 0 {
                let _ = write!(out, "\x1b[{}C", image.column);
            }
            let _ = write!(out, "{}\x1b8", image.sequence);
        }
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
