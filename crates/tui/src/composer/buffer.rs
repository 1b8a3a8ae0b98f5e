//! Text with a cursor, undo and a kill ring. The cursor is a byte offset at a grapheme boundary.

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation as _};

/// Undo steps kept.
const MAX_UNDO: usize = 200;
/// Bytes of all undo steps. The last one is kept however long it is.
const MAX_UNDO_BYTES: usize = 8 << 20;
/// Bytes that are searched for the end of a word.
const MAX_WORD: usize = 4 << 10;
/// Killed texts kept.
const MAX_KILLED: usize = 30;

/// Kind of the last command, for commands that continue it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Other,
    /// Typed a character of a word.
    Typed,
    Killed,
    /// Inserted killed text: where it starts, and how many texts back it was.
    Yanked(usize, usize),
}

/// Editable text.
#[derive(Clone, Debug, Default)]
pub struct Buffer {
    text: String,
    cursor: usize,
    undo: Vec<(String, usize)>,
    killed: Vec<String>,
    last: Last,
}

impl Buffer {
    /// Creates a buffer with the cursor at the end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text, ..Self::default() }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Returns the text before the cursor.
    pub fn before(&self) -> &str {
        self.text.get(..self.cursor).unwrap_or_default()
    }

    /// Returns the text after the cursor.
    pub fn after(&self) -> &str {
        self.text.get(self.cursor..).unwrap_or_default()
    }

    /// Replaces the text, which can be undone. The cursor is at the end.
    pub fn set(&mut self, text: impl Into<String>) {
        self.remember();
        self.text = text.into();
        self.cursor = self.text.len();
        self.last = Last::Other;
    }

    /// Moves the cursor to an offset; one inside a character moves to its start.
    pub fn move_to(&mut self, offset: usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        self.cursor = offset;
        self.last = Last::Other;
    }

    /// Inserts text at the cursor.
    pub fn insert(&mut self, text: &str) {
        let is_word = text.chars().all(|c| !c.is_whitespace());
        if !(self.last == Last::Typed && is_word) {
            self.remember();
        }
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
        self.last = if is_word && text.chars().count() == 1 { Last::Typed } else { Last::Other };
    }

    /// Replaces a range of the text; the cursor is after the new text.
    pub fn replace(&mut self, range: std::ops::Range<usize>, text: &str) {
        if self.text.get(range.clone()).is_none() {
            return;
        }
        self.remember();
        self.text.replace_range(range.clone(), text);
        self.cursor = range.start + text.len();
        self.last = Last::Other;
    }

    fn remember(&mut self) {
        let state = (self.text.clone(), self.cursor);
        if self.undo.last() != Some(&state) {
            self.undo.push(state);
        }
        let mut bytes: usize = self.undo.iter().map(|(text, _)| text.len()).sum();
        while self.undo.len() > MAX_UNDO || (bytes > MAX_UNDO_BYTES && self.undo.len() > 1) {
            bytes -= self.undo.remove(0).0.len();
        }
    }

    /// Reverts the last change.
    pub fn undo(&mut self) {
        while let Some((text, cursor)) = self.undo.pop() {
            let is_change = text != self.text;
            (self.text, self.cursor, self.last) = (text, cursor, Last::Other);
            if is_change {
                break;
            }
        }
    }

    fn previous(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.prev_boundary(&self.text, 0).ok().flatten().unwrap_or(0)
    }

    fn next(&self) -> usize {
        let mut cursor = GraphemeCursor::new(self.cursor, self.text.len(), true);
        cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(self.text.len())
    }

    fn word_start(&self) -> usize {
        let from = self.text.floor_char_boundary(self.cursor.saturating_sub(MAX_WORD));
        let near = self.text.get(from..self.cursor).unwrap_or_default();
        let words: Vec<_> = near.split_word_bound_indices().collect();
        let word = words.iter().rev().find(|(_, word)| !word.chars().all(char::is_whitespace));
        word.map_or(from, |(at, _)| from + at)
    }

    fn word_end(&self) -> usize {
        let to = self.text.floor_char_boundary(self.cursor + MAX_WORD);
        let mut words = self.text.get(self.cursor..to).unwrap_or_default().split_word_bound_indices();
        let word = words.find(|(_, word)| !word.chars().all(char::is_whitespace));
        word.map_or(to, |(at, word)| self.cursor + at + word.len())
    }

    /// Returns the start of the cursor's line.
    pub fn line_start(&self) -> usize {
        self.before().rfind('\n').map_or(0, |at| at + 1)
    }

    /// Returns the end of the cursor's line.
    pub fn line_end(&self) -> usize {
        self.after().find('\n').map_or(self.text.len(), |at| self.cursor + at)
    }

    /// Moves one character left.
    pub fn left(&mut self) {
        self.move_to(self.previous());
    }

    /// Moves one character right.
    pub fn right(&mut self) {
        self.move_to(self.next());
    }

    /// Moves one word left.
    pub fn word_left(&mut self) {
        self.move_to(self.word_start());
    }

    /// Moves one word right.
    pub fn word_right(&mut self) {
        self.move_to(self.word_end());
    }

    /// Moves to a character after or before the cursor, if there is one.
    pub fn jump(&mut self, c: char, forward: bool) {
        let found = match forward {
            true => {
                let from = self.next();
                self.text.get(from..).and_then(|rest| rest.find(c)).map(|at| from + at)
            }
            false => self.before().rfind(c),
        };
        if let Some(at) = found {
            self.move_to(at);
        }
    }

    fn delete(&mut self, from: usize, to: usize) -> String {
        let Some(text) = self.text.get(from..to).map(str::to_owned) else { return String::new() };
        if text.is_empty() {
            return text;
        }
        self.remember();
        self.text.replace_range(from..to, "");
        self.cursor = from;
        text
    }

    /// Deletes the character before the cursor.
    pub fn backspace(&mut self) {
        self.delete(self.previous(), self.cursor);
        self.last = Last::Other;
    }

    /// Deletes the character at the cursor.
    pub fn delete_forward(&mut self) {
        self.delete(self.cursor, self.next());
        self.last = Last::Other;
    }

    fn kill(&mut self, from: usize, to: usize) {
        let is_backward = to == self.cursor;
        let text = self.delete(from, to);
        if text.is_empty() {
            return;
        }
        // Texts killed one after the other are one.
        match self.killed.last_mut().filter(|_| self.last == Last::Killed) {
            Some(last) if is_backward => last.insert_str(0, &text),
            Some(last) => last.push_str(&text),
            None => {
                self.killed.push(text);
                if self.killed.len() > MAX_KILLED {
                    self.killed.remove(0);
                }
            }
        }
        self.last = Last::Killed;
    }

    /// Kills the word before the cursor.
    pub fn kill_word_backward(&mut self) {
        self.kill(self.word_start(), self.cursor);
    }

    /// Kills the word after the cursor.
    pub fn kill_word_forward(&mut self) {
        self.kill(self.cursor, self.word_end());
    }

    /// Kills to the start of the line, or the line break before it.
    pub fn kill_to_line_start(&mut self) {
        let start = self.line_start();
        self.kill(if start == self.cursor { self.previous() } else { start }, self.cursor);
    }

    /// Kills to the end of the line, or the line break there.
    pub fn kill_to_line_end(&mut self) {
        let end = self.line_end();
        self.kill(self.cursor, if end == self.cursor { self.next() } else { end });
    }

    /// Inserts the last killed text.
    pub fn yank(&mut self) {
        let Some(text) = self.killed.last().cloned() else { return };
        let at = self.cursor;
        self.insert(&text);
        self.last = Last::Yanked(at, 0);
    }

    /// Replaces yanked text with the one killed before it.
    pub fn yank_pop(&mut self) {
        let Last::Yanked(at, back) = self.last else { return };
        let back = (back + 1) % self.killed.len().max(1);
        let Some(text) = self.killed.iter().rev().nth(back).cloned() else { return };
        self.replace(at..self.cursor, &text);
        self.last = Last::Yanked(at, back);
    }
}
