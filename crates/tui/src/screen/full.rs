//! The full-screen writer: the alternate screen, row by row, by difference.

use std::fmt::Write as _;

use super::{
    Abilities, Frame,
    cells::{change, write_row},
};
use crate::{text::Row, tty::Size};

/// Draws the alternate screen.
#[derive(Debug)]
pub struct FullScreen {
    size: Size,
    abilities: Abilities,
    drawn: Vec<Option<Row>>,
    shows_cursor: Option<bool>,
    cursor: Option<(usize, usize)>,
}

impl FullScreen {
    /// Creates a writer for a screen with unknown content.
    pub fn new(size: Size, abilities: Abilities) -> Self {
        Self { size, abilities, drawn: vec![None; size.rows], shows_cursor: None, cursor: None }
    }

    /// Adapts to a new size; everything is drawn again.
    pub fn resize(&mut self, size: Size) {
        *self = Self::new(size, self.abilities);
    }

    /// Draws a frame. Rows that are missing are empty. Returns the bytes for the terminal; empty if nothing changed.
    pub fn draw(&mut self, frame: &Frame) -> Vec<u8> {
        let mut body = String::new();
        let depth = self.abilities.depth;
        let empty = Row::new();
        for at in 0..self.size.rows {
            let new = frame.rows.get(at).unwrap_or(&empty).clone().cut(self.size.columns);
            let Some(drawn) = self.drawn.get_mut(at) else { continue };
            match drawn.as_ref().map(|old| change(old, &new, depth)) {
                Some(None) => continue,
                Some(Some(change)) => {
                    let _ = write!(body, "\x1b[{};{}H{}", at + 1, change.column + 1, change.bytes);
                }
                None => {
                    let _ = write!(body, "\x1b[{};1H", at + 1);
                    write_row(&new, depth, &mut body);
                }
            }
            *drawn = Some(new);
        }
        let cursor = (
            frame.cursor.0.min(self.size.rows.saturating_sub(1)),
            frame.cursor.1.min(self.size.columns.saturating_sub(1)),
        );
        let is_moved = self.cursor != Some(cursor);
        let is_toggled = self.shows_cursor != Some(frame.shows_cursor);
        if body.is_empty() && !is_moved && !is_toggled {
            return Vec::new();
        }
        let _ = write!(body, "\x1b[{};{}H", cursor.0 + 1, cursor.1 + 1);
        if frame.shows_cursor {
            body.push_str("\x1b[?25h");
        }
        (self.cursor, self.shows_cursor) = (Some(cursor), Some(frame.shows_cursor));
        let (on, off) = if self.abilities.synchronized { ("\x1b[?2026h", "\x1b[?2026l") } else { ("", "") };
        format!("{on}\x1b[?25l\x1b[?7l{body}\x1b[?7h{off}").into_bytes()
    }
}
