//! Message queues: steering is delivered before the next request, follow-ups when the agent would stop.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};
use toolsmith_llm::Message;

/// Number of queued messages delivered at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum QueueMode {
    /// The oldest one.
    #[default]
    OneAtATime,
    /// All of them.
    All,
}

/// Delivery modes of both queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueModes {
    /// Delivery of steering messages.
    pub steering: QueueMode,
    /// Delivery of follow-ups.
    pub follow_up: QueueMode,
}

/// Number of messages in both queues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queued {
    /// Messages queued for the next request.
    pub steering: usize,
    /// Messages queued for the end of the run.
    pub follow_up: usize,
}

/// Selects a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Steering,
    FollowUp,
}

#[derive(Debug, Default)]
struct Waiting {
    steering: VecDeque<Message>,
    follow_up: VecDeque<Message>,
    steering_mode: QueueMode,
    follow_up_mode: QueueMode,
}

impl Waiting {
    fn lane(&mut self, lane: Lane) -> &mut VecDeque<Message> {
        match lane {
            Lane::Steering => &mut self.steering,
            Lane::FollowUp => &mut self.follow_up,
        }
    }
}

/// Both queues. An abort does not change them.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    waiting: Mutex<Waiting>,
}

impl Queues {
    pub(crate) fn new(steering_mode: QueueMode, follow_up_mode: QueueMode) -> Self {
        let waiting = Waiting { steering_mode, follow_up_mode, ..Waiting::default() };
        Self { waiting: Mutex::new(waiting) }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, lane: Lane, message: Message) {
        self.lock().lane(lane).push_back(message);
    }

    pub(crate) fn modes(&self) -> QueueModes {
        let waiting = self.lock();
        QueueModes { steering: waiting.steering_mode, follow_up: waiting.follow_up_mode }
    }

    pub(crate) fn set_mode(&self, lane: Lane, mode: QueueMode) {
        let mut waiting = self.lock();
        match lane {
            Lane::Steering => waiting.steering_mode = mode,
            Lane::FollowUp => waiting.follow_up_mode = mode,
        }
    }

    pub(crate) fn take(&self, lane: Lane) -> Vec<Message> {
        let mut waiting = self.lock();
        let mode = match lane {
            Lane::Steering => waiting.steering_mode,
            Lane::FollowUp => waiting.follow_up_mode,
        };
        let queue = waiting.lane(lane);
        let count = match mode {
            QueueMode::All => queue.len(),
            QueueMode::OneAtATime => queue.len().min(1),
        };
        queue.drain(..count).collect()
    }

    pub(crate) fn counts(&self) -> Queued {
        let waiting = self.lock();
        Queued { steering: waiting.steering.len(), follow_up: waiting.follow_up.len() }
    }

    pub(crate) fn clear(&self) -> Vec<Message> {
        let mut waiting = self.lock();
        let mut all: Vec<Message> = waiting.steering.drain(..).collect();
        all.extend(waiting.follow_up.drain(..));
        all
    }
}
