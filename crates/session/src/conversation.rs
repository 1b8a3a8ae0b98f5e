//! Conversation storage. The loop appends each message through one function, so that a store can write it before
//! anything else happens.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use thiserror::Error;
use toolsmith_llm::Message;

use super::{entry::EntryKind, session_log::SessionLog};

/// A message could not be stored. The run ends, because nothing may build on it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("The conversation could not be saved: {0}")]
pub struct ConversationError(pub String);

/// Stores the conversation. [`InMemory`] keeps it in memory; a session store writes it to a file.
#[async_trait]
pub trait Conversation: Send + Sync + fmt::Debug {
    /// Appends a message. It is stored once this returns.
    ///
    /// # Errors
    /// Fails if the message cannot be stored.
    async fn append(&self, message: Arc<Message>) -> Result<(), ConversationError>;

    /// Ends a turn. Once this returns, everything stored so far survives a crash of the machine, where the system
    /// allows it.
    ///
    /// # Errors
    /// Fails if the disk reports an error.
    async fn sync(&self) -> Result<(), ConversationError> {
        Ok(())
    }

    /// Returns what the model sees, oldest first.
    fn context(&self) -> Vec<Arc<Message>>;
}

/// A conversation in memory.
#[derive(Debug, Default)]
pub struct InMemory {
    messages: Mutex<Vec<Arc<Message>>>,
}

impl InMemory {
    /// Creates a conversation with these messages.
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

#[async_trait]
impl Conversation for SessionLog {
    async fn append(&self, message: Arc<Message>) -> Result<(), ConversationError> {
        Self::append(self, EntryKind::of_message(Arc::unwrap_or_clone(message)))
            .map(drop)
            .map_err(|error| ConversationError(error.to_string()))
    }

    async fn sync(&self) -> Result<(), ConversationError> {
        let session = self.clone();
        // Disk writes may take time.
        match tokio::task::spawn_blocking(move || Self::sync(&session)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(ConversationError(error.to_string())),
            Err(error) => Err(ConversationError(error.to_string())),
        }
    }

    fn context(&self) -> Vec<Arc<Message>> {
        Self::context(self)
    }
}
