//! Questions that the client has not answered yet. A question nobody waits for any more is cancelled.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::oneshot;

use super::{frame::Frame, outgoing::Outgoing};

/// Open questions of one kind. `E` is what is needed to validate an answer `A`.
pub(super) struct Questions<E, A> {
    prefix: &'static str,
    /// Cancels a question.
    withdraw: fn(String) -> Frame,
    outgoing: Arc<Outgoing>,
    next: AtomicU64,
    /// `None` once the client is gone.
    open: Mutex<Option<HashMap<String, Open<E, A>>>>,
}

struct Open<E, A> {
    expected: E,
    sender: oneshot::Sender<A>,
}

impl<E, A> Questions<E, A> {
    /// Creates an empty set; ids start with `prefix`.
    pub(super) fn new(
        prefix: &'static str,
        outgoing: Arc<Outgoing>,
        withdraw: fn(String) -> Frame,
    ) -> Arc<Self> {
        let open = Mutex::new(Some(HashMap::new()));
        Arc::new(Self { prefix, withdraw, outgoing, next: AtomicU64::new(1), open })
    }

    fn lock(&self) -> MutexGuard<'_, Option<HashMap<String, Open<E, A>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates an id for a question, or for something that needs no answer.
    pub(super) fn next_id(&self) -> String {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Asks a question. Dropping the returned handle cancels it.
    pub(super) fn ask(self: &Arc<Self>, expected: E, frame: impl FnOnce(String) -> Frame) -> Asked<E, A> {
        let id = self.next_id();
        let (sender, receiver) = oneshot::channel();
        let is_asked = match self.lock().as_mut() {
            Some(open) => {
                open.insert(id.clone(), Open { expected, sender });
                true
            }
            None => false,
        };
        if is_asked {
            self.outgoing.send(&frame(id.clone()));
        }
        Asked { id, receiver, questions: Arc::clone(self), is_withdrawn: false }
    }

    /// Handles an answer. An invalid one leaves the question open.
    pub(super) fn answer(&self, id: &str, judge: impl FnOnce(&E) -> Result<A, String>) -> Result<(), String> {
        let mut open = self.lock();
        let questions = open.as_mut().ok_or_else(|| unknown(id))?;
        let answer = judge(&questions.get(id).ok_or_else(|| unknown(id))?.expected)?;
        if let Some(question) = questions.remove(id) {
            // The asker may disappear at this very moment.
            let _ = question.sender.send(answer);
        }
        Ok(())
    }

    /// Inspects an open question.
    pub(super) fn with<R>(&self, id: &str, look: impl FnOnce(&E) -> R) -> Result<R, String> {
        let open = self.lock();
        let question = open.as_ref().and_then(|open| open.get(id)).ok_or_else(|| unknown(id))?;
        Ok(look(&question.expected))
    }

    /// Ends all open and later questions without an answer.
    pub(super) fn close(&self) {
        self.lock().take();
    }
}

fn unknown(id: &str) -> String {
    let id: String = id.chars().take(100).collect();
    format!("no open question has the id \"{id}\": it was answered, cancelled or never asked")
}

/// An open question.
pub(super) struct Asked<E, A> {
    id: String,
    receiver: oneshot::Receiver<A>,
    questions: Arc<Questions<E, A>>,
    is_withdrawn: bool,
}

impl<E, A> Asked<E, A> {
    /// Waits for the answer; `None` if the client is gone.
    pub(super) async fn answer(&mut self) -> Option<A> {
        (&mut self.receiver).await.ok()
    }

    /// Tells the client that no answer is needed. An answer that still arrives is used.
    pub(super) fn withdraw(&mut self) {
        let is_open = self.questions.lock().as_ref().is_some_and(|open| open.contains_key(&self.id));
        if is_open && !std::mem::replace(&mut self.is_withdrawn, true) {
            self.questions.outgoing.send(&(self.questions.withdraw)(self.id.clone()));
        }
    }
}

impl<E, A> Drop for Asked<E, A> {
    fn drop(&mut self) {
        self.withdraw();
        if let Some(open) = self.questions.lock().as_mut() {
            open.remove(&self.id);
        }
    }
}
