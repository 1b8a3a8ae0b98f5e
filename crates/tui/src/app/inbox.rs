//! The queue of events for the interface. Of events that replace each other, such as the text of one status, only the newest
//! waits, so that the queue stays small however much a tool sends (CONTRACT 9.2).

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use super::event::{Event, Slot};

/// Events that may wait before those are dropped which the interface can do without.
const MAX_WAITING: usize = 1000;

#[derive(Default)]
struct Queue {
    /// By the order they are handled in.
    events: BTreeMap<u64, Event>,
    /// The place of the event that waits for a slot.
    latest: HashMap<Slot, u64>,
    next: u64,
    is_closed: bool,
    /// Events are being dropped, which was logged.
    is_full: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    arrived: Notify,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends events to the interface. Clones send to the same queue.
#[derive(Clone, Default)]
pub(super) struct EventSender(Arc<Shared>);

impl std::fmt::Debug for EventSender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventSender").field("waiting", &self.0.lock().events.len()).finish()
    }
}

impl EventSender {
    /// Adds an event at the end. It replaces one that waits for the same slot. Does nothing once the interface has ended.
    pub(super) fn send(&self, event: Event) {
        // Dropped without the lock: an event may own a question, whose end sends another event.
        let _unused = self.0.lock().add(event);
        self.0.arrived.notify_one();
    }
}

impl Queue {
    /// Adds an event; returns the one that is not needed.
    fn add(&mut self, event: Event) -> Option<Event> {
        if self.is_closed {
            return Some(event);
        }
        let is_full = self.events.len() >= MAX_WAITING;
        if is_full && event.is_optional() {
            if !std::mem::replace(&mut self.is_full, true) {
                tracing::warn!("Requests of tools to the interface were dropped: too many are waiting");
            }
            return Some(event);
        }
        self.is_full &= is_full;
        let number = self.next;
        self.next += 1;
        let replaced = event.slot().and_then(|slot| self.latest.insert(slot, number));
        self.events.insert(number, event);
        replaced.and_then(|number| self.events.remove(&number))
    }

    fn take(&mut self) -> Option<Event> {
        let (number, event) = self.events.pop_first()?;
        if let Some(slot) = event.slot()
            && self.latest.get(&slot) == Some(&number)
        {
            self.latest.remove(&slot);
        }
        Some(event)
    }
}

/// The receiving end of the queue.
#[derive(Default)]
pub(super) struct Inbox(Arc<Shared>);

impl Inbox {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn sender(&self) -> EventSender {
        EventSender(Arc::clone(&self.0))
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.try_next() {
                return event;
            }
            self.0.arrived.notified().await;
        }
    }

    /// Returns the next event, if there is one already.
    pub(super) fn try_next(&mut self) -> Option<Event> {
        self.0.lock().take()
    }
}

impl Drop for Inbox {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_closed = true;
        let events = std::mem::take(&mut queue.events);
        queue.latest.clear();
        drop(queue);
        // Questions among them are answered as cancelled.
        drop(events);
    }
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
