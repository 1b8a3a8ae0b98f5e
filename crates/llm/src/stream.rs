//! What comes out of a provider while a model answers: events in a fixed order, and the message they add up to.

use async_trait::async_trait;
use serde::Serialize;
use toolsmith_tool::CancelToken;

use crate::{
    error::LlmError,
    message::{AssistantMessage, StopReason, ToolCall},
    reply::Reply,
};

/// One step of an answer. A `Start` comes first, `Done` or `Error` comes last and once; an answer that failed before
/// the provider accepted the request is an `Error` alone. Blocks may be open side by side; `content_index` is a
/// block's place in the message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum StreamEvent {
    /// The provider accepted the request.
    Start,
    /// A text begins.
    TextStart {
        /// Its place.
        content_index: usize,
    },
    /// A text grew.
    TextDelta {
        /// Its place.
        content_index: usize,
        /// By this much.
        delta: String,
    },
    /// A text is whole.
    TextEnd {
        /// Its place.
        content_index: usize,
        /// All of it.
        content: String,
    },
    /// Thinking begins.
    ThinkingStart {
        /// Its place.
        content_index: usize,
    },
    /// Thinking grew.
    ThinkingDelta {
        /// Its place.
        content_index: usize,
        /// By this much.
        delta: String,
    },
    /// Thinking is whole.
    ThinkingEnd {
        /// Its place.
        content_index: usize,
        /// All of it.
        content: String,
    },
    /// A call begins.
    #[serde(rename = "toolcall_start")]
    ToolCallStart {
        /// Its place.
        content_index: usize,
        /// Its id, final.
        id: String,
        /// The tool.
        name: String,
    },
    /// A call's arguments grew.
    #[serde(rename = "toolcall_delta")]
    ToolCallDelta {
        /// Its place.
        content_index: usize,
        /// By this much JSON text.
        delta: String,
    },
    /// A call is whole.
    #[serde(rename = "toolcall_end")]
    ToolCallEnd {
        /// Its place.
        content_index: usize,
        /// The call.
        tool_call: ToolCall,
    },
    /// The answer is whole.
    Done {
        /// Why it ended: `Stop`, `Length` or `ToolUse`.
        reason: StopReason,
        /// All of it.
        message: AssistantMessage,
    },
    /// The answer is not whole and will not be.
    Error {
        /// `Error` or `Aborted`.
        reason: StopReason,
        /// What happened.
        #[serde(skip)]
        error: LlmError,
        /// What had arrived.
        message: AssistantMessage,
    },
}

/// Where a reply comes from: a connection, a script, or whatever a [`crate::Provider`] of your own reads.
#[async_trait]
pub trait ReplySource: Send {
    /// Waits for more and writes it into `reply`, ending with [`Reply::finish`]. Called again until then. Dropping the
    /// future, or the source, has to end the work behind it.
    ///
    /// # Errors
    /// Ends the reply.
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError>;
}

/// An answer while it comes in. Nothing happens unless it is polled; dropping it closes the connection.
#[must_use = "nothing is asked of the model until the stream is read"]
pub struct EventStream {
    source: Option<Box<dyn ReplySource>>,
    reply: Reply,
    cancel: CancelToken,
}

impl EventStream {
    /// Reads `source` into `reply` until it ends or `cancel` is tripped.
    pub fn new(source: Box<dyn ReplySource>, reply: Reply, cancel: CancelToken) -> Self {
        Self { source: Some(source), reply, cancel }
    }

    /// The next event; `None` after the last. A cancel is heeded at once: what was not yet taken is dropped, what had
    /// arrived is in the last event's message.
    pub async fn next(&mut self) -> Option<StreamEvent> {
        loop {
            if !self.reply.is_finished() && self.cancel.is_cancelled() {
                self.abort();
            }
            if let Some(event) = self.reply.take_event() {
                return Some(event);
            }
            if self.reply.is_finished() {
                self.source = None;
                return None;
            }
            let Some(source) = &mut self.source else {
                return None;
            };
            let outcome = tokio::select! {
                biased;
                () = self.cancel.cancelled() => continue,
                outcome = source.advance(&mut self.reply) => outcome,
            };
            let outcome = outcome.and_then(|()| self.reply.over_limit().map_or(Ok(()), Err));
            if let Err(error) = outcome {
                self.source = None;
                self.reply.fail(error);
            }
        }
    }

    /// What has arrived so far.
    pub fn partial(&self) -> &AssistantMessage {
        self.reply.message()
    }

    /// Reads to the end.
    ///
    /// # Errors
    /// When the answer did not come whole.
    pub async fn finish(mut self) -> Result<AssistantMessage, LlmError> {
        while let Some(event) = self.next().await {
            match event {
                StreamEvent::Done { message, .. } => return Ok(message),
                StreamEvent::Error { error, .. } => return Err(error),
                _ => {}
            }
        }
        Err(LlmError::invalid("the stream was already read to its end"))
    }

    fn abort(&mut self) {
        // The connection goes first: whatever the reader does next, the provider stops working.
        self.source = None;
        self.reply.forget_events();
        self.reply.fail(LlmError::aborted(self.cancel.reason()));
    }
}

impl std::fmt::Debug for EventStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventStream").field("reply", &self.reply).finish_non_exhaustive()
    }
}
