//! The timers of a runtime.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    time::{Duration, Instant},
};

/// Timers by number. Starting a number again moves it.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// Due time of each running timer, and a ticket that invalidates older queue entries.
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

    /// Returns when the next timer is due.
    pub(crate) fn next_due(&mut self) -> Option<Instant> {
        loop {
            let Reverse((due, ticket, number)) = *self.queue.peek()?;
            if self.due.get(&number).is_some_and(|(_, current)| *current == ticket) {
                return Some(due);
            }
            self.queue.pop();
        }
    }

    /// Takes the next timer, if it is due.
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
