//! The encoded form of a conversation. A turn only appends to a conversation, so everything before the model's last
//! message is encoded and serialised once and copied into every later request.
//!
//! Messages are compared by identity: a shared message is never changed, and the kept ones stay alive. A conversation
//! that was changed in any other way than by appending is encoded again from its start.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use super::history::{Block, Turn};
use crate::{
    config::{ApiKind, Quirks},
    message::Message,
    model::Model,
    request::Request,
};

/// Keeps the encoded form of one conversation between requests.
#[derive(Debug, Default)]
pub struct EncodedHistory {
    kept: Mutex<Option<Kept>>,
}

/// The part of a conversation that later messages cannot change, for one model.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The messages.
    messages: Vec<Arc<Message>>,
    /// The message after them, which ends the part. Without it, their last item could still be extended or marked as the
    /// end of the conversation.
    next: Option<Arc<Message>>,
    /// Ids of their calls, as sent.
    pub(super) used_ids: HashSet<String>,
    /// Ids of their calls, as received.
    call_ids: Arc<HashSet<String>>,
    /// Their items in the request, separated by commas.
    items: Arc<Vec<u8>>,
    /// The inputs of the encoding besides the messages.
    made_for: Option<(ApiKind, Quirks, Model)>,
}

impl Kept {
    /// Returns the number of messages.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns whether no item was encoded.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the items, separated by commas.
    pub(super) fn items(&self) -> Arc<Vec<u8>> {
        Arc::clone(&self.items)
    }

    fn fits(&self, api: ApiKind, quirks: &Quirks, model: &Model) -> bool {
        self.made_for.as_ref().is_some_and(|(kept_api, kept_quirks, kept_model)| {
            *kept_api == api && kept_quirks == quirks && kept_model == model
        })
    }

    fn starts(&self, messages: &[Arc<Message>]) -> bool {
        let known = self.messages.iter().chain(&self.next);
        let is_ended = self.messages.is_empty() || self.next.is_some();
        is_ended
            && messages.len() >= known.clone().count()
            && known.zip(messages).all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// Adds the messages up to `end`, which were encoded as `items`.
    pub(super) fn extend(&mut self, request: &Request<'_>, end: usize, items: &[Value]) {
        if let Some((messages, _)) = request.shared() {
            let added = messages.get(self.messages.len()..end).unwrap_or_default();
            let call_ids = Arc::make_mut(&mut self.call_ids);
            call_ids.extend(added.iter().flat_map(|message| ids_of(message)));
            self.messages.extend(added.iter().cloned());
            self.next = messages.get(end).cloned();
        }
        write_items(items, Arc::make_mut(&mut self.items));
    }
}

impl EncodedHistory {
    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the kept part if it is the start of this request's conversation; else an empty one.
    pub(super) fn take(request: &Request<'_>, api: ApiKind, quirks: &Quirks) -> Kept {
        let kept = request.shared().and_then(|(messages, history)| {
            let kept = history.kept().take()?;
            (kept.fits(api, quirks, request.model) && kept.starts(messages)).then_some(kept)
        });
        kept.unwrap_or_else(|| Kept {
            made_for: Some((api, quirks.clone(), request.model.clone())),
            ..Kept::default()
        })
    }

    /// Stores the kept part for the next request of this conversation.
    pub(super) fn put(request: &Request<'_>, kept: Kept) {
        if let Some((_, history)) = request.shared() {
            *history.kept() = Some(kept);
        }
    }

    /// Returns the ids of the calls in `messages`: shared ones of the kept start, and those of the rest.
    pub(crate) fn call_ids(request: &Request<'_>) -> (Arc<HashSet<String>>, HashSet<String>) {
        let shared = request.shared().and_then(|(messages, history)| {
            let kept = history.kept();
            let kept = kept.as_ref().filter(|kept| kept.starts(messages))?;
            Some((Arc::clone(&kept.call_ids), kept.len()))
        });
        let (earlier, known) = shared.unwrap_or_default();
        let rest = request.messages.iter().skip(known).flat_map(|message| ids_of(message)).collect();
        (earlier, rest)
    }
}

fn ids_of(message: &Message) -> impl Iterator<Item = String> {
    let answer = match message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    };
    answer.into_iter().flat_map(|answer| answer.tool_calls().map(|call| call.id.clone()))
}

/// Returns the index of the last turn that nothing before it depends on: a response that follows something else. Formats
/// join neighbours of one role, and results belong to the response before them.
pub(super) fn last_boundary(turns: &[Turn<'_>]) -> usize {
    let is_boundary = |at: &usize| {
        matches!(turns[*at], Turn::Assistant(_)) && !matches!(turns[*at - 1], Turn::Assistant(_))
    };
    (1..turns.len()).rev().find(is_boundary).unwrap_or(0)
}

/// Removes the ids that these turns use.
pub(super) fn release_ids(turns: &[Turn<'_>], used: &mut HashSet<String>) {
    for turn in turns {
        if let Turn::Assistant(blocks) = turn {
            for block in blocks {
                if let Block::Call { id, .. } = block {
                    used.remove(id.as_ref());
                }
            }
        }
    }
}

/// Appends items to a list without its brackets.
pub(super) fn write_items(items: &[Value], to: &mut Vec<u8>) {
    for item in items {
        if !to.is_empty() {
            to.push(b',');
        }
        // Writing JSON values to memory cannot fail.
        let _ = serde_json::to_writer(&mut *to, item);
    }
}

#[cfg(test)]
#[path = "encoded_history_tests.rs"]
mod tests;
