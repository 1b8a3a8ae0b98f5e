//! Response streaming: events in a fixed order, and the message they form.

use async_trait::async_trait;
use serde::Serialize;
use toolsmith_tool::CancelToken;

use crate::{
    error::LlmError,
    message::{AssistantMessage, StopReason, ToolCall},
    reply::Reply,
};

/// One event of a response. `Start` comes first; `Done` or `Error` comes last, once. A response that failed before the
/// provider accepted the request consists of a single `Error`. Several blocks may be open at once; `content_index` is a
/// block's index in the message.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum StreamEvent {
    /// The provider accepted the request.
    Start,
    /// A text block starts.
    TextStart {
        /// Index of the block.
        content_index: usize,
    },
    /// Text was appended.
    TextDelta {
        /// Index of the block.
        content_index: usize,
        /// The appended text.
        delta: String,
    },
    /// A text block is complete.
    TextEnd {
        /// Index of the block.
        content_index: usize,
        /// The whole text.
        content: String,
    },
    /// A thinking block starts.
    ThinkingStart {
        /// Index of the block.
        content_index: usize,
    },
    /// Thinking was appended.
    ThinkingDelta {
        /// Index of the block.
        content_index: usize,
        /// The appended text.
        delta: String,
    },
    /// A thinking block is complete.
    ThinkingEnd {
        /// Index of the block.
        content_index: usize,
        /// The whole text.
        content: String,
    },
    /// A tool call starts.
    #[serde(rename = "toolcall_start")]
    ToolCallStart {
        /// Index of the block.
        content_index: usize,
        /// Final id of the call.
        id: String,
        /// Name of the tool.
        name: String,
    },
    /// Arguments were appended.
    #[serde(rename = "toolcall_delta")]
    ToolCallDelta {
        /// Index of the block.
        content_index: usize,
        /// The appended JSON text.
        delta: String,
    },
    /// A tool call is complete.
    #[serde(rename = "toolcall_end")]
    ToolCallEnd {
        /// Index of the block.
        content_index: usize,
        /// The call.
        tool_call: ToolCall,
    },
    /// The response is complete.
    Done {
        /// `Stop`, `Length` or `ToolUse`.
        reason: StopReason,
        /// The whole message.
        message: AssistantMessage,
    },
    /// The response failed.
    Error {
        /// `Error` or `Aborted`.
        reason: StopReason,
        /// The error.
        #[serde(skip)]
        error: LlmError,
        /// The message as far as it had arrived.
        message: AssistantMessage,
    },
}

/// Source of a response: a connection, a script, or whatever a custom [`crate::Provider`] reads.
#[async_trait]
pub trait ReplySource: Send {
    /// Waits for more and writes it into `reply`, ending with [`Reply::finish`]. Called repeatedly until then. Dropping
    /// the future or the source must stop the work behind it.
    ///
    /// # Errors
    /// An error ends the reply.
    async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError>;
}

/// A response being received. Nothing happens unless it is polled; dropping it closes the connection.
#[must_use = "the request is not sent until the stream is read"]
pub struct EventStream {
    source: Option<Box<dyn ReplySource>>,
    reply: Reply,
    cancel: CancelToken,
}

impl EventStream {
    /// Creates a stream that reads `source` into `reply` until it ends or `cancel` is triggered.
    pub fn new(source: Box<dyn ReplySource>, reply: Reply, cancel: CancelToken) -> Self {
        Self { source: Some(source), reply, cancel }
    }

    /// Returns the next event; `None` after the last. Cancellation takes effect immediately: events not yet taken are
    /// dropped, and the last event's message contains what had arrived.
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

    /// Returns what has arrived so far.
    pub fn partial(&self) -> &AssistantMessage {
        self.reply.message()
    }

    /// Reads to the end.
    ///
    /// # Errors
    /// Fails if the response is incomplete.
    pub async fn finish(mut self) -> Result<AssistantMessage, LlmError> {
        while let Some(event) = self.next().await {
            match event {
                StreamEvent::Done { message, .. } => return Ok(message),
                StreamEvent::Error { error, .. } => return Err(error),
                _ => {}
            }
        }
        Err(LlmError::invalid("the stream has already ended"))
    }

    fn abort(&mut self) {
        // The connection is closed first, so that the provider stops working whatever the reader does next.
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
