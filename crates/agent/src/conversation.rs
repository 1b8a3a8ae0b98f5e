//! Where the conversation is kept. The loop appends each message through one function, so that a store can write it down
//! before anything else happens.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use thiserror::Error;
use toolsmith_llm::Message;

/// A message could not be kept. The run ends: what is not kept must not be built on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("The conversation could not be saved: {0}")]
pub struct ConversationError(pub String);

/// Keeps the conversation. [`InMemory`] forgets it with the program; a session store keeps it in a file.
#[async_trait]
pub trait Conversation: Send + Sync + fmt::Debug {
    /// Adds a message. Once this returns, the message is kept.
    ///
    /// # Errors
    /// When it cannot be kept.
    async fn append(&self, message: Arc<Message>) -> Result<(), ConversationError>;

    /// A turn is over. Once this returns, everything kept so far outlives the machine, where that can be had.
    ///
    /// # Errors
    /// When the disk refuses.
    async fn sync(&self) -> Result<(), ConversationError> {
        Ok(())
    }

    /// What the model is to see of it, oldest first.
    fn context(&self) -> Vec<Arc<Message>>;
}

/// A conversation that ends with the program.
#[derive(Debug, Default)]
pub struct InMemory {
    messages: Mutex<Vec<Arc<Message>>>,
}

impl InMemory {
    /// A conversation that goes on from these messages.
    pub fn new(messages: impl IntoIterator<Item = Message>) -> Self {
        Self { messages: Mutex::new(messages.into_iter().map(Arc::new).collect()) }
    }
}

#[async_trait]
impl Conversation for InMemory {
    async fn append(&self, message: Arc<Message>) -> Result<(), ConversationError> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        Ok(())
    }

    fn context(&self) -> Vec<Arc<Message>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
