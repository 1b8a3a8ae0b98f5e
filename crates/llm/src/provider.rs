//! The one trait the agent knows: something that answers requests.

use toolsmith_tool::CancelToken;

use crate::{
    endpoint::Endpoint,
    error::LlmError,
    model::{ForcedTool, Model},
    request::Request,
    stream::EventStream,
};

/// Something that answers requests. Retries, waiting and choosing another model are its caller's affair.
///
/// A provider of your own reads from wherever it likes and writes into a [`crate::Reply`], which makes the events:
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
    /// The name in the configuration.
    fn name(&self) -> &str;

    /// What can be asked of `model` here.
    fn capabilities(&self, model: &Model) -> Capabilities;

    /// Asks. Every failure, also of the request itself, comes out of the stream. Tripping `cancel` or dropping the stream
    /// closes the connection.
    fn stream(&self, request: &Request<'_>, cancel: CancelToken) -> EventStream;

    /// Returns where requests are sent, where that is a place somebody could have configured.
    fn endpoint(&self) -> Option<Endpoint> {
        None
    }

    /// Returns the error every request would fail with, where that can be told without asking: there is no key.
    fn missing_key(&self) -> Option<LlmError> {
        None
    }
}

/// What can be asked of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// How far a call can be demanded: the rung a caller starts on when it needs one tool called. Below
    /// [`ForcedTool::Named`] it offers that tool alone and demands any; below [`ForcedTool::Required`] it reminds.
    pub forced_tool: ForcedTool,
    /// Whether it sees images; where it does not, a note stands in for each.
    pub images: bool,
    /// Whether it can think.
    pub thinking: bool,
    /// Whether it can think in a request that demands a call; where it can't, the demand wins and thinking is left out.
    pub thinking_with_forced_tool: bool,
}

impl Capabilities {
    /// What is known of `model` itself, on a wire that takes everything.
    pub fn of(model: &Model) -> Self {
        Self {
            forced_tool: model.forced_tool,
            images: model.images,
            thinking: model.thinking.is_supported(),
            thinking_with_forced_tool: true,
        }
    }
}
