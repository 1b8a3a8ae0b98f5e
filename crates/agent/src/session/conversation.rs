//! A session as the conversation the loop appends to.

use std::sync::Arc;

use async_trait::async_trait;
use toolsmith_llm::Message;

use super::{entry::EntryKind, session_log::SessionLog};
use crate::conversation::{Conversation, ConversationError};

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
