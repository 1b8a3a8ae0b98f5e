//! The timers of a runtime: numbers and when they are due.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    time::{Duration, Instant},
};

/// Timers by number. Starting a number again moves it.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// When each running timer is due, and a ticket that makes older entries of the queue invalid.
    due: HashMap<u32, (Instant, u64)>,
    queue: BinaryHeap<Reverse<(Instant, u64, u32)>>,
    tickets: u64,
}

impl Timers {
    pub(crate) fn start(&mut self, number: u32, delay: Duration) {
        self.tickets += 1;
        let due = Instant::now() + delay;
        self.due.insert(number, (due, self.tickets));
        self.queue.push(Reverse((due, self.tickets, number)));
    }

    pub(crate) fn stop(&mut self, number: u32) {
        self.due.remove(&number);
    }

    /// When the next one is due.
    pub(crate) fn next_due(&mut self) -> Option<Instant> {
        loop {
            let Reverse((due, ticket, number)) = *self.queue.peek()?;
            if self.due.get(&number).is_some_and(|(_, current)| *current == ticket) {
                return Some(due);
            }
            self.queue.pop();
        }
    }

    /// Takes the next one, if it is due.
    pub(crate) fn take_due(&mut self) -> Option<u32> {
        let due = self.next_due()?;
        if due > Instant::now() {
            return None;
        }
        let Reverse((_, _, number)) = self.queue.pop()?;
        self.due.remove(&number);
        Some(number)
    }
}
