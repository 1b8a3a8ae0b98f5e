//! The queue of panels.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::Panel;

/// A question takes keys after no key was pressed for this long; until then they belong to what was done before.
const QUIET_TIME: Duration = Duration::from_millis(600);
/// The same for the key that was pressed last, which may be held: keyboards wait up to a second before they repeat it.
const HELD_TIME: Duration = Duration::from_millis(1500);
/// Minimum time between a question and an answer to it: nobody reads faster.
pub const READING_TIME: Duration = Duration::from_millis(250);

struct Entry {
    id: u64,
    /// A tool or the dispatcher waits for an answer.
    is_asked: bool,
    panel: Box<dyn Panel>,
    /// When it appeared on the screen.
    shown: Option<Instant>,
    /// It takes keys.
    is_armed: bool,
}

/// Panels in the order they were opened; the first is shown.
#[derive(Default)]
pub struct Panels {
    entries: VecDeque<Entry>,
    /// Ids of panels that were closed before they arrived.
    closed: Vec<u64>,
    next: u64,
}

impl std::fmt::Debug for Panels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Panels").field("count", &self.entries.len()).finish_non_exhaustive()
    }
}

impl Panels {
    /// Adds a panel at the end of the queue.
    pub fn push(&mut self, id: Option<u64>, panel: Box<dyn Panel>) {
        if let Some(id) = id
            && let Some(at) = self.closed.iter().position(|closed| *closed == id)
        {
            self.closed.swap_remove(at);
            return;
        }
        let is_asked = id.is_some();
        let id = id.unwrap_or(u64::MAX - self.next);
        self.next += 1;
        self.entries.push_back(Entry { id, is_asked, panel, shown: None, is_armed: false });
    }

    /// Opens a panel above the one that is shown, as a panel that the person asked for.
    pub fn push_front(&mut self, panel: Box<dyn Panel>) {
        self.next += 1;
        let id = u64::MAX - self.next;
        self.entries.push_front(Entry { id, is_asked: false, panel, shown: None, is_armed: false });
    }

    /// Closes a panel that is no longer wanted.
    pub fn close(&mut self, id: u64) {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.id != id);
        if self.entries.len() == before {
            self.closed.push(id);
            if self.closed.len() > 100 {
                self.closed.remove(0);
            }
        }
    }

    /// Closes the panel that is shown.
    pub fn close_first(&mut self) {
        self.entries.pop_front();
    }

    /// Returns whether the panel that is shown is a question of a tool or the dispatcher: one that was opened with an id.
    pub fn is_asked(&self) -> bool {
        self.entries.front().is_some_and(|entry| entry.is_asked)
    }

    /// Closes all questions of tools and the dispatcher. They are answered as cancelled.
    pub fn close_asked(&mut self) {
        self.entries.retain(|entry| !entry.is_asked);
    }

    /// Closes all panels.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the panel that is shown.
    pub fn first(&mut self) -> Option<&mut dyn Panel> {
        self.entries.front_mut().map(|entry| &mut *entry.panel as &mut dyn Panel)
    }

    /// Notes that the first panel is on the screen.
    pub fn note_shown(&mut self, now: Instant) {
        if let Some(entry) = self.entries.front_mut() {
            entry.shown.get_or_insert(now);
        }
    }

    /// Returns whether a key is meant for the first panel. One pressed before a question could be read, or while keys keep
    /// coming, is not an answer to it. `last` is when the key before it was pressed, and whether it was the same key.
    pub fn takes_key(&mut self, last: Option<(Instant, bool)>, now: Instant) -> bool {
        let Some(entry) = self.entries.front_mut() else { return false };
        if !entry.panel.is_question() {
            return true;
        }
        let is_read = entry.shown.is_some_and(|shown| now.duration_since(shown) >= READING_TIME);
        let is_quiet = last.is_none_or(|(last, is_same)| {
            now.duration_since(last) >= if is_same { HELD_TIME } else { QUIET_TIME }
        });
        entry.is_armed |= is_read && is_quiet;
        entry.is_armed
    }

    /// Returns when the first panel closes by itself.
    pub fn closes_at(&self) -> Option<Instant> {
        self.entries.front().and_then(|entry| entry.panel.closes_at())
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
