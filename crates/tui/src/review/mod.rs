//! Reviewing pending actions: the difference of each file, chosen file by file and hunk by hunk, then applied, discarded or
//! kept (CONTRACT 8.6).
//!
//! [`Review`] is a state machine without I/O: keys change it and may yield a [`ReviewDecision`]; rows are drawn from it.

mod action;
mod details;
mod draw;
mod lines;

use crate::input::{Key, KeyCode};

use toolsmith_tool::FileSelection;

use self::{
    action::Unread,
    lines::{Lines, Part},
};

pub(crate) use action::visible_diffs;
pub use action::{ReviewAction, ReviewFile};

/// The decision of the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewDecision {
    /// Apply the action with this id: all of it, or the chosen parts.
    Apply {
        /// The action.
        id: u64,
        /// The chosen parts; `None` for everything.
        parts: Option<Vec<FileSelection>>,
    },
    /// Discard the action with this id.
    Discard {
        /// The action.
        id: u64,
    },
    /// Leave everything pending.
    Keep,
}

/// A line of the list that the cursor can be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Item {
    file: usize,
    /// `None` is the file itself.
    hunk: Option<usize>,
}

/// The review of the pending actions.
#[derive(Clone, Debug)]
pub struct Review {
    actions: Vec<ReviewAction>,
    at: usize,
    item: usize,
    scroll: usize,
    columns: usize,
    /// Rows of the list.
    height: usize,
    message: Option<String>,
    /// Rows of details that were on the screen, from the first one on without a gap.
    read_details: usize,
}

/// Differences up to this many lines are shown open.
const OPEN_LINES: usize = 60;
/// Rows around the list: title, source, rule; rule, keys.
const FRAME_ROWS: usize = 5;

impl Review {
    /// Starts a review. The first action is the one that would be applied first.
    pub fn new(mut actions: Vec<ReviewAction>) -> Self {
        for action in &mut actions {
            let lines: usize = action.files.iter().map(ReviewFile::lines).sum();
            for (at, file) in action.files.iter_mut().enumerate() {
                file.is_open = lines <= OPEN_LINES || at == 0 && file.lines() <= OPEN_LINES;
            }
        }
        let mut review = Self {
            actions,
            at: 0,
            item: 0,
            scroll: 0,
            columns: 80,
            height: 16,
            message: None,
            read_details: 0,
        };
        review.measure();
        review
    }

    /// Sets the size that it is drawn in.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        self.columns = columns.max(1);
        self.height = rows.saturating_sub(FRAME_ROWS).max(1);
        self.measure();
        self.show_item();
    }

    fn measure(&mut self) {
        let columns = draw::diff_columns(self.columns);
        for action in &mut self.actions {
            for file in &mut action.files {
                file.measure(columns);
            }
            let details = action.details.as_mut();
            if details.is_some_and(|details| details.measure(draw::detail_columns(self.columns))) {
                // Other rows of another width: what was read is read again.
                self.read_details = 0;
            }
        }
    }

    /// Returns whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    /// Returns the action under review.
    pub fn action(&self) -> Option<&ReviewAction> {
        self.actions.get(self.at)
    }

    /// Replaces the actions after one was decided or staged. The choices of actions that are still there are kept.
    pub fn update(&mut self, actions: Vec<ReviewAction>) {
        let shown = self.action().map(|action| action.id);
        let mut old = std::mem::take(&mut self.actions);
        self.actions = Self::new(actions).actions;
        for action in &mut self.actions {
            if let Some(at) =
                old.iter().position(|known| known.id == action.id && known.has_same_files(action))
            {
                *action = old.swap_remove(at);
            }
        }
        let at = shown.and_then(|id| self.actions.iter().position(|action| action.id == id));
        if at.is_none() {
            (self.item, self.scroll, self.read_details) = (0, 0, 0);
        }
        self.at = at.unwrap_or(0);
        self.measure();
        self.show_item();
    }

    /// Shows a message in the place of the keys, such as the error of an action that could not be applied.
    pub fn set_message(&mut self, message: impl Into<String>) {
        self.message = Some(message.into());
    }

    /// Handles a key.
    pub fn key(&mut self, key: &Key) -> Option<ReviewDecision> {
        self.message = None;
        let is_plain = !key.modifiers.ctrl && !key.modifiers.alt;
        match key.code {
            KeyCode::Escape => return Some(ReviewDecision::Keep),
            KeyCode::Char('c' | 'd') if key.modifiers.ctrl => return Some(ReviewDecision::Keep),
            KeyCode::Up => self.up(),
            KeyCode::Down => self.down(),
            KeyCode::PageUp => self.scroll_by(-1),
            KeyCode::PageDown => self.scroll_by(1),
            KeyCode::Home => self.go_to(0),
            KeyCode::End => self.go_to(usize::MAX),
            KeyCode::Tab => self.next_action(if key.modifiers.shift { -1 } else { 1 }),
            KeyCode::Enter => self.fold(None),
            KeyCode::Left => self.fold(Some(false)),
            KeyCode::Right => self.fold(Some(true)),
            KeyCode::Char(c) if is_plain => return self.letter(c),
            _ => {}
        }
        None
    }

    fn letter(&mut self, c: char) -> Option<ReviewDecision> {
        match c {
            ' ' => self.toggle(),
            'k' => self.up(),
            'j' => self.down(),
            'n' | 'J' => self.go_to(self.item + 1),
            'p' | 'K' => self.go_to(self.item.saturating_sub(1)),
            '*' => self.choose_all(),
            'o' => self.open_all(),
            'a' | 'y' => return self.apply(false),
            'A' => return self.apply(true),
            'd' | 'x' => return self.action().map(|action| ReviewDecision::Discard { id: action.id }),
            'q' => return Some(ReviewDecision::Keep),
            _ => {}
        }
        None
    }

    /// Notes what is on the screen now. Only what was seen is applied.
    pub fn note_shown(&mut self) {
        let seen: Vec<Part> =
            self.lines().from(self.scroll).take(self.height).map(|line| line.part).collect();
        for part in seen {
            match part {
                Part::Diff(file, hunk, row) => {
                    if let Some(file) = self.file_mut(file) {
                        file.note_read(hunk, row);
                    }
                }
                Part::File(file) | Part::Hunk(file, _) => {
                    if let Some(file) = self.file_mut(file) {
                        file.note_named();
                    }
                }
                Part::Detail(row) if row == self.read_details => self.read_details = row + 1,
                Part::Detail(_) => {}
            }
        }
    }

    /// Goes to the first chosen part that was not on the screen. Returns whether there is one.
    fn go_to_unread(&mut self) -> bool {
        let Some(action) = self.action() else { return false };
        let unread = action.files.iter().enumerate().find_map(|(at, file)| Some((at, file.unread()?)));
        let place = match unread {
            Some((at, Unread::Name)) => Part::File(at),
            Some((at, Unread::Row(hunk, row))) => Part::Diff(at, hunk, row),
            None if self.read_details < action.detail_rows() => Part::Detail(self.read_details),
            None => return false,
        };
        if let (Part::Diff(file, ..), Some(action)) = (place, self.actions.get_mut(self.at))
            && let Some(file) = action.files.get_mut(file)
        {
            file.is_open = true;
        }
        let lines = self.lines();
        let (at, item) = lines.find(place).unwrap_or((0, self.item));
        self.item = item;
        self.scroll = at.min(lines.len().saturating_sub(self.height));
        true
    }

    fn apply(&mut self, unread: bool) -> Option<ReviewDecision> {
        let is_exec = self.action()?.tier == "exec";
        let must_read = is_exec || !unread;
        if must_read && self.action()?.void.is_none() && self.go_to_unread() {
            let more = if is_exec { "" } else { ", A applies it unread" };
            self.message = Some(format!("Not everything was shown yet: a goes on{more}."));
            return None;
        }
        let action = self.action()?;
        if let Some(reason) = &action.void {
            self.message = Some(format!("This action can no longer be applied: {reason}"));
            return None;
        }
        let id = action.id;
        match action.chosen() {
            Some(parts) if parts.is_empty() => {
                self.message = Some("Nothing is chosen. Press d to discard the action.".to_owned());
                None
            }
            parts => Some(ReviewDecision::Apply { id, parts }),
        }
    }

    fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for (at, file) in self.action().into_iter().flat_map(|action| action.files.iter().enumerate()) {
            items.push(Item { file: at, hunk: None });
            if file.is_open && file.shows_hunks() {
                items.extend((0..file.diff.hunks.len()).map(|hunk| Item { file: at, hunk: Some(hunk) }));
            }
        }
        items
    }

    fn current(&self) -> Option<Item> {
        self.items().get(self.item).copied()
    }

    fn file_mut(&mut self, at: usize) -> Option<&mut ReviewFile> {
        self.actions.get_mut(self.at)?.files.get_mut(at)
    }

    fn toggle(&mut self) {
        if self.action().is_some_and(|action| !action.can_split) {
            self.message =
                Some("The tool makes this change itself; it can only be applied as a whole.".to_owned());
            return;
        }
        if let Some(item) = self.current()
            && let Some(file) = self.file_mut(item.file)
        {
            file.toggle(item.hunk);
        }
    }

    fn choose_all(&mut self) {
        let Some(action) = self.actions.get_mut(self.at).filter(|action| action.can_split) else {
            return;
        };
        let all = action.files.iter().all(ReviewFile::is_chosen);
        for file in &mut action.files {
            file.choose(!all);
        }
    }

    fn open_all(&mut self) {
        let Some(action) = self.actions.get_mut(self.at) else {
            return;
        };
        let all = action.files.iter().all(|file| file.is_open);
        for file in &mut action.files {
            file.is_open = !all;
        }
        self.show_item();
    }

    fn fold(&mut self, open: Option<bool>) {
        let Some(item) = self.current() else {
            return;
        };
        if let Some(file) = self.file_mut(item.file) {
            file.is_open = open.unwrap_or(!file.is_open);
        }
        // A hunk that is no longer shown gives the cursor to its file.
        let header = self.items().iter().position(|known| known.file == item.file && known.hunk.is_none());
        if item.hunk.is_some() && !self.items().contains(&item) {
            self.item = header.unwrap_or(0);
        }
        self.show_item();
    }

    fn next_action(&mut self, step: isize) {
        let count = self.actions.len();
        if count < 2 {
            return;
        }
        self.at = self.at.checked_add_signed(step).unwrap_or(count - 1) % count;
        (self.item, self.scroll, self.read_details) = (0, 0, 0);
    }

    fn go_to(&mut self, item: usize) {
        self.item = item.min(self.items().len().saturating_sub(1));
        self.show_item();
    }

    /// Goes to the next item, or scrolls where the current one goes on below the screen.
    fn down(&mut self) {
        let (_, last) = self.lines_of(self.item);
        if last >= self.scroll + self.height {
            self.scroll += 1;
        } else {
            self.go_to(self.item + 1);
        }
    }

    fn up(&mut self) {
        let (first, _) = self.lines_of(self.item);
        if first < self.scroll {
            self.scroll -= 1;
        } else if self.item == 0 {
            self.scroll = 0;
        } else {
            self.item -= 1;
            let (first, last) = self.lines_of(self.item);
            // Coming from below, the end of a long item is seen first.
            if first < self.scroll {
                self.scroll = first.max((last + 1).saturating_sub(self.height));
            }
        }
    }

    fn scroll_by(&mut self, pages: isize) {
        let lines = self.lines();
        let most = lines.len().saturating_sub(self.height);
        let step = isize::try_from(self.height).unwrap_or(1) * pages;
        self.scroll = self.scroll.checked_add_signed(step).unwrap_or(0).min(most);
        // The cursor follows what is seen.
        let (first, last) = lines.of_item(self.item);
        if last < self.scroll || first >= self.scroll + self.height {
            self.item = lines.item_from(self.scroll).unwrap_or(self.item);
        }
    }

    /// Scrolls so that the current item is seen, whole if it fits.
    fn show_item(&mut self) {
        self.item = self.item.min(self.items().len().saturating_sub(1));
        let (first, last) = self.lines_of(self.item);
        if last >= self.scroll + self.height {
            self.scroll = (last + 1).saturating_sub(self.height);
        }
        if first < self.scroll {
            self.scroll = first;
        }
        self.scroll = self.scroll.min(self.lines().len().saturating_sub(self.height));
    }

    /// The first and last line of an item.
    fn lines_of(&self, item: usize) -> (usize, usize) {
        self.lines().of_item(item)
    }

    fn lines(&self) -> Lines {
        self.action().map(Lines::new).unwrap_or_default()
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
