//! Events that nobody waits for: delivered one after another, in the order they were sent.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};
use toolsmith_tool::ToolContext;

use super::runner::Extensions;

/// Maximum number of events that wait. More are dropped: a module that cannot keep up must not fill the memory.
const MAX_WAITING: usize = 1000;

enum Item {
    Event(Box<(Extensions, &'static str, Value, ToolContext)>),
    Flush(oneshot::Sender<()>),
}

/// Delivers events in the background.
pub(super) struct Pump {
    runtime: Option<Handle>,
    /// Set up with the first event.
    sender: Mutex<Option<mpsc::UnboundedSender<Item>>>,
    waiting: Arc<AtomicUsize>,
}

impl Pump {
    pub(super) fn new(runtime: Option<Handle>) -> Self {
        Self { runtime, sender: Mutex::default(), waiting: Arc::default() }
    }

    /// Adds an event.
    pub(super) fn push(
        &self,
        extensions: &Extensions,
        event: &'static str,
        payload: Value,
        context: ToolContext,
    ) {
        if self.waiting.fetch_add(1, Ordering::SeqCst) >= MAX_WAITING {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            tracing::debug!(event, "an event was dropped because too many are waiting");
            return;
        }
        let item = Item::Event(Box::new((extensions.clone(), event, payload, context)));
        if !self.send(item) {
            self.waiting.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Waits until all events so far have been handled.
    pub(super) async fn flush(&self) {
        if self.waiting.load(Ordering::SeqCst) == 0 {
            return;
        }
        let (done, wait) = oneshot::channel();
        if self.send(Item::Flush(done)) {
            let _ = wait.await;
        }
    }

    fn send(&self, item: Item) -> bool {
        let Some(runtime) = &self.runtime else { return false };
        let mut sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = sender.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            runtime.spawn(run(receiver, Arc::clone(&self.waiting)));
            sender
        });
        sender.send(item).is_ok()
    }
}

async fn run(mut items: mpsc::UnboundedReceiver<Item>, waiting: Arc<AtomicUsize>) {
    while let Some(item) = items.recv().await {
        match item {
            Item::Event(event) => {
                let (extensions, name, payload, context) = *event;
                extensions.deliver(name, payload, &context).await;
                waiting.fetch_sub(1, Ordering::SeqCst);
            }
            Item::Flush(done) => {
                let _ = done.send(());
            }
        }
    }
}
