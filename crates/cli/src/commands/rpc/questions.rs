//! What the client was asked and has not answered yet. A question that nobody waits for any more is taken back.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::oneshot;

use super::{frame::Frame, outgoing::Outgoing};

/// Open questions of one kind. `E` is what has to be known to judge an answer `A`.
pub(super) struct Questions<E, A> {
    prefix: &'static str,
    /// How a question is taken back.
    withdraw: fn(String) -> Frame,
    outgoing: Arc<Outgoing>,
    next: AtomicU64,
    /// `None` once nobody can be asked any more.
    open: Mutex<Option<HashMap<String, Open<E, A>>>>,
}

struct Open<E, A> {
    expected: E,
    sender: oneshot::Sender<A>,
}

impl<E, A> Questions<E, A> {
    /// No questions yet; their ids begin with `prefix`.
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

    /// An id for a question, or for something that wants no answer.
    pub(super) fn next_id(&self) -> String {
        format!("{}-{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Asks. Dropping what comes back takes the question back.
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

    /// Takes an answer. A wrong one leaves the question open.
    pub(super) fn answer(&self, id: &str, judge: impl FnOnce(&E) -> Result<A, String>) -> Result<(), String> {
        let mut open = self.lock();
        let questions = open.as_mut().ok_or_else(|| unknown(id))?;
        let answer = judge(&questions.get(id).ok_or_else(|| unknown(id))?.expected)?;
        if let Some(question) = questions.remove(id) {
            // Whoever asked may be gone at this very moment.
            let _ = question.sender.send(answer);
        }
        Ok(())
    }

    /// Looks at an open question.
    pub(super) fn with<R>(&self, id: &str, look: impl FnOnce(&E) -> R) -> Result<R, String> {
        let open = self.lock();
        let question = open.as_ref().and_then(|open| open.get(id)).ok_or_else(|| unknown(id))?;
        Ok(look(&question.expected))
    }

    /// Nobody answers any more: open questions end without an answer, and so do later ones.
    pub(super) fn close(&self) {
        self.lock().take();
    }
}

fn unknown(id: &str) -> String {
    let id: String = id.chars().take(100).collect();
    format!("Nothing with the id \"{id}\" waits for an answer: it was answered, taken back, or never asked.")
}

/// A question that was asked.
pub(super) struct Asked<E, A> {
    id: String,
    receiver: oneshot::Receiver<A>,
    questions: Arc<Questions<E, A>>,
    is_withdrawn: bool,
}

impl<E, A> Asked<E, A> {
    /// The answer; `None` when nobody can give one any more.
    pub(super) async fn answer(&mut self) -> Option<A> {
        (&mut self.receiver).await.ok()
    }

    /// Tells the client that no answer is needed. One that comes nevertheless still counts.
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
