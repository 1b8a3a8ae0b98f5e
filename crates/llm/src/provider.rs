//! The provider trait, and observers of the exchange with a provider: they see and may change a request before it is sent.

use std::fmt;

use async_trait::async_trait;
use serde_json::{Map, Value};
use toolsmith_tool::CancelToken;

use crate::{
    endpoint::Endpoint,
    error::LlmError,
    model::{ForcedTool, Model},
    request::Request,
    stream::EventStream,
};

/// A source of model responses. Retries, delays and falling back to another model are the caller's responsibility.
///
/// A custom provider writes into a [`crate::Reply`], which emits the events:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use toolsmith_llm::{
///     CancelToken, Capabilities, EventStream, LlmError, Message, Model, Provider, Reply, ReplySource, Request,
///     StopReason, async_trait,
/// };
///
/// struct Parrot;
/// struct Says(usize);
///
/// impl Provider for Parrot {
///     fn name(&self) -> &str {
///         "parrot"
///     }
///     fn capabilities(&self, model: &Model) -> Capabilities {
///         Capabilities::of(model)
///     }
///     fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream {
///         let source = Says(request.messages.len());
///         EventStream::new(Box::new(source), Reply::new(request, "parrot"), cancel)
///     }
/// }
///
/// #[async_trait]
/// impl ReplySource for Says {
///     async fn advance(&mut self, reply: &mut Reply) -> Result<(), LlmError> {
///         reply.text(0, &format!("I heard {} messages.", self.0));
///         reply.finish(StopReason::Stop);
///         Ok(())
///     }
/// }
///
/// let model = Model::unknown("parrot", "polly");
/// let said = [Message::user("Hello")];
/// let request = Request::new(&model).messages(&said);
/// let answer = Parrot.stream(&request, CancelToken::new()).finish().await?;
/// assert_eq!(answer.text(), "I heard 1 messages.");
/// # Ok(())
/// # }
/// ```
pub trait Provider: Send + Sync {
    /// Returns the name in the configuration.
    fn name(&self) -> &str;

    /// Returns the capabilities of `model` at this provider.
    fn capabilities(&self, model: &Model) -> Capabilities;

    /// Sends the request. Every failure, including an invalid request, is reported by the stream. Cancelling or
    /// dropping the stream closes the connection.
    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream;

    /// Returns where requests are sent, where that is a place somebody could have configured.
    fn endpoint(&self) -> Option<Endpoint> {
        None
    }

    /// Returns the error every request would fail with, where that can be told without asking: there is no key.
    fn missing_key(&self) -> Option<LlmError> {
        None
    }

    /// Returns whether the provider does not exist any more, such as one of an extension that was removed. Its models are not offered.
    fn is_gone(&self) -> bool {
        false
    }
}

/// Capabilities of a model at a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// How strongly a tool call can be forced. Below [`ForcedTool::Named`] the caller offers that tool alone and
    /// requires any call; below [`ForcedTool::Required`] it sends a reminder.
    pub forced_tool: ForcedTool,
    /// Accepts images; otherwise each is replaced by a note.
    pub images: bool,
    /// Supports thinking.
    pub thinking: bool,
    /// Supports thinking in a request with a forced call; otherwise thinking is disabled for that request.
    pub thinking_with_forced_tool: bool,
}

impl Capabilities {
    /// Derives the capabilities from the metadata of `model` alone.
    pub fn of(model: &Model) -> Self {
        Self {
            forced_tool: model.forced_tool,
            images: model.images,
            thinking: model.thinking.is_supported(),
            thinking_with_forced_tool: true,
        }
    }
}

/// Sees one request and its response. Keys are not part of what it sees.
#[async_trait]
pub trait Exchange: Send + Sync {
    /// Returns the body to send.
    async fn request(&self, payload: Value) -> Value {
        payload
    }

    /// Returns the headers to send besides the key. A null value removes a header.
    async fn headers(&self, headers: Map<String, Value>) -> Map<String, Value> {
        headers
    }

    /// Called when the provider accepted the request.
    async fn response(&self, _status: u16, _headers: Map<String, Value>) {}
}

impl fmt::Debug for dyn Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Exchange")
    }
}
